//! The false-positive rate of a filter, and the size needed for a rate.
//!
//! A query for an absent key compares the exclusive or of three slots with the key's fingerprint of
//! r bits, which is independent of them. So the two agree with probability
//!
//! ```text
//! fpr = 2^-r
//! ```
//!
//! for any slots and any number of keys: the rate has no spread. The few slots of no key cost
//! space, but do not affect the rate. Space is r bits per slot, and about 1.13 slots per key, more
//! in small filters.

use crate::layout::Layout;
use crate::params::{MAX_FINGERPRINT_BITS, MAX_KEYS};
use crate::sizing::sized;
use crate::{FuseParams, build, hashes};
use amq_core::numeric::hash_floor;
use amq_core::{Budget, Goal, Plan, PlanError, PredictedFpr};

/// The rate of a filter with these parameters and this many keys: the same for every number but
/// zero.
#[must_use]
pub fn fpr(params: &FuseParams, keys: u64) -> PredictedFpr {
    if params.check().is_err() {
        return PredictedFpr { mean: f64::NAN, sd: f64::NAN };
    }
    PredictedFpr { mean: fpr_of_bits(params.fingerprint_bits, keys), sd: 0.0 }
}

pub(crate) fn fpr_of_bits(bits: u32, keys: u64) -> f64 {
    if keys == 0 {
        return 0.0;
    }
    let rate = libm::exp2(-f64::from(bits));
    rate + (1.0 - rate) * hash_floor(keys)
}

/// Bits per key of a large filter at this rate.
#[must_use]
pub fn bits_per_key(fpr: f64) -> f64 {
    plan(Goal::fpr(1_000_000, fpr)).map_or(f64::NAN, |plan| plan.bits_per_key())
}

/// Relative excess over the rate asked for that still meets it.
const NEGLIGIBLE: f64 = 1e-6;

/// The smallest filter for a rate, or the best for a size.
///
/// The rate is met to within a millionth, where equal 64-bit hashes add less than that. Every
/// filter of this many keys takes exactly the plan's bytes.
pub fn plan(goal: Goal) -> Result<Plan<FuseParams>, PlanError> {
    let goal = goal.checked()?;
    check_keys(goal.keys)?;
    let layout = sized(FuseParams::new(1), goal.keys);
    let bytes = |bits: u32| FuseParams { fingerprint_bits: bits, ..layout }.bytes();
    let bits = match goal.budget {
        Budget::Fpr(asked) => {
            let least = bits_for(goal.keys, asked)?;
            // With very few slots, whole words can take less space than packed bits.
            let all = (least..=MAX_FINGERPRINT_BITS).rev();
            all.min_by_key(|&bits| bytes(bits)).unwrap_or(least)
        }
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            let allowed = goal.max_bits() / 8;
            let fitting = (1..=MAX_FINGERPRINT_BITS).rev().find(|&bits| bytes(bits) <= allowed);
            fitting.ok_or(PlanError::Bytes { bytes: allowed, min: bytes(1) })?
        }
    };
    plan_params(FuseParams::new(bits), goal.keys)
}

/// The plan of a filter with the fingerprints of `params` for this many keys, which determine the
/// other parameters.
pub fn plan_params(params: FuseParams, keys: u64) -> Result<Plan<FuseParams>, PlanError> {
    check_keys(keys)?;
    params.check()?;
    let params = sized(params, keys);
    let (bytes, beside) = (params.bytes(), hashes::bytes_for(&Layout::new(&params)));
    let building = 8 * keys + beside + build::bytes_for(&params);
    Ok(Plan::new(params, keys)
        .with_bytes(bytes)
        .with_build_bytes(bytes + building)
        .with_threads(build::bytes_of_thread(&params), params.shards.into())
        .with_expected_fpr(fpr(&params, keys).mean))
}

/// Checks the number of keys; zero is allowed.
fn check_keys(keys: u64) -> Result<(), PlanError> {
    if keys <= MAX_KEYS {
        return Ok(());
    }
    Err(PlanError::Keys { keys, min: 1, max: MAX_KEYS })
}

/// The fewest bits that meet a rate.
fn bits_for(keys: u64, asked: f64) -> Result<u32, PlanError> {
    // Ignores equal hashes where they are negligible; otherwise a rate of whole bits would cost
    // another bit.
    let floor = hash_floor(keys);
    let least = if floor < NEGLIGIBLE * asked { asked } else { asked - floor };
    let bits = libm::ceil(-libm::log2(least)).max(1.0);
    if bits > f64::from(MAX_FINGERPRINT_BITS) {
        return Err(PlanError::FprUnreachable {
            fpr: asked,
            lowest: fpr_of_bits(MAX_FINGERPRINT_BITS, keys),
            keys,
        });
    }
    Ok(bits as u32)
}
