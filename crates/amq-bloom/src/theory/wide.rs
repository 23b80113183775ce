//! The wide-block Bloom filter.
//!
//! A block has eight words of 64 bits. A key with k bits has `k / 8` (rounded down) bits in each
//! word, and one more in each of `k % 8` neighbouring words, the first of which its hash chooses;
//! the words form a ring. With i keys in its block, a query of the bits Q finds them all set with
//! probability
//!
//! ```text
//! g(i) = sum over T of (-1)^|T| P(T is clear of one key)^i        T: subsets of Q
//! ```
//!
//! by inclusion-exclusion, since keys are independent. Given its choice of words, a key leaves T
//! clear with probability `product over words of (1 - t/64)^b`, for t bits of T and b of the key in
//! the word. P is the mean over the eight choices. This is exact. Multiplying the words' fills, as
//! if words filled independently, would be off by up to 2 % with six bits or more. The rate is the
//! mean of g over the keys in a block, as for [split blocks](super::split).
//!
//! The best number of bits rises as the rate falls: six at 1 %, nine at 0.1 %, twelve at 0.01 %.
//! Plans use the number that gives the smallest table.

use self::terms::Lacks;
use self::words::Words;
use super::mixture::Mixture;
use crate::{MAX_BLOCKS, MAX_WIDE_PROBES, WideBlockedParams};
use amq_core::{Budget, Goal, Plan, PlanError, PredictedFpr};

mod terms;
mod words;

/// Bytes of a block.
const BLOCK_BYTES: u64 = 64;

/// Distinct values of the half of the hash that chooses the bits. The whole chooses the block.
const CHOICES: f64 = 4_294_967_296.0;

/// The exact false-positive rate of filters with these parameters and this many distinct keys: mean
/// and standard deviation over all seeds. The standard deviation assumes that words fill
/// independently.
#[must_use]
pub fn fpr(params: &WideBlockedParams, keys: u64) -> PredictedFpr {
    match params.check() {
        Ok(()) => Wide::new(params.probes).predicted(params.blocks, keys),
        Err(_) => PredictedFpr { mean: f64::NAN, sd: f64::NAN },
    }
}

/// The most likely number of distinct keys, given the fraction `fill` of bits set. Infinite if all
/// are set.
#[must_use]
pub fn keys_of_fill(params: &WideBlockedParams, fill: f64) -> f64 {
    Words(params.probes).keys_of_fill(params.blocks, fill)
}

/// The rate of one filter: `rate` from its bits, of which a fraction `fill` is set, plus collisions
/// of hashes within a block.
pub(crate) fn fpr_of_table(params: &WideBlockedParams, rate: f64, fill: f64) -> f64 {
    let floor = keys_of_fill(params, fill) / params.blocks as f64 / CHOICES;
    rate + (1.0 - rate) * floor.min(1.0)
}

/// Bits per key of a large filter at this rate.
#[must_use]
pub fn bits_per_key(fpr: f64) -> f64 {
    // At a million keys the mixture no longer depends on n.
    plan(Goal::fpr(1_000_000, fpr)).map_or(f64::NAN, |plan| plan.bits_per_key())
}

/// The smallest filter for a rate, or the best for a size.
pub fn plan(goal: Goal) -> Result<Plan<WideBlockedParams>, PlanError> {
    let goal = goal.checked()?;
    let guess = match goal.budget {
        Budget::Fpr(asked) => -0.75 * libm::log2(asked) + 1.4,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            0.45 * goal.max_bits() as f64 / goal.keys as f64 + 1.6
        }
    };
    let guess = (guess as u32).clamp(1, MAX_WIDE_PROBES);
    let mut best = with_probes(goal, guess);
    // In either direction from the best number, the table only grows, or the rate only rises.
    let (more, fewer) = (guess + 1..=MAX_WIDE_PROBES, (1..guess).rev());
    improve(&mut best, goal, more);
    improve(&mut best, goal, fewer);
    best
}

/// The result of planning with one number of bits per key.
type Tried = Result<Plan<WideBlockedParams>, PlanError>;

/// Tries the numbers of bits per key in order, as long as each improves on the best plan.
fn improve(best: &mut Tried, goal: Goal, numbers: impl Iterator<Item = u32>) {
    for probes in numbers {
        let other = with_probes(goal, probes);
        let better = match (&other, &*best) {
            (Ok(other), Ok(best)) if other.bytes == best.bytes => {
                // Smaller gains may be rounding errors if few keys share a block.
                other.expected_fpr < 0.999 * best.expected_fpr
            }
            (Ok(other), Ok(best)) => other.bytes < best.bytes,
            (other, best) => other.is_ok() && best.is_err(),
        };
        if !better {
            break;
        }
        *best = other;
    }
}

