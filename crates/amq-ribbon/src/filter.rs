//! The ribbon filter.

use crate::entry::{Hashed, Source};
use crate::solution::Solution;
use crate::{RibbonParams, simd, theory};
#[cfg(feature = "rayon")]
use amq_core::HashSource;
use amq_core::internal::{Header, Threads};
use amq_core::{
    BuildError, BuildFilter, BuildTarget, Bytes, DEFAULT_SEED, Filter, FilterKind, Goal, Key,
    KeyHash, LengthMismatch, Plan, PlanError, PlanFilter, PredictedFpr, Stats, Table, UnevenHashes,
};
use core::fmt;

/// A ribbon filter: a static set within half a percent of the least possible space, at rates that
/// are powers of two and with 100,000 keys or more.
///
/// `B` holds each part of the solution: a [`Table`], or a borrowed slice for a [view](RibbonView).
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
///
/// The methods used most need no import. The others are in traits that this crate exports: batches
/// of keys in [`FilterExt`](crate::FilterExt), hashes in [`BuildFilter`] and [`Filter`], the
/// filter's state in [`Filter`], plans with parameters of your own in [`PlanFilter`], files in
/// [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct RibbonFilter<B = Table> {
    pub(crate) header: Header,
    pub(crate) len: u64,
    pub(crate) solution: Solution<B>,
}

/// A [`RibbonFilter`] whose solution is borrowed: what
/// [`FilterFile::view`](crate::FilterFile::view) returns.
pub type RibbonView<'a> = RibbonFilter<&'a [u8]>;

impl RibbonFilter {
    /// Builds a filter of all these keys, with the public [`DEFAULT_SEED`]. [`BuildFilter`] also
    /// builds from a slice of keys, and from hashes.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys; or a
    /// [`Goal`] or [`Plan`], and more keys than planned are an error. Repeated keys are allowed.
    /// Keys are not kept; their hashes are, 8 bytes each, until the filter is built.
    ///
    /// ```
    /// use amq_ribbon::{Budget, RibbonFilter};
    ///
    /// let filter = RibbonFilter::build(Budget::Fpr(0.01), ["one", "two", "three"])?;
    /// assert!(filter.contains("two"));
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_ribbon::BuildError>(())
    /// ```
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<RibbonParams>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// Builds a filter with a seed of your own; see [`build`](Self::build).
    ///
    /// ```
    /// use amq_ribbon::{Budget, Filter, RibbonFilter};
    ///
    /// let filter = RibbonFilter::build_with_seed(Budget::Fpr(0.01), 42, 0..1000u64)?;
    /// assert_eq!(filter.seed(), 42);
    /// assert!(filter.contains(&7u64));
    /// # Ok::<(), amq_ribbon::BuildError>(())
    /// ```
    pub fn build_with_seed<K: Key>(
        target: impl Into<BuildTarget<RibbonParams>>,
        seed: u64,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, seed, keys)
    }

    /// [`BuildFilter::build_hashes`], which calls `progress` with the number of keys placed so far:
    /// about a hundred times for ten million keys, and once more at the end.
    ///
    /// The last layer reports only at its end.
    ///
    /// ```
    /// use amq_ribbon::{Budget, Key, KeyHash, RibbonFilter};
    ///
    /// let hashes: Vec<KeyHash> = (0..1000u64).map(|key| key.key_hash(7)).collect();
    /// let mut placed = 0;
    /// let progress = |keys| placed = keys;
    /// RibbonFilter::build_with_progress(Budget::Fpr(0.01), 7, &hashes, progress)?;
    /// assert_eq!(placed, 1000);
    /// # Ok::<(), amq_ribbon::BuildError>(())
    /// ```
    pub fn build_with_progress(
        target: impl Into<BuildTarget<RibbonParams>>,
        seed: u64,
        hashes: &[KeyHash],
        mut progress: impl FnMut(u64),
    ) -> Result<Self, BuildError> {
        UnevenHashes::check(hashes)?;
        Self::of(target.into(), seed, hashes, Threads::One, &mut progress)
    }

    /// The best parameters for a goal, their cost and their rate. Allocates nothing.
    ///
    /// ```
    /// use amq_ribbon::{Goal, RibbonFilter};
    ///
    /// let plan = RibbonFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.01001);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_ribbon::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<RibbonParams>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    fn of(
        target: BuildTarget<RibbonParams>,
        seed: u64,
        source: &(impl Source<KeyHash> + ?Sized),
        threads: Threads,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, BuildError> {
        let len = source.len();
        let plan = match target {
            // A filter without keys takes no space, which is within any budget.
            BuildTarget::Budget(budget) if len == 0 => {
                Goal::new(len, budget).checked()?;
                theory::plan_params(RibbonParams::new(1, 0), 0)?.with_budget(budget)
            }
            target => target.plan::<Self>(len)?,
        };
        Ok(Self {
            header: Header::new(&plan, seed),
            len,
            solution: Self::solved(&plan, source, threads, progress)?,
        })
    }

    /// Solves with the plan's columns, within its budget.
    fn solved(
        plan: &Plan<RibbonParams>,
        source: &(impl Source<KeyHash> + ?Sized),
        threads: Threads,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Solution, BuildError> {
        let keys = source.len();
        plan.params.check()?;
        theory::check_keys(keys)?;
        let solution = Solution::build(source, plan.params.columns(), threads, progress)?;
        let goal = plan.budget.map(|budget| Goal::new(plan.keys, budget));
        let allowed = goal.map_or(u64::MAX, |goal| goal.max_bits() / 8);
        if solution.bytes() <= allowed {
            return Ok(solution);
        }
        // About one filter in a hundred bumps more keys than planned. Their number does not depend
        // on the columns, so the same keys fit with fewer columns.
        let fitting = theory::within(*solution.params(), allowed, RibbonParams::bytes)?;
        drop(solution);
        let solution = Solution::build(source, fitting.columns(), threads, &mut |_| ())?;
        if solution.bytes() > allowed {
            return Err(BuildError::KeysChanged { keys });
        }
        Ok(solution)
    }
}

