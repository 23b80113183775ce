//! The false-positive rate of a filter, and the size needed for a rate.
//!
//! For an absent key, the sum of the solution's slots is independent of the key's result. So with r
//! columns the two agree with probability
//!
//! ```text
//! fpr = 2^-r,     or  s 2^-(r-1) + (1 - s) 2^-r
//!                 where a share s of the answers comes from short blocks, with r - 1 columns
//! ```
//!
//! for any solution. All filters with the same parameters have the same rate, without spread. Slots
//! that no key determines cost space, but do not affect the rate.
//!
//! A rate of whole columns is exact. Between two, the same share of blocks is short in every layer,
//! to within one block. The short blocks are a layer's first, and the beginning of a shard bumps no
//! keys, so they answer a little more than their share. How much more is a model fitted to
//! measurements. With it the rate is right to within a thousandth from 3,000 keys on. Below, a
//! filter of several layers with short blocks has a rate up to 1.5 % lower than predicted.

use crate::RibbonParams;
use crate::geometry::{Geometry, most};
use crate::layer::Layer;
use crate::params::{MAX_COLUMNS, MAX_KEYS};
use crate::row::{BITS, BUCKET};
use crate::sizing::{expected, limit_of_bumped};
use amq_core::numeric::{first_true, hash_floor, last_true};
use amq_core::{Budget, Goal, Plan, PlanError, PredictedFpr};

/// The rate of a filter with these parameters and this many keys: the same for every number but
/// zero. Parameters without numbers of keys get the expected ones.
pub fn fpr(params: &RibbonParams, keys: u64) -> PredictedFpr {
    let mean = match params.check() {
        Err(_) => f64::NAN,
        Ok(()) => {
            let params = match params.keys[0] {
                0 => params.with_keys(expected(keys.min(MAX_KEYS))),
                _ => *params,
            };
            fpr_in(&params, &params.geometry(), keys)
        }
    };
    PredictedFpr { mean, sd: if mean.is_nan() { f64::NAN } else { 0.0 } }
}

/// The rate in a given geometry. It need not follow from the parameters: a file's geometry was
/// planned by its writer.
pub(crate) fn fpr_in(params: &RibbonParams, geometry: &Geometry, keys: u64) -> f64 {
    if keys == 0 {
        return 0.0;
    }
    let rate = rate(params, geometry);
    rate + (1.0 - rate) * hash_floor(keys)
}

/// The rate of whole columns, doubled for answers from short blocks.
fn rate(params: &RibbonParams, geometry: &Geometry) -> f64 {
    let keys = |layer: usize| params.keys.get(layer).map_or(0.0, |&keys| keys as f64);
    let short = |(i, layer): (usize, &Layer)| {
        // An absent key is bumped as often as a present one.
        keys(i) * short_answers(layer, keys(i + 1) / keys(i).max(1.0))
    };
    let short: f64 = geometry.layers().iter().enumerate().map(short).sum();
    let rate = libm::exp2(-f64::from(params.columns)) * (1.0 + short / keys(0).max(1.0));
    // The model is for planned layers; a forged file may have any.
    rate.clamp(0.0, 1.0)
}

/// The share of a layer's queries that short blocks answer, if the layer bumps a share `bumped`.
fn short_answers(layer: &Layer, bumped: f64) -> f64 {
    // The shard in which the short blocks end; all blocks before it are short.
    let full = (1 << layer.shard_bits) / BITS + 1;
    let shard = (layer.short / full).min(layer.shards() - 1);
    let extent = layer.extent(shard);
    let blocks = layer.short.saturating_sub(extent.first_block);
    let in_short = (blocks * BITS).min(extent.starts);
    let short = (extent.first + in_short) as f64;
    let bumping_in =
        |shard: u64, starts: u64| shard as f64 * bumping(1 << layer.shard_bits) + bumping(starts);
    let last = layer.shards() - 1;
    let bumping_in_all = bumping_in(last, layer.starts_of(last).1).max(1.0);
    let bumping_in_short = bumping_in(shard, in_short);
    short / layer.starts as f64 - bumped * bumping_in_short / bumping_in_all
}

