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

/// A filter that hashes its keys with SipHash-1-3 under a 128-bit secret key, for keys chosen by
/// strangers.
///
/// An attacker who knows a filter's hash function can search offline for false positives and for
/// keys that fill the filter. A secret 64-bit seed makes that hard, but XXH3 is not designed to
/// keep it secret. SipHash is a pseudorandom function: while its key stays secret, chosen keys have
/// the same false-positive rate as random ones. It costs some 4 ns more than XXH3 for a key of up
/// to 8 bytes, 13 ns for one of 64 bytes, and 150 ns for one of 1,000.
///
/// It does not prevent replay: a client that has seen a false positive can query that key again.
/// [`Monitored`] detects this; then rebuild under a new secret key.
///
/// It has the methods of `F`; those that take keys hash them with SipHash. In names such as `key`
/// and `with_key`, the key is the secret one; elsewhere, keys are those the filter holds. For
/// filters that are used through a shared reference, such as sharded and atomic ones, wrap the
/// filter, `Keyed::of(Sharded::new(..)?, key)`, and insert through [`by_ref`](Self::by_ref).
///
/// Its file ([`FilterFile`]) loads only as `Keyed`. **A file with the secret key is as secret as
/// that key**; [`SaveOptions::without_secret`] leaves it out, and [`LoadOptions::key`] supplies it
/// to the reader. A file whose keys are hashed under a seed is refused as
/// [`DecodeError::NotKeyed`], one under another secret key as [`DecodeError::OtherKey`], and one
/// under a key of all zeros as [`DecodeError::ZeroKey`]. `AnyFile` of the crate `amq` reads a keyed
/// filter of any kind.
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
    /// Wraps a filter whose keys are hashed under the secret key `key`: an empty filter, or one
    /// from [`into_inner`](Self::into_inner).
    ///
    /// Create `filter` with the seed 0, as [`new`](Self::new) does. The seed is not used for
    /// hashing, but filters with different seeds do not merge, and one with another seed cannot be
    /// saved ([`BuildError::UnusedSeed`]). An all-zero secret key is refused when the filter is
    /// saved ([`BuildError::ZeroKey`]), not here.
    ///
    /// Only filters can be keyed, not maps:
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
    /// The secret key.
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

    /// A keyed filter over a shared reference, to insert into a shared filter.
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

    /// The inner filter, for methods that only it has. **Its methods that take keys use another
    /// hash**, and deny keys that are in; use those that take hashes, with
    /// [`key_hash`](Self::key_hash).
    pub const fn get_ref(&self) -> &F {
        &self.filter
    }

    /// The inner filter, mutably; see [`get_ref`](Self::get_ref).
    pub const fn get_mut(&mut self) -> &mut F {
        &mut self.filter
    }

    /// Unwraps the inner filter; see [`get_ref`](Self::get_ref).
    pub fn into_inner(self) -> F {
        self.filter
    }
}

/// `Ok` unless the secret key is all zeros.
const fn filled(key: SipKey) -> Result<(), BuildError> {
    if key.is_zero() { Err(BuildError::ZeroKey) } else { Ok(()) }
}

impl<F: EmptyFilter> Keyed<F> {
    /// An empty filter for a [`Goal`](crate::Goal) or a [`Plan`](crate::Plan). An all-zero secret
    /// key, as in uninitialised memory, is refused ([`BuildError::ZeroKey`]).
    pub fn new(target: impl Into<Target<F::Params>>, key: SipKey) -> Result<Self, BuildError> {
        filled(key)?;
        Ok(Self::of(F::empty(target, DEFAULT_SEED)?, key))
    }
}

impl<F: BuildFilter> Keyed<F> {
    /// Builds a filter of all these keys.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys, or a
    /// [`Goal`](crate::Goal) or [`Plan`](crate::Plan), with which more keys than planned are an
    /// error. The hashes are kept until the filter is built, 8 bytes each; the keys are not. An
    /// all-zero secret key is refused, as by [`new`](Self::new).
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

    /// Looks up many keys; `answers[i]` is the answer for `keys[i]`. See
    /// [`Filter::contains_batch`]. Allocates nothing.
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

    /// Looks up the keys of an iterator, with lookahead; see
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

    /// [`Filter::stats`]: capacity, load, bytes, rate.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.filter.stats()
    }
}

impl<F: InsertFilter> Keyed<F> {
    /// Inserts `key`. On an error nothing changes.
    #[inline]
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<Inserted, InsertError> {
        self.filter.insert_hash(self.key.of(key))
    }

    /// Inserts `key`, unless a lookup of it already returns `true`; see
    /// [`InsertFilter::insert_unique_hash`] and its warning.
    #[inline]
    pub fn insert_unique<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<Inserted, InsertError> {
        self.filter.insert_unique_hash(self.key.of(key))
    }

    /// Inserts many keys and returns how many were new; see [`InsertFilter::insert_batch`].
    /// Allocates nothing itself, though a filter may for very many keys; see
    /// [`InsertFilter::insert_from`].
    #[inline]
    pub fn insert_keys<Q: Key>(&mut self, keys: &[Q]) -> Result<u64, BatchInsertError> {
        ext::insert_keys(&mut self.filter, keys, self.key)
    }

    /// Inserts many keys, reports for each whether it was new, and returns how many were; see
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
    /// the refused one are in; the error has their number.
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
    /// [`MergeFilter::merge`]. Refused if the secret keys differ.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        MergeFilter::merge(self, other)
    }
}

/// The caller's `hashing` decides whether the secret key is written; the key itself is this
/// filter's.
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

/// Does not print the secret key.
impl<F: fmt::Debug> fmt::Debug for Keyed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keyed").field(&self.filter).finish()
    }
}
