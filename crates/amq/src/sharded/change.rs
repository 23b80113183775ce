//! Inserting, removing and counting through a shared reference.

use super::{Refused, Sharded};
use amq_core::{
    BatchInsertError, Count, CountFilter, FilterExt, InsertError, InsertFilter, Inserted, Key,
    KeyHash, RemoveFilter,
};

impl<F: InsertFilter> Sharded<F> {
    /// Inserts `key`, from any thread. Refused if its shard is full, or
    /// [visited](Self::for_each_shard) by this thread; nothing changes then.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&self, key: &K) -> Result<Inserted, InsertError> {
        self.insert_hash(key.key_hash(self.seed))
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.shard(hash).write().ok_or(InsertError::Visited)?.insert_hash(hash)
    }

    /// Inserts `key`, unless a query already returns `true`; see
    /// [`InsertFilter::insert_unique_hash`] and its warning. If several threads insert the same new
    /// key, exactly one gets [`Inserted::New`].
    #[inline]
    pub fn insert_unique<K: Key + ?Sized>(&self, key: &K) -> Result<Inserted, InsertError> {
        self.insert_unique_hash(key.key_hash(self.seed))
    }

    /// Inserts the key with this hash, unless a query already returns `true`; see
    /// [`insert_unique`](Self::insert_unique).
    #[inline]
    pub fn insert_unique_hash(&self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.shard(hash).write().ok_or(InsertError::Visited)?.insert_unique_hash(hash)
    }

    /// Inserts many keys; see [`insert_batch`](Self::insert_batch).
    pub fn insert_keys<K: Key>(&self, keys: &[K]) -> Result<u64, Refused> {
        self.insert_in_blocks(keys.len(), |first, hashes| {
            for (hash, key) in hashes.iter_mut().zip(&keys[first..]) {
                *hash = key.key_hash(self.seed);
            }
        })
    }

    /// Inserts all keys of an iterator, one by one, and returns how many were new. On an error the
    /// keys before the refused one are in, and the error says how many.
    pub fn try_extend<K: Key>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<u64, BatchInsertError> {
        let mut new = 0;
        // No groups: other threads should see a key as soon as the iterator returns it.
        for (done, key) in (0..).zip(keys) {
            let inserted = self.insert(&key).map_err(|error| BatchInsertError { done, error })?;
            new += u64::from(inserted.is_new());
        }
        Ok(new)
    }
}

impl<F: RemoveFilter> Sharded<F> {
    /// Removes one copy of `key`, from any thread. `false`: it was certainly not in, and nothing
    /// changed; or this thread [visits](Self::for_each_shard) the key's shard, and nothing is
    /// known.
    ///
    /// **Only remove what you inserted**; see [`RemoveFilter::remove_hash`].
    #[inline]
    pub fn remove<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.remove_hash(key.key_hash(self.seed))
    }

    /// Removes one copy of the key with this hash; see [`remove`](Self::remove).
    #[inline]
    pub fn remove_hash(&self, hash: KeyHash) -> bool {
        self.shard(hash).write().is_some_and(|mut shard| shard.remove_hash(hash))
    }
}

impl<F: CountFilter> Sharded<F> {
    /// The number of copies of `key`; see [`CountFilter::count_hash`].
    #[must_use]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Count {
        FilterExt::count(self, key)
    }

    /// The number of copies of the key with this hash: at least one, and saturated, if this thread
    /// [visits](Self::for_each_shard) its shard.
    #[must_use]
    pub fn count_hash(&self, hash: KeyHash) -> Count {
        match self.shard(hash).read() {
            Some(shard) => shard.count_hash(hash),
            None => Count::up_to(1, 1),
        }
    }
}
