//! Common fields of all filters: seed, capacity and budget.

use crate::{Budget, MergeError, Parts, Plan};

/// The fields that every filter has beside its table.
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

    /// The header of a filter made from an existing table.
    pub const fn of_parts<P>(parts: &Parts<P>) -> Self {
        Self { seed: parts.seed, capacity: parts.capacity, budget: None }
    }

    /// The [`Parts`] of a filter with this header.
    pub const fn parts<P: Copy>(&self, params: P, len: u64) -> Parts<P> {
        Parts { params, seed: self.seed, capacity: self.capacity, len }
    }

    /// `Ok` if both filters hash with the same seed. Every merge checks this first.
    pub const fn check_seeds(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check_seeds(self.seed, other.seed)
    }
}

/// Ignores the budget, which only records how the parameters were chosen.
impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        (self.seed, self.capacity) == (other.seed, other.capacity)
    }
}

impl Eq for Header {}

/// Drops a budget that no goal can have. A plan made by hand may contain any number, but a file
/// with such a budget would be refused.
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
