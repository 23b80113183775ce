//! The blocked counting filter.
//!
//! A key has one counter in each of the eight 64-bit words of one block, sixteen to choose from in each: [`SplitBlock`] with
//! eight words of sixteen places. 45.7 bits per key at 1 % instead of the 38.4 of counters anywhere in the table.

use crate::{BlockedCountingParams, MAX_BLOCKS};
use amq_bloom::theory::split::SplitBlock;
use amq_core::{Goal, Plan, PlanError};

/// One cache line, eight words of sixteen counters.
pub const LAYOUT: SplitBlock = SplitBlock {
    words: 8,
    places: 16,
    block_bytes: 64,
    max_blocks: MAX_BLOCKS,
    selectors: None,
    choices: 4_294_967_296.0,
};

/// The exact false-positive rate of a filter of `blocks` blocks with n distinct keys, averaged over all seeds.
pub fn fpr(blocks: u64, items: u64) -> f64 {
    LAYOUT.fpr(blocks, items)
}

/// The standard deviation of the rate from seed to seed.
pub fn fpr_sd(blocks: u64, items: u64) -> f64 {
    LAYOUT.fpr_sd(blocks, items)
}

/// How many distinct keys most likely raised a share `fill` of the counters above zero. Infinite when all are.
pub fn items_of_fill(blocks: u64, fill: f64) -> f64 {
    LAYOUT.items_of_fill(blocks, fill)
}

/// Bits per key that a large filter takes at this rate.
pub fn bits_per_key(fpr: f64) -> f64 {
    // A million keys are large: the mixture no longer depends on n.
    plan(Goal::fpr(1_000_000, fpr)).map_or(f64::NAN, |plan| plan.bits_per_key())
}

/// The probability that a counter stands at 15 and sticks there, when `items` distinct keys are in.
pub fn saturation_probability(blocks: u64, items: u64) -> f64 {
    let load = items as f64 / (f64::from(LAYOUT.places) * blocks as f64);
    super::classic::counter_tail(load, 15)
}

/// The smallest filter for a rate, or the largest for a size.
pub fn plan(goal: Goal) -> Result<Plan<BlockedCountingParams>, PlanError> {
    let blocks = LAYOUT.blocks_for(goal)?;
    let bytes = blocks * LAYOUT.block_bytes;
    Ok(Plan {
        items: goal.items,
        bytes,
        expected_fpr: fpr(blocks, goal.items),
        build_bytes: bytes,
        params: BlockedCountingParams { blocks },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_per_key_are_the_computed_ones() {
        // Found by another program, from the Poisson mixture: 11.43, 14.25 and 19.40 counters per key.
        for (asked, want) in [(0.01, 11.43), (1.0 / 256.0, 14.25), (1e-3, 19.40)] {
            let counters = bits_per_key(asked) / 4.0;
            assert!((counters - want).abs() < 0.006, "{asked}: {counters}");
        }
    }

    #[test]
    fn one_block_is_not_a_mixture() {
        for n in [1u64, 5, 20] {
            let want = (1.0 - (15.0f64 / 16.0).powi(n as i32)).powi(8);
            assert!((fpr(1, n) - want).abs() < 1e-8);
        }
        assert_eq!(fpr(7, 0), 0.0);
    }

    #[test]
    fn a_block_saturates_sooner_than_a_whole_table_but_not_soon() {
        let plan = plan(Goal::fpr(1_000_000, 0.01)).unwrap();
        let probability = saturation_probability(plan.params.blocks, 1_000_000);
        assert!((1e-16..1e-12).contains(&probability), "{probability:e}");
    }
}
