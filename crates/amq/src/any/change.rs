//! Operations that some kinds have and others lack.

use super::kinds::{Merging, Row};
use super::{AnyError, AnyFilter, Unsupported};
use crate::Ability;
use amq_core::{
    Budget, Bytes, Count, Filter, Inserted, Key, KeyHash, MergeError, TruncateError, TruncateFilter,
};

impl<B: Bytes> AnyFilter<B> {
    /// The number of copies of `key`; see [`FilterExt::count`](amq_core::FilterExt::count).
    #[inline]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Result<Count, Unsupported> {
        self.count_hash(key.key_hash(self.seed()))
    }

    /// The number of copies of the key with this hash; see [`count`](Self::count).
    #[inline]
    pub fn count_hash(&self, hash: KeyHash) -> Result<Count, Unsupported> {
        Ok(self.as_count()?.count_hash(hash))
    }
}

impl AnyFilter {
    /// Inserts `key`. On an error the filter is exactly as before.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, AnyError> {
        self.insert_hash(key.key_hash(self.seed()))
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, AnyError> {
        Ok(self.as_fill()?.insert_hash(hash)?)
    }

    /// Inserts the key with this hash, unless a query already returns `true`; see
    /// [`InsertFilter::insert_unique_hash`](amq_core::InsertFilter::insert_unique_hash), and its
    /// warning.
    #[inline]
    pub fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, AnyError> {
        Ok(self.as_fill()?.insert_unique_hash(hash)?)
    }

    /// Inserts many hashes and returns how many were new. On an error the hashes before the refused
    /// one are in, and the error has their number.
    pub fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, AnyError> {
        Ok(self.as_fill()?.insert_batch(hashes)?)
    }

    /// Inserts many hashes, reports for each whether it was new, and returns how many were; see
    /// [`InsertFilter::insert_batch_new`](amq_core::InsertFilter::insert_batch_new).
    pub fn insert_batch_new(
        &mut self,
        hashes: &[KeyHash],
        new: &mut [bool],
    ) -> Result<u64, AnyError> {
        Ok(self.as_fill()?.insert_batch_new(hashes, new)?)
    }

    /// [`insert_batch`](Self::insert_batch) on the threads of a rayon pool, as
    /// [`ParInsertExt`](amq_core::ParInsertExt) does it.
    #[cfg(feature = "rayon")]
    pub fn par_insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, AnyError> {
        Ok(self.as_fill()?.par_insert_from(&hashes)?)
    }

    /// Removes every key. Seed and parameters stay, and so does the memory, unless the filter had
    /// grown. Only for kinds that insert.
    pub fn clear(&mut self) -> Result<(), Unsupported> {
        self.as_fill()?.clear();
        Ok(())
    }

    /// Removes one copy of `key`. `false`: it was certainly not in, and nothing changed.
    ///
    /// **Only remove what you inserted**; see
    /// [`RemoveFilter::remove_hash`](amq_core::RemoveFilter::remove_hash).
    #[inline]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool, Unsupported> {
        self.remove_hash(key.key_hash(self.seed()))
    }

    /// Removes one copy of the key with this hash; see [`remove`](Self::remove).
    #[inline]
    pub fn remove_hash(&mut self, hash: KeyHash) -> Result<bool, Unsupported> {
        Ok(self.as_remove()?.remove_hash(hash))
    }

    /// Adds every key of `other`. All or nothing.
    pub fn merge(&mut self, other: &Self) -> Result<(), AnyError> {
        let (_, merge) = self.merging(other)?;
        Ok(merge(self, other)?)
    }

    /// `Ok` if [`merge`](Self::merge) would succeed, and why not otherwise.
    pub fn can_merge(&self, other: &Self) -> Result<(), AnyError> {
        let (can_merge, _) = self.merging(other)?;
        Ok(can_merge(self, other)?)
    }

    /// Truncates the filter to a smaller budget, without its keys: see [`TruncateFilter`]. Kinds
    /// that cannot be truncated are refused by name.
    ///
    /// ```
    /// use amq::{AnyFilter, Budget, FilterKind};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = AnyFilter::build(FilterKind::Ribbon, Budget::Fpr(0.0001), 0..1000u64)?;
    /// filter.truncate(Budget::Fpr(0.01))?;
    /// assert!(filter.contains(&7u64));
    /// let mut filter = AnyFilter::build(FilterKind::Cuckoo, Budget::Fpr(0.0001), 0..1000u64)?;
    /// assert!(filter.truncate(Budget::Fpr(0.01)).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        let kind = self.kind();
        let truncating = Row::of(kind).and_then(|row| row.truncate);
        let (truncate, _) = truncating.ok_or(TruncateError::Kind { kind })?;
        truncate(self, budget)
    }

    /// The function that merges two filters of this kind.
    fn merging(&self, other: &Self) -> Result<Merging, AnyError> {
        let (ours, theirs) = (self.kind(), other.kind());
        if ours != theirs {
            return Err(MergeError::Kinds { ours, theirs }.into());
        }
        let merging = Row::of(ours).and_then(|row| row.merge);
        Ok(merging.ok_or(Unsupported::new(Ability::Merge, ours))?)
    }
}

impl TruncateFilter for AnyFilter {
    fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        Self::truncate(self, budget)
    }
}
