//! Rate and size of filters that double.
//!
//! A table with `S` slots and fingerprints of `F` bits distinguishes `m = S * 2^F` fingerprints. A
//! key inserted when it distinguished `m_i` matches a share `1 / m_i` of all hashes, however often
//! the table doubles later. So with `n_i` distinct keys from each generation i, from the first
//! table to the present one, the rate is
//!
//! ```text
//! 1 - prod_i (1 - 1/m_i)^(n_i),  where m_i = m_0 * 2^i
//! ```
//!
//! averaged over all seeds. A table that doubles whenever a share a of its slots is in use takes
//! `n_0 = a S_0` keys in the first generation, and `n_i = a S_i / 2` in every later one. The first
//! adds `a / 2^F` to the rate, and every later one half of that. After X doublings it is at most
//!
//! ```text
//! a (X + 2) / 2^(F + 1)
//! ```
//!
//! This holds for any sequence of inserts and removals. The older of two keys matches more hashes;
//! never are more than `a S_i` slots in use, and a removed key can only be replaced by younger
//! ones.
//!
//! An entry older than F doublings has no bit left, and occupies every slot of the part of the
//! table that was its home slot when it lost its last bit: `2^(age - F)` slots. These are few: a
//! share of at most `a (X - F + 1) / 2^(F + 1)` of all slots. That is three quarters of what may be
//! in use where X is `3 * 2^(F - 1) + F - 1`, the most doublings that are allowed
//! ([`ExpandableParams::most_doublings`]): so after each doubling an eighth of the table is free or
//! more, and a filter takes memory in proportion to its keys whatever its parameters.

use super::METADATA_BITS;
use super::sizing::{blocks_for, too_large};
use crate::expandable::params::DOUBLINGS;
use crate::params::{BLOCK_SLOTS, METADATA_BYTES};
use crate::{ExpandableParams, MAX_LOAD, QuotientParams};
use amq_core::internal::step;
use amq_core::{Budget, Goal, Plan, PlanError, PredictedFpr};

/// A table and the keys inserted while it is in use, when no key is removed.
#[derive(Clone, Copy, Debug)]
struct Generation {
    params: ExpandableParams,
    /// The most keys inserted until it is full.
    keys: u64,
}

/// The tables of a filter, from the first on. The parameters have been checked.
fn generations(params: &ExpandableParams) -> impl Iterator<Item = Generation> + use<> {
    let mut next = Some(params.first());
    // The keys of each generation; slots in use, and those by entries without bits.
    let mut keys = [0; 64];
    let (mut used, mut void) = (0, 0);
    core::iter::from_fn(move || {
        step(1);
        let params = next?;
        let room = params.max_entries().saturating_sub(used);
        if room == 0 {
            return None;
        }
        keys[params.doublings as usize % 64] = room;
        used += room;
        // Entries without bits are written to two slots each; then a generation loses its last bit.
        let last_bit = (params.doublings + 1).checked_sub(params.fingerprint_bits);
        // If they take too much of the room, the table does not double.
        next = if params.is_used_up(void) { None } else { params.doubled() };
        used += void;
        void = 2 * void + last_bit.map_or(0, |of| keys[of as usize % 64]);
        Some(Generation { params, keys: room })
    })
}

/// The exact false-positive rate of filters with these parameters after this many distinct keys and
/// no removal: mean and spread over all seeds. Keys beyond its limit do not count. NaN if there is
/// no such filter.
pub fn fpr(params: &ExpandableParams, keys: u64) -> PredictedFpr {
    if params.check_ranges().is_err() {
        let nan = f64::NAN;
        return PredictedFpr { mean: nan, sd: nan };
    }
    let mut left = keys;
    let of_each = generations(params).map_while(|generation| {
        let held = generation.keys.min(left);
        left -= held;
        (held > 0).then(|| (generation.params.fingerprints() as f64, held as f64))
    });
    occupied_share(of_each)
}

/// The share of all hashes that keys match: each `(m, n)` is a generation of n keys, each of which
/// matches a share `1/m`; every m is twice the one before.
///
/// With V the share not matched, `E[V] = prod (1 - 1/m_i)^(n_i)`, and `E[V^2]` is the probability
/// that neither of two hashes is matched. With probability `1/m_j - 1/m_(j+1)`, the first j
/// generations do not distinguish the two and generation j + 1 does; then they are two cells to a
/// key of a later generation, and one to the others.
fn occupied_share(generations: impl Iterator<Item = (f64, f64)>) -> PredictedFpr {
    // Logarithms of the probabilities that a generation's keys miss one cell, and of that for two
    // cells over its square.
    let (mut cells, mut one, mut two) = ([0.0; 64], [0.0; 64], [0.0; 64]);
    let mut count = 0;
    for ((m, n), i) in generations.zip(0..64) {
        let others = m - 1.0;
        cells[i] = m;
        one[i] = n * libm::log1p(-1.0 / m);
        two[i] = n * libm::log1p(-1.0 / (others * others));
        count = i + 1;
    }
    let sum = |list: &[f64]| list.iter().sum::<f64>();
    let log_left = sum(&one[..count]);
    let mut variance = 0.0;
    // The number of generations that see one cell, from none to all.
    for same in 0..=count {
        let at = |i: usize| if i < count { 1.0 / cells[i] } else { 0.0 };
        let before = if same == 0 { 1.0 } else { at(same - 1) };
        let excess = sum(&two[same..count]) - sum(&one[..same]);
        variance += (before - at(same)) * libm::expm1(excess);
    }
    PredictedFpr {
        mean: 0.0 - libm::expm1(log_left),
        sd: libm::exp(log_left) * libm::sqrt(variance.max(0.0)),
    }
}

