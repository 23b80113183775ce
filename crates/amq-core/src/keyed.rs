//! Filters that hash their keys under a secret key.

use crate::envelope::{Contents, FileFormat, Hashing, Opened, SectionStream, Sections};
use crate::filter::{ext, hashes_of};
use crate::format::HashedBy;
use crate::key::{KeyHasher, hash_blocks};
#[cfg(feature = "rayon")]
use crate::parallel::Hashed;
use crate::{
    BatchInsertError, Budget, BuildError, BuildFilter, BuildTarget, Bytes, ClearFilter, Count,
    CountFilter, DEFAULT_SEED, DecodeError, EmptyFilter, Filter, FilterKind, InsertError,
    InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError, MergeFilter, RemoveFilter,
    Secret, SipKey, Stats, Table, Target, TruncateError, TruncateFilter,
};
use core::fmt;
use core::iter::FusedIterator;

/// A filter that hashes its keys with SipHash-1-3 under a secret key of 128 bits: for keys that
/// strangers choose.
///
/// Whoever knows how a filter hashes can search, offline, for keys that fill it or that it takes
/// for others. A secret seed of 64 bits makes that hard, but XXH3 was not made to keep it; SipHash
/// is a pseudorandom function, under which a filter errs for chosen keys as it does for random
/// ones, as long as its owner alone has the key. It costs some 4 ns more than XXH3 for a key of up
/// to 8 bytes, 13 ns for one of 64 bytes, and 150 ns for one of 1,000.
///
/// What it does not prevent: whoever has once seen a false positive can ask for that key again. Let
/// [`Monitored`] find out, and rebuild under a new key.
///
/// It has the methods of `F`, but those that take keys hash otherwise. In `key`, `with_key` and the
/// like, the key is the secret one; elsewhere keys are what the filter holds. Where `F` is used
/// through a shared reference, as sharded and atomic filters are, [`by_ref`](Self::by_ref) gives a
/// keyed filter of that: `Keyed::of(Sharded::new(..)?, key)`.
///
/// Its file ([`FilterFile`]) is one of its own and loads as no other type. **A file with the secret
/// key is as secret as that key**; [`SaveOptions::without_secret`] leaves it out, and
/// [`LoadOptions::key`] supplies it to the reader. A file whose keys are hashed under a seed is
/// refused as [`DecodeError::NotKeyed`], one under another secret key as
/// [`DecodeError::OtherKey`], and one under a key of all zeros as [`DecodeError::ZeroKey`]. A
/// filter of any kind under a secret key is read by the `AnyFile` of the crate `amq`.
///
/// ```
/// use amq_core::{Keyed, SipKey};
/// # use amq_core::{EmptyFilter, Goal};
/// # fn example<F: EmptyFilter>() -> Result<(), Box<dyn std::error::Error>> {
/// # let random = || [7; 16];
/// let key = SipKey::new(random()); // 16 bytes from the operating system
/// let mut seen = Keyed::<F>::new(Goal::fpr(1000, 0.01), key)?; // F is `CuckooFilter`, say
/// seen.insert("a key")?;
/// assert!(seen.contains("a key"));
/// # Ok(())
/// # }
/// ```
///
/// [`FilterFile`]: crate::FilterFile
/// [`SaveOptions::without_secret`]: crate::SaveOptions::without_secret
/// [`LoadOptions::key`]: crate::LoadOptions::key
/// [`Monitored`]: https://docs.rs/amq/latest/amq/monitored/struct.Monitored.html
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Keyed<F> {
    key: SipKey,
    filter: F,
}