/// The effective number of a shard's first `starts` starts that bump keys: the overload must add up
/// to a row before slots run out. Measured: bumping begins after about three row lengths, and
/// reaches its full level after about seventeen.
fn bumping(starts: u64) -> f64 {
    let (starts, row) = (starts as f64, BITS as f64);
    let (from, to) = (3.0 * row, 17.0 * row);
    let beyond = (starts - to).max(0.0);
    let rising = (starts.min(to) - from).max(0.0);
    beyond + rising * rising / (2.0 * (to - from))
}

/// Bits per key of a large filter at this rate.
pub fn bits_per_key(fpr: f64) -> f64 {
    plan(Goal::fpr(1_000_000, fpr)).map_or(f64::NAN, |plan| plan.bits_per_key())
}

/// Relative excess over the requested rate that still counts as meeting it.
const NEGLIGIBLE: f64 = 1e-6;

/// The smallest filter for a rate, or the best for a size.
///
/// The rate is met to within a millionth, where equal 64-bit hashes add less than that.
///
/// The numbers of bumped keys vary between filters. The plan's parameters have the expected
/// numbers; its bytes are enough for all but about one filter in a hundred.
///
/// A plan for one key more may be smaller, by up to one block and a word of thresholds: where the
/// first layer gets another block, it bumps 64 keys fewer, and the next layer may save two.
pub fn plan(goal: Goal) -> Result<Plan<RibbonParams>, PlanError> {
    let goal = goal.checked()?;
    check_keys(goal.keys)?;
    let params = match goal.budget {
        Budget::Fpr(asked) => for_rate(goal.keys, asked)?,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            let largest = RibbonParams::new(1, 0).with_keys(most(goal.keys));
            within(largest, goal.max_bits() / 8, RibbonParams::bytes)?
        }
    };
    plan_params(params, goal.keys)
}

/// The plan of a filter for this many keys, with the columns and short blocks of `params`; `keys`
/// determines the keys of each layer.
pub fn plan_params(params: RibbonParams, keys: u64) -> Result<Plan<RibbonParams>, PlanError> {
    check_keys(keys)?;
    let params = params.with_keys(expected(keys));
    params.check()?;
    let largest = params.with_keys(most(keys));
    let bytes = largest.bytes();
    let (building, thread, most_threads) = build_bytes(&largest);
    Ok(Plan::new(params, keys)
        .with_bytes(bytes)
        .with_build_bytes(bytes + building)
        .with_threads(thread, most_threads)
        .with_expected_fpr(fpr(&params, keys).mean))
}

/// Checks the number of keys; zero is allowed.
pub(crate) fn check_keys(keys: u64) -> Result<(), PlanError> {
    if keys <= MAX_KEYS {
        return Ok(());
    }
    Err(PlanError::Keys { keys, min: 1, max: MAX_KEYS })
}

/// The fewest columns, and then the most short blocks, that meet a rate.
fn for_rate(total: u64, asked: f64) -> Result<RibbonParams, PlanError> {
    let keys = expected(total);
    let with = |columns: u32, short: u64| RibbonParams::new(columns, short as u32).with_keys(keys);
    // Ignores equal hashes where they are negligible; otherwise a rate of whole columns would cost
    // another column.
    let floor = hash_floor(total);
    let least = if floor < NEGLIGIBLE * asked { asked } else { asked - floor };
    let columns = libm::ceil(-libm::log2(least)).max(1.0);
    if columns > f64::from(MAX_COLUMNS) {
        return Err(PlanError::FprUnreachable {
            fpr: asked,
            lowest: libm::exp2(-f64::from(MAX_COLUMNS)) + floor,
            keys: total,
        });
    }
    let columns = columns as u32;
    let meets = |short: u64| fpr(&with(columns, short), total).mean <= asked;
    Ok(with(columns, last_true(0, most_short(columns), meets)))
}

