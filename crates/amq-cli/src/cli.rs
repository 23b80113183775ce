//! The command line: its parser, and the list of commands.

use crate::answer::error_in_json;
use crate::commands::{
    bins, build, choose, compare, completions, convert, dedupe, engines, info, insert, man, merge,
    query, remove, verify,
};
use crate::exit::{Closed, Outcome};
use crate::stdio::Text;
use crate::usage;
use clap::{CommandFactory, Parser, Subcommand};

/// Sets that fit into a few bits per key, from the command line.
///
/// A filter answers "was this key inserted?" with "certainly not" or "probably". A key that was
/// inserted is always found. Another key is found at the false-positive rate, which you choose: at
/// 1 %, a million keys of any length take 1.2 MB in a Bloom filter, and 0.85 MB in a ribbon filter.
#[derive(Parser, Debug)]
#[command(name = "amq", version, propagate_version = true, after_help = AFTER)]
#[command(max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER: &str = "\
Examples:
  $ amq choose --keys 1e6 --fpr 1%             # which kind, and why
  $ amq build -o seen.amq --fpr 1% keys.txt    # one key a line
  $ amq query seen.amq more.txt                # lines that may be in
  $ amq query -v seen.amq more.txt             # lines that are certainly not
  $ amq info seen.amq

Exit status, as that of grep: 0 if done, or if any key was printed; 1 if none
was; 2 on an error.";

#[derive(Subcommand, Debug)]
enum Command {
    Choose(choose::Arguments),
    Build(build::Arguments),
    Query(query::Arguments),
    Dedupe(dedupe::Arguments),
    Insert(insert::Arguments),
    Remove(remove::Arguments),
    Merge(merge::Arguments),
    Compare(compare::Arguments),
    Bins(bins::Arguments),
    Info(info::Arguments),
    Verify(verify::Arguments),
    Convert(convert::Arguments),
    Engines(engines::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Cli {
    /// Runs the command. With --json, a failure is printed as JSON, too; commands with an answer
    /// for each file, or a refusal of their own, do that themselves.
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let tells = !matches!(self.command, Command::Choose(_) | Command::Verify(_));
        self.run_command().inspect_err(|error| {
            if tells && usage::wants_json() && !error.is::<Closed>() {
                // The error itself goes to standard error.
                let _ = Text::print(&format!("{}\n", error_in_json(&format!("{error:#}"))));
            }
        })
    }

    fn run_command(&self) -> anyhow::Result<Outcome> {
        match &self.command {
            Command::Choose(arguments) => arguments.run(),
            Command::Build(arguments) => arguments.run(),
            Command::Query(arguments) => arguments.run(),
            Command::Dedupe(arguments) => arguments.run(),
            Command::Insert(arguments) => arguments.run(),
            Command::Remove(arguments) => arguments.run(),
            Command::Merge(arguments) => arguments.run(),
            Command::Compare(arguments) => arguments.run(),
            Command::Bins(arguments) => arguments.run(),
            Command::Info(arguments) => arguments.run(),
            Command::Verify(arguments) => arguments.run(),
            Command::Convert(arguments) => arguments.run(),
            Command::Engines(arguments) => arguments.run(),
            Command::Completions(arguments) => arguments.run(Self::command()),
            Command::Man(arguments) => arguments.run(Self::command()),
        }
    }
}
