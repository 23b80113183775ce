//! The traits of the monitored filter.

use super::Monitored;
use amq_core::{
    BatchInsertError, ClearFilter, Count, CountFilter, Filter, FilterKind, InsertError,
    InsertFilter, Inserted, KeyHash, LengthMismatch, RemoveFilter, Stats,
};

/// Counts queries, and forwards everything else.
impl<F: Filter> Filter for Monitored<F> {
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
        self.note(found);
        found
    }

    /// Counted like single queries.
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        self.filter.contains_batch(hashes, answers)?;
        answers.iter().for_each(|&found| self.note(found));
        Ok(())
    }
}

/// Inserts and removals are not counted.
impl<F: InsertFilter> InsertFilter for Monitored<F> {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.filter.insert_hash(hash)
    }

    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.filter.insert_unique_hash(hash)
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        self.filter.insert_batch(hashes)
    }

    fn insert_batch_new(
        &mut self,
        hashes: &[KeyHash],
        new: &mut [bool],
    ) -> Result<u64, BatchInsertError> {
        self.filter.insert_batch_new(hashes, new)
    }

    fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> Result<u64, BatchInsertError> {
        self.filter.insert_from(about, next)
    }

    #[cfg(feature = "rayon")]
    fn par_insert_from(
        &mut self,
        hashes: &dyn amq_core::HashSource,
    ) -> Result<u64, BatchInsertError> {
        self.filter.par_insert_from(hashes)
    }
}

impl<F: RemoveFilter> RemoveFilter for Monitored<F> {
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        self.filter.remove_hash(hash)
    }
}

impl<F: CountFilter> CountFilter for Monitored<F> {
    fn count_hash(&self, hash: KeyHash) -> Count {
        self.filter.count_hash(hash)
    }
}

/// Keeps the totals and forgets recent queries, like [`Monitored::replace`].
impl<F: ClearFilter> ClearFilter for Monitored<F> {
    fn clear(&mut self) {
        self.counts.reset_recent();
        self.filter.clear();
    }
}