/// The sizes that a filter with these parameters grows to, from its first table on: its bytes, and
/// the most keys that it holds at that size if none is removed. Empty for parameters out of range.
pub fn sizes(params: &ExpandableParams) -> impl Iterator<Item = (u64, u64)> + use<> {
    let tables = params.check_ranges().is_ok().then(|| generations(params)).into_iter().flatten();
    tables.scan(0u64, |held, Generation { params, keys }| {
        *held = held.saturating_add(keys);
        Some((params.bytes(), *held))
    })
}

/// The most doublings, up to the limit of `params`, after which the full filter's rate is at most
/// `fpr`. `None` if the first table's rate is higher.
fn doublings_within(params: &ExpandableParams, fpr: f64) -> Option<u32> {
    let (mut log_left, mut most) = (0.0, None);
    for Generation { params, keys } in generations(params) {
        log_left += keys as f64 * libm::log1p(-1.0 / params.fingerprints() as f64);
        if -libm::expm1(log_left) > fpr {
            break;
        }
        most = Some(params.doublings);
    }
    most
}

/// Bits per key of a large filter just before it doubles, planned for this rate, strictly between 0
/// and 1, and for 20 doublings; NaN for other rates. Just after it doubled a key takes twice as
/// many.
pub fn bits_per_key(fpr: f64) -> f64 {
    if !(fpr > 0.0 && fpr < 1.0) {
        return f64::NAN;
    }
    let of_each = MAX_LOAD * f64::from(DOUBLINGS + 2) / 2.0;
    let bits = libm::ceil(libm::log2(of_each / fpr)).max(1.0);
    (bits + 1.0 + METADATA_BITS) / MAX_LOAD
}

/// A filter with room for the keys of the goal, which then doubles at least 20 times, if a hash
/// has the bits for it.
///
/// A rate is that of the filter at its fullest, after its last doubling. A size is that of the
/// first table; the rate follows from the fingerprints that fit, and short ones last for fewer
/// doublings ([`ExpandableParams::most_doublings`]).
pub fn plan(goal: Goal) -> Result<Plan<ExpandableParams>, PlanError> {
    plan_doublings(goal, DOUBLINGS)
}

/// The plan of a filter that keeps its rate for this many doublings; see [`plan`].
pub fn plan_doublings(goal: Goal, doublings: u32) -> Result<Plan<ExpandableParams>, PlanError> {
    let goal = goal.checked()?;
    let blocks = blocks_for(goal)?;
    // At least three bits, even with the most slots.
    let longest = QuotientParams::widest(blocks * BLOCK_SLOTS) - 1;
    let params = match goal.budget {
        Budget::Fpr(fpr) => shortest(goal.keys, fpr, blocks, longest, doublings)?,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            let bytes = goal.max_bits() / 8;
            let min = ExpandableParams::of_blocks(blocks, 1, 0).bytes();
            if bytes < min {
                return Err(PlanError::Bytes { bytes, min });
            }
            let fits = (bytes / blocks - METADATA_BYTES) / 8 - 1;
            // Some bits of a hash are kept for the home slots of later tables.
            let most = longest.saturating_sub(doublings).max(1);
            ExpandableParams::of_blocks(blocks, fits.min(most.into()) as u32, doublings)
        }
    };
    if params.bytes() > i64::MAX as u64 {
        return Err(too_large(params.slots as f64, params.fingerprint_bits + 1));
    }
    Ok(plan_of(params, goal.keys))
}

/// The shortest fingerprints that keep the rate for this many doublings, or for as many as the hash
/// has bits for; and the most doublings for which they keep it.
fn shortest(
    keys: u64,
    fpr: f64,
    blocks: u64,
    longest: u32,
    doublings: u32,
) -> Result<ExpandableParams, PlanError> {
    // At least half the slots are in use, so fewer bits cannot suffice.
    let least = libm::floor(libm::log2(0.5 / fpr)).clamp(1.0, longest.into());
    for bits in least as u32..=longest {
        let params = ExpandableParams::of_blocks(blocks, bits, u32::MAX);
        match doublings_within(&params, fpr) {
            Some(kept) if kept >= doublings.min(params.doublings_left()) => {
                return Ok(params.with_max_doublings(kept));
            }
            _ => {}
        }
    }
    let params = ExpandableParams::of_blocks(blocks, longest, 0);
    Err(PlanError::FprUnreachable {
        fpr,
        lowest: self::fpr(&params, params.max_entries()).mean,
        keys,
    })
}

/// The plan of a filter with these parameters, from its first table on, for this many keys. Its
/// bytes are those of the table that holds them all, the largest if none does.
pub fn plan_params(
    params: ExpandableParams,
    keys: u64,
) -> Result<Plan<ExpandableParams>, PlanError> {
    params.check()?;
    Ok(plan_of(params, keys))
}

fn plan_of(params: ExpandableParams, keys: u64) -> Plan<ExpandableParams> {
    let mut bytes = params.first().bytes();
    let mut has_grown = false;
    for (index, (of_table, held)) in sizes(&params).enumerate() {
        (bytes, has_grown) = (of_table, index > 0);
        if held >= keys {
            break;
        }
    }
    // A grown table was written while the old one of half the slots was in memory; a built one,
    // from sorted fingerprints and the hashes of the keys.
    let half = if has_grown { bytes / 2 + bytes / 64 } else { 0 };
    let sorted = keys.saturating_mul(16);
    Plan::new(params, keys)
        .with_bytes(bytes)
        .with_build_bytes(bytes.saturating_add(half.max(sorted)))
        .with_expected_fpr(fpr(&params, keys).mean)
}
