//! `amq remove`: keys out of a filter.

use super::build::output_for;
use super::insert::lock;
use crate::cli::KeyArgs;
use crate::exit::{Outcome, note};
use crate::input;
use crate::numbers::grouped;
use crate::pipeline::{GO_ON, Hashed};
use crate::progress;
use crate::report::report;
use amq::{Ability, Filter};
use anyhow::{Context, bail};
use clap::Args;
use std::path::PathBuf;

/// Remove keys from a filter
///
/// Takes one copy of each key out. Only remove keys that were put in: removing a false positive
/// makes the filter deny another key. Keys that are certainly not in change nothing. Counting,
/// cuckoo and quotient filters can do this; the others refuse.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The filter's file; `-` is standard input, and standard output without -o
    filter: PathBuf,

    /// Write here instead of to the same file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the file of -o if it exists
    #[arg(short, long, requires = "output")]
    force: bool,

    /// No report and no progress bar on standard error
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    keys: KeyArgs,
}

const EXAMPLES: &str = "\
Examples:
  $ amq build -o live.amq --kind cuckoo --fpr 1% keys.txt
  $ amq remove live.amq -e key1 -e key2

Exit status: 0 if any key was removed, 1 if none was in, 2 on an error.";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let output = output_for(self.output.as_deref(), &self.filter, self.force)?;
        let keys = self.keys.keys(&[&self.filter])?;
        output.not_among(self.keys.files.iter().map(PathBuf::as_path))?;
        let lock = lock(self.output.as_deref(), &self.filter)?;
        let in_place = lock.is_some();
        let mut filter = input::load_for_keys(&self.filter)?;
        if !amq::Abilities::of(filter.kind()).remove {
            let can: Vec<&str> = Ability::Remove.kinds().map(|kind| kind.id()).collect();
            bail!(
                "{}: a {} filter cannot remove keys; kinds that can: {}",
                input::name(&self.filter),
                filter.kind(),
                can.join(", ")
            );
        }
        let bar = progress::bar(keys.bytes, self.quiet);
        let mut removed = 0;
        let read = keys.run(
            filter.seed(),
            &bar,
            &Hashed,
            |work| {
                for &hash in &work.hashes {
                    removed += u64::from(filter.remove_hash(hash)?);
                }
                GO_ON
            },
            || Ok(()),
        );
        let name = || format!("{}: nothing was removed", input::name(&self.filter));
        let read = read.with_context(name)?;
        bar.finish_and_clear();
        if removed > 0 || !in_place {
            output.write(&filter)?;
        }
        if !self.quiet {
            note(&report(&filter, &output.name()));
            note(&format!("removed: {} of {}", grouped(removed), grouped(read)));
        }
        Ok(Outcome::found(removed > 0))
    }
}
