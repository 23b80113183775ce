//! The blocked counting filter.
//!
//! A key has one of the sixteen counters in each of the eight 64-bit words of one block: a
//! [`SplitBlock`] of eight words with sixteen places. It needs 45.7 bits per key at 1 %; counters
//! anywhere in the table need 38.4.

use crate::{BlockedCountingParams, MAX_BLOCKS};
use amq_bloom::theory::split::SplitBlock;
use amq_core::{Goal, Plan, PlanError, PredictedFpr};

/// One cache line: eight words of sixteen counters.
pub const LAYOUT: SplitBlock = SplitBlock {
    words: 8,
    places: 16,
    block_bytes: 64,
    max_blocks: MAX_BLOCKS,
    selectors: None,
    choices: 4_294_967_296.0,
};

/// The exact false-positive rate of filters with these parameters and this many distinct keys: mean
/// and standard deviation over all seeds.
pub fn fpr(params: &BlockedCountingParams, keys: u64) -> PredictedFpr {
    LAYOUT.predicted(params.blocks, keys)
}

/// The most likely number of distinct keys if a fraction `fill` of the counters is above zero.
/// Infinite if all are.
pub fn keys_of_fill(blocks: u64, fill: f64) -> f64 {
    LAYOUT.keys_of_fill(blocks, fill)
}

/// Bits per key of a large filter at this rate.
pub fn bits_per_key(fpr: f64) -> f64 {
    // At a million keys the mixture no longer depends on n.
    plan(Goal::fpr(1_000_000, fpr)).map_or(f64::NAN, |plan| plan.bits_per_key())
}

/// The probability that a counter is saturated when the filter holds this many distinct keys.
pub fn saturation_probability(params: &BlockedCountingParams, keys: u64) -> f64 {
    let load = keys as f64 / (f64::from(LAYOUT.places) * params.blocks as f64);
    super::classic::counter_tail(load, 15)
}

/// The smallest filter for a rate, or the largest for a size.
pub fn plan(goal: Goal) -> Result<Plan<BlockedCountingParams>, PlanError> {
    let goal = goal.checked()?;
    let params = BlockedCountingParams::new(LAYOUT.blocks_for(goal)?);
    plan_params(params, goal.keys)
}

/// The plan for this many keys with these parameters.
pub fn plan_params(
    params: BlockedCountingParams,
    keys: u64,
) -> Result<Plan<BlockedCountingParams>, PlanError> {
    params.check()?;
    Ok(Plan::new(params, keys)
        .with_bytes(params.blocks * LAYOUT.block_bytes)
        .with_expected_fpr(fpr(&params, keys).mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(blocks: u64, keys: u64) -> f64 {
        fpr(&BlockedCountingParams::new(blocks), keys).mean
    }

    #[test]
    fn bits_per_key_are_the_computed_ones() {
        // Counters per key, computed by another program from the Poisson mixture.
        for (asked, want) in [(0.01, 11.43), (1.0 / 256.0, 14.25), (1e-3, 19.40)] {
            let counters = bits_per_key(asked) / 4.0;
            assert!((counters - want).abs() < 0.006, "{asked}: {counters}");
        }
    }

    #[test]
    fn one_block_is_not_a_mixture() {
        for n in [1u64, 5, 20] {
            let want = (1.0 - (15.0f64 / 16.0).powi(n as i32)).powi(8);
            assert!((mean(1, n) - want).abs() < 1e-8);
        }
        assert_eq!(mean(7, 0), 0.0);
    }

    #[test]
    fn a_block_saturates_sooner_than_a_whole_table_but_not_soon() {
        let plan = plan(Goal::fpr(1_000_000, 0.01)).unwrap();
        let probability = saturation_probability(&plan.params, 1_000_000);
        assert!((1e-16..1e-12).contains(&probability), "{probability:e}");
    }
}
