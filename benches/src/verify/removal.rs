//! Removal: all remaining keys must be found, and removed keys no more often than keys never
//! inserted.

use super::tally::{Answers, Tally};
use super::{Effort, Failure, Subject, build, guarded, seed_of};
use crate::contender::{Built, Contender};
use crate::record::Row;

/// A contender that passed.
#[derive(Clone, Copy, Debug)]
pub struct Removal {
    answers: Answers,
}

/// Removes half of the keys from filters of several seeds, then queries the others and the removed
/// ones.
///
/// A removed key must be like any key never inserted, so the rate on removed keys is that of a
/// filter built with half of the keys.
pub fn verify_removal(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    effort: &Effort,
) -> Result<Removal, Failure> {
    let info = contender.info();
    let mut tally = Tally::default();
    for filter in 0..effort.of(&info).min_seeds.max(1) {
        let seed = seed_of(subject.seed, filter);
        let mut filter = build(contender, subject, seed)?;
        take_out(&mut *filter, subject, seed)?;
        tally.take(&*filter, subject.kept, subject.gone, seed)?;
    }
    Ok(Removal {
        answers: tally.judged(info.ours)?,
    })
}

fn take_out(filter: &mut dyn Built, subject: &Subject<'_>, seed: u64) -> Result<(), Failure> {
    let known =
        guarded(|| filter.remove(subject.gone))?.ok_or(Failure::Unable { what: "remove" })?;
    let keys = subject.gone.len() as u64;
    if known == keys {
        Ok(())
    } else {
        Err(Failure::Unknown { known, keys, seed })
    }
}

impl Removal {
    /// Writes the result into the row of the removals' times.
    pub fn write(&self, row: &mut Row) {
        self.answers.write(row);
    }
}
