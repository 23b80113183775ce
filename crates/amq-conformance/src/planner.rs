//! How the laws of plans plan: goals, and what every plan and every refusal must be.

use crate::cases::cases;
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::{Budget, BuildError, Goal, Plan, PlanError, PlanFilter, PredictedFpr};
use core::fmt;
use core::marker::PhantomData;

/// How a filter is planned, whatever its type and that of its parameters: laws of plans alone are
/// compiled once, not for each filter.
pub(crate) trait Planner {
    fn plan(&self, goal: Goal) -> Result<Planned<'_>, PlanError>;
    fn keys_for(&self, bytes: u64, fpr: f64) -> Result<u64, PlanError>;
    fn fpr_for(&self, keys: u64, bytes: u64) -> Result<f64, PlanError>;
}

/// A plan, and the rate it predicts for a number of keys.
pub(crate) struct Planned<'a> {
    pub(crate) plan: Plan<Box<dyn fmt::Debug + 'a>>,
    pub(crate) predicted_fpr: Box<dyn Fn(u64) -> PredictedFpr + 'a>,
}

/// How filters of this type are planned.
pub(crate) struct Of<F>(PhantomData<F>);

impl<F> Of<F> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<F: PlanFilter> Planner for Of<F> {
    fn plan(&self, goal: Goal) -> Result<Planned<'_>, PlanError> {
        let plan = F::plan(goal)?;
        let params = plan.params;
        let mut numbers = Plan::new(Box::new(params) as Box<dyn fmt::Debug + '_>, plan.keys);
        numbers.bytes = plan.bytes;
        numbers.expected_fpr = plan.expected_fpr;
        numbers.build_bytes = plan.build_bytes;
        numbers.budget = plan.budget;
        let predicted_fpr = Box::new(move |keys| F::predicted_fpr(&params, keys));
        Ok(Planned { plan: numbers, predicted_fpr })
    }

    fn keys_for(&self, bytes: u64, fpr: f64) -> Result<u64, PlanError> {
        F::keys_for(bytes, fpr)
    }

    fn fpr_for(&self, keys: u64, bytes: u64) -> Result<f64, PlanError> {
        F::fpr_for(keys, bytes)
    }
}

/// Goals at the edge of the possible, and beyond it.
pub(crate) fn edges() -> impl Iterator<Item = Goal> {
    let keys = [0, 1, 2, 3, 1 << 31, 1 << 32, 1 << 40, 1 << 62, 1 << 63, u64::MAX - 1, u64::MAX];
    let budgets = [
        Budget::Fpr(0.99),
        Budget::Fpr(0.5),
        Budget::Fpr(1.0 - f64::EPSILON),
        Budget::Fpr(0.01),
        Budget::Fpr(1e-9),
        Budget::Fpr(1e-18),
        Budget::BitsPerKey(f64::MIN_POSITIVE),
        Budget::BitsPerKey(0.1),
        Budget::BitsPerKey(10.0),
        Budget::BitsPerKey(1e300),
        Budget::Bytes(1),
        Budget::Bytes(100),
        Budget::Bytes(1 << 40),
        Budget::Bytes(u64::MAX),
    ];
    let all = keys.into_iter().flat_map(move |keys| budgets.map(|budget| Goal::new(keys, budget)));
    cases(all)
}

/// `Ok` if the plan's numbers are plausible.
pub(crate) fn usable<P>(plan: &Plan<P>, goal: Goal) -> Verdict {
    let rate = plan.expected_fpr;
    ensure((0.0..=1.0).contains(&rate), format_args!("rate of {goal:?}"), rate, "a rate")?;
    ensure(
        plan.build_bytes >= plan.bytes,
        format_args!("memory to build {goal:?}"),
        plan.build_bytes,
        format_args!("the filter's own {} bytes and more", plan.bytes),
    )?;
    same(format_args!("keys of {goal:?}"), plan.keys, goal.keys.max(1))
}

/// `Ok` if the error is about this goal and not another.
pub(crate) fn names_the_goal(error: PlanError, goal: Goal) -> Verdict {
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
    ensure(about, format_args!("the error for {goal:?}"), error, "about that goal")
}

pub(crate) fn refused<P: fmt::Debug>(plan: &Plan<P>) -> impl FnOnce(BuildError) -> Violation {
    Violation::refused(format!("making {plan:?}"))
}
