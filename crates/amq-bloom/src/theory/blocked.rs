//! The split-block Bloom filter.
//!
//! A key sets one bit in each of the eight 32-bit words of one block. With i keys in its block, a query finds its
//! eight bits set with probability
//!
//! ```text
//! g(i) = (1 - (1 - 1/32)^i)^8
//! ```
//!
//! exactly, since the words are independent; and i is binomial: `n` keys, each with the block's share of the hashes. The rate is the mean of
//! g over i (Putze, Sanders, Singler 2007, for the general case; the split block is that of Impala and Parquet). Blocks that happen to be
//! fuller than others cost more than emptier ones gain, which is the price of touching one cache line only: 10.5 bits
//! per key instead of 9.6 at 1 %. Sizing by the classic formula, as some libraries do, gives 1.46 % for an asked 1 %.

use crate::{BlockedParams, MAX_BLOCKS};
use amq_core::numeric::{binomial_mean, first_true};
use amq_core::{Budget, Goal, Plan, PlanError};

/// Bytes in a block: eight words of four bytes.
pub(crate) const BLOCK_BYTES: u64 = 32;
const WORDS: f64 = 8.0;
/// Probability that one key leaves a given bit of its block's word clear.
const MISS: f64 = 31.0 / 32.0;
/// Keys in a block at which all of its bits are set, to within any rounding: 256 e^(-n/32) is 1e-134 already at 10,000.
const SATURATED: f64 = 1e5;
/// Distinct values of each half of the hash: the layout takes the block from the upper, the bits from the lower.
const HALF: u64 = 1 << 32;

/// The exact false-positive rate of a filter of `blocks` blocks with n distinct keys, averaged over all seeds.
pub fn fpr(blocks: u64, items: u64) -> f64 {
    over_blocks(blocks, items, block_fpr)
}

/// The standard deviation of the rate from seed to seed.
///
/// The rate of a filter is the mean over its blocks, so the variance is that of one block over their number; less the part
/// that is only due to the number of keys in the block, which averages out because the n keys are shared among all blocks.
pub fn fpr_sd(blocks: u64, items: u64) -> f64 {
    let mean = fpr(blocks, items);
    let square = over_blocks(blocks, items, block_fpr_square);
    let keys = items as f64 / blocks as f64;
    let keys_variance = keys * (1.0 - 1.0 / blocks as f64);
    let covariance = over_blocks(blocks, items, |i| (i as f64 - keys) * block_fpr(i));
    let explained = if keys_variance > 0.0 {
        covariance * covariance / keys_variance
    } else {
        0.0
    };
    libm::sqrt(((square - mean * mean - explained) / blocks as f64).max(0.0))
}

/// Bits per key that a large filter takes at this rate.
pub fn bits_per_key(fpr: f64) -> f64 {
    // A million keys are large: the mixture no longer depends on n.
    plan(Goal::fpr(1_000_000, fpr)).map_or(f64::NAN, |plan| plan.bits_per_key())
}

/// How many distinct keys most likely set a share `fill` of the bits. Infinite when every bit is set.
///
/// Each block's own count is estimated from the mean fill of all; the blocks' counts scatter like a Poisson variable, which the
/// estimate takes into account: a share `1 - e^(-n / (32 blocks))` of the bits is set.
pub fn items_of_fill(blocks: u64, fill: f64) -> f64 {
    if fill >= 1.0 {
        return f64::INFINITY;
    }
    // E[(31/32)^i] for i Poisson with mean n / blocks is exp(-n / blocks / 32).
    -libm::log1p(-fill) * 32.0 * blocks as f64
}

/// The smallest filter for a rate, or the largest for a size.
pub fn plan(goal: Goal) -> Result<Plan<BlockedParams>, PlanError> {
    goal.check(1)?;
    let blocks = match goal.budget {
        Budget::Fpr(asked) => smallest(goal.items, asked)?,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => most_within(goal.max_bits())?,
    };
    let bytes = blocks * BLOCK_BYTES;
    Ok(Plan {
        items: goal.items,
        bytes,
        expected_fpr: fpr(blocks, goal.items),
        build_bytes: bytes,
        params: BlockedParams { blocks },
    })
}

/// The rate of one block with i keys. Two keys with the same lower half of the hash share all bits, whatever
/// their number: that is the layout's own floor.
fn block_fpr(i: u64) -> f64 {
    let set = -libm::expm1(i as f64 * libm::log(MISS));
    let rate = libm::pow(set, WORDS);
    rate + (1.0 - rate) * i as f64 / HALF as f64
}

/// The mean square of the rate of one block with i keys: eight independent words, of each
/// `E[(X/32)^2] = (32 P(a bit is set) + 32 * 31 P(two bits are set)) / 32^2`.
fn block_fpr_square(i: u64) -> f64 {
    let keys = i as f64;
    let one_clear = libm::exp(keys * libm::log(MISS));
    let two_clear = libm::exp(keys * libm::log(30.0 / 32.0));
    let one = 1.0 - one_clear;
    let two = 1.0 - 2.0 * one_clear + two_clear;
    let word = (one + 31.0 * two) / 32.0;
    libm::pow(word.max(0.0), WORDS)
}

