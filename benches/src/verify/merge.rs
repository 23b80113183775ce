//! Merging: a filter of half of the keys merges one of the other half, and must then be a filter of
//! all.

use super::tally::{Answers, Tally};
use super::{Effort, Failure, Subject, guarded, seed_of, with_room};
use crate::contender::{Built, Contender};
use crate::record::Row;

/// A contender that passed.
#[derive(Clone, Copy, Debug)]
pub struct Merged {
    answers: Answers,
}

/// Two filters planned for all keys, with one half of them each.
pub fn halves(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    seed: u64,
) -> Result<[Box<dyn Built>; 2], Failure> {
    let keys = subject.present.len();
    let half = |from, to| {
        let part = subject.present.between(from, to);
        with_room(contender, keys, part, subject, seed)
    };
    Ok([half(0, keys / 2)?, half(keys / 2, keys)?])
}

/// Merges one into the other.
pub fn merge(into: &mut dyn Built, other: &dyn Built) -> Result<(), Failure> {
    guarded(|| into.merge(other))?
        .ok_or(Failure::Unable { what: "merge" })?
        .map_err(Failure::Merge)
}

/// Merges filters of several seeds: all keys of both must be found, and the rate must be that of a
/// filter of all keys.
pub fn verify_merge(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    effort: &Effort,
) -> Result<Merged, Failure> {
    let info = contender.info();
    let mut tally = Tally::default();
    for filter in 0..effort.of(&info).min_seeds.max(1) {
        let seed = seed_of(subject.seed, filter);
        let [mut into, other] = halves(contender, subject, seed)?;
        merge(&mut *into, &*other)?;
        tally.take(&*into, subject.present, subject.absent, seed)?;
    }
    Ok(Merged {
        answers: tally.judged(info.ours)?,
    })
}

impl Merged {
    /// Writes the result into the row of the merges' times.
    pub fn write(&self, row: &mut Row) {
        self.answers.write(row);
    }
}
