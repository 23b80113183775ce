//! Sizes a table: solves the rate for the number of fingerprints, and divides it between slots and
//! remainders.
//!
//! The rate only requires a number of fingerprints, F = slots * 2^r; the load requires a number of
//! slots. One remainder bit less doubles the slots, which costs far more. So the best remainder is
//! the shortest for which the slots required by the load are enough, or one bit shorter where the
//! slots are so few that rounding to blocks decides.

use super::fpr;
use crate::params::{
    BLOCK_SLOTS, MAX_FINGERPRINT_BITS, MAX_REMAINDER_BITS, MAX_SLOTS, METADATA_BYTES,
};
use crate::{MAX_LOAD, QuotientParams};
use amq_core::numeric::cells_for;
use amq_core::{Budget, Goal, Plan, PlanError};

/// Bits of metadata per slot: one occupied, one runend, and an eighth for the block's offset.
pub const METADATA_BITS: f64 = 2.125;

/// Bits per key of a large filter at this rate, strictly between 0 and 1; NaN for others.
pub fn bits_per_key(fpr: f64) -> f64 {
    if !(fpr > 0.0 && fpr < 1.0) {
        return f64::NAN;
    }
    // With 2^r fingerprints per slot, the rate allows a load of -2^r ln(1 - fpr).
    let full = -libm::log1p(-fpr);
    (0..=MAX_REMAINDER_BITS)
        .map(|r| (f64::from(r) + METADATA_BITS) / (libm::ldexp(full, r as i32)).min(MAX_LOAD))
        .fold(f64::INFINITY, f64::min)
}

/// The smallest filter for a rate, or the best for a size.
pub fn plan(goal: Goal) -> Result<Plan<QuotientParams>, PlanError> {
    let goal = goal.checked()?;
    let blocks = blocks_for(goal)?;
    let params = match goal.budget {
        Budget::Fpr(fpr) => smallest(goal.keys, fpr, blocks)?,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => best_within(goal.max_bits() / 8, blocks)?,
    };
    Ok(plan_of(params, goal.keys))
}

/// The plan of a filter with these parameters for this many keys. Its bytes are those of the table
/// that holds them all, the largest if none does.
pub fn plan_params(params: QuotientParams, keys: u64) -> Result<Plan<QuotientParams>, PlanError> {
    params.check()?;
    Ok(plan_of(params, keys))
}

fn plan_of(params: QuotientParams, keys: u64) -> Plan<QuotientParams> {
    let holds_all = params.size_for(keys).unwrap_or_else(|| params.grown());
    let bytes = holds_all.bytes();
    // When growing, the table of half the slots is in memory, too.
    let half = match holds_all.halved() {
        Some(half) if holds_all.slots > params.slots => half.bytes(),
        _ => 0,
    };
    // When built at once, sorted fingerprints and the hashes of the keys are in memory, too.
    let sorted = keys.saturating_mul(16);
    Plan::new(params, keys)
        .with_bytes(bytes)
        .with_build_bytes(bytes.saturating_add(half.max(sorted)))
        .with_expected_fpr(rate(&params, keys))
}

fn rate(params: &QuotientParams, keys: u64) -> f64 {
    fpr(params, keys).mean
}

/// The parameters with `blocks` blocks.
const fn of_blocks(blocks: u64, remainder_bits: u32) -> QuotientParams {
    QuotientParams::new(blocks * BLOCK_SLOTS, remainder_bits)
}

/// The fewest blocks that hold the keys.
pub(super) fn blocks_for(goal: Goal) -> Result<u64, PlanError> {
    // 19/20 of the slots, rounded down, must be at least `keys`.
    let slots = (u128::from(goal.keys) * 20).div_ceil(19);
    if slots > u128::from(MAX_SLOTS) {
        return Err(too_large(slots as f64, 0));
    }
    Ok((slots as u64).div_ceil(BLOCK_SLOTS))
}

/// The error for a table of this many slots.
pub(super) fn too_large(slots: f64, remainder_bits: u32) -> PlanError {
    let bytes = |slots: f64| slots / 64.0 * (17.0 + 8.0 * f64::from(remainder_bits));
    let most = bytes(MAX_SLOTS as f64).min(i64::MAX as f64);
    PlanError::TooLarge { bytes: bytes(slots).max(most), max_bytes: most as u64 }
}

