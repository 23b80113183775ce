//! The size of a shard.

use super::Sharded;
use super::limits::check_shards;
use crate::parts::{PartsPlan, Sum, part_goal};
use crate::rolling::plan::{check_generations, share_of, together};
use crate::rolling::{Generations, Rolling};
use amq_core::numeric::first_true_near;
use amq_core::{EmptyFilter, Goal, PlanError};

/// The probability that a shard exceeds its plan although the filter does not.
const OVERFLOW: f64 = 1e-9;

impl<F: EmptyFilter> Sharded<F> {
    /// The size and rate of a filter for a goal in this many shards, 1 to 32,768. Allocates
    /// nothing.
    ///
    /// A budget of bytes or of bits per key is for all shards together. The rate of the whole is
    /// somewhat below that of a full shard.
    pub fn plan(goal: Goal, shards: usize) -> Result<PartsPlan<F::Params>, PlanError> {
        plan_parts::<F>(goal, shards, 1, "shard")
    }
}

impl<F: EmptyFilter> Sharded<Rolling<F>> {
    /// The size and rate of a [`rolling`](Self::rolling) filter: its parts are the generations of
    /// all shards. Allocates nothing.
    pub fn plan_rolling(
        goal: Goal,
        shards: usize,
        Generations(generations): Generations,
    ) -> Result<PartsPlan<F::Params>, PlanError> {
        plan_parts::<F>(goal, shards, generations, "part")
    }
}

/// Plans the parts, which have this name: so many generations of each shard.
fn plan_parts<F: EmptyFilter>(
    goal: Goal,
    shards: usize,
    generations: usize,
    name: &'static str,
) -> Result<PartsPlan<F::Params>, PlanError> {
    // `plan_by` converts errors about bytes if the goal has bits per key.
    goal.plan_by(|goal| {
        check_shards(shards)?;
        let (goal, count) = (goal.checked()?, check_generations(generations)?);
        let sum = Sum {
            parts: shards as u64 * count,
            name,
            rate: |fpr| together(fpr, count),
            keys: |most| most_items(most, shards).saturating_mul(count),
        };
        let keys = shard_keys(goal.keys.div_ceil(count), shards);
        let each = part_goal(goal, sum.parts, keys, |fpr| share_of(fpr, count));
        let mut plan = sum.plan::<F>(goal, each)?;
        let share = goal.keys.div_ceil(sum.parts);
        plan.expected_fpr = together(F::predicted_fpr(&plan.part.params, share).mean, count);
        Ok(plan)
    })
}

/// The goal of each shard: its keys, and the same rate or an equal part of the bytes.
pub(super) fn shard_goal(goal: Goal, shards: usize) -> Goal {
    part_goal(goal, shards as u64, shard_keys(goal.keys, shards), |fpr| fpr)
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
