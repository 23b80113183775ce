//! `amq merge`: several filters into one.

use crate::exit::{Outcome, note};
use crate::input;
use crate::key_file::KeyFile;
use crate::output::Output;
use crate::replace::Existing;
use crate::report::{self, Held};
use crate::stdio;
use crate::stdio::is_dash;
use anyhow::{Context, bail};
use clap::Args;
use std::path::PathBuf;

/// Merge filters into one that holds the keys of all
///
/// The filters must be of one kind, of equal parameters and of the same seed or secret key: build
/// them with the same --keys and the same rate or size (and --seed-of, if the seed is secret).
/// Ribbon filters cannot be merged. A secret key is in the output only if it is in all of them.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The filters; one of them may be `-`, standard input
    #[arg(required = true, num_args = 2.., value_name = "FILTER")]
    filters: Vec<PathBuf>,

    /// Replace the output if it exists, even if it is one of the filters
    #[arg(short, long)]
    force: bool,

    /// No report on standard error
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    key_file: KeyFile,
}

const EXAMPLES: &str = "\
Examples:
  $ amq build -o a.amq --fpr 1% --keys 10000 keys.txt
  $ amq build -o b.amq --fpr 1% --keys 10000 more.txt
  $ amq merge -o ab.amq a.amq b.amq";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let output = Output::new(&self.output, Existing::forced(self.force))?;
        let dashes = self.filters.iter().filter(|path| is_dash(path)).count();
        stdio::once(dashes, self.key_file.path())?;
        let [first, rest @ ..] = self.filters.as_slice() else {
            bail!("name two filters or more");
        };
        output.not_among(self.key_file.path())?;
        let output = output.locked()?;
        let key = self.key_file.key()?;
        let mut merged = input::load_to_merge(first, key)?;
        for path in rest {
            let other = input::load_to_merge(path, key)?;
            let both = || format!("{} and {}", input::name(first), input::name(path));
            merged.merge(&other).with_context(both)?;
        }
        output.write(&merged)?;
        if !self.quiet {
            let filter = merged.filter().into_inner();
            note(&report::line(filter, &output.name(), &Held::merged(filter)));
            output.note_secret(&merged);
        }
        Ok(Outcome::Done)
    }
}