impl<F: Filter> Keyed<F> {
    /// The filter `filter`, whose keys are hashed under the secret key `key`: an empty one, or one
    /// that [`into_inner`](Self::into_inner) gave.
    ///
    /// Make it with the seed 0, as [`new`](Self::new) does and files do: its keys are not hashed
    /// under a seed, only filters of one seed can be merged, and the file has no place for another
    /// ([`BuildError::UnusedSeed`]). A secret key of all zeros is refused when the filter is saved
    /// ([`BuildError::ZeroKey`]), not here.
    ///
    /// Only a filter can be keyed. A map of values, say, has no file of this sort:
    ///
    /// ```compile_fail,E0277
    /// struct Map; // not a `Filter`
    /// let key = amq_core::SipKey::new([7; 16]);
    /// let keyed = amq_core::Keyed::of(Map, key);
    /// ```
    pub const fn of(filter: F, key: SipKey) -> Self {
        Self { key, filter }
    }
}

impl<F> Keyed<F> {
    /// The secret key that its keys are hashed under.
    #[must_use]
    pub const fn key(&self) -> SipKey {
        self.key
    }

    /// The hash of a key under the filter's secret key: for methods of the filter inside that take
    /// hashes.
    ///
    /// ```
    /// # use amq_core::{Filter, Keyed};
    /// fn ask<F: Filter>(filter: &Keyed<F>) -> bool {
    ///     let hash = filter.key_hash("a key");
    ///     filter.get_ref().contains_hash(hash)
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub fn key_hash<Q: Key + ?Sized>(&self, key: &Q) -> KeyHash {
        self.key.of(key)
    }

    /// A keyed filter of a reference: to insert into one that is shared.
    ///
    /// ```
    /// # use amq_core::{InsertError, InsertFilter, Inserted, Keyed};
    /// // A sharded or an atomic filter.
    /// fn insert<F>(filter: &Keyed<F>) -> Result<Inserted, InsertError>
    /// where
    ///     for<'a> &'a F: InsertFilter,
    /// {
    ///     filter.by_ref().insert("a key")
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub const fn by_ref(&self) -> Keyed<&F> {
        Keyed { key: self.key, filter: &self.filter }
    }

    /// The filter inside, for what it alone can do. **Its methods that take keys hash them in
    /// another way**, and deny what is in; pass [`key_hash`](Self::key_hash) to those that take
    /// hashes.
    pub const fn get_ref(&self) -> &F {
        &self.filter
    }

    /// The filter inside, to be changed; see [`get_ref`](Self::get_ref).
    pub const fn get_mut(&mut self) -> &mut F {
        &mut self.filter
    }

    /// The filter inside; see [`get_ref`](Self::get_ref).
    pub fn into_inner(self) -> F {
        self.filter
    }
}

/// `Ok` if somebody filled the bytes of the key.
const fn filled(key: SipKey) -> Result<(), BuildError> {
    if key.is_zero() { Err(BuildError::ZeroKey) } else { Ok(()) }
}

impl<F: EmptyFilter> Keyed<F> {
    /// An empty filter for a [`Goal`](crate::Goal) or a [`Plan`](crate::Plan). A secret key of all
    /// zeros, which nobody has filled, is refused ([`BuildError::ZeroKey`]).
    pub fn new(target: impl Into<Target<F::Params>>, key: SipKey) -> Result<Self, BuildError> {
        filled(key)?;
        Ok(Self::of(F::empty(target, DEFAULT_SEED)?, key))
    }
}

impl<F: BuildFilter> Keyed<F> {
    /// Builds a filter of all these keys.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys; or a
    /// [`Goal`](crate::Goal) or [`Plan`](crate::Plan), and more keys than planned are an error. The
    /// keys are not kept; their hashes are, 8 bytes each, until the filter is made. A secret key of
    /// all zeros is refused, as by [`new`](Self::new).
    pub fn build<Q: Key>(
        target: impl Into<BuildTarget<F::Params>>,
        key: SipKey,
        keys: impl IntoIterator<Item = Q>,
    ) -> Result<Self, BuildError> {
        filled(key)?;
        let target = target.into();
        let hashes = hashes_of(keys, key, target.limit())?;
        Ok(Self::of(F::build_hashes(target, DEFAULT_SEED, &hashes)?, key))
    }

