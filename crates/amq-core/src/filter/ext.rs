//! Keys instead of hashes, for code that is generic over filters.

use super::{Count, CountFilter, Filter, InsertFilter, Inserted, RemoveFilter};
use crate::key::hash_blocks;
use crate::{BatchFull, Full, Key, LengthMismatch};

/// The methods that query keys, on everything that is a filter: `F: Filter`, `&F`,
/// `Box<dyn Filter>`. [`InsertExt`] has those that insert and remove.
///
/// A filter whose keys the caller hashes ([`Filter::key_seed`] is `None`) cannot tell one key from
/// another: to each it answers "maybe", and takes and removes none.
///
/// ```
/// use amq_core::{Filter, FilterExt, Full, InsertExt, InsertFilter};
///
/// fn remember<F: InsertFilter>(filter: &mut F, words: &[&str]) -> Result<(), Full> {
///     for word in words {
///         filter.insert(word)?;
///     }
///     assert!(words.iter().all(|word| filter.contains(word)));
///     Ok(())
/// }
/// ```
pub trait FilterExt: Filter {
    /// Whether `key` is probably in the filter; `false` is certain.
    #[inline]
    #[must_use]
    fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        match self.key_seed() {
            Some(seed) => self.contains_hash(key.key_hash(seed)),
            None => true,
        }
    }

    /// Answers many keys at once, `answers[i]` for `keys[i]`; see [`Filter::contains_batch`].
    /// Allocates nothing.
    #[inline]
    fn contains_keys<K: Key>(
        &self,
        keys: &[K],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(keys.len(), answers.len())?;
        let Some(seed) = self.key_seed() else {
            answers.fill(true);
            return Ok(());
        };
        hash_blocks(keys, seed, |first, hashes| {
            self.contains_batch(hashes, &mut answers[first..first + hashes.len()])
        })
    }

    /// The number of copies of `key`; see [`CountFilter::count_hash`]. If the caller hashes its
    /// keys it is the number of all, `saturated`: each of them may be a copy of this one.
    #[inline]
    #[must_use]
    fn count<K: Key + ?Sized>(&self, key: &K) -> Count
    where
        Self: CountFilter,
    {
        match self.key_seed() {
            Some(seed) => self.count_hash(key.key_hash(seed)),
            None => Count { estimate: self.len().max(1), saturated: true },
        }
    }
}

/// What becomes of keys that a filter of the caller's hashes is given.
const fn none_taken(keys: usize) -> Result<u64, BatchFull> {
    match keys {
        0 => Ok(0),
        _ => Err(BatchFull { done: 0, full: Full::HashedByCaller }),
    }
}

impl<F: Filter + ?Sized> FilterExt for F {}

/// The methods that insert and remove keys, on everything that does so: `F: InsertFilter`, `&mut
/// F`, `Box<F>`, and `&F` of a filter that is shared without a lock around it.
///
/// A trait of its own, so that an `Arc<F>`, which reads but does not write, leaves these names to
/// the methods of the filter inside.
pub trait InsertExt: InsertFilter {
    /// Inserts `key`. On an error the filter is exactly as before; [`Full::HashedByCaller`] if the
    /// caller hashes its keys.
    #[inline]
    fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, Full> {
        let seed = self.key_seed().ok_or(Full::HashedByCaller)?;
        self.insert_hash(key.key_hash(seed))
    }

    /// Inserts `key` unless the filter answers `true` for it already; see
    /// [`InsertFilter::insert_unique_hash`].
    #[inline]
    fn insert_unique<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, Full> {
        let seed = self.key_seed().ok_or(Full::HashedByCaller)?;
        self.insert_unique_hash(key.key_hash(seed))
    }

    /// Inserts many keys and returns how many were new; see [`InsertFilter::insert_batch`].
    /// Allocates nothing.
    #[inline]
    fn insert_keys<K: Key>(&mut self, keys: &[K]) -> Result<u64, BatchFull> {
        let Some(seed) = self.key_seed() else {
            return none_taken(keys.len());
        };
        let mut new = 0;
        hash_blocks(keys, seed, |first, hashes| {
            let inserted = self.insert_batch(hashes);
            // A filter of a third party may claim any number.
            let more = inserted.map_err(|refused| refused.after(first as u64))?;
            new = u64::saturating_add(new, more);
            Ok(())
        })?;
        Ok(new)
    }

    /// Inserts all keys of an iterator and returns how many were new. On an error the keys before
    /// the refused one are in, and the error says how many.
    #[inline]
    fn try_extend<K: Key>(&mut self, keys: impl IntoIterator<Item = K>) -> Result<u64, BatchFull> {
        let Some(seed) = self.key_seed() else {
            return none_taken(keys.into_iter().take(1).count());
        };
        let mut new = 0;
        for (done, key) in (0..).zip(keys) {
            match self.insert_hash(key.key_hash(seed)) {
                Ok(inserted) => new += u64::from(inserted.is_new()),
                Err(full) => return Err(BatchFull { done, full }),
            }
        }
        Ok(new)
    }

    /// Removes one copy of `key`; see [`RemoveFilter::remove_hash`] and its warning. `false`, and
    /// nothing changes, if the caller hashes its keys.
    #[inline]
    fn remove<K: Key + ?Sized>(&mut self, key: &K) -> bool
    where
        Self: RemoveFilter,
    {
        match self.key_seed() {
            Some(seed) => self.remove_hash(key.key_hash(seed)),
            None => false,
        }
    }
}

impl<F: InsertFilter + ?Sized> InsertExt for F {}
