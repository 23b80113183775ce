//! The binary fuse filter.

use crate::hashes::{Hashed, Hashes, Source};
use crate::layout::Layout;
use crate::{FuseParams, build, query, theory};
#[cfg(feature = "rayon")]
use amq_core::HashSource;
use amq_core::internal::{Header, Threads, hashes_of};
use amq_core::{
    BuildError, BuildFilter, BuildTarget, Bytes, DEFAULT_SEED, Filter, FilterKind, Goal, Key,
    KeyHash, LengthMismatch, Plan, PlanError, PlanFilter, PredictedFpr, Stats, Table,
};
use core::fmt;

/// The binary fuse filter: a key has three slots, whose exclusive or is its fingerprint.
///
/// `B` holds the table: a [`Table`], or a borrowed slice for a [view](FuseView). See the [crate's
/// documentation](crate) for the picture, the algorithm and the formulas.
///
/// The methods used most need no import. The others are in traits that this crate exports: batches
/// of keys in [`FilterExt`](crate::FilterExt), hashes in [`BuildFilter`] and [`Filter`], the
/// filter's state in [`Filter`], plans with parameters of your own in [`PlanFilter`], files in
/// [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct FuseFilter<B = Table> {
    pub(crate) header: Header,
    pub(crate) params: FuseParams,
    len: u64,
    layout: Layout,
    pub(crate) table: B,
}

/// A [`FuseFilter`] whose table is borrowed: what [`FilterFile::view`](crate::FilterFile::view)
/// returns.
pub type FuseView<'a> = FuseFilter<&'a [u8]>;

impl FuseFilter {
    /// Builds a filter of all these keys, with the public [`DEFAULT_SEED`]. [`BuildFilter`] also
    /// builds from a slice of keys, and from hashes.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys; or a
    /// [`Goal`] or [`Plan`], and more keys than planned are an error. Repeated keys are allowed.
    /// Keys are not kept; their hashes are, 8 bytes each, until the filter is built.
    ///
    /// ```
    /// use amq_fuse::{Budget, FuseFilter};
    ///
    /// let filter = FuseFilter::build(Budget::Fpr(0.01), ["one", "two", "three"])?;
    /// assert!(filter.contains("two"));
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_fuse::BuildError>(())
    /// ```
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<FuseParams>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// Builds a filter with a seed of your own; see [`build`](Self::build).
    ///
    /// ```
    /// use amq_fuse::{Budget, Filter, FuseFilter};
    ///
    /// let filter = FuseFilter::build_with_seed(Budget::Fpr(0.01), 42, 0..1000u64)?;
    /// assert_eq!(filter.seed(), 42);
    /// assert!(filter.contains(&7u64));
    /// # Ok::<(), amq_fuse::BuildError>(())
    /// ```
    pub fn build_with_seed<K: Key>(
        target: impl Into<BuildTarget<FuseParams>>,
        seed: u64,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, seed, keys)
    }

    /// The best parameters for a goal, their cost and their rate. Allocates nothing.
    ///
    /// ```
    /// use amq_fuse::{FuseFilter, Goal};
    ///
    /// // 2^-7 is the highest power of two that meets 1 %.
    /// let plan = FuseFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.0079);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_fuse::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<FuseParams>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    fn of(
        target: BuildTarget<FuseParams>,
        seed: u64,
        keys: u64,
        threads: Threads,
        hashes: impl FnOnce(&Layout) -> Result<Hashes, BuildError>,
    ) -> Result<Self, BuildError> {
        let plan = match target {
            // A filter without keys takes no space, which is within any budget.
            BuildTarget::Budget(budget) if keys == 0 => {
                Goal::new(keys, budget).checked()?;
                theory::plan_params(FuseParams::new(1), 0)?.with_budget(budget)
            }
            target => target.plan::<Self>(keys)?,
        };
        let header = Header::new(&plan, seed);
        // For the actual number of keys, which may be lower than planned.
        let params = theory::plan_params(plan.params, keys)?.params;
        if keys == 0 {
            return Ok(Self::of_parts(header, params, 0, Table::default()));
        }
        let hashes = hashes(&Layout::new(&params))?;
        let (params, table) = build::table(params, hashes, keys, threads)?;
        Ok(Self::of_parts(header, params, keys, table))
    }

    fn of_source(
        target: BuildTarget<FuseParams>,
        seed: u64,
        source: &(impl Source + ?Sized),
        threads: Threads,
    ) -> Result<Self, BuildError> {
        Self::of(target, seed, source.len(), threads, |layout| Hashes::new(source, layout))
    }
}

