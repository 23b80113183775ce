//! The traits, for code that is generic over filters.

use super::Sharded;
use amq_core::{
    ClearFilter, Count, CountFilter, Filter, FilterKind, InsertError, InsertFilter, Inserted,
    KeyHash, LengthMismatch, RemoveFilter,
};

impl<F: Filter> Filter for Sharded<F> {
    /// The kind of the shards.
    fn kind(&self) -> FilterKind {
        self.kind
    }
    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }
    fn len(&self) -> u64 {
        self.total(F::len)
    }
    /// The number of keys planned for. The plans of the shards add up to more, since keys are not
    /// spread evenly.
    fn capacity(&self) -> u64 {
        self.capacity
    }
    fn size_in_bytes(&self) -> u64 {
        self.total(F::size_in_bytes)
    }
    fn expected_fpr(&self) -> f64 {
        self.sum(F::expected_fpr, 1.0) / self.shards.len() as f64
    }
    /// The mean of the shards' load factors.
    fn load_factor(&self) -> f64 {
        self.sum(F::load_factor, 0.0) / self.shards.len() as f64
    }
    fn saturated(&self) -> u64 {
        self.total(F::saturated)
    }
    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.shard(hash).read().is_none_or(|shard| shard.contains_hash(hash))
    }
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        self.contains_by_shard(hashes, answers)
    }
}

impl<F: CountFilter> CountFilter for Sharded<F> {
    fn count_hash(&self, hash: KeyHash) -> Count {
        Self::count_hash(self, hash)
    }
}

/// Without locking, since the reference is exclusive.
impl<F: InsertFilter> InsertFilter for Sharded<F> {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        let shard = hash.shard(self.shards.len());
        self.shards[shard].exclusive().insert_hash(hash)
    }
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        let shard = hash.shard(self.shards.len());
        self.shards[shard].exclusive().insert_unique_hash(hash)
    }
}

/// For code that is generic over filters: a shared reference inserts, too.
impl<F: InsertFilter> InsertFilter for &Sharded<F> {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Sharded::insert_hash(self, hash)
    }
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Sharded::insert_unique_hash(self, hash)
    }
}

impl<F: RemoveFilter> RemoveFilter for Sharded<F> {
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let shard = hash.shard(self.shards.len());
        self.shards[shard].exclusive().remove_hash(hash)
    }
}

impl<F: RemoveFilter> RemoveFilter for &Sharded<F> {
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        Sharded::remove_hash(self, hash)
    }
}

impl<F: ClearFilter> ClearFilter for Sharded<F> {
    fn clear(&mut self) {
        for shard in &mut self.shards {
            shard.exclusive().clear();
        }
    }
}
