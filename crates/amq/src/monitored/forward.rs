//! The traits of the filter that is watched.

use super::{Monitored, sample};
use amq_core::{
    BatchInsertError, ClearFilter, Count, CountFilter, Filter, FilterKind, InsertError,
    InsertFilter, Inserted, KeyHash, LengthMismatch, RemoveFilter, Stats,
};

/// Queries are counted, everything else is the filter's own.
impl<F: Filter, const EVERY: bool> Filter for Monitored<F, EVERY> {
    fn kind(&self) -> FilterKind {
        self.filter.kind()
    }

    fn seed(&self) -> u64 {
        self.filter.seed()
    }

    fn len(&self) -> u64 {
        self.filter.len()
    }

    fn capacity(&self) -> u64 {
        self.filter.capacity()
    }

    fn size_in_bytes(&self) -> u64 {
        self.filter.size_in_bytes()
    }

    fn expected_fpr(&self) -> f64 {
        self.filter.expected_fpr()
    }

    fn load_factor(&self) -> f64 {
        self.filter.load_factor()
    }

    fn saturated(&self) -> u64 {
        self.filter.saturated()
    }

    fn stats(&self) -> Stats {
        self.filter.stats()
    }

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
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.filter.insert_hash(hash)
    }

    #[inline]
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.filter.insert_unique_hash(hash)
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        self.filter.insert_batch(hashes)
    }

    fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> Result<u64, BatchInsertError> {
        self.filter.insert_from(about, next)
    }
}

impl<F: RemoveFilter, const EVERY: bool> RemoveFilter for Monitored<F, EVERY> {
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        self.filter.remove_hash(hash)
    }
}

/// Of a filter that takes keys through a shared reference, so does what watches it.
impl<F: Filter, const EVERY: bool> InsertFilter for &Monitored<F, EVERY>
where
    for<'a> &'a F: InsertFilter,
{
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        (&self.filter).insert_hash(hash)
    }

    #[inline]
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        (&self.filter).insert_unique_hash(hash)
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        (&self.filter).insert_batch(hashes)
    }

    fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> Result<u64, BatchInsertError> {
        (&self.filter).insert_from(about, next)
    }
}

impl<F: Filter, const EVERY: bool> RemoveFilter for &Monitored<F, EVERY>
where
    for<'a> &'a F: RemoveFilter,
{
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        (&self.filter).remove_hash(hash)
    }
}

impl<F: CountFilter, const EVERY: bool> CountFilter for Monitored<F, EVERY> {
    #[inline]
    fn count_hash(&self, hash: KeyHash) -> Count {
        self.filter.count_hash(hash)
    }
}

/// The totals go on; what was seen recently is forgotten, as by [`Monitored::replace`].
impl<F: ClearFilter, const EVERY: bool> ClearFilter for Monitored<F, EVERY> {
    fn clear(&mut self) {
        self.counts.reset_recent();
        self.filter.clear();
    }
}
