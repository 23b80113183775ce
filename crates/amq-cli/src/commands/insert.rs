//! `amq insert`: more keys into a filter.

use super::build::{output_for, report};
use crate::cli::KeyArgs;
use crate::exit::{Outcome, note};
use crate::input::{self, Locked};
use crate::numbers::{grouped, rate_text};
use crate::output::is_dash;
use crate::pipeline::{GO_ON, Hashed};
use crate::progress;
use amq::{Abilities, AnyError, Filter};
use anyhow::{Context, anyhow};
use clap::Args;
use std::path::{Path, PathBuf};

/// Insert keys into a filter
///
/// The file is replaced when all keys are in: if one is refused, it stays as it was. Runs that
/// change one file at the same time wait for each other. Ribbon filters take no further keys.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The filter's file; `-` is standard input, and standard output without -o
    filter: PathBuf,

    /// Write here instead of to the same file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Leave out keys that the filter answers *probably* to already, so that it does not fill up
    /// with copies. Then remove only keys that were new; one left out may be denied after a removal
    #[arg(short, long)]
    unique: bool,

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
  $ amq insert seen.amq more.txt
  $ amq insert seen.amq -e alice -e bob
  $ amq insert seen.amq -o both.amq more.txt    # seen.amq stays as it is";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let output = output_for(self.output.as_deref(), &self.filter, self.force)?;
        let keys = self.keys.keys(&[&self.filter])?;
        output.not_among(self.keys.files.iter().map(PathBuf::as_path))?;
        let _lock = lock(self.output.as_deref(), &self.filter)?;
        let mut filter = input::load_for_keys(&self.filter)?;
        let name = || input::name(&self.filter);
        // Nothing is inserted: this asks whether the kind can.
        filter.insert_batch(&[]).with_context(name)?;
        let before = filter.len();
        let bar = progress::bar(keys.bytes, self.quiet);
        let read = keys.run(
            filter.seed(),
            &bar,
            &Hashed,
            |work| {
                if self.unique {
                    for &hash in &work.hashes {
                        filter.insert_unique_hash(hash).map_err(refused)?;
                    }
                } else {
                    filter.insert_batch(&work.hashes).map_err(refused)?;
                }
                GO_ON
            },
            || Ok(()),
        );
        let read = read.with_context(|| format!("{}: nothing was inserted", name()))?;
        bar.finish_and_clear();
        output.write(&filter)?;
        if !self.quiet {
            let more = filter.len() - before;
            note(&report(&filter, &output.name(), 0));
            note(&format!("inserted: {} of {}", grouped(more), grouped(read)));
        }
        if Abilities::of(filter.kind()).never_full && filter.len() > filter.capacity() {
            note(&format!(
                "{} now holds more keys than the {} it was planned for, and errs at {}",
                output.name(),
                grouped(filter.capacity()),
                rate_text(filter.expected_fpr())
            ));
        }
        Ok(Outcome::Done)
    }
}

/// The refusal of one key, whatever its place in a batch.
fn refused(error: AnyError) -> anyhow::Error {
    match error {
        AnyError::Batch(batch) => anyhow!(batch.full),
        other => anyhow!(other),
    }
}

/// Keeps other runs from changing the file that this one is to replace.
pub(super) fn lock(output: Option<&Path>, file: &Path) -> anyhow::Result<Option<Locked>> {
    let in_place = output.is_none() && !is_dash(file);
    in_place.then(|| Locked::wait(file)).transpose()
}
