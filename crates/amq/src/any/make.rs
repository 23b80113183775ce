//! Planning and building a filter by kind.

use super::kinds::Row;
use super::{AnyError, AnyFilter, Unsupported};
use crate::Ability;
use amq_core::internal::hashes_of;
use amq_core::{
    Budget, BuildError, BuildTarget, DEFAULT_SEED, FilterKind, Goal, Key, KeyHash, Plan, PlanError,
};

/// The size and rate of a filter of some kind before it is built; see [`AnyFilter::plan`]. Its
/// `params` are the kind.
pub type AnyPlan = Plan<FilterKind>;

/// How a filter of given keys is sized: by a [`Budget`] for any number of keys, or by a [`Goal`],
/// which refuses more keys than planned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AnyTarget {
    /// Size the filter to the number of keys.
    Budget(Budget),
    /// Size it by a goal, and refuse more keys than planned.
    Goal(Goal),
}

impl AnyTarget {
    pub(super) fn of<P>(self) -> BuildTarget<P> {
        match self {
            Self::Budget(budget) => budget.into(),
            Self::Goal(goal) => goal.into(),
        }
    }
}

impl From<Budget> for AnyTarget {
    fn from(budget: Budget) -> Self {
        Self::Budget(budget)
    }
}

impl From<Goal> for AnyTarget {
    fn from(goal: Goal) -> Self {
        Self::Goal(goal)
    }
}

impl AnyFilter {
    /// The size and rate of a filter of this kind for a goal. Allocates nothing.
    ///
    /// ```
    /// use amq::{AnyFilter, FilterKind, Goal};
    ///
    /// # fn main() -> Result<(), amq::PlanError> {
    /// for &kind in AnyFilter::KINDS {
    ///     println!("{kind}: {}", AnyFilter::plan(kind, Goal::fpr(1_000_000, 0.01))?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn plan(kind: FilterKind, goal: Goal) -> Result<AnyPlan, PlanError> {
        let row = Row::of(kind).ok_or(PlanError::LeftOut { kind })?;
        (row.plan)(kind, goal)
    }

    /// An empty filter of a kind that inserts keys one by one, with the public seed
    /// [`DEFAULT_SEED`]. Static kinds are built: see [`build`](Self::build).
    pub fn new(kind: FilterKind, goal: Goal) -> Result<Self, AnyError> {
        Self::with_seed(kind, goal, DEFAULT_SEED)
    }

    /// An empty filter of this kind with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(kind: FilterKind, goal: Goal, seed: u64) -> Result<Self, AnyError> {
        let row = Row::of(kind).ok_or(PlanError::LeftOut { kind })?;
        let empty = row.empty.ok_or(Unsupported::new(Ability::Insert, kind))?;
        Ok(empty(goal, seed)?)
    }

    /// Builds a filter of any kind from exactly the keys with these hashes under this seed.
    ///
    /// `target` is a [`Budget`], which sizes the filter to the number of keys; or a [`Goal`], and
    /// more keys than planned are an error.
    pub fn build_hashes(
        kind: FilterKind,
        target: impl Into<AnyTarget>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        let row = Row::of(kind).ok_or(PlanError::LeftOut { kind })?;
        (row.build)(target.into(), seed, hashes)
    }

    /// [`build_hashes`](Self::build_hashes) on the threads of a rayon pool, like
    /// [`ParBuildExt`](amq_core::ParBuildExt).
    #[cfg(feature = "rayon")]
    pub fn par_build_hashes(
        kind: FilterKind,
        target: impl Into<AnyTarget>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        let row = Row::of(kind).ok_or(PlanError::LeftOut { kind })?;
        (row.par_build)(target.into(), seed, hashes)
    }

    /// Builds a filter of this kind from keys, with the public seed. Keeps their hashes, 8 bytes
    /// each, until the filter is built.
    pub fn build<K: Key>(
        kind: FilterKind,
        target: impl Into<AnyTarget>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_with_seed(kind, target, DEFAULT_SEED, keys)
    }

    /// Builds a filter of this kind with a seed of your own; see [`build`](Self::build).
    pub fn build_with_seed<K: Key>(
        kind: FilterKind,
        target: impl Into<AnyTarget>,
        seed: u64,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        let target = target.into();
        let planned = match target {
            AnyTarget::Budget(_) => u64::MAX,
            AnyTarget::Goal(goal) => goal.keys.max(1),
        };
        Self::build_hashes(kind, target, seed, &hashes_of(keys, seed, planned)?)
    }
}