impl<B: Bytes> RibbonFilter<B> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    ///
    /// ```
    /// use amq_ribbon::{Budget, RibbonFilter};
    ///
    /// let filter = RibbonFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!((0..1000u64).all(|key| filter.contains(&key)));
    /// // One absent key in a hundred is answered `true`.
    /// let wrong = (1000..11_000u64).filter(|key| filter.contains(key)).count();
    /// assert!(wrong < 200);
    /// # Ok::<(), amq_ribbon::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(key.key_hash(self.header.seed))
    }

    /// The number of keys it was built from, copies included.
    ///
    /// ```
    /// use amq_ribbon::{Budget, RibbonFilter};
    ///
    /// let filter = RibbonFilter::build(Budget::Fpr(0.01), ["one", "two", "two"])?;
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_ribbon::BuildError>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether [`len`](Self::len) is zero.
    ///
    /// ```
    /// use amq_ribbon::{Budget, Filter, RibbonFilter};
    ///
    /// let filter = RibbonFilter::build(Budget::Fpr(0.01), [0u64; 0])?;
    /// assert!(filter.is_empty());
    /// assert_eq!(filter.size_in_bytes(), 0);
    /// # Ok::<(), amq_ribbon::BuildError>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The filter's state in one value that prints itself: keys, load, bytes, rate.
    ///
    /// ```
    /// use amq_ribbon::{Budget, RibbonFilter};
    ///
    /// let filter = RibbonFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.stats().expected_fpr < 0.011);
    /// println!("{}", filter.stats());
    /// # Ok::<(), amq_ribbon::BuildError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }

    /// The parameters of its solution, with the keys that reached each layer.
    ///
    /// ```
    /// use amq_ribbon::{Budget, RibbonFilter};
    ///
    /// let filter = RibbonFilter::build(Budget::Fpr(1.0 / 4096.0), 0..1000u64)?;
    /// assert_eq!(filter.params().columns, 12);
    /// # Ok::<(), amq_ribbon::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn params(&self) -> RibbonParams {
        *self.solution.params()
    }
}

impl<B: Bytes> Filter for RibbonFilter<B> {
    fn kind(&self) -> FilterKind {
        FilterKind::Ribbon
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

    /// Bytes of words, thresholds and seeds.
    fn size_in_bytes(&self) -> u64 {
        self.solution.bytes()
    }

    /// `2^-r` for r columns, and a little more for the blocks that have one less; see [`theory`].
    fn expected_fpr(&self) -> f64 {
        theory::fpr_in(self.solution.params(), self.solution.geometry(), self.len)
    }

    /// Keys over slots: at most 1, since copies share a slot.
    fn load_factor(&self) -> f64 {
        let slots = self.solution.geometry().slots();
        (self.len as f64 / slots.max(1) as f64).min(1.0)
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        simd::answer(&self.solution, hash.get())
    }

    #[inline]
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        simd::answer_batch(&self.solution, hashes, answers);
        Ok(())
    }
}

impl PlanFilter for RibbonFilter {
    type Params = RibbonParams;

    fn plan(goal: Goal) -> Result<Plan<RibbonParams>, PlanError> {
        Ok(goal.plan_by(theory::plan)?.with_budget(goal.budget))
    }

    fn plan_params(params: RibbonParams, keys: u64) -> Result<Plan<RibbonParams>, PlanError> {
        theory::plan_params(params, keys)
    }

    fn predicted_fpr(params: &RibbonParams, keys: u64) -> PredictedFpr {
        theory::fpr(params, keys)
    }

    fn params(&self) -> RibbonParams {
        self.params()
    }
}

impl BuildFilter for RibbonFilter {
    fn build_hashes(
        target: impl Into<BuildTarget<RibbonParams>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        UnevenHashes::check(hashes)?;
        Self::of(target.into(), seed, hashes, Threads::One, &mut |_| ())
    }

    /// Hashes every key twice instead of keeping the hashes, which saves 8 bytes per key.
    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<RibbonParams>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        Self::of(target.into(), seed, &Hashed { keys, seed }, Threads::One, &mut |_| ())
    }

    #[cfg(feature = "rayon")]
    fn par_build_from(
        target: impl Into<BuildTarget<RibbonParams>>,
        seed: u64,
        hashes: &dyn HashSource,
    ) -> Result<Self, BuildError> {
        if let Some(hashes) = hashes.as_slice() {
            UnevenHashes::check(hashes)?;
        }
        Self::of(target.into(), seed, hashes, Threads::Pool, &mut |_| ())
    }
}

/// Omits the solution, which may be gigabytes, and the seed, which may be secret.
impl<B: Bytes> fmt::Debug for RibbonFilter<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RibbonFilter")
            .field("params", self.solution.params())
            .field("len", &self.len)
            .field("capacity", &self.header.capacity)
            .finish_non_exhaustive()
    }
}
