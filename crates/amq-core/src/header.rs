//! What a filter keeps beside its table: seed, capacity and budget.

use crate::{Budget, MergeError, Parts, Plan};

/// What every filter keeps beside its table.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The seed its keys are hashed with.
    pub seed: u64,
    /// The number of keys it was planned for.
    pub capacity: u64,
    /// The budget it was planned for, if known.
    pub budget: Option<Budget>,
}

impl Header {
    /// The header of a filter made from a plan.
    pub const fn new<P>(plan: &Plan<P>, seed: u64) -> Self {
        Self { seed, capacity: plan.keys, budget: possible(plan.budget) }
    }

    /// The header of a filter whose table was handed in.
    pub const fn of_parts<P>(parts: &Parts<P>) -> Self {
        Self { seed: parts.seed, capacity: parts.capacity, budget: None }
    }

    /// What a filter with this header consists of beside its table.
    pub const fn parts<P: Copy>(&self, params: P, len: u64) -> Parts<P> {
        Parts { params, seed: self.seed, capacity: self.capacity, len }
    }

    /// `Ok` if both filters hash their keys in one way: what every merge begins with.
    pub const fn check_seeds(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check_seeds(self.seed, other.seed)
    }
}

/// The budget is a note on how the parameters were found; it is no part of a filter's identity.
impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        (self.seed, self.capacity) == (other.seed, other.capacity)
    }
}

impl Eq for Header {}

/// The budget, unless no goal can have it: a plan that was made by hand may hold any number, and no
/// file with such a budget would be read.
const fn possible(budget: Option<Budget>) -> Option<Budget> {
    match budget {
        Some(Budget::Fpr(rate)) if !(rate > 0.0 && rate < 1.0) => None,
        Some(Budget::BitsPerKey(bits)) if !(bits > 0.0 && bits < f64::INFINITY) => None,
        budget => budget,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impossible_budget_of_a_plan_is_not_kept() {
        let kept = |budget| Header::new(&Plan::new((), 10).with_budget(budget), 7).budget;
        for number in [f64::NAN, f64::INFINITY, -1.0, -0.0, 0.0] {
            assert_eq!(kept(Budget::Fpr(number)), None);
            assert_eq!(kept(Budget::BitsPerKey(number)), None);
        }
        assert_eq!(kept(Budget::Fpr(1.0)), None);
        for budget in [Budget::Fpr(0.5), Budget::BitsPerKey(1.0), Budget::Bytes(0)] {
            assert_eq!(kept(budget), Some(budget));
        }
    }
}
