//! Keys instead of hashes, for code that is generic over filters.

use super::lookahead::{Answers, Found, insert_all};
use super::{Count, CountFilter, Filter, InsertFilter, Inserted, RemoveFilter};
use crate::key::{KeyHasher, hash_blocks, hashes_from};
use crate::{BatchInsertError, InsertError, Key, LengthMismatch, prefetch};
use core::iter::FusedIterator;

/// Queries by key, for every filter: `F: Filter`, `&F`, `Box<dyn Filter>`. [`InsertExt`] has the
/// methods that insert and remove.
///
/// ```
/// use amq_core::{Filter, FilterExt, InsertError, InsertExt, InsertFilter};
///
/// fn remember<F: InsertFilter>(filter: &mut F, words: &[&str]) -> Result<(), InsertError> {
///     for word in words {
///         filter.insert(word)?;
///     }
///     assert!(words.iter().all(|word| filter.contains(word)));
///     Ok(())
/// }
/// ```
pub trait FilterExt: Filter {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// For many keys, [`contains_keys`](Self::contains_keys) of a slice and
    /// [`contains_iter`](Self::contains_iter) of an iterator are faster on a large filter, because
    /// cache misses overlap.
    #[inline]
    #[must_use]
    fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(key.key_hash(self.seed()))
    }

    /// Looks up many keys; `answers[i]` is the answer for `keys[i]`. See
    /// [`Filter::contains_batch`]. Allocates nothing.
    #[inline]
    fn contains_keys<K: Key>(
        &self,
        keys: &[K],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(keys.len(), answers.len())?;
        hash_blocks(keys, self.seed(), |first, hashes| {
            self.contains_batch(hashes, &mut answers[first..first + hashes.len()])
        })
    }

    /// Looks up the keys of an iterator, in order, nearly as fast as
    /// [`contains_keys`](Self::contains_keys): it draws up to 128 keys ahead and looks them up
    /// together. Allocates some kilobytes.
    ///
    /// ```
    /// use amq_core::{Filter, FilterExt};
    ///
    /// /// How many lines of a text seem to be in.
    /// fn known(filter: &impl Filter, text: &str) -> usize {
    ///     filter.contains_iter(text.lines()).filter(|&found| found).count()
    /// }
    /// ```
    fn contains_iter<K: Key>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> impl FusedIterator<Item = bool> {
        contains_iter(self, keys, self.seed())
    }

    /// Returns the keys of an iterator that are probably in the filter, in order. Looks ahead like
    /// [`contains_iter`](Self::contains_iter).
    ///
    /// ```
    /// use amq_core::{Filter, FilterExt};
    ///
    /// fn print_known(filter: &impl Filter, words: &[&str]) {
    ///     for word in filter.filter_keys(words) {
    ///         println!("{word}");
    ///     }
    /// }
    /// ```
    fn filter_keys<K: Key>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> impl FusedIterator<Item = K> {
        filter_keys(self, keys, self.seed())
    }

    /// The number of copies of `key`; see [`CountFilter::count_hash`].
    #[inline]
    #[must_use]
    fn count<K: Key + ?Sized>(&self, key: &K) -> Count
    where
        Self: CountFilter,
    {
        self.count_hash(key.key_hash(self.seed()))
    }
}

impl<F: Filter + ?Sized> FilterExt for F {}

/// Inserting and removing by key, for every filter that supports it: `F: InsertFilter`, `&mut F`,
/// `Box<F>`, and `&F` if the filter can be shared without a lock.
///
/// Separate from [`FilterExt`], because an `Arc<F>` implements only `Filter`: on it, these names
/// must resolve to the methods of `F`.
pub trait InsertExt: InsertFilter {
    /// Inserts `key`. On an error the filter is exactly as before.
    #[inline]
    fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, InsertError> {
        let hash = key.key_hash(self.seed());
        self.insert_hash(hash)
    }

    /// Inserts `key`, unless a lookup of it already returns `true`; see
    /// [`InsertFilter::insert_unique_hash`].
    #[inline]
    fn insert_unique<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, InsertError> {
        let hash = key.key_hash(self.seed());
        self.insert_unique_hash(hash)
    }

    /// Inserts many keys and returns how many were new; see [`InsertFilter::insert_batch`].
    /// Allocates nothing itself, though a filter may for very many keys; see
    /// [`insert_from`](InsertFilter::insert_from).
    #[inline]
    fn insert_keys<K: Key>(&mut self, keys: &[K]) -> Result<u64, BatchInsertError> {
        let seed = self.seed();
        insert_keys(self, keys, seed)
    }