/// The fewest bytes at which the rate is at most `fpr`.
fn smallest(keys: u64, fpr: f64, blocks: u64) -> Result<QuotientParams, PlanError> {
    let needed = cells_for(fpr, keys);
    let in_load = (blocks * BLOCK_SLOTS) as f64;
    let shortest = libm::ceil(libm::log2(needed / in_load)).clamp(0.0, MAX_REMAINDER_BITS.into());
    // Logarithms are rounded: tries one bit more and one less, too.
    let candidates =
        (shortest as u32).saturating_sub(1)..=(shortest as u32 + 1).min(MAX_REMAINDER_BITS);
    let mut best: Option<QuotientParams> = None;
    let mut slots = f64::INFINITY;
    for remainder_bits in candidates {
        let least = libm::ceil(libm::ldexp(needed, -(remainder_bits as i32)) / 64.0);
        slots = slots.min(least * 64.0);
        if least * 64.0 > MAX_SLOTS as f64 {
            continue;
        }
        // `needed` is rounded, too.
        let least = (least as u64).max(blocks);
        for blocks in least.saturating_sub(1).max(blocks)..=least + 1 {
            let params = of_blocks(blocks, remainder_bits);
            let good = params.check().is_ok() && rate(&params, keys) <= fpr;
            if good && best.is_none_or(|best| params.bytes() < best.bytes()) {
                best = Some(params);
            }
        }
    }
    let Some(best) = best else {
        return Err(if slots > MAX_SLOTS as f64 && shortest < f64::from(MAX_REMAINDER_BITS) {
            too_large(slots, shortest as u32)
        } else {
            unreachable(keys, fpr, blocks)
        });
    };
    if best.bytes() > i64::MAX as u64 {
        return Err(too_large(best.slots as f64, best.remainder_bits));
    }
    Ok(best)
}

/// The error for a rate that needs too many fingerprints.
fn unreachable(keys: u64, fpr: f64, blocks: u64) -> PlanError {
    let widest = widest(blocks);
    let most = most_blocks(widest).max(blocks);
    PlanError::FprUnreachable { fpr, lowest: rate(&of_blocks(most, widest), keys), keys }
}

/// The widest remainder with this many blocks.
fn widest(blocks: u64) -> u32 {
    QuotientParams::widest(blocks * BLOCK_SLOTS)
}

/// The most blocks with remainders of this width.
fn most_blocks(remainder_bits: u32) -> u64 {
    (1 << (MAX_FINGERPRINT_BITS - remainder_bits)).min(MAX_SLOTS) / BLOCK_SLOTS
}

/// The lowest rate in this many bytes: the widest remainder that leaves enough slots, then as many
/// slots as fit.
fn best_within(bytes: u64, blocks: u64) -> Result<QuotientParams, PlanError> {
    let room = |remainder_bits: u32| bytes / (METADATA_BYTES + 8 * u64::from(remainder_bits));
    let fits = (0..=widest(blocks)).rev().find(|&r| room(r) >= blocks);
    let Some(remainder_bits) = fits else {
        return Err(PlanError::Bytes { bytes, min: of_blocks(blocks, 0).bytes() });
    };
    let blocks = room(remainder_bits).min(most_blocks(remainder_bits));
    let params = of_blocks(blocks, remainder_bits);
    if params.bytes() > i64::MAX as u64 {
        return Err(too_large(params.slots as f64, remainder_bits));
    }
    Ok(params)
}

/// A growing filter starts with at least this many blocks. Its last table has 2^k times as many;
/// with fewer, this rounding would enlarge it by more than a sixteenth.
const LEAST_BLOCKS: u64 = 16;