/// The smallest filter with this many bits per key for a rate, or the largest useful one for a
/// size.
fn with_probes(goal: Goal, probes: u32) -> Tried {
    let wide = Wide::new(probes);
    let blocks = wide.blocks_for(goal)?;
    let params = WideBlockedParams::new(blocks, probes);
    Ok(plan_of(params, goal.keys, wide.fpr(blocks, goal.keys)))
}

/// The plan for this many keys with these parameters.
pub fn plan_params(
    params: WideBlockedParams,
    keys: u64,
) -> Result<Plan<WideBlockedParams>, PlanError> {
    params.check()?;
    Ok(plan_of(params, keys, Wide::new(params.probes).fpr(params.blocks, keys)))
}

fn plan_of(params: WideBlockedParams, keys: u64, fpr: f64) -> Plan<WideBlockedParams> {
    Plan::new(params, keys).with_bytes(params.blocks * BLOCK_BYTES).with_expected_fpr(fpr)
}

/// The rate of one block.
struct Wide {
    words: Words,
    lacks: Lacks,
}

impl Wide {
    /// The formula for this many bits per key, 1 to [`MAX_WIDE_PROBES`].
    fn new(probes: u32) -> Self {
        let words = Words(probes);
        Self { words, lacks: Lacks::new(words) }
    }
}

impl Mixture for Wide {
    fn check(&self) -> Result<(), PlanError> {
        Ok(())
    }

    fn block_bytes(&self) -> u64 {
        BLOCK_BYTES
    }

    fn max_blocks(&self) -> u64 {
        MAX_BLOCKS
    }

    fn selectors(&self) -> Option<u64> {
        None
    }

    fn choices(&self) -> f64 {
        CHOICES
    }

    fn probes(&self) -> u32 {
        self.words.0
    }

    fn places_to_one(&self) -> f64 {
        1.0 / (1.0 - self.words.clear(1))
    }

    fn block_fpr(&self) -> impl Fn(u64) -> f64 {
        |keys| {
            let rate = 1.0 - self.lacks.of(keys);
            rate + (1.0 - rate) * (keys as f64 / CHOICES).min(1.0)
        }
    }

    fn block_lack(&self) -> impl Fn(u64) -> f64 {
        |keys| self.lacks.of(keys) * (1.0 - (keys as f64 / CHOICES).min(1.0))
    }

