//! Filters whose caller hashes the keys.

use crate::envelope::{Contents, FileFormat, Hashing, Opened, SectionStream, Sections};
use crate::format::HashedBy;
use crate::{
    BatchInsertError, Budget, BuildError, BuildFilter, BuildTarget, Bytes, ClearFilter, Count,
    CountFilter, DEFAULT_SEED, DecodeError, EmptyFilter, Filter, FilterKind, InsertError,
    InsertFilter, Inserted, KeyHash, LengthMismatch, MergeError, MergeFilter, RemoveFilter, Stats,
    Table, Target, TruncateError, TruncateFilter, UnevenHashes,
};
use core::fmt;

/// A filter whose keys are hashed by the caller: with another hash function, or by another program,
/// such as the writer of a Parquet file.
///
/// It has the methods of `F` that take a [`KeyHash`], and none that take a key: those would hash
/// with XXH3 under a seed, and deny keys that are in. Its file ([`FilterFile`](crate::FilterFile))
/// is marked accordingly and loads only as `Prehashed`. The file of a filter that hashes keys
/// itself, under a seed or a secret key, is refused as [`DecodeError::NotPrehashed`].
///
/// The hashes must be uniform over all 64 bits, as those of any good hash function are. Integer
/// keys used as their own hashes are not, nor are 32-bit checksums: [`build`](Self::build) and
/// [`insert_batch`](Self::insert_batch) refuse many such hashes as
/// [`UnevenHashes`](crate::UnevenHashes). Single inserts and small batches are not checked.
///
/// ```
/// use amq_core::{KeyHash, Prehashed};
/// # use amq_core::{EmptyFilter, Filter, InsertError, Target, Goal, InsertFilter, BuildError};
/// # fn example<F: EmptyFilter>() -> Result<(), Box<dyn std::error::Error>> {
/// let mut seen = Prehashed::<F>::new(Goal::fpr(1000, 0.01))?; // F is `BloomFilter`, say
/// let hash = KeyHash::new(0x9E37_79B9_7F4A_7C15); // from your own function
/// seen.insert_hash(hash)?;
/// assert!(seen.contains_hash(hash));
/// # Ok(())
/// # }
/// ```
///
/// Methods that take a key do not exist:
///
/// ```compile_fail,E0599
/// # use amq_core::{Filter, Prehashed};
/// fn ask<F: Filter>(filter: &Prehashed<F>) -> bool {
///     filter.contains("a key")
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Prehashed<F>(F);

impl<F: Filter> Prehashed<F> {
    /// Wraps a filter whose keys are hashed by the caller, for example one made from an existing
    /// table. Create it with the seed 0, as [`new`](Self::new) does. The seed is not used for
    /// hashing, but filters with different seeds do not merge, and one with another seed cannot be
    /// saved ([`BuildError::UnusedSeed`]).
    ///
    /// Only filters can be prehashed, not maps:
    ///
    /// ```compile_fail,E0277
    /// struct Map; // not a `Filter`
    /// let prehashed = amq_core::Prehashed::of(Map);
    /// ```
    pub const fn of(filter: F) -> Self {
        Self(filter)
    }
}

impl<F> Prehashed<F> {
    /// The inner filter, for methods that only it has. **Its methods that take keys use another
    /// hash**, and deny keys that are in.
    pub const fn get_ref(&self) -> &F {
        &self.0
    }

    /// The inner filter, mutably; see [`get_ref`](Self::get_ref).
    pub const fn get_mut(&mut self) -> &mut F {
        &mut self.0
    }

    /// Unwraps the inner filter; see [`get_ref`](Self::get_ref).
    pub fn into_inner(self) -> F {
        self.0
    }
}

impl<F: EmptyFilter> Prehashed<F> {
    /// An empty filter for a [`Goal`](crate::Goal) or a [`Plan`](crate::Plan).
    pub fn new(target: impl Into<Target<F::Params>>) -> Result<Self, BuildError> {
        F::empty(target, DEFAULT_SEED).map(Self)
    }
}

impl<F: BuildFilter> Prehashed<F> {
    /// Builds a filter of these hashes; see [`BuildFilter::build_hashes`].
    pub fn build(
        target: impl Into<BuildTarget<F::Params>>,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        F::build_hashes(target, DEFAULT_SEED, hashes).map(Self)
    }

    /// [`build`](Self::build) on the threads of a rayon pool; see
    /// [`ParBuildExt`](crate::ParBuildExt).
    #[cfg(feature = "rayon")]
    pub fn par_build(
        target: impl Into<BuildTarget<F::Params>>,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        F::par_build_from(target, DEFAULT_SEED, &hashes).map(Self)
    }
}

impl<F: Filter> Prehashed<F> {
    /// [`Filter::contains_hash`].
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: KeyHash) -> bool {
        self.0.contains_hash(hash)
    }

    /// [`Filter::contains_batch`].
    #[inline]
    pub fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        self.0.contains_batch(hashes, answers)
    }

    /// [`Filter::kind`].
    #[must_use]
    pub fn kind(&self) -> FilterKind {
        self.0.kind()
    }

    /// [`Filter::len`].
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// [`Filter::stats`]: capacity, load, bytes, rate.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.0.stats()
    }
}

