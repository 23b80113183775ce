//! Goals for the laws of plans, and the requirements on every plan and error.

use amq_core::{Budget, Goal, Plan, PlanError, PlanFilter, PredictedFpr};
use core::fmt;
use core::marker::PhantomData;

/// Planning of any filter as a trait object, so that the laws of plans are compiled once, not for
/// each filter. `&PhantomData::<F>` is the planner of `F`.
pub trait Planner {
    /// See [`PlanFilter::plan`].
    fn plan(&self, goal: Goal) -> Result<Planned<'_>, PlanError>;
    /// See [`PlanFilter::keys_for`].
    fn keys_for(&self, bytes: u64, fpr: f64) -> Result<u64, PlanError>;
    /// See [`PlanFilter::fpr_for`].
    fn fpr_for(&self, keys: u64, bytes: u64) -> Result<f64, PlanError>;
}

/// A plan, and the rate it predicts for a number of keys.
#[allow(missing_debug_implementations, reason = "it has a closure")]
pub struct Planned<'a> {
    pub(crate) plan: Plan<Box<dyn fmt::Debug + 'a>>,
    pub(crate) predicted_fpr: Box<dyn Fn(u64) -> PredictedFpr + 'a>,
}

impl<F: PlanFilter> Planner for PhantomData<F> {
    fn plan(&self, goal: Goal) -> Result<Planned<'_>, PlanError> {
        let Plan { params, keys, bytes, build_bytes, expected_fpr, budget, .. } = F::plan(goal)?;
        let mut plan = Plan::new(Box::new(params) as Box<dyn fmt::Debug + '_>, keys);
        (plan.bytes, plan.build_bytes) = (bytes, build_bytes);
        (plan.expected_fpr, plan.budget) = (expected_fpr, budget);
        Ok(Planned { plan, predicted_fpr: Box::new(move |keys| F::predicted_fpr(&params, keys)) })
    }

    fn keys_for(&self, bytes: u64, fpr: f64) -> Result<u64, PlanError> {
        F::keys_for(bytes, fpr)
    }

    fn fpr_for(&self, keys: u64, bytes: u64) -> Result<f64, PlanError> {
        F::fpr_for(keys, bytes)
    }
}

/// All cases, or every fifth of them if `AMQ_FEWER_CASES=1` is set: for machines that are emulated,
/// where the laws of plans take minutes each. They compute in floating point and hardly touch
/// memory. Faults of a machine show in the laws of filters, which are tried in full.
///
/// Five divides none of the lengths of the lists that cases are combined from, so each of their
/// entries remains in some case.
pub(crate) fn cases<T>(all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let fewer = std::env::var_os("AMQ_FEWER_CASES").is_some_and(|value| value == "1");
    all.into_iter().step_by(if fewer { 5 } else { 1 })
}

/// Goals at the edge of the possible, and beyond it.
pub(crate) fn edges() -> impl Iterator<Item = Goal> {
    let keys = [0, 1, 2, 3, 1 << 31, 1 << 32, 1 << 40, 1 << 62, 1 << 63, u64::MAX - 1, u64::MAX];
    let rates = [0.99, 0.5, 1.0 - f64::EPSILON, 0.01, 1e-9, 1e-18].map(Budget::Fpr);
    let bits = [f64::MIN_POSITIVE, 0.1, 10.0, 1e300].map(Budget::BitsPerKey);
    let bytes = [1, 100, 1 << 40, u64::MAX].map(Budget::Bytes);
    let budgets = move || rates.into_iter().chain(bits).chain(bytes);
    cases(keys.into_iter().flat_map(move |keys| budgets().map(move |it| Goal::new(keys, it))))
}

/// Requires that the plan's numbers are plausible.
pub(crate) fn usable<P>(plan: &Plan<P>, goal: Goal) {
    let Plan { bytes, build_bytes, expected_fpr, .. } = *plan;
    assert!((0.0..=1.0).contains(&expected_fpr), "rate of {goal:?}: {expected_fpr}");
    assert!(build_bytes >= bytes, "{goal:?}: {build_bytes} bytes to build {bytes}");
    assert_eq!(plan.keys, goal.keys.max(1), "keys of {goal:?}");
}

/// Requires that the error is about this goal and not another.
pub(crate) fn names_the_goal(error: PlanError, goal: Goal) {
    let goal = Goal::new(goal.keys.max(1), goal.budget);
    let about = match error {
        PlanError::Keys { keys, .. } => keys == goal.keys,
        PlanError::Fpr { fpr } => goal.budget == Budget::Fpr(fpr),
        PlanError::FprBelowHashFloor { fpr, keys, .. }
        | PlanError::FprUnreachable { fpr, keys, .. } => goal == Goal::new(keys, Budget::Fpr(fpr)),
        PlanError::BitsPerKey { bits_per_key } => goal.budget == Budget::BitsPerKey(bits_per_key),
        PlanError::FewKeys { bits_per_key, keys, least } => {
            goal == Goal::new(keys, Budget::BitsPerKey(bits_per_key)) && least > keys
        }
        PlanError::Bytes { bytes, min } => bytes < min && goal.max_bits() / 8 == bytes,
        PlanError::TooLarge { bytes, max_bytes } => bytes >= max_bytes as f64,
        _ => true,
    };
    assert!(about, "the error for {goal:?} is about another: {error}");
}