    /// [`build`](Self::build) on the threads of a rayon pool; see
    /// [`ParBuildExt`](crate::ParBuildExt).
    #[cfg(feature = "rayon")]
    pub fn par_build<Q: Key + Sync>(
        target: impl Into<BuildTarget<F::Params>>,
        key: SipKey,
        keys: &[Q],
    ) -> Result<Self, BuildError> {
        filled(key)?;
        let hashes = Hashed { keys, under: key };
        Ok(Self::of(F::par_build_from(target, DEFAULT_SEED, &hashes)?, key))
    }
}

impl<F: Filter> Keyed<F> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](Self::contains_iter) is faster on a large filter.
    #[inline]
    #[must_use]
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.filter.contains_hash(self.key_hash(key))
    }

    /// Answers many keys at once, `answers[i]` for `keys[i]`; see [`Filter::contains_batch`].
    /// Allocates nothing.
    #[inline]
    pub fn contains_keys<Q: Key>(
        &self,
        keys: &[Q],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(keys.len(), answers.len())?;
        hash_blocks(keys, self.key, |first, hashes| {
            self.filter.contains_batch(hashes, &mut answers[first..first + hashes.len()])
        })
    }

    /// Answers all keys of an iterator, looking ahead; see
    /// [`FilterExt::contains_iter`](crate::FilterExt::contains_iter).
    pub fn contains_iter<Q: Key>(
        &self,
        keys: impl IntoIterator<Item = Q>,
    ) -> impl FusedIterator<Item = bool> {
        ext::contains_iter(&self.filter, keys, self.key)
    }

    /// The keys of an iterator that are probably in the filter; see
    /// [`FilterExt::filter_keys`](crate::FilterExt::filter_keys).
    pub fn filter_keys<Q: Key>(
        &self,
        keys: impl IntoIterator<Item = Q>,
    ) -> impl FusedIterator<Item = Q> {
        ext::filter_keys(&self.filter, keys, self.key)
    }

    /// [`Filter::kind`].
    #[must_use]
    pub fn kind(&self) -> FilterKind {
        self.filter.kind()
    }

    /// [`Filter::len`].
    #[must_use]
    pub fn len(&self) -> u64 {
        self.filter.len()
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.filter.is_empty()
    }

    /// All that [`Filter::stats`] tells: capacity, load, bytes, rate.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.filter.stats()
    }
}

impl<F: InsertFilter> Keyed<F> {
    /// Inserts `key`. If it is refused, nothing changes.
    #[inline]
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<Inserted, InsertError> {
        self.filter.insert_hash(self.key.of(key))
    }

    /// Inserts `key` unless the filter answers `true` for it already; see
    /// [`InsertFilter::insert_unique_hash`], and its warning.
    #[inline]
    pub fn insert_unique<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<Inserted, InsertError> {
        self.filter.insert_unique_hash(self.key.of(key))
    }

    /// Inserts many keys and returns how many were new; see [`InsertFilter::insert_batch`].
    /// Allocates nothing, but filters may for very many keys; see [`InsertFilter::insert_from`].
    #[inline]
    pub fn insert_keys<Q: Key>(&mut self, keys: &[Q]) -> Result<u64, BatchInsertError> {
        ext::insert_keys(&mut self.filter, keys, self.key)
    }

    /// Inserts many keys, says of each whether it was new, and returns how many were; see
    /// [`InsertFilter::insert_batch_new`]. Allocates nothing.
    #[inline]
    pub fn insert_keys_new<Q: Key>(
        &mut self,
        keys: &[Q],
        new: &mut [bool],
    ) -> Result<u64, BatchInsertError> {
        ext::insert_keys_new(&mut self.filter, keys, new, self.key)
    }

    /// [`insert_keys`](Self::insert_keys) on the threads of a rayon pool; see
    /// [`ParInsertExt`](crate::ParInsertExt).
    #[cfg(feature = "rayon")]
    pub fn par_insert_keys<Q: Key + Sync>(&mut self, keys: &[Q]) -> Result<u64, BatchInsertError> {
        self.filter.par_insert_from(&Hashed { keys, under: self.key })
    }

