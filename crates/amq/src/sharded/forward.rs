//! The traits, for code that is generic over filters.

use super::Sharded;
use amq_core::{
    ClearFilter, Count, CountFilter, Filter, FilterKind, Full, InsertFilter, Inserted, KeyHash,
    LengthMismatch, RemoveFilter,
};

impl<F: Filter> Filter for Sharded<F> {
    /// The kind of the shards.
    fn kind(&self) -> FilterKind {
        self.kind
    }
    #[inline]
    fn seed(&self) -> u64 {
        Self::seed(self)
    }
    #[inline]
    fn key_seed(&self) -> Option<u64> {
        self.key_seed
    }
    fn len(&self) -> u64 {
        Self::len(self)
    }
    /// The number of keys planned for. The shards' plans come to more, as room for chance.
    fn capacity(&self) -> u64 {
        Self::capacity(self)
    }
    fn size_in_bytes(&self) -> u64 {
        Self::size_in_bytes(self)
    }
    fn expected_fpr(&self) -> f64 {
        Self::expected_fpr(self)
    }
    fn load_factor(&self) -> f64 {
        Self::load_factor(self)
    }
    fn saturated(&self) -> u64 {
        self.total(F::saturated)
    }
    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        Self::contains_hash(self, hash)
    }
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        Self::contains_batch(self, hashes, answers)
    }
}

impl<F: CountFilter> CountFilter for Sharded<F> {
    fn count_hash(&self, hash: KeyHash) -> Count {
        Self::count_hash(self, hash)
    }
}

/// Without locking: nobody else has the filter.
impl<F: InsertFilter> InsertFilter for Sharded<F> {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        let shard = hash.shard(self.shards.len());
        self.shards[shard].exclusive().insert_hash(hash)
    }
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        let shard = hash.shard(self.shards.len());
        self.shards[shard].exclusive().insert_unique_hash(hash)
    }
}

/// For code that is generic over filters: a shared reference takes keys, too.
impl<F: InsertFilter> InsertFilter for &Sharded<F> {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        Sharded::insert_hash(self, hash)
    }
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
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