impl<B: Bytes> FuseFilter<B> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    ///
    /// ```
    /// use amq_fuse::{Budget, FuseFilter};
    ///
    /// let filter = FuseFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!((0..1000u64).all(|key| filter.contains(&key)));
    /// // One absent key in 128 is answered `true`.
    /// let wrong = (1000..11_000u64).filter(|key| filter.contains(key)).count();
    /// assert!(wrong < 200);
    /// # Ok::<(), amq_fuse::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(key.key_hash(self.header.seed))
    }

    /// The number of keys it was built from, copies included.
    ///
    /// ```
    /// use amq_fuse::{Budget, FuseFilter};
    ///
    /// let filter = FuseFilter::build(Budget::Fpr(0.01), ["one", "two", "two"])?;
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_fuse::BuildError>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether [`len`](Self::len) is zero.
    ///
    /// ```
    /// use amq_fuse::{Budget, Filter, FuseFilter};
    ///
    /// let filter = FuseFilter::build(Budget::Fpr(0.01), [0u64; 0])?;
    /// assert!(filter.is_empty());
    /// assert_eq!(filter.size_in_bytes(), 0);
    /// # Ok::<(), amq_fuse::BuildError>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The filter's state in one value that prints itself: keys, load, bytes, rate.
    ///
    /// ```
    /// use amq_fuse::{Budget, FuseFilter};
    ///
    /// let filter = FuseFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.stats().expected_fpr < 0.01);
    /// println!("{}", filter.stats());
    /// # Ok::<(), amq_fuse::BuildError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }

    /// The parameters of its table.
    ///
    /// ```
    /// use amq_fuse::{Budget, FuseFilter};
    ///
    /// let filter = FuseFilter::build(Budget::Fpr(1.0 / 4096.0), 0..1000u64)?;
    /// assert_eq!(filter.params().fingerprint_bits, 12);
    /// # Ok::<(), amq_fuse::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn params(&self) -> FuseParams {
        self.params
    }

    pub(crate) fn of_parts(header: Header, params: FuseParams, len: u64, table: B) -> Self {
        Self { header, params, len, layout: Layout::new(&params), table }
    }
}

impl<B: Bytes> Filter for FuseFilter<B> {
    fn kind(&self) -> FilterKind {
        FilterKind::Fuse
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.header.seed
    }

    /// The number of keys it was built from, copies included.
    #[inline]
    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.header.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        self.table.as_ref().len() as u64
    }

    /// `2^-r` for fingerprints of r bits; see [`theory`].
    fn expected_fpr(&self) -> f64 {
        theory::fpr_of_bits(self.params.fingerprint_bits, self.len)
    }

    /// Keys over slots: at most 1, since copies share their slots.
    fn load_factor(&self) -> f64 {
        (self.len as f64 / self.params.slots().max(1) as f64).min(1.0)
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        query::contains(&self.layout, self.table.as_ref(), hash)
    }

    #[inline]
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        query::contains_batch(&self.layout, self.table.as_ref(), hashes, answers);
        Ok(())
    }
}

impl PlanFilter for FuseFilter {
    type Params = FuseParams;

    fn plan(goal: Goal) -> Result<Plan<FuseParams>, PlanError> {
        Ok(goal.plan_by(theory::plan)?.with_budget(goal.budget))
    }

    fn plan_params(params: FuseParams, keys: u64) -> Result<Plan<FuseParams>, PlanError> {
        theory::plan_params(params, keys)
    }

    fn predicted_fpr(params: &FuseParams, keys: u64) -> PredictedFpr {
        theory::fpr(params, keys)
    }

    fn params(&self) -> FuseParams {
        self.params
    }
}

impl BuildFilter for FuseFilter {
    fn build_hashes(
        target: impl Into<BuildTarget<FuseParams>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        Self::of_source(target.into(), seed, hashes, Threads::One)
    }

    /// Hashes every key twice instead of collecting the hashes first, which saves 8 bytes per key.
    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<FuseParams>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        Self::of_source(target.into(), seed, &Hashed { keys, seed }, Threads::One)
    }

    /// The hashes are kept once, 8 bytes each (and as much again while the vector grows).
    fn build_iter<K: Key>(
        target: impl Into<BuildTarget<FuseParams>>,
        seed: u64,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        let (target, most) = match target.into() {
            BuildTarget::Budget(budget) => (budget.into(), u64::MAX),
            // Plans once, and refuses before any key is hashed.
            target => {
                let plan = target.plan::<Self>(0)?;
                (plan.into(), plan.keys)
            }
        };
        let hashes = hashes_of(keys, seed, most)?;
        let (keys, threads) = (hashes.len() as u64, Threads::One);
        Self::of(target, seed, keys, threads, |layout| Hashes::of(hashes, layout))
    }

    #[cfg(feature = "rayon")]
    fn par_build_from(
        target: impl Into<BuildTarget<FuseParams>>,
        seed: u64,
        hashes: &dyn HashSource,
    ) -> Result<Self, BuildError> {
        Self::of_source(target.into(), seed, hashes, Threads::Pool)
    }
}

/// Omits the table, which may be gigabytes, and the seed, which may be secret.
impl<B: Bytes> fmt::Debug for FuseFilter<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FuseFilter")
            .field("params", &self.params)
            .field("len", &self.len)
            .field("capacity", &self.header.capacity)
            .finish_non_exhaustive()
    }
}
