//! The size and rate of a generation.

use super::Rolling;
use super::limits::MAX_GENERATIONS;
use crate::parts::{Sum, shown};
use amq_core::{Budget, EmptyFilter, Goal, Plan, PlanError};
use core::fmt;

/// The size and rate of a rolling filter.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct RollingPlan<P> {
    /// The number of generations.
    pub generations: usize,
    /// The number of keys planned for, in all generations together.
    pub keys: u64,
    /// Bytes of all tables.
    pub bytes: u64,
    /// The rate when all generations are full.
    pub expected_fpr: f64,
    /// A generation's plan.
    pub generation: Plan<P>,
}

/// `4 generations: 1000 keys in 2048 bytes: 16.384 bits per key, ...`
impl<P> fmt::Display for RollingPlan<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = if self.generations == 1 { "generation" } else { "generations" };
        let plan = shown(self.keys, self.bytes, self.expected_fpr);
        write!(f, "{} {of}: {plan}", self.generations)
    }
}

impl<F: EmptyFilter> Rolling<F> {
    /// The size and rate of a filter of this many generations, 1 to 4096, for a goal. Allocates
    /// nothing.
    ///
    /// The goal is for the whole window: the keys of all generations, the rate of all together, and
    /// a budget of bytes or of bits per key for all of them.
    pub fn plan(goal: Goal, generations: usize) -> Result<RollingPlan<F::Params>, PlanError> {
        let plan = |goal| Self::planned(goal, generations);
        goal.plan_by(plan)
    }

    /// Like `plan`, but errors name bytes instead of bits per key.
    fn planned(goal: Goal, generations: usize) -> Result<RollingPlan<F::Params>, PlanError> {
        let count = generations as u64;
        PlanError::check_parameter("generations", count, 1, MAX_GENERATIONS)?;
        let goal = goal.checked()?;
        let budget = match goal.budget {
            Budget::Fpr(fpr) => Budget::Fpr(share_of(fpr, count)),
            _ => Budget::Bytes(goal.max_bits() / 8 / count),
        };
        let sum = Sum {
            parts: count,
            rate: |fpr| together(fpr, count),
            keys: |most: u64| most.saturating_mul(count),
        };
        let generation = F::plan(Goal::new(goal.keys.div_ceil(count), budget))
            .map_err(|error| sum.refusal(error, goal))?;
        Ok(RollingPlan {
            generations,
            keys: goal.keys,
            bytes: generation.bytes.saturating_mul(count),
            expected_fpr: together(generation.expected_fpr, count),
            generation: generation.with_budget(budget),
        })
    }
}

/// The rate of each of n filters that together have the rate `fpr`: `1 - (1 - fpr)^(1/n)`.
fn share_of(fpr: f64, filters: u64) -> f64 {
    -libm::expm1(libm::log1p(-fpr) / filters as f64)
}

/// The rate of n filters together that each have the rate `fpr`: `1 - (1 - fpr)^n`.
fn together(fpr: f64, filters: u64) -> f64 {
    -libm::expm1(libm::log1p(-fpr) * filters as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_come_to_the_whole() {
        for fpr in [0.5, 0.01, 1e-9] {
            assert_eq!(together(fpr, 1), fpr);
            for filters in [2, 7, 4096] {
                let share = share_of(fpr, filters);
                assert!(share >= fpr / filters as f64 && share < fpr, "{share}");
                assert!((together(share, filters) / fpr - 1.0).abs() < 1e-12, "{fpr} {filters}");
            }
        }
        assert_eq!(together(0.5, 2), 0.75);
    }
}
