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
    /// The caller hashes its keys: there is no seed, and a key cannot be asked for.
    pub hashed_by_caller: bool,
}

impl Header {
    /// The header of a filter made from a plan.
    pub const fn new<P>(plan: &Plan<P>, seed: u64) -> Self {
        Self { seed, capacity: plan.items, budget: plan.budget, hashed_by_caller: false }
    }

    /// The header of a filter whose table was handed in.
    pub const fn of_parts<P>(parts: &Parts<P>) -> Self {
        Self {
            seed: if parts.hashed_by_caller { 0 } else { parts.seed },
            capacity: parts.capacity,
            budget: None,
            hashed_by_caller: parts.hashed_by_caller,
        }
    }

    /// What a filter with this header consists of beside its table.
    pub const fn parts<P: Copy>(&self, params: P, len: u64) -> Parts<P> {
        Parts {
            params,
            seed: self.seed,
            hashed_by_caller: self.hashed_by_caller,
            capacity: self.capacity,
            len,
        }
    }

    /// The header of a filter whose keys the caller hashes.
    #[must_use]
    pub const fn by_caller(self) -> Self {
        Self { seed: 0, hashed_by_caller: true, ..self }
    }

    /// [`Filter::key_seed`](crate::Filter::key_seed).
    #[inline(always)]
    pub const fn key_seed(&self) -> Option<u64> {
        match self.hashed_by_caller {
            true => None,
            false => Some(self.seed),
        }
    }

    /// `Ok` if both filters hash their keys in one way: what every merge begins with.
    pub const fn check_hashes(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check_hashes(self.key_seed(), other.key_seed())
    }
}

/// The budget is a note on how the parameters were found; it is no part of a filter's identity.
impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        (self.key_seed(), self.capacity) == (other.key_seed(), other.capacity)
    }
}

impl Eq for Header {}
