//! How filters are planned, made and merged.

use super::{ClearFilter, Filter, InsertFilter};
use crate::key::{KeyHasher, hashes_from};
use crate::memory::reserve;
use crate::numeric::{PredictedFpr, first_true_near};
use crate::{Budget, BuildError, Goal, Key, KeyHash, MergeError, Plan, PlanError, UnevenHashes};
use alloc::vec::Vec;
use core::fmt;

/// How to size an empty filter: by a [`Goal`], or by a [`Plan`] made earlier.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Target<P> {
    /// Plan for this goal.
    Goal(Goal),
    /// Follow this plan.
    Plan(Plan<P>),
}

impl<P: Copy> Target<P> {
    /// The plan to follow.
    pub fn plan<F: PlanFilter<Params = P>>(self) -> Result<Plan<P>, PlanError> {
        match self {
            Self::Goal(goal) => Ok(F::plan(goal)?.with_budget(goal.budget)),
            Self::Plan(plan) => Ok(plan),
        }
    }
}

impl<P> From<Goal> for Target<P> {
    fn from(goal: Goal) -> Self {
        Self::Goal(goal)
    }
}

impl<P> From<Plan<P>> for Target<P> {
    fn from(plan: Plan<P>) -> Self {
        Self::Plan(plan)
    }
}

impl<P: Copy> From<&Plan<P>> for Target<P> {
    fn from(plan: &Plan<P>) -> Self {
        Self::Plan(*plan)
    }
}

/// How to size a filter that is built from its keys: by a [`Budget`] for the actual number of keys,
/// or by a [`Goal`] or [`Plan`], which refuses more keys than planned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum BuildTarget<P> {
    /// Size the filter to the number of keys.
    Budget(Budget),
    /// Size it by a goal or plan, and refuse more keys than planned.
    Target(Target<P>),
}

impl<P: Copy> BuildTarget<P> {
    /// The plan to follow for this many keys; an error if they exceed the plan.
    pub fn plan<F: PlanFilter<Params = P>>(self, keys: u64) -> Result<Plan<P>, BuildError> {
        let plan = match self {
            Self::Budget(budget) => Target::Goal(Goal::new(keys, budget)).plan::<F>()?,
            Self::Target(target) => target.plan::<F>()?,
        };
        if keys > plan.keys {
            return Err(BuildError::TooManyKeys { planned: plan.keys });
        }
        Ok(plan)
    }

    /// An upper bound on the number of keys, as far as it is known without planning.
    pub(crate) fn limit(&self) -> u64 {
        match self {
            Self::Budget(_) => u64::MAX,
            Self::Target(Target::Goal(goal)) => goal.keys.max(1),
            Self::Target(Target::Plan(plan)) => plan.keys,
        }
    }
}

impl<P> From<Budget> for BuildTarget<P> {
    fn from(budget: Budget) -> Self {
        Self::Budget(budget)
    }
}

impl<P, T: Into<Target<P>>> From<T> for BuildTarget<P> {
    fn from(target: T) -> Self {
        Self::Target(target.into())
    }
}

/// What a filter needs besides an existing table: the parameters, the seed and the counts.
///
/// ```
/// use amq_core::Parts;
/// let parts = Parts::new((), 7).with_capacity(1000).with_len(950);
/// assert_eq!((parts.seed, parts.capacity, parts.len), (7, 1000, 950));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Parts<P> {
    /// The variant's parameters.
    pub params: P,
    /// The seed its keys were hashed with. Use 0 for keys that were hashed in another way, and wrap
    /// the filter in [`Prehashed::of`](crate::Prehashed::of).
    pub seed: u64,
    /// The number of keys it was planned for. Defaults to 0, unknown.
    pub capacity: u64,
    /// The number of keys in it, where the table does not determine it. Defaults to 0.
    pub len: u64,
}

impl<P> Parts<P> {
    /// Parts with these parameters, and with the seed that the keys were hashed with by
    /// [`KeyHash::of`]; the public seed is [`DEFAULT_SEED`](crate::DEFAULT_SEED).
    #[must_use]
    pub const fn new(params: P, seed: u64) -> Self {
        Self { params, seed, capacity: 0, len: 0 }
    }

    /// Sets the number of keys it was planned for.
    #[must_use]
    pub fn with_capacity(self, capacity: u64) -> Self {
        Self { capacity, ..self }
    }

    /// Sets the number of keys in it.
    #[must_use]
    pub fn with_len(self, len: u64) -> Self {
        Self { len, ..self }
    }
}

