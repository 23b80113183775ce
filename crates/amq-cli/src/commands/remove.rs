//! `amq remove`: removes keys from a filter.

use crate::arguments::ChangeArgs;
use crate::exit::{Outcome, note};
use crate::kinds;
use crate::mistaken::Watch;
use crate::numbers::{expected, grouped, of, rate_text};
use crate::pipeline::{GO_ON, Hashed};
use crate::progress;
use crate::report::report;
use amq::{Ability, AnyFilter, Filter, FilterKind, KeyHash};
use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;

/// Remove keys from a filter
///
/// Removes one copy of each key. Remove only keys that were inserted: removing a false positive
/// makes the filter deny another key. Counting, cuckoo and quotient filters can remove; the others
/// refuse.
///
/// Removing a key that is certainly absent changes nothing, but absent keys that are false
/// positives do harm. If the filter denies D keys at a false-positive rate of p, about D p / (1 -
/// p) more look present and were never inserted. Where that number is 0.1 or more, so that about
/// one such run in ten would destroy a key, nothing is changed unless --allow-strangers is given.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, visible_alias = "delete")]
pub(crate) struct Arguments {
    /// Remove keys even if many others are certainly absent: the filter may then deny keys that
    /// were not removed
    #[arg(long)]
    allow_strangers: bool,

    #[command(flatten)]
    change: ChangeArgs,
}

const EXAMPLES: &str = "\
Examples:
  $ amq build -o live.amq --kind cuckoo --fpr 1% keys.txt
  $ amq remove live.amq -e key1 -e key2
  $ amq remove --backup live.amq more.txt --allow-strangers

Exit status: 0 if any key was removed, 1 if none was in, 2 on an error.";

/// Whether all counters of a key are stuck at their maximum.
fn is_stuck(filter: &AnyFilter, hash: KeyHash) -> bool {
    filter.count_hash(hash).is_ok_and(|count| count.saturated)
}

/// Refuse a run from this expected number of destroyed keys on. Below it, nine runs in ten destroy
/// none.
const HARM: f64 = 0.1;

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let (mut file, output, keys) = self.change.begin()?;
        let in_place = self.change.is_in_place();
        let filter_name = self.change.name();
        let mut watch = Watch::new(keys.shape, &file);
        let under = file.secret();
        let filter = file.filter_mut().into_inner();
        if !amq::Abilities::of(filter.kind()).remove {
            bail!(
                "{}: {} filter cannot remove keys; kinds that can: {}",
                filter_name,
                kinds::a(filter.kind()),
                kinds::list(Ability::Remove.kinds())
            );
        }
        let bar = progress::bar(keys.bytes, self.change.is_silent());
        let rate = filter.expected_fpr();
        let counts = matches!(filter.kind(), FilterKind::Counting | FilterKind::BlockedCounting);
        let may_stick = counts && filter.stats().saturated > 0;
        let (mut removed, mut stuck) = (0, 0);
        let read = keys.run(
            under,
            &bar,
            &Hashed,
            |work| {
                let before = removed + stuck;
                for &hash in &work.hashes {
                    if may_stick && is_stuck(filter, hash) {
                        stuck += 1;
                    } else {
                        removed += u64::from(filter.remove_hash(hash)?);
                    }
                }
                watch.see(work, removed + stuck - before);
                GO_ON
            },
            || Ok(()),
        );
        let read = read.with_context(|| format!("{filter_name}: nothing was removed"))?;
        bar.finish_and_clear();
        watch.warn(&filter_name);
        // So far, only the filter in memory has changed.
        let strangers = read - removed - stuck;
        let harm = strangers as f64 * rate / (1.0 - rate).max(f64::MIN_POSITIVE);
        if removed > 0 && harm >= HARM && !self.allow_strangers {
            bail!(
                "{}: nothing was removed: {} of {} are certainly not in, and at a rate of {} about \
                 {} more look present and are not: removing those would destroy keys that are in. \
                 Remove only keys that were put in, or give --allow-strangers",
                filter_name,
                grouped(strangers),
                of(read, "key"),
                rate_text(rate),
                expected(harm)
            );
        }
        if removed > 0 || !in_place {
            output.write(&file)?;
        }
        if self.change.json {
            output.tell(&file, json!({ "read": read, "removed": removed, "stuck": stuck }))?;
        } else if !self.change.quiet {
            note(&report(file.filter().into_inner(), &output.name()));
            if removed > 0 || !in_place {
                output.note_secret(&file);
            }
            note(&format!("removed: {} of {}", grouped(removed), grouped(read)));
        }
        if stuck > 0 {
            note(&format!(
                "{} cannot be removed: all counters of such a key are stuck at their maximum, so it \
                 stays found; build the filter again, from its keys",
                of(stuck, "key")
            ));
        }
        if removed > 0 && strangers > 0 && (!self.change.quiet || harm >= HARM) {
            note(&format!(
                "{} certainly not in; about {} of those removed were not in either, and as many keys \
                 that are in are now denied",
                if strangers == 1 {
                    "1 was".into()
                } else {
                    format!("{} were", grouped(strangers))
                },
                expected(harm)
            ));
        }
        Ok(Outcome::found(removed > 0))
    }
}