    /// The square of the exact rate, plus the variance under the assumption that words fill
    /// independently.
    fn block_fpr_square(&self) -> impl Fn(u64) -> f64 {
        let rate = self.block_fpr();
        move |keys| {
            let (mean, square) = self.words.moments(keys);
            let rate = rate(keys);
            rate * rate + (square - mean * mean).max(0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(blocks: u64, probes: u32, keys: u64) -> f64 {
        fpr(&WideBlockedParams::new(blocks, probes), keys).mean
    }

    #[test]
    fn bits_per_key_are_those_of_the_best_number_of_bits() {
        for (asked, probes, want) in [
            (0.1, 3, 4.857),
            (0.01, 6, 9.934),
            (1.0 / 256.0, 7, 12.176),
            (1e-3, 9, 15.591),
            (1e-4, 12, 22.092),
            (1e-5, 14, 29.765),
        ] {
            let plan = plan(Goal::fpr(1_000_000, asked)).unwrap();
            assert_eq!(plan.params.probes, probes);
            assert!((plan.bits_per_key() - want).abs() < 0.005, "{}", plan.bits_per_key());
        }
    }

    /// Eight bits are a split block; one is a classic filter with one probe; sixteen are eight
    /// words with two bits of each key.
    #[test]
    fn where_words_fill_independently_the_rate_is_their_product() {
        for keys in [1u64, 5, 20, 60, 300, 2000] {
            let floor = |rate: f64| rate + (1.0 - rate) * keys as f64 / CHOICES;
            let set = 1.0 - (63.0f64 / 64.0).powi(keys as i32);
            let got = mean(1, 8, keys);
            assert!((got - floor(set.powi(8))).abs() < 1e-12, "{keys}: {got}");
            let got = mean(1, 1, keys);
            let one = 1.0 - (511.0f64 / 512.0).powi(keys as i32);
            assert!((got - floor(one)).abs() < 1e-12, "{keys}: {got}");
            let twice = 1.0 - (63.0f64 / 64.0).powi(2 * keys as i32);
            let both = 2.0 * twice - 1.0 + (62.0f64 / 64.0).powi(2 * keys as i32);
            let got = mean(1, 16, keys);
            let want = floor((twice / 64.0 + both * 63.0 / 64.0).powi(8));
            assert!((got - want).abs() < 1e-11, "{keys}: {got} {want}");
        }
    }

    #[test]
    fn a_block_without_keys_finds_none_and_a_full_one_all() {
        for probes in 1..=MAX_WIDE_PROBES {
            assert_eq!(mean(3, probes, 0), 0.0);
            let rate = mean(1, probes, 1_000_000);
            assert!((rate - 1.0).abs() < 1e-3, "{probes}: {rate}");
        }
        // Two words of one key are those of the next with 1/8, and then their bits with 1/64 each.
        let want = 1.0 / 8.0 / 4096.0;
        let got = mean(1, 2, 1) - 1.0 / CHOICES;
        assert!((got / want - 1.0).abs() < 1e-9, "{got} {want}");
    }

    #[test]
    fn plans_are_the_smallest_that_meet_the_rate() {
        for keys in [1u64, 2, 10, 1000, 1_000_000, 100_000_000] {
            for asked in [0.5, 0.1, 0.01, 1e-3, 1e-5] {
                let plan = plan(Goal::fpr(keys, asked)).unwrap();
                let blocks = plan.params.blocks;
                assert!(plan.expected_fpr <= asked);
                for probes in 1..=MAX_WIDE_PROBES {
                    let rate = mean(blocks, probes, keys);
                    assert!(
                        rate >= 0.998 * plan.expected_fpr,
                        "{keys} {asked}: {rate} with {probes} bits, not {plan:?}"
                    );
                    assert!(
                        blocks == 1 || mean(blocks - 1, probes, keys) > asked,
                        "{keys} {asked}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_size_has_the_best_number_of_bits() {
        for keys in [1u64, 10, 1000, 1_000_000] {
            for bits in [1.0, 4.0, 10.0, 16.0, 24.0, 60.0] {
                let Ok(plan) = plan(Goal::bits_per_key(keys, bits)) else {
                    assert!((keys as f64) * bits < 512.0);
                    continue;
                };
                assert!(plan.bits_per_key() <= bits);
                for probes in 1..=MAX_WIDE_PROBES {
                    let rate = mean(plan.params.blocks, probes, keys);
                    assert!(rate >= 0.998 * plan.expected_fpr, "{keys} {bits}: {probes} bits");
                }
            }
        }
    }

    #[test]
    fn what_the_layout_cannot_do_is_refused() {
        let most = |keys| plan(Goal::new(keys, Budget::Bytes(1 << 50)));
        assert!(matches!(most(1 << 40), Err(PlanError::TooLarge { .. })));
        assert_eq!(most(1).unwrap().params.blocks, 8);
        assert!(matches!(
            plan(Goal::new(1 << 40, Budget::Fpr(0.01))),
            Err(PlanError::TooLarge { .. })
        ));
        assert!(matches!(plan(Goal::fpr(1_000_000, 8e-14)), Err(PlanError::FprUnreachable { .. })));
        assert!(matches!(plan(Goal::bytes(1, 63)), Err(PlanError::Bytes { bytes: 63, min: 64 })));
        for (blocks, probes) in [(0, 8), (1, 0), (1, 17), (MAX_BLOCKS + 1, 8)] {
            assert!(mean(blocks, probes, 5).is_nan());
        }
    }

    /// A digest of the blocks and bits per key of a grid of goals. A plan determines where a key's
    /// bits are, so it must not change however its sum is computed.
    #[test]
    fn plans_stay_the_same() {
        let mut digest = 0u64;
        for keys in [1u64, 2, 3, 7, 12, 30, 100, 777, 10_000, 123_456, 5_000_000, 1_000_000_000] {
            let rates = (1..=72).map(|step| Budget::Fpr((-0.25 * f64::from(step)).exp2()));
            let sizes = (2..=64).map(|half| Budget::BitsPerKey(0.5 * f64::from(half)));
            for budget in rates.chain(sizes) {
                let plan = plan(Goal::new(keys, budget));
                let (blocks, probes) =
                    plan.map_or((0, 0), |plan| (plan.params.blocks, plan.params.probes));
                digest = digest.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(blocks);
                digest = digest.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(probes.into());
            }
        }
        assert_eq!(digest, 9_460_108_716_106_811_082);
    }
}