/// A filter that can be sized by formula, without allocating it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sized by formula",
    label = "it does not implement `PlanFilter`",
    note = "plan by the concrete, owned type: pointers, views and `dyn Filter` have no plans",
    note = "for a filter whose kind is chosen at run time: `AnyFilter::plan`"
)]
pub trait PlanFilter: Filter + Sized {
    /// The parameters that determine the table, for experts to set by hand.
    type Params: Copy + PartialEq + fmt::Debug;

    /// The best parameters for a goal, and their cost.
    fn plan(goal: Goal) -> Result<Plan<Self::Params>, PlanError>;

    /// The plan for this many keys with explicit parameters. Checks the parameters, but not whether
    /// the keys will fit.
    fn plan_params(params: Self::Params, keys: u64) -> Result<Plan<Self::Params>, PlanError>;

    /// The exact false-positive rate of a filter with these parameters and `keys` distinct keys.
    #[must_use]
    fn predicted_fpr(params: &Self::Params, keys: u64) -> PredictedFpr;

    /// The parameters of this filter.
    #[must_use]
    fn params(&self) -> Self::Params;

    /// The inverse of planning: the most keys that fit in `bytes` at a rate of at most `fpr`.
    ///
    /// Sizes rise with the number of keys, except that a ribbon filter's size sometimes falls by a
    /// few blocks. For ribbon filters the true maximum may therefore be higher, by up to some 1.5
    /// %.
    fn keys_for(bytes: u64, fpr: f64) -> Result<u64, PlanError> {
        let plan = |keys: u64| Self::plan(Goal::new(keys, Budget::Fpr(fpr)));
        let fits = |keys: u64| plan(keys).map(|plan| plan.bytes <= bytes);
        // If not even one key can be planned, the rate itself is invalid: return that error.
        if !fits(1)? {
            let min = plan(1)?.bytes;
            return Err(PlanError::Bytes { bytes, min });
        }
        // Sizes are nearly proportional to the number of keys. A number that cannot be planned for
        // does not fit.
        let (mut guess, mut most) = (bytes.max(1), bytes);
        for _ in 0..8 {
            let ratio = match plan(guess) {
                Ok(plan) => most as f64 / plan.bytes.max(1) as f64,
                Err(PlanError::TooLarge { bytes, max_bytes }) => {
                    most = most.min(max_bytes);
                    most as f64 / bytes
                }
                Err(_) => 1.0 / 256.0,
            };
            guess = ((guess as f64 * ratio) as u64).max(1);
            if (ratio - 1.0).abs() < 1e-12 {
                break;
            }
        }
        let over = |keys: u64| !fits(keys).unwrap_or(false);
        Ok(match first_true_near(1, u64::MAX, guess, over) {
            u64::MAX if !over(u64::MAX) => u64::MAX,
            first => first - 1,
        })
    }

    /// The inverse of planning: the rate of this many keys in `bytes` bytes.
    fn fpr_for(keys: u64, bytes: u64) -> Result<f64, PlanError> {
        Ok(Self::plan(Goal::new(keys, Budget::Bytes(bytes)))?.expected_fpr)
    }
}

/// A filter that starts empty and is then filled.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot start empty and be filled",
    label = "it does not implement `EmptyFilter`",
    note = "a `BloomFilter` or a `CuckooFilter` can; `amq::Ability::Insert.kinds()` lists all",
    note = "a static filter is built from all its keys at once: `BuildFilter`"
)]
pub trait EmptyFilter: PlanFilter + InsertFilter + ClearFilter {
    /// An empty filter for a goal or plan.
    fn empty(target: impl Into<Target<Self::Params>>, seed: u64) -> Result<Self, BuildError>;
}

/// [`BuildFilter::build_hashes`] for filters without a faster way: inserts the hashes into an empty
/// filter.
pub fn fill_from_hashes<F: EmptyFilter>(
    target: impl Into<BuildTarget<F::Params>>,
    seed: u64,
    hashes: &[KeyHash],
) -> Result<F, BuildError> {
    UnevenHashes::check(hashes)?;
    let plan = target.into().plan::<F>(hashes.len() as u64)?;
    let mut filter = F::empty(plan, seed)?;
    filter.insert_batch(hashes)?;
    Ok(filter)
}

