//! Removal: all remaining keys must be found, and removed keys no more often than keys never
//! inserted.

use super::{Answers, Effort, Failure, Subject, Tally, build, guarded, seed_of};
use crate::contenders::Built;
use crate::contenders::Contender;
use crate::keys::Keys;

/// Removes half of the keys from filters of several seeds, then queries the others and the removed
/// ones.
///
/// A removed key must be like any key never inserted, so the rate on removed keys is that of a
/// filter built with half of the keys.
pub fn verify_removal(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    effort: &Effort,
) -> Result<Answers, Failure> {
    let info = contender.info();
    let mut tally = Tally::default();
    for filter in 0..effort.of(&info).min_seeds.max(1) {
        let seed = seed_of(subject.seed, filter);
        let mut filter = build(contender, subject.present, &subject.order(seed))?;
        take_out(&mut *filter, subject.gone, seed)?;
        tally.take(&*filter, subject.kept, subject.gone, seed)?;
    }
    tally.judged(info.ours)
}

/// Removes keys, all of them present.
pub fn take_out(filter: &mut dyn Built, gone: Keys<'_>, seed: u64) -> Result<(), Failure> {
    let done = guarded(|| filter.remove(gone))?.ok_or(Failure::Unable { what: "remove" })?;
    let keys = gone.len() as u64;
    if done == keys {
        return Ok(());
    }
    Err(Failure::Short { did: "removed", done, keys, seed })
}
