//! Merging: a filter of half of the keys merges one of the other half.

use super::single::Event;
use super::{Cost, Entrant, Ground, Track, made_empty, repeats};
use crate::contender::Contender;
use crate::progress::{Progress, nanoseconds};
use crate::record::{Row, Workload};
use crate::suite::Suite;
use crate::timing;
use crate::verify::merge::{Merged, halves, merge, verify_merge};
use crate::verify::{Failure, Subject};
use std::time::{Duration, Instant};

/// The course over this many keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merging {
    /// Keys in both halves together; each filter is planned for all of them.
    pub keys: usize,
}

impl Track for Merging {
    fn workload(&self) -> Workload {
        Workload::Merge
    }

    fn title(&self) -> String {
        format!("merging two halves of {} keys", self.keys)
    }

    fn planned(&self) -> usize {
        self.keys
    }

    fn keys(&self) -> usize {
        self.keys
    }

    /// Contenders that can be made for more keys than they are given; a failure while probing is
    /// left for the course to report.
    fn takes(&self, contender: &dyn Contender) -> bool {
        !matches!(made_empty(contender), Err(Failure::NoRoom))
    }

    fn cost(&self, suite: Suite) -> Cost {
        let queries = 3 * self.keys + super::absent(suite);
        Cost {
            verify: nanoseconds(self.keys, 2 * queries),
            pass: nanoseconds(self.keys, repeats(self.keys) * 3 * self.keys),
        }
    }

    fn run(&self, ground: &Ground, entrants: Vec<Entrant>, progress: &Progress) -> Vec<Row> {
        let effort = ground.setting.suite.effort();
        let event = Event {
            verify: |contender: &dyn Contender, subject: &Subject<'_>| {
                verify_merge(contender, subject, &effort)
            },
            pass: |contender: &dyn Contender, subject: &Subject<'_>, _: &Merged| {
                pass(contender, subject)
            },
            write: |merged: &Merged, row: &mut Row| merged.write(row),
            operations: (self.keys - self.keys / 2) * repeats(self.keys),
        };
        event.run(self, ground, entrants, progress)
    }
}

/// Nanoseconds per merged key.
fn pass(contender: &dyn Contender, subject: &Subject<'_>) -> Result<f64, String> {
    let keys = subject.present.len();
    let repeats = repeats(keys);
    let mut time = Duration::ZERO;
    let failed = |failure: Failure| failure.to_string();
    for _ in 0..repeats {
        let [mut into, other] = halves(contender, subject, subject.seed).map_err(failed)?;
        let start = Instant::now();
        let merged = merge(&mut *into, &*other);
        time += start.elapsed();
        merged.map_err(failed)?;
        timing::holds_sample(&*into, subject.present, "merge")?;
        timing::holds_sample(&*into, subject.present.between(keys / 2, keys), "merge")?;
    }
    Ok(time.as_secs_f64() * 1e9 / (repeats * (keys - keys / 2)).max(1) as f64)
}