    /// Inserts all keys of an iterator and returns how many were new. On an error the keys before
    /// the refused one are in, and the error says how many.
    #[inline]
    pub fn try_extend<Q: Key>(
        &mut self,
        keys: impl IntoIterator<Item = Q>,
    ) -> Result<u64, BatchInsertError> {
        ext::try_extend(&mut self.filter, keys, self.key)
    }
}

impl<F: ClearFilter> Keyed<F> {
    /// [`ClearFilter::clear`].
    pub fn clear(&mut self) {
        self.filter.clear();
    }
}

impl<F: RemoveFilter> Keyed<F> {
    /// Removes one copy of `key`; see [`RemoveFilter::remove_hash`], and its warning.
    #[inline]
    pub fn remove<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        self.filter.remove_hash(self.key.of(key))
    }
}

impl<F: CountFilter> Keyed<F> {
    /// The number of copies of `key`; see [`CountFilter::count_hash`].
    #[inline]
    #[must_use]
    pub fn count<Q: Key + ?Sized>(&self, key: &Q) -> Count {
        self.filter.count_hash(self.key_hash(key))
    }
}

/// Merges with a filter under the same secret key alone.
impl<F: TruncateFilter> Keyed<F> {
    /// [`TruncateFilter::truncate`].
    pub fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        self.filter.truncate(budget)
    }
}

impl<F: MergeFilter> MergeFilter for Keyed<F> {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        match self.key == other.key {
            true => self.filter.can_merge(&other.filter),
            false => Err(MergeError::SipKeys),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        match self.key == other.key {
            true => self.filter.merge(&other.filter),
            false => Err(MergeError::SipKeys),
        }
    }
}

impl<F: MergeFilter> Keyed<F> {
    /// [`MergeFilter::merge`]. Refused if the other's secret key is another one.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        MergeFilter::merge(self, other)
    }
}

/// Whether the secret key is told is as asked; which it is the filter knows.
impl<F: Filter + FileFormat> FileFormat for Keyed<F> {
    const HASHED_BY: Option<HashedBy> = Some(HashedBy::Key);
    type With<B: Bytes> = Keyed<F::With<B>>;
    type Geometry = F::Geometry;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        filled(self.key)?;
        self.filter.contents(Hashing::Key(self.key).told_as(hashing))?.without_seed()
    }

    fn geometry(opened: &Opened<'_>) -> Result<F::Geometry, DecodeError> {
        F::geometry(opened)
    }

    fn from_sections<B: Bytes>(
        opened: &Opened<'_>,
        geometry: F::Geometry,
        sections: Sections<'_, B>,
    ) -> Result<Keyed<F::With<B>>, DecodeError> {
        let Some(Secret::Key(key)) = opened.secret() else {
            return Err(DecodeError::NotKeyed);
        };
        Ok(Keyed { filter: F::from_sections(opened, geometry, sections)?, key })
    }

    fn from_copies(
        opened: &Opened<'_>,
        geometry: F::Geometry,
        sections: Sections<'_, &[u8]>,
    ) -> Result<Keyed<F::With<Table>>, DecodeError> {
        let Some(Secret::Key(key)) = opened.secret() else {
            return Err(DecodeError::NotKeyed);
        };
        Ok(Keyed { filter: F::from_copies(opened, geometry, sections)?, key })
    }

    fn truncated(
        opened: &Opened<'_>,
        geometry: F::Geometry,
        budget: Budget,
        sections: &mut SectionStream<'_>,
    ) -> Result<Keyed<F::With<Table>>, DecodeError> {
        let Some(Secret::Key(key)) = opened.secret() else {
            return Err(DecodeError::NotKeyed);
        };
        Ok(Keyed { filter: F::truncated(opened, geometry, budget, sections)?, key })
    }
}

/// Without the secret key.
impl<F: fmt::Debug> fmt::Debug for Keyed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keyed").field(&self.filter).finish()
    }
}