/// A filter that can be built from all of its keys at once. Static filters are built in no other
/// way; for the others this is often the fastest.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be built from all its keys at once",
    label = "it does not implement `BuildFilter`",
    note = "a filter that starts empty takes its keys one by one: `EmptyFilter::empty`"
)]
pub trait BuildFilter: PlanFilter {
    /// Builds a filter of the keys with these hashes. Hashes may repeat; the documentation of each
    /// filter that supports removal says whether it keeps one copy or all.
    ///
    /// Filters whose rate depends on uniform hashes refuse those that fail [`UnevenHashes::check`].
    fn build_hashes(
        target: impl Into<BuildTarget<Self::Params>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError>;

    /// Builds a filter from a slice of keys; see [`build_hashes`](Self::build_hashes). Unless the
    /// variant can avoid it, this collects the hashes first, 8 bytes per key.
    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<Self::Params>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, seed, keys)
    }

    /// Builds a filter from any iterator of keys; see [`build_hashes`](Self::build_hashes). The
    /// keys are dropped at once. Their hashes are kept until the filter is built, 8 bytes each, and
    /// as much again while the vector grows.
    fn build_iter<K: Key>(
        target: impl Into<BuildTarget<Self::Params>>,
        seed: u64,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        let target = target.into();
        let hashes = hashes_of(keys, seed, target.limit())?;
        Self::build_hashes(target, seed, &hashes)
    }

    /// Builds a filter from a source of hashes on the threads of a rayon pool; the methods of
    /// [`ParBuildExt`](crate::ParBuildExt) call this. The result equals that of
    /// [`build_hashes`](Self::build_hashes).
    ///
    /// By default the pool hashes the keys and the calling thread builds.
    #[cfg(feature = "rayon")]
    fn par_build_from(
        target: impl Into<BuildTarget<Self::Params>>,
        seed: u64,
        hashes: &dyn crate::HashSource,
    ) -> Result<Self, BuildError> {
        match hashes.as_slice() {
            Some(hashes) => Self::build_hashes(target, seed, hashes),
            None => Self::build_hashes(target, seed, &crate::parallel::collect_hashes(hashes)?),
        }
    }
}

/// [`BuildFilter::build_keys`] for filters that can be filled: inserts the keys of a slice, without
/// collecting their hashes.
pub fn fill_from_keys<F: EmptyFilter + InsertFilter, K: Key>(
    target: impl Into<BuildTarget<F::Params>>,
    seed: u64,
    keys: &[K],
) -> Result<F, BuildError> {
    let count = keys.len() as u64;
    let plan = target.into().plan::<F>(count)?;
    let mut filter = F::empty(plan, seed)?;
    filter.insert_from(count, &mut hashes_from(keys, seed))?;
    Ok(filter)
}

/// [`BuildFilter::par_build_from`] for filters that can be filled: inserts on the threads of a
/// rayon pool.
#[cfg(feature = "rayon")]
pub fn par_fill_from<F: EmptyFilter>(
    target: impl Into<BuildTarget<F::Params>>,
    seed: u64,
    hashes: &dyn crate::HashSource,
) -> Result<F, BuildError> {
    if let Some(hashes) = hashes.as_slice() {
        UnevenHashes::check(hashes)?;
    }
    let plan = target.into().plan::<F>(hashes.len() as u64)?;
    let mut filter = F::empty(plan, seed)?;
    filter.par_insert_from(hashes)?;
    Ok(filter)
}

/// Collects the hashes of an iterator's keys under a seed or a secret key; more than `planned` are
/// an error. Running out of memory is an error, never an abort.
pub fn hashes_of<K: Key>(
    keys: impl IntoIterator<Item = K>,
    under: impl KeyHasher,
    planned: u64,
) -> Result<Vec<KeyHash>, BuildError> {
    let keys = keys.into_iter();
    let mut hashes = Vec::new();
    // The size is only a hint: reserve at most 8 MB for it.
    reserve(&mut hashes, keys.size_hint().0.min(1 << 20) as u64)?;
    for key in keys {
        if hashes.len() as u64 == planned {
            return Err(BuildError::TooManyKeys { planned });
        }
        if hashes.len() == hashes.capacity() {
            // Doubles, as `Vec::push` does, but returns an error if there is no memory.
            let more = (hashes.len() as u64).max(1024);
            reserve(&mut hashes, more)?;
        }
        hashes.push(under.of(&key));
    }
    Ok(hashes)
}

/// A filter that can be merged with another.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be merged",
    label = "it does not implement `MergeFilter`",
    note = "a `BloomFilter` or a `QuotientFilter` can; `amq::Ability::Merge.kinds()` lists all"
)]
pub trait MergeFilter: Sized {
    /// `Ok` if [`merge`](MergeFilter::merge) would succeed; otherwise the error it would return.
    fn can_merge(&self, other: &Self) -> Result<(), MergeError>;

    /// Adds every key of `other`, so that `self` contains the keys of both. On an error nothing
    /// changes.
    fn merge(&mut self, other: &Self) -> Result<(), MergeError>;
}