impl<F: InsertFilter> Prehashed<F> {
    /// [`InsertFilter::insert_hash`].
    #[inline]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.0.insert_hash(hash)
    }

    /// [`InsertFilter::insert_unique_hash`].
    #[inline]
    pub fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.0.insert_unique_hash(hash)
    }

    /// [`InsertFilter::insert_batch`]. Refuses the batch as [`InsertError::Uneven`] if 1,000 or
    /// more hashes agree in their highest 16 bits, more than can be expected of the keys that the
    /// filter is planned for.
    #[inline]
    pub fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        self.check_even(hashes)?;
        self.0.insert_batch(hashes)
    }

    /// [`InsertFilter::insert_batch_new`]; uneven hashes are refused as by
    /// [`insert_batch`](Self::insert_batch).
    #[inline]
    pub fn insert_batch_new(
        &mut self,
        hashes: &[KeyHash],
        new: &mut [bool],
    ) -> Result<u64, BatchInsertError> {
        self.check_even(hashes)?;
        self.0.insert_batch_new(hashes, new)
    }

    /// [`insert_batch`](Self::insert_batch) on the threads of a rayon pool; see
    /// [`ParInsertExt`](crate::ParInsertExt).
    #[cfg(feature = "rayon")]
    pub fn par_insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        self.check_even(hashes)?;
        self.0.par_insert_from(&hashes)
    }

    fn check_even(&self, hashes: &[KeyHash]) -> Result<(), BatchInsertError> {
        UnevenHashes::check_part(hashes, || self.most_keys())
            .map_err(|error| BatchInsertError { done: 0, error: error.into() })
    }

    /// An upper bound on the number of keys that the filter is planned for.
    fn most_keys(&self) -> u64 {
        use FilterKind as Kind;
        /// More than any filter holds.
        const MANY: u64 = 1 << 40;
        match self.0.kind() {
            Kind::Bloom
            | Kind::BlockedBloom
            | Kind::WideBlockedBloom
            | Kind::Counting
            | Kind::BlockedCounting
            | Kind::Cuckoo
            | Kind::WindowedCuckoo
            // Its capacity is that after growth.
            | Kind::Quotient
                if self.0.capacity() > 0 =>
            {
                self.0.capacity().max(self.0.len())
            }
            // It may grow, or the capacity is unknown.
            _ => MANY,
        }
    }
}

impl<F: ClearFilter> Prehashed<F> {
    /// [`ClearFilter::clear`].
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<F: RemoveFilter> Prehashed<F> {
    /// [`RemoveFilter::remove_hash`], with its warning.
    #[inline]
    pub fn remove_hash(&mut self, hash: KeyHash) -> bool {
        self.0.remove_hash(hash)
    }
}

impl<F: CountFilter> Prehashed<F> {
    /// [`CountFilter::count_hash`].
    #[inline]
    #[must_use]
    pub fn count_hash(&self, hash: KeyHash) -> Count {
        self.0.count_hash(hash)
    }
}

impl<F: TruncateFilter> Prehashed<F> {
    /// [`TruncateFilter::truncate`].
    pub fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        self.0.truncate(budget)
    }
}

impl<F: MergeFilter> MergeFilter for Prehashed<F> {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.0.can_merge(&other.0)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.0.merge(&other.0)
    }
}

impl<F: MergeFilter> Prehashed<F> {
    /// [`MergeFilter::merge`]. Both callers must use the same hash function; this is not checked.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        MergeFilter::merge(self, other)
    }
}

impl<F: Filter + FileFormat> FileFormat for Prehashed<F> {
    const HASHED_BY: Option<HashedBy> = Some(HashedBy::Caller);
    type With<B: Bytes> = Prehashed<F::With<B>>;
    type Geometry = F::Geometry;

    fn contents(&self, _: Hashing) -> Result<Contents<'_>, BuildError> {
        self.0.contents(Hashing::Prehashed)?.without_seed()
    }

    fn geometry(opened: &Opened<'_>) -> Result<F::Geometry, DecodeError> {
        F::geometry(opened)
    }

    fn from_sections<B: Bytes>(
        opened: &Opened<'_>,
        geometry: F::Geometry,
        sections: Sections<'_, B>,
    ) -> Result<Prehashed<F::With<B>>, DecodeError> {
        F::from_sections(opened, geometry, sections).map(Prehashed)
    }

    fn from_copies(
        opened: &Opened<'_>,
        geometry: F::Geometry,
        sections: Sections<'_, &[u8]>,
    ) -> Result<Prehashed<F::With<Table>>, DecodeError> {
        F::from_copies(opened, geometry, sections).map(Prehashed)
    }

    fn truncated(
        opened: &Opened<'_>,
        geometry: F::Geometry,
        budget: Budget,
        sections: &mut SectionStream<'_>,
    ) -> Result<Prehashed<F::With<Table>>, DecodeError> {
        F::truncated(opened, geometry, budget, sections).map(Prehashed)
    }
}

impl<F: fmt::Debug> fmt::Debug for Prehashed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Prehashed").field(&self.0).finish()
    }
}