/// The mean of `f(keys in the block)` over the block that an absent key asks.
///
/// A block owns either `floor(2^32 / blocks)` or one more of the upper halves of the hash. Above some 10^7 blocks
/// that is a difference to be counted: fuller blocks are also asked more often.
fn over_blocks(blocks: u64, items: u64, mut f: impl FnMut(u64) -> f64) -> f64 {
    let (share, larger) = (HALF / blocks, HALF % blocks);
    let mut part = |owners: u64, share: u64| {
        if owners == 0 {
            return 0.0;
        }
        let probability = share as f64 / HALF as f64;
        let keys = items as f64 * probability;
        let mean = if keys > SATURATED {
            // Every block is full, however many keys more or fewer it has: no need to sum over all their numbers.
            f(keys as u64)
        } else {
            binomial_mean(items, probability, &mut f)
        };
        owners as f64 * probability * mean
    };
    part(larger, share + 1) + part(blocks - larger, share)
}

/// All the blocks that `bits` bits hold: more blocks are always better.
fn most_within(bits: u64) -> Result<u64, PlanError> {
    let bytes = bits / 8;
    match bytes / BLOCK_BYTES {
        0 => Err(PlanError::Bytes {
            bytes,
            min: BLOCK_BYTES,
        }),
        blocks if blocks > MAX_BLOCKS => Err(too_large(bytes as f64)),
        blocks => Ok(blocks),
    }
}

/// The fewest blocks at which `items` keys have a rate of at most `asked`.
fn smallest(items: u64, asked: f64) -> Result<u64, PlanError> {
    let reached = |blocks: u64| fpr(blocks, items) <= asked;
    if !reached(MAX_BLOCKS) {
        // Either there are too many keys for the most blocks, or the rate is below what half a hash can tell apart.
        let lowest = fpr(MAX_BLOCKS, items);
        let needed = items as f64 * bytes_guess(asked);
        return Err(if needed > (MAX_BLOCKS * BLOCK_BYTES) as f64 {
            too_large(needed)
        } else {
            PlanError::FprUnreachable {
                fpr: asked,
                lowest,
                items,
            }
        });
    }
    // Bracket first: far fewer and cheaper sums than a bisection of the whole range.
    let mut high =
        ((items as f64 * bytes_guess(asked) / BLOCK_BYTES as f64) as u64).clamp(1, MAX_BLOCKS);
    while !reached(high) {
        high = (high + high / 4 + 1).min(MAX_BLOCKS);
    }
    let mut low = high;
    while low > 1 && reached(low) {
        low -= (low / 4).max(1);
    }
    Ok(first_true(low, high, reached))
}

/// Roughly the bytes per key for a rate: what the classic filter takes, and a tenth more.
fn bytes_guess(asked: f64) -> f64 {
    -libm::log2(asked) * 1.6 / 8.0
}

fn too_large(bytes: f64) -> PlanError {
    PlanError::TooLarge {
        bytes,
        max_bytes: MAX_BLOCKS * BLOCK_BYTES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_per_key_are_the_known_ones() {
        for (asked, want) in [(0.01, 10.53), (1.0 / 256.0, 12.85), (1e-3, 16.89)] {
            let plan = plan(Goal::fpr(1_000_000, asked)).unwrap();
            assert!(
                (plan.bits_per_key() - want).abs() < 0.006,
                "{asked}: {}",
                plan.bits_per_key()
            );
        }
    }

    #[test]
    fn one_block_is_not_a_mixture() {
        // All keys in the one block: g(n) exactly.
        for n in [1u64, 5, 20] {
            let want = (1.0 - (31.0f64 / 32.0).powi(n as i32)).powi(8);
            let got = fpr(1, n);
            assert!((got - want - (1.0 - want) * n as f64 / HALF as f64).abs() < 1e-12);
        }
        assert_eq!(fpr(7, 0), 0.0);
    }

    #[test]
    fn uneven_shares_of_the_hash_raise_the_rate_of_the_largest_filters_only() {
        let even = fpr(1 << 20, 25 << 20);
        assert!((fpr((1 << 20) + 1, (25 << 20) + 25) / even - 1.0).abs() < 1e-4);
        // 3/4 of 2^31 blocks: each owns two or three values; a third of the rate is due to that.
        let blocks = 3 << 29;
        assert!(fpr(blocks, blocks * 25) > 1.1 * even);
    }

    #[test]
    fn plans_are_the_smallest_that_meet_the_rate() {
        for items in [1u64, 2, 10, 1000, 1_000_000, 100_000_000] {
            for asked in [0.5, 0.1, 0.01, 1e-3, 1e-5] {
                let plan = plan(Goal::fpr(items, asked)).unwrap();
                let blocks = plan.params.blocks;
                assert!(plan.expected_fpr <= asked);
                assert!(blocks == 1 || fpr(blocks - 1, items) > asked);
            }
        }
    }

    #[test]
    fn what_the_layout_cannot_do_is_refused() {
        assert!(matches!(
            plan(Goal::fpr(1 << 40, 0.01)),
            Err(PlanError::TooLarge { .. })
        ));
        assert!(matches!(
            plan(Goal::fpr(1_000_000, 8e-14)),
            Err(PlanError::FprUnreachable { .. })
        ));
        assert!(matches!(
            plan(Goal::bytes(1, 31)),
            Err(PlanError::Bytes { bytes: 31, min: 32 })
        ));
        assert!(matches!(
            plan(Goal::bytes(1, 1 << 40)),
            Err(PlanError::TooLarge { .. })
        ));
    }

    #[test]
    fn spread_of_one_block_is_that_of_its_words() {
        // One block, one key: every filter has the rate (1/32)^8 exactly.
        assert!(fpr_sd(1, 1) < 1e-12);
        assert!(fpr_sd(1, 20) > 0.0);
    }
}