    /// Inserts many keys, reports for each whether it was new, and returns how many were; see
    /// [`InsertFilter::insert_batch_new`]. Allocates nothing.
    #[inline]
    fn insert_keys_new<K: Key>(
        &mut self,
        keys: &[K],
        new: &mut [bool],
    ) -> Result<u64, BatchInsertError> {
        let seed = self.seed();
        insert_keys_new(self, keys, new, seed)
    }

    /// Inserts all keys of an iterator and returns how many were new. On an error the keys before
    /// the refused one are in; the error has their number. Keys are inserted in groups, so up to
    /// 127 keys after the refused one have been taken from the iterator, and other threads that
    /// share the filter see a key once its group is in. If the iterator panics, all keys that it
    /// has returned are in.
    #[inline]
    fn try_extend<K: Key>(
        &mut self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<u64, BatchInsertError> {
        let seed = self.seed();
        try_extend(self, keys, seed)
    }

    /// Removes one copy of `key`; see [`RemoveFilter::remove_hash`] and its warning.
    #[inline]
    fn remove<K: Key + ?Sized>(&mut self, key: &K) -> bool
    where
        Self: RemoveFilter,
    {
        let hash = key.key_hash(self.seed());
        self.remove_hash(hash)
    }
}

impl<F: InsertFilter + ?Sized> InsertExt for F {}

/// [`InsertExt::insert_keys`], hashing under a seed or a secret key.
#[inline]
pub(crate) fn insert_keys<F: InsertFilter + ?Sized, K: Key>(
    filter: &mut F,
    keys: &[K],
    under: impl KeyHasher,
) -> Result<u64, BatchInsertError> {
    if keys.len() > prefetch::BLOCK {
        return filter.insert_from(keys.len() as u64, &mut hashes_from(keys, under));
    }
    let mut new = 0;
    hash_blocks(keys, under, |first, hashes| {
        let inserted = filter.insert_batch(hashes);
        // A third-party filter may return any number.
        let more = inserted.map_err(|refused| refused.after(first as u64))?;
        new = u64::saturating_add(new, more);
        Ok(())
    })?;
    Ok(new)
}

/// [`InsertExt::insert_keys_new`], hashing under a seed or a secret key.
#[inline]
pub(crate) fn insert_keys_new<F: InsertFilter + ?Sized, K: Key>(
    filter: &mut F,
    keys: &[K],
    new: &mut [bool],
    under: impl KeyHasher,
) -> Result<u64, BatchInsertError> {
    BatchInsertError::check_length(keys.len(), new.len())?;
    let mut count = 0;
    hash_blocks(keys, under, |first, hashes| {
        let inserted = filter.insert_batch_new(hashes, &mut new[first..first + hashes.len()]);
        let more = inserted.map_err(|refused| refused.after(first as u64))?;
        count = u64::saturating_add(count, more);
        Ok(())
    })?;
    Ok(count)
}

/// [`InsertExt::try_extend`], hashing under a seed or a secret key.
#[inline]
pub(crate) fn try_extend<F: InsertFilter + ?Sized, K: Key>(
    filter: &mut F,
    keys: impl IntoIterator<Item = K>,
    under: impl KeyHasher,
) -> Result<u64, BatchInsertError> {
    insert_all(filter, keys.into_iter().map(|key| under.of(&key)))
}

/// `Extend` of a filter that refuses no key; inserts in groups, as [`InsertExt::try_extend`] does.
pub fn extend<F: InsertFilter, K: Key>(filter: &mut F, keys: impl IntoIterator<Item = K>) {
    let _ = InsertExt::try_extend(filter, keys);
}

/// [`FilterExt::contains_iter`], hashing under a seed or a secret key.
pub(crate) fn contains_iter<F: Filter + ?Sized, K: Key>(
    filter: &F,
    keys: impl IntoIterator<Item = K>,
    under: impl KeyHasher,
) -> impl FusedIterator<Item = bool> {
    let hashes = keys.into_iter().map(move |key| (under.of(&key), ()));
    Answers::new(filter, hashes)
}

/// [`FilterExt::filter_keys`], of such keys.
pub(crate) fn filter_keys<F: Filter + ?Sized, K: Key>(
    filter: &F,
    keys: impl IntoIterator<Item = K>,
    under: impl KeyHasher,
) -> impl FusedIterator<Item = K> {
    let hashes = keys.into_iter().map(move |key| (under.of(&key), key));
    Found::new(filter, hashes)
}
