//! The size of a shard.

use super::Sharded;
use super::limits::check_shards;
use crate::parts::{Sum, shown};
use amq_core::numeric::first_true_near;
use amq_core::{Budget, EmptyFilter, Goal, Plan, PlanError};
use core::fmt;

/// The probability that a shard exceeds its plan although the filter does not.
const OVERFLOW: f64 = 1e-9;

/// The size and rate of a sharded filter.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct ShardedPlan<P> {
    /// The number of shards.
    pub shards: usize,
    /// The number of keys planned for, in all shards together.
    pub keys: u64,
    /// Bytes of all tables.
    pub bytes: u64,
    /// The rate with the planned number of keys: somewhat below that of a full shard.
    pub expected_fpr: f64,
    /// A shard's plan, for more than `keys / shards` keys.
    pub shard: Plan<P>,
}

/// `8 shards: 1000 keys in 2048 bytes: 16.384 bits per key, ...`
impl<P> fmt::Display for ShardedPlan<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = if self.shards == 1 { "shard" } else { "shards" };
        let plan = shown(self.keys, self.bytes, self.expected_fpr);
        write!(f, "{} {of}: {plan}", self.shards)
    }
}

impl<F: EmptyFilter> Sharded<F> {
    /// The size and rate of a filter for a goal in this many shards, 1 to 32,768. Allocates
    /// nothing.
    ///
    /// A budget of bytes or of bits per key is for all shards together.
    pub fn plan(goal: Goal, shards: usize) -> Result<ShardedPlan<F::Params>, PlanError> {
        let plan = |goal| Self::planned(goal, shards);
        goal.plan_by(plan)
    }

    /// Like `plan`, but errors name bytes instead of bits per key.
    fn planned(goal: Goal, shards: usize) -> Result<ShardedPlan<F::Params>, PlanError> {
        check_shards(shards)?;
        let goal = goal.checked()?;
        let count = shards as u64;
        let each = shard_goal(goal, shards);
        let sum = Sum { parts: count, rate: |fpr| fpr, keys: |most| most_items(most, shards) };
        let shard = F::plan(each).map_err(|error| sum.refusal(error, goal))?;
        let share = goal.keys.div_ceil(count);
        Ok(ShardedPlan {
            shards,
            keys: goal.keys,
            bytes: shard.bytes.saturating_mul(count),
            expected_fpr: F::predicted_fpr(&shard.params, share).mean,
            shard: shard.with_budget(each.budget),
        })
    }
}

/// The goal of each shard: its keys, and the same rate or an equal part of the bytes.
pub(super) fn shard_goal(goal: Goal, shards: usize) -> Goal {
    let budget = match goal.budget {
        Budget::Fpr(fpr) => Budget::Fpr(fpr),
        _ => Budget::Bytes(goal.max_bits() / 8 / shards as u64),
    };
    Goal::new(shard_keys(goal.keys, shards), budget)
}

/// The number of keys to plan each shard for: when this many keys fall into `shards` shards at
/// random, the probability that any shard gets more is at most one in a billion.
///
/// By Chernoff's bound a shard gets `mean + more` keys or more with a probability of at most
/// `exp(-mean h(more / mean))`, where `h(x) = (1 + x) ln(1 + x) - x`.
pub fn shard_keys(keys: u64, shards: usize) -> u64 {
    if shards == 1 {
        return keys;
    }
    let mean = keys as f64 / shards as f64;
    let exponent = libm::log(shards as f64 / OVERFLOW);
    let reached = |held: u64| {
        let ratio = held as f64 / mean;
        let above = ratio - 1.0;
        mean * (ratio * libm::log1p(above) - above) >= exponent
    };
    // `h(x) >= x^2 / (2 + 2 x / 3)` (Bernstein) gives a start above, at most `keys`.
    let most = mean + exponent / 1.5 + libm::sqrt(2.0 * exponent * mean) + 2.0;
    let (mut below, mut enough) = (mean as u64, (most as u64).min(keys));
    while below + 1 < enough {
        let middle = below + (enough - below) / 2;
        if reached(middle) {
            enough = middle;
        } else {
            below = middle;
        }
    }
    enough
}

/// The most keys of all shards together for which each is planned for at most `most`.
fn most_items(most: u64, shards: usize) -> u64 {
    if most == u64::MAX {
        return most;
    }
    let guess = most.saturating_mul(shards as u64);
    let over = |keys| shard_keys(keys, shards) > most;
    first_true_near(1, u64::MAX, guess, over).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharded::limits::MAX_SHARDS;

    /// The probability that a Poisson variable exceeds `most`.
    fn above(most: u64, mean: f64) -> f64 {
        let mut term = (-mean).exp();
        let mut sum = 0.0;
        for i in 0..most + 400 {
            if i > most {
                sum += term;
            }
            term *= mean / (i + 1) as f64;
        }
        sum
    }

    #[test]
    fn shards_have_room_for_chance_and_little_more() {
        for (total, shards) in
            [(100, 10), (1000, 64), (10_000, 100), (50_000, 100), (1 << 16, 1 << 16)]
        {
            let (mean, keys) = (total as f64 / shards as f64, shard_keys(total, shards));
            let overflow = |keys| shards as f64 * above(keys, mean);
            assert!(overflow(keys) < OVERFLOW, "{total} in {shards}: {keys}");
            // Chernoff's bound overestimates the probability by a factor of up to 17, which is half
            // a standard deviation of a large shard and two keys of a small one. Rounding to whole
            // keys adds to that.
            let spare = (0.5 * mean.sqrt()) as u64 + 3;
            assert!(overflow(keys - spare) > OVERFLOW, "{total} in {shards}: {keys}");
        }
    }

    #[test]
    fn any_numbers_give_room() {
        for total in [1, 2, 3, 100, 1 << 32, 1 << 53, u64::MAX] {
            assert_eq!(shard_keys(total, 1), total);
            for shards in [2, 3, 7, 1000, MAX_SHARDS as usize] {
                let keys = shard_keys(total, shards);
                let mean = total as f64 / shards as f64;
                assert!(keys <= total && keys as f64 >= mean.min(1.0), "{total} {shards} {keys}");
                let most = mean + 9.0 * mean.sqrt() + 50.0;
                assert!(keys as f64 <= most, "{total} {shards} {keys}");
            }
        }
    }

    #[test]
    fn the_most_keys_are_those_of_all_shards() {
        for shards in [1, 2, 7, 1000, MAX_SHARDS as usize] {
            for most in [1, 2, 50, 1000, 1 << 40, u64::MAX / 2] {
                let keys = most_items(most, shards);
                assert!(shard_keys(keys, shards) <= most, "{most} {shards}: {keys}");
                let more = keys.saturating_add(1);
                assert!(more == u64::MAX || shard_keys(more, shards) > most, "{most} {shards}");
            }
            assert_eq!(most_items(u64::MAX, shards), u64::MAX);
        }
    }
}
