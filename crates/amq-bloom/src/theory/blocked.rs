//! The split-block Bloom filter.
//!
//! A key sets one bit in each of the eight 32-bit words of one block: a [`SplitBlock`] with eight
//! words of 32 places. One half of the hash chooses the block, the other the bits. It needs 10.5
//! bits per key at 1 %, the classic filter 9.6. Libraries that size it by the classic formula for 1
//! % get 1.46 %.

use super::split::SplitBlock;
use crate::{BlockedParams, MAX_BLOCKS};
use amq_core::{Goal, Plan, PlanError, PredictedFpr};

/// Distinct values of each half of the hash: the upper chooses the block, the lower the bits.
const HALF: u64 = 1 << 32;

/// The layout of Impala and Parquet.
pub const LAYOUT: SplitBlock = SplitBlock {
    words: 8,
    places: 32,
    block_bytes: 32,
    max_blocks: MAX_BLOCKS,
    selectors: Some(HALF),
    choices: HALF as f64,
};

/// The exact false-positive rate of filters with these parameters and this many distinct keys: mean
/// and standard deviation over all seeds.
#[must_use]
pub fn fpr(params: &BlockedParams, keys: u64) -> PredictedFpr {
    LAYOUT.predicted(params.blocks, keys)
}

/// The most likely number of distinct keys, given the fraction `fill` of bits set. Infinite if all
/// are set.
#[must_use]
pub fn keys_of_fill(blocks: u64, fill: f64) -> f64 {
    LAYOUT.keys_of_fill(blocks, fill)
}

/// Bits per key of a large filter at this rate.
#[must_use]
pub fn bits_per_key(fpr: f64) -> f64 {
    // At a million keys the mixture no longer depends on n.
    plan(Goal::fpr(1_000_000, fpr)).map_or(f64::NAN, |plan| plan.bits_per_key())
}

/// The smallest filter for a rate, or the best for a size.
pub fn plan(goal: Goal) -> Result<Plan<BlockedParams>, PlanError> {
    let goal = goal.checked()?;
    let params = BlockedParams::new(LAYOUT.blocks_for(goal)?);
    plan_params(params, goal.keys)
}

/// The plan for this many keys with these parameters.
pub fn plan_params(params: BlockedParams, keys: u64) -> Result<Plan<BlockedParams>, PlanError> {
    params.check()?;
    Ok(Plan::new(params, keys)
        .with_bytes(params.blocks * LAYOUT.block_bytes)
        .with_expected_fpr(fpr(&params, keys).mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(blocks: u64, keys: u64) -> f64 {
        fpr(&BlockedParams::new(blocks), keys).mean
    }

    #[test]
    fn bits_per_key_are_the_known_ones() {
        for (asked, want) in [(0.01, 10.53), (1.0 / 256.0, 12.85), (1e-3, 16.89)] {
            let plan = plan(Goal::fpr(1_000_000, asked)).unwrap();
            assert!((plan.bits_per_key() - want).abs() < 0.006, "{asked}: {}", plan.bits_per_key());
        }
    }

    #[test]
    fn one_block_is_not_a_mixture() {
        // With one block, the rate is g(n) exactly.
        for n in [1u64, 5, 20] {
            let want = (1.0 - (31.0f64 / 32.0).powi(n as i32)).powi(8);
            let got = mean(1, n);
            assert!((got - want - (1.0 - want) * n as f64 / HALF as f64).abs() < 1e-12);
        }
        assert_eq!(mean(7, 0), 0.0);
    }

    #[test]
    fn uneven_shares_of_the_hash_matter_in_the_largest_only() {
        let even = mean(1 << 20, 25 << 20);
        assert!((mean((1 << 20) + 1, (25 << 20) + 25) / even - 1.0).abs() < 1e-4);
        // 3/4 of 2^31 blocks: each owns two or three values; a third of the rate is due to this.
        let blocks = 3 << 29;
        assert!(mean(blocks, blocks * 25) > 1.1 * even);
    }

    #[test]
    fn plans_are_the_smallest_that_meet_the_rate() {
        for keys in [1u64, 2, 10, 1000, 1_000_000, 100_000_000] {
            for asked in [0.5, 0.1, 0.01, 1e-3, 1e-5] {
                let plan = plan(Goal::fpr(keys, asked)).unwrap();
                let blocks = plan.params.blocks;
                assert!(plan.expected_fpr <= asked);
                assert!(blocks == 1 || mean(blocks - 1, keys) > asked);
            }
        }
    }

    #[test]
    fn what_the_layout_cannot_do_is_refused() {
        assert!(matches!(
            plan(Goal::new(1 << 40, amq_core::Budget::Fpr(0.01))),
            Err(PlanError::TooLarge { .. })
        ));
        assert!(matches!(plan(Goal::fpr(1_000_000, 8e-14)), Err(PlanError::FprUnreachable { .. })));
        assert!(matches!(plan(Goal::bytes(1, 31)), Err(PlanError::Bytes { bytes: 31, min: 32 })));
        let large = |keys| plan(Goal::new(keys, amq_core::Budget::Bytes(1 << 50)));
        assert!(matches!(large(1 << 40), Err(PlanError::TooLarge { .. })));
        assert_eq!(large(1).unwrap().params.blocks, 8);
    }

    #[test]
    fn spread_of_one_block_is_that_of_its_words() {
        // One block, one key: every filter has the rate (1/32)^8 exactly.
        let sd = |keys| fpr(&BlockedParams::new(1), keys).sd;
        assert!(sd(1) < 1e-12);
        assert!(sd(20) > 0.0);
    }
}
