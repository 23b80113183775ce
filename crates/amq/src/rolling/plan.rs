//! The size and rate of a generation.

use super::Rolling;
use super::limits::MAX_GENERATIONS;
use crate::parts::{PartsPlan, Sum, part_goal};
use amq_core::{EmptyFilter, Goal, PlanError};

impl<F: EmptyFilter> Rolling<F> {
    /// The size and rate of a filter of this many generations, 1 to 4096, for a goal. Allocates
    /// nothing.
    ///
    /// The goal is for the whole window: the keys of all generations, the rate of all together, and
    /// a budget of bytes or of bits per key for all of them.
    pub fn plan(goal: Goal, generations: usize) -> Result<PartsPlan<F::Params>, PlanError> {
        // `plan_by` converts errors about bytes if the goal has bits per key.
        goal.plan_by(|goal| {
            let count = check_generations(generations)?;
            let goal = goal.checked()?;
            let sum = Sum {
                parts: count,
                name: "generation",
                rate: |fpr| together(fpr, count),
                keys: |most: u64| most.saturating_mul(count),
            };
            let keys = goal.keys.div_ceil(count);
            sum.plan::<F>(goal, part_goal(goal, count, keys, |fpr| share_of(fpr, count)))
        })
    }
}

/// Their number.
pub(crate) fn check_generations(generations: usize) -> Result<u64, PlanError> {
    let count = generations as u64;
    PlanError::check_parameter("generations", count, 1, MAX_GENERATIONS)?;
    Ok(count)
}

/// The rate of each of n filters that together have the rate `fpr`: `1 - (1 - fpr)^(1/n)`. One
/// filter's is exactly `fpr`.
pub(crate) fn share_of(fpr: f64, filters: u64) -> f64 {
    if filters == 1 { fpr } else { -libm::expm1(libm::log1p(-fpr) / filters as f64) }
}

/// The rate of n filters together that each have the rate `fpr`: `1 - (1 - fpr)^n`. One filter's is
/// exactly `fpr`.
pub(crate) fn together(fpr: f64, filters: u64) -> f64 {
    if filters == 1 { fpr } else { -libm::expm1(libm::log1p(-fpr) * filters as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_come_to_the_whole() {
        for fpr in [0.5, 0.3, 0.01, 0.001, 1e-5, 1e-9] {
            assert_eq!((share_of(fpr, 1), together(fpr, 1)), (fpr, fpr));
            for filters in [2, 7, 4096] {
                let share = share_of(fpr, filters);
                assert!(share >= fpr / filters as f64 && share < fpr, "{share}");
                assert!((together(share, filters) / fpr - 1.0).abs() < 1e-12, "{fpr} {filters}");
            }
        }
        assert_eq!(together(0.5, 2), 0.75);
    }
}
