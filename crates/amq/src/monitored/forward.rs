//! The traits of the filter that is watched.

use super::{Monitored, sample};
use amq_core::{
    ClearFilter, CountFilter, Filter, InsertFilter, KeyHash, LengthMismatch, RemoveFilter,
};

/// Queries are counted, everything else is the filter's own.
impl<F: Filter, const EVERY: bool> Filter for Monitored<F, EVERY> {
    amq_core::trait_methods! { self => self.filter; kind seed state }

    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        let found = self.filter.contains_hash(hash);
        self.note(hash, found);
        if EVERY || sample::due() {
            self.counts.answered(hash, found);
        }
        found
    }

    /// All are counted as single queries are.
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        self.filter.contains_batch(hashes, answers)?;
        for (&hash, &found) in hashes.iter().zip(&*answers) {
            self.note(hash, found);
        }
        let mut count = |index: usize| self.counts.answered(hashes[index], answers[index]);
        if EVERY {
            (0..hashes.len()).for_each(count);
        } else {
            sample::due_among(hashes.len(), &mut count);
        }
        Ok(())
    }
}

/// Inserts and removals are not counted.
impl<F: InsertFilter, const EVERY: bool> InsertFilter for Monitored<F, EVERY> {
    amq_core::trait_methods! { self => self.filter; insert }
}

impl<F: RemoveFilter, const EVERY: bool> RemoveFilter for Monitored<F, EVERY> {
    amq_core::trait_methods! { self => self.filter; remove }
}

/// Of a filter that takes keys through a shared reference, so does what watches it.
impl<F: Filter, const EVERY: bool> InsertFilter for &Monitored<F, EVERY>
where
    for<'a> &'a F: InsertFilter,
{
    amq_core::trait_methods! { self => (&self.filter); insert }
}

impl<F: Filter, const EVERY: bool> RemoveFilter for &Monitored<F, EVERY>
where
    for<'a> &'a F: RemoveFilter,
{
    amq_core::trait_methods! { self => (&self.filter); remove }
}

impl<F: CountFilter, const EVERY: bool> CountFilter for Monitored<F, EVERY> {
    amq_core::trait_methods! { self => self.filter; count }
}

/// The totals go on; what was seen recently is forgotten, as by [`Monitored::replace`].
impl<F: ClearFilter, const EVERY: bool> ClearFilter for Monitored<F, EVERY> {
    fn clear(&mut self) {
        self.counts.reset_recent();
        self.filter.clear();
    }
}