/// These parameters with the most columns, and then the fewest short blocks, that fit. `bytes`
/// returns the size of such a filter.
pub(crate) fn within(
    params: RibbonParams,
    allowed: u64,
    bytes: impl Fn(&RibbonParams) -> u64,
) -> Result<RibbonParams, PlanError> {
    let with = |columns: u32, short: u64| {
        let mut params = params;
        (params.columns, params.short) = (columns, short as u32);
        params
    };
    let fits = |params: &RibbonParams| bytes(params) <= allowed;
    let Some(columns) =
        (1..=MAX_COLUMNS).rev().find(|&columns| fits(&with(columns, most_short(columns))))
    else {
        return Err(PlanError::Bytes { bytes: allowed, min: bytes(&with(1, 0)) });
    };
    let short = first_true(0, most_short(columns), |short| fits(&with(columns, short)));
    Ok(with(columns, short))
}

/// The largest share of short blocks: a column less than one would be none.
const fn most_short(columns: u32) -> u64 {
    if columns == 1 { 0 } else { u32::MAX as u64 }
}

/// The most memory for building beside the filter: the hashes, the bumped ones, and the working set
/// of the elimination, which is largest in the first layer. (Thousands of copies of one key take a
/// few bytes more for each.) Also the memory of each further thread, and the most threads that can
/// take part.
fn build_bytes(params: &RibbonParams) -> (u64, u64, u64) {
    let total = params.keys[0];
    let geometry = params.geometry();
    let Some(layer) = geometry.layers().first() else {
        return (0, 0, 1);
    };
    let shards = layer.shards();
    let starts = layer.starts_of(0).1 as f64;
    let keys = layer.limit_of_shard(total) as f64;
    let bumped = match geometry.len {
        1 => 0,
        _ => limit_of_bumped(total, 0),
    };
    let buckets = |starts: f64| starts / BUCKET as f64 + 1.0;
    let outcomes = 8.0 * bumped as f64 + buckets(layer.starts as f64) + 128.0 * shards as f64;
    let all = 8.0 * total as f64 + outcomes;
    // A row and a result per slot; a sorted copy of each key; a threshold and a count per bucket.
    let row = size_of::<u64>() as f64;
    let slots = starts + 2.0 * BITS as f64 + BUCKET as f64;
    let elimination = slots * (row + 4.0) + keys * 8.0 + buckets(slots) * 5.0;
    // Two more copies of the fullest bucket's keys, as equations.
    let mean = keys * (BUCKET as f64 / starts).min(1.0);
    let bucket = (mean + 8.0 * libm::sqrt(mean) + 32.0).min(keys + 32.0);
    let starts = (2 * BUCKET + BITS) as f64;
    let equations = bucket * 2.0 * (row + 8.0) + 4.0 * starts;
    // The keys that a shard bumps; or another copy of its keys, after a seed has failed.
    let more = ((8 * bumped) as f64 / shards as f64).max(keys * 8.0);
    // With several threads, the bumped keys of all shards are held twice. That is counted for each
    // further thread.
    let thread = elimination + equations + outcomes;
    ((all + elimination + equations + more) as u64 + 4096, thread as u64 + 4096, shards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::Columns;

    #[test]
    fn short_blocks_answer_their_share() {
        for keys in [1u64, 100, 1201, 50_000, 3_000_000, 1 << 33] {
            for short in [0, 1 << 30, u32::MAX] {
                let columns = Columns { most: 8, short };
                let geometry = Geometry::new(&expected(keys), 0, columns);
                for layer in geometry.layers() {
                    let share = f64::from(short) / 2.0f64.powi(32);
                    let off = (short_answers(layer, 0.0) - share).abs();
                    let blocks = layer.blocks() as f64;
                    assert!(off < 1.5 / blocks + 0.001, "{keys} keys: {off}");
                }
            }
        }
    }
}