/// The plan of a filter that starts with room for `initial` keys and meets `goal` when it has grown
/// to hold the goal's keys.
///
/// Each doubling turns a remainder bit into a quotient bit and leaves the fingerprints as they are.
/// So the first table has all the bits that the last one needs to keep the rate. Room for 0 keys
/// means room for 1.
pub fn plan_growing(goal: Goal, initial: u64) -> Result<Plan<QuotientParams>, PlanError> {
    let (goal, initial) = (goal.checked()?, initial.max(1));
    let last = plan(goal)?.params;
    PlanError::check_parameter("initial", initial, 1, goal.keys)?;
    let blocks = last.blocks();
    let least = blocks_for(Goal::new(initial, goal.budget))?.max(LEAST_BLOCKS);
    let mut best = last;
    for doublings in 1..=MAX_REMAINDER_BITS - last.remainder_bits {
        // A rate is kept by rounding up, a size by rounding down.
        let fewer = match goal.budget {
            Budget::Fpr(_) => blocks.div_ceil(1 << doublings),
            Budget::BitsPerKey(_) | Budget::Bytes(_) => blocks >> doublings,
        };
        if fewer < least {
            break;
        }
        let first = of_blocks(fewer, last.remainder_bits + doublings);
        let grown = of_blocks(fewer << doublings, last.remainder_bits);
        let first = first.with_max_slots(grown.slots);
        if first.check().is_ok()
            && grown.max_keys() >= goal.keys
            && grown.bytes() <= i64::MAX as u64
        {
            best = first;
        }
    }
    Ok(plan_of(best, goal.keys).with_budget(goal.budget))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches exhaustively for parameters that suffice in fewer bytes.
    fn smaller_would_do(keys: u64, asked: f64, bytes: u64) -> Option<QuotientParams> {
        let all = (0..=MAX_REMAINDER_BITS)
            .flat_map(|r| (1..=bytes / (17 + 8 * u64::from(r))).map(move |b| of_blocks(b, r)));
        all.filter(|params| params.bytes() < bytes && params.max_keys() >= keys)
            .filter(|params| params.check().is_ok())
            .find(|params| rate(params, keys) <= asked)
    }

    fn goal(keys: u64, asked: f64) -> Goal {
        Goal::new(keys, Budget::Fpr(asked))
    }

    #[test]
    fn plans_are_the_smallest_that_meet_the_rate_and_the_load() {
        for keys in [1u64, 2, 3, 10, 57, 60, 61, 64, 100, 1000, 12_345] {
            for asked in [
                0.9,
                0.5,
                0.37,
                0.1,
                0.0101,
                0.01,
                0.0079,
                0.0074,
                0.004,
                1.0 / 256.0,
                1e-3,
                1e-6,
                1e-9,
            ] {
                let plan = plan(goal(keys, asked)).unwrap();
                assert!(plan.expected_fpr <= asked && plan.params.max_keys() >= keys);
                let smaller = smaller_would_do(keys, asked, plan.bytes);
                assert_eq!(smaller, None, "{keys} keys at {asked}: {plan}");
            }
        }
    }

    #[test]
    fn a_million_keys_take_what_the_formula_says() {
        for (asked, bits, excess) in
            [(0.01, 9.605, 1.358), (1.0 / 256.0, 10.658, 1.320), (1e-3, 12.763, 1.271)]
        {
            for keys in [100_000u64, 1_000_000, 1_048_577, 15_900_000, 100_000_000] {
                let plan = plan(goal(keys, asked)).unwrap();
                assert!((plan.bits_per_key() - bits).abs() < 0.01, "{plan}");
                assert!(plan.overhead() <= excess, "{plan}");
            }
            assert!((bits_per_key(asked) - bits).abs() < 1e-3);
        }
        // Where r bits allow a load just below the highest: r bits at that load.
        let asked = -libm::expm1(-0.9 / 128.0);
        assert!((bits_per_key(asked) - 9.125 / 0.9).abs() < 1e-9);
        assert!((bits_per_key(0.5) - 2.125 / core::f64::consts::LN_2).abs() < 1e-9);
    }

    #[test]
    fn a_size_gives_the_lowest_rate_it_can_and_is_never_exceeded() {
        for keys in [1u64, 10, 100, 1000, 1_000_000] {
            for bits in [3.0, 9.6, 10.0, 12.5, 24.0, 50.0] {
                let goal = Goal::new(keys, Budget::BitsPerKey(bits));
                let Ok(plan) = plan(goal) else {
                    let least = blocks_for(goal).unwrap() * 17 * 8;
                    assert!(keys as f64 * bits < least as f64);
                    continue;
                };
                assert!(plan.bits_per_key() <= bits);
                for r in 0..=MAX_REMAINDER_BITS {
                    let blocks = goal.max_bits() / 8 / (17 + 8 * u64::from(r));
                    let params = of_blocks(blocks.min(most_blocks(r)), r);
                    if params.max_keys() >= keys && params.check().is_ok() {
                        assert!(plan.expected_fpr <= rate(&params, keys) * (1.0 + 1e-9));
                    }
                }
            }
        }
    }

    #[test]
    fn growing_filters_meet_the_goal_when_they_have_grown() {
        for (goal, initial) in [
            (Goal::fpr(1_000_000, 0.01), 1000),
            (Goal::fpr(1_000_000, 0.01), 1),
            (Goal::fpr(1_000_000, 1e-9), 1),
            (Goal::bytes(50_000_000, 80_000_000), 100),
            (Goal::bits_per_key(123_456, 12.0), 5000),
            (Goal::fpr(10, 0.01), 1),
            (Goal::fpr(1000, 0.01), 1000),
        ] {
            let plan_growing = plan_growing(goal, initial).unwrap();
            let (first, last) = (plan_growing.params, plan_growing.params.grown());
            first.check().unwrap();
            assert_eq!(first.fingerprints(), last.fingerprints());
            assert!(first.max_keys() >= initial && last.max_keys() >= goal.keys);
            let straight = plan(goal).unwrap();
            let grown_rate = rate(&last, goal.keys);
            assert_eq!(plan_growing.expected_fpr, grown_rate);
            assert_eq!(plan_growing.bytes, last.bytes());
            assert!(grown_rate <= straight.expected_fpr * 1.07);
            assert!(last.bytes() as f64 <= straight.bytes as f64 * 1.07);
            match goal.budget {
                Budget::Fpr(asked) => assert!(grown_rate <= asked),
                _ => assert!(last.bytes() * 8 <= goal.max_bits()),
            }
            if initial * 64 < goal.keys && goal.keys > 10_000 {
                assert!(first.slots * 16 <= last.slots, "{first:?}");
            }
        }
        assert!(plan_growing(Goal::fpr(10, 0.01), 11).is_err());
        let [none, one] = [0, 1].map(|initial| plan_growing(Goal::fpr(10, 0.01), initial).unwrap());
        assert_eq!(none, one);
        assert_eq!(plan_growing(Goal::fpr(0, 0.01), 0), plan_growing(Goal::fpr(1, 0.01), 1));
    }
}
