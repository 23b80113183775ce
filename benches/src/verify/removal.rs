//! Removal: what is left must all be found, what was taken out no oftener than a key that was never
//! in.

use super::tally::{Answers, Tally};
use super::{Effort, Failure, Subject, build, guarded, seed_of};
use crate::contender::{Built, Contender};
use crate::record::Row;

/// A contender from which half of the keys could be taken.
#[derive(Clone, Copy, Debug)]
pub struct Removal {
    answers: Answers,
}

/// Takes half of the keys out of filters of several seeds, then asks for the others, and for those
/// that are gone.
///
/// To a filter that has forgotten a key, that key is as good as any that was never in; so its rate
/// for the keys that are gone is the one it would have had with half of the keys from the start.
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
    /// Into the row of the removals' times.
    pub fn write(&self, row: &mut Row) {
        self.answers.write(row);
    }
}
