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
        Self { seed, capacity: plan.keys, budget: plan.budget }
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
