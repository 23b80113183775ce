//! `amq insert`: more keys into a filter.

use crate::arguments::KeyArgs;
use crate::exit::{Outcome, note};
use crate::input;
use crate::key_file::KeyFile;
use crate::lock::Wait;
use crate::numbers::{grouped, of};
use crate::output::Output;
use crate::pipeline::{GO_ON, Hashed};
use crate::progress;
use crate::report::{Held, overfull, report, skips_copies};
use crate::stdio::is_dash;
use amq::{AnyError, Filter};
use anyhow::{Context, anyhow, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Insert keys into a filter
///
/// The file is replaced when all keys are in: if one is refused, it stays as it was. Runs that
/// change one file at the same time wait for each other. Ribbon and fuse filters take no
/// further keys.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, visible_alias = "add")]
pub(crate) struct Arguments {
    /// The filter's file; `-` is standard input, and standard output without -o
    filter: PathBuf,

    /// Write here instead of to the same file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Skip keys that the filter answers "probably" to already, so that it does not fill up with
    /// copies. Then remove only keys that were new; a skipped key may be denied after a removal
    #[arg(short, long)]
    unique: bool,

    /// Replace the file of -o if it exists, and a filter's own file if it is read-only
    #[arg(short, long)]
    force: bool,

    /// Keep the replaced file, under its name followed by `~`
    #[arg(long)]
    backup: bool,

    /// No report and no progress bar on standard error
    #[arg(short, long)]
    quiet: bool,

    /// Print one JSON object instead: what `amq info --json` tells, and `read` and `inserted`
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    wait: Wait,

    #[command(flatten)]
    key_file: KeyFile,

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
        if !is_dash(&self.filter) && self.filter.symlink_metadata().is_err() {
            let name = self.filter.display();
            bail!(
                "{name}: there is no such filter; to make one: amq build -o {name} --fpr 1% KEYS"
            );
        }
        let output = Output::of_change(&self.filter, self.output.as_deref(), self.force)?;
        let output = output.keeping(self.backup)?.telling(self.json)?;
        output.not_among(self.keys.files.iter().map(PathBuf::as_path))?;
        let keys = self.keys.keys([&*self.filter].into_iter().chain(self.key_file.path()))?;
        output.not_among(self.key_file.path())?;
        let output = output.locked(self.wait)?;
        let key = self.key_file.key()?;
        let mut file = input::load_for_keys(&self.filter, key)?;
        let name = || input::name(&self.filter);
        let keys = keys.suited(&file, &name())?;
        let under = file.secret();
        let filter = file.filter_mut().into_inner();
        // Nothing is inserted: this asks whether the kind can.
        filter.insert_batch(&[]).with_context(name)?;
        let before = filter.len();
        let bar = progress::bar(keys.bytes, self.quiet || self.json);
        let read = keys.run(
            under,
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
        if before == 0 && read > 0 {
            // Nothing was in that could be otherwise.
            file.set_encoding(keys.encoding(read));
        }
        output.write(&file)?;
        let filter = file.filter().into_inner();
        if self.json {
            let inserted = filter.len() - before;
            output.tell(&file, json!({ "read": read, "inserted": inserted }))?;
        } else if !self.quiet {
            let more = grouped(filter.len() - before);
            note(&report(filter, &output.name()));
            note(&if skips_copies(filter) && !self.unique && filter.len() - before < read {
                format!("inserted: {}, at least {more} of them new", of(read, "key"))
            } else {
                format!("inserted: {more} of {}", grouped(read))
            });
            output.note_secret(&file);
        }
        overfull(filter, &output.name(), &Held::of(filter));
        Ok(Outcome::Done)
    }
}

/// The refusal of one key, whatever its place in a batch.
fn refused(error: AnyError) -> anyhow::Error {
    match error {
        AnyError::Batch(batch) => anyhow!(batch.error),
        other => anyhow!(other),
    }
}
