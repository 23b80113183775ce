//! `amq insert`: inserts keys into a filter.

use crate::arguments::ChangeArgs;
use crate::exit::{Outcome, note};
use crate::numbers::{grouped, of};
use crate::pipeline::{GO_ON, Hashed};
use crate::progress;
use crate::report::{Held, overfull, report, skips_copies};
use crate::stdio::is_dash;
use amq::{AnyError, Filter};
use anyhow::{Context, anyhow, bail};
use clap::Args;
use serde_json::json;

/// Insert keys into a filter
///
/// The file is replaced once all keys are inserted: if one is refused, it stays as it was. Runs
/// that change the same file wait for each other. Ribbon and fuse filters cannot insert.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, visible_alias = "add")]
pub(crate) struct Arguments {
    /// Skip keys that the filter already answers "probably" to, so that copies do not fill it. Then
    /// remove only keys that were new; a skipped key may be denied after a removal
    #[arg(short, long)]
    unique: bool,

    #[command(flatten)]
    change: ChangeArgs,
}

const EXAMPLES: &str = "\
Examples:
  $ amq insert seen.amq more.txt
  $ amq insert seen.amq -e alice -e bob
  $ amq insert seen.amq -o both.amq more.txt    # seen.amq stays as it is";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let path = self.change.filter();
        if !is_dash(path) && path.symlink_metadata().is_err() {
            let name = path.display();
            bail!(
                "{name}: there is no such filter; to make one: amq build -o {name} --fpr 1% KEYS"
            );
        }
        let (mut file, output, keys) = self.change.begin()?;
        let name = || self.change.name();
        let under = file.secret();
        let filter = file.filter_mut().into_inner();
        // Inserts nothing: fails if the kind cannot insert.
        filter.insert_batch(&[]).with_context(name)?;
        let before = filter.len();
        let bar = progress::bar(keys.bytes, self.change.is_silent());
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
            // The filter was empty, so no key has another encoding.
            file.set_encoding(keys.encoding(read));
        }
        output.write(&file)?;
        let filter = file.filter().into_inner();
        if self.change.json {
            let inserted = filter.len() - before;
            output.tell(&file, json!({ "read": read, "inserted": inserted }))?;
        } else if !self.change.quiet {
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

/// The error of one refused key, without its place in a batch.
fn refused(error: AnyError) -> anyhow::Error {
    match error {
        AnyError::Batch(batch) => anyhow!(batch.error),
        other => anyhow!(other),
    }
}
