//! How often the filter is wrong, and how large it must be.
//!
//! The answer to an absent key is some sum of the solution's slots, which knows nothing of the key's own result: they agree in r bits with probability
//!
//! ```text
//! fpr = 2^-r,     or  s 2^-(r-1) + (1 - s) 2^-r    where a share s of the answers comes from blocks with r - 1 columns
//! ```
//!
//! whatever the solution is. So all filters of the same parameters have the same rate: it has no spread. Slots that no key determines cost space, not
//! rate.
//!
//! A whole number of columns is met exactly. Between two, the same share of blocks is short in every layer, to within one. The short blocks are the first ones of a layer, and the beginning of a shard passes no keys on,
//! so it answers a little more than its share. How much more is a model, fitted to measurement: with it the rate is right to within a thousandth from 3,000 keys on, or 20,000 with bumped rows of 128 bits. Below that a bumped
//! ribbon with short blocks errs up to 1.5 % less often than predicted.

use crate::lanes::LANES;
use crate::params::{MAX_COLUMNS, MAX_ITEMS};
use crate::shape::{Layer, expected, limit_of_passed_on, most};
use crate::width::Row;
use crate::{Kind, RibbonParams};
use amq_core::numeric::{first_true, hash_floor, last_true};
use amq_core::{Budget, Goal, Plan, PlanError, PredictedFpr};

/// The rate of a filter with these parameters that holds `items` keys: the same for every number but zero.
pub fn fpr<K: Kind>(params: &RibbonParams, items: u64) -> PredictedFpr {
    let mean = match (params.check(), items) {
        (Err(_), _) => f64::NAN,
        (Ok(()), 0) => 0.0,
        (Ok(()), _) => {
            let rate = rate::<K>(params);
            rate + (1.0 - rate) * hash_floor(items)
        }
    };
    PredictedFpr {
        mean,
        sd: if mean.is_nan() { f64::NAN } else { 0.0 },
    }
}

/// That of all columns, and as much again for the keys whose answer is in a block with a column less. Every layer has the same share of such blocks, to within one.
fn rate<K: Kind>(params: &RibbonParams) -> f64 {
    let shape = params.shape::<K>();
    let keys = |layer: usize| params.keys.get(layer).map_or(0.0, |&keys| keys as f64);
    let short = |(i, layer): (usize, &Layer)| {
        // An absent key is passed on as often as a present one.
        keys(i) * layer.short_of_answered::<K::Row>(keys(i + 1) / keys(i).max(1.0))
    };
    let short: f64 = shape.layers().iter().enumerate().map(short).sum();
    libm::exp2(-f64::from(params.columns)) * (1.0 + short / keys(0).max(1.0))
}

/// Bits per key that a large filter takes at this rate.
pub fn bits_per_key<K: Kind>(fpr: f64) -> f64 {
    plan::<K>(Goal::fpr(1_000_000, fpr)).map_or(f64::NAN, |plan| plan.bits_per_key())
}

/// As little more than the rate asked for, relatively, is still that rate.
const NEGLIGIBLE: f64 = 1e-6;

/// The smallest filter for a rate, or the best for a size. The rate is met to within a millionth: what two keys of one 64-bit hash add may come on top, as
/// long as it is no more.
///
/// How many keys are passed on differs from filter to filter. The parameters have the expected numbers, the bytes are those of the most that are passed on in
/// all but about one filter in a hundred.
pub fn plan<K: Kind>(goal: Goal) -> Result<Plan<RibbonParams>, PlanError> {
    goal.check(1)?;
    if goal.items > MAX_ITEMS {
        return Err(PlanError::Items {
            items: goal.items,
            min: 1,
            max: MAX_ITEMS,
        });
    }
    let keys = expected::<K>(goal.items);
    let with = |columns: u32, short: u32| RibbonParams {
        columns,
        short,
        keys,
        widened: 0,
    };
    let largest = RibbonParams {
        keys: most::<K>(goal.items),
        ..with(1, 0)
    };
    let params = match goal.budget {
        Budget::Fpr(asked) => {
            // Where what 64-bit hashes add is next to nothing it is left out of account: a rate of a whole number of bits would cost another one.
            let floor = hash_floor(goal.items);
            let least = if floor < NEGLIGIBLE * asked {
                asked
            } else {
                asked - floor
            };
            let columns = libm::ceil(-libm::log2(least)).max(1.0);
            if columns > f64::from(MAX_COLUMNS) {
                return Err(PlanError::FprUnreachable {
                    fpr: asked,
                    lowest: libm::exp2(-f64::from(MAX_COLUMNS)) + hash_floor(goal.items),
                    items: goal.items,
                });
            }
            let columns = columns as u32;
            let meets =
                |short: u64| fpr::<K>(&with(columns, short as u32), goal.items).mean <= asked;
            let most = if columns == 1 { 0 } else { u32::MAX.into() };
            with(columns, last_true(0, most, meets) as u32)
        }
        Budget::BitsPerKey(_) | Budget::Bytes(_) => RibbonParams {
            keys,
            ..within::<K>(largest, goal.max_bits() / 8)?
        },
    };
    let largest = RibbonParams {
        keys: largest.keys,
        ..params
    };
    let bytes = largest.bytes::<K>();
    Ok(Plan {
        items: goal.items,
        bytes,
        expected_fpr: fpr::<K>(&params, goal.items).mean,
        build_bytes: bytes + build_bytes::<K>(&largest),
        params,
    })
}

/// These parameters with the most columns, and then the fewest short blocks, that fit.
pub(crate) fn within<K: Kind>(
    params: RibbonParams,
    allowed: u64,
) -> Result<RibbonParams, PlanError> {
    let with = |columns: u32, short: u64| {
        let mut params = params;
        (params.columns, params.short) = (columns, short as u32);
        params
    };
    let fits = |params: &RibbonParams| params.bytes::<K>() <= allowed;
    // A column less in every block would be none.
    let most_short = |columns: u32| if columns == 1 { 0 } else { u32::MAX.into() };
    let Some(columns) = (1..=MAX_COLUMNS)
        .rev()
        .find(|&columns| fits(&with(columns, most_short(columns))))
    else {
        return Err(PlanError::Bytes {
            bytes: allowed,
            min: with(1, 0).bytes::<K>(),
        });
    };
    Ok(with(
        columns,
        first_true(0, most_short(columns), |short| fits(&with(columns, short))),
    ))
}

/// Memory for building beside the filter, at most: the hashes, and those passed on; and what is worked on in each lane, for a shard of the first layer, which are
/// the largest. (With the feature `parallel` each thread has as many lanes.)
fn build_bytes<K: Kind>(params: &RibbonParams) -> u64 {
    let items = params.keys[0];
    let shape = params.shape::<K>();
    let Some(layer) = shape.layers().first() else {
        return 0;
    };
    let shards = layer.shards();
    let starts = layer.starts_of(0).1 as f64;
    let keys = layer.limit_of_shard(items) as f64;
    let passed_on = match shape.len {
        1 => 0,
        _ => limit_of_passed_on::<K::Row>(items, 0),
    };
    let buckets = |starts: f64| starts / K::Row::BUCKET as f64 + 1.0;
    let all =
        8.0 * (items + passed_on) as f64 + buckets(layer.starts as f64) + 128.0 * shards as f64;
    // For each slot a row, its result, and a place in the order; for each key itself, in that order, and where it went; for each bucket a threshold and a range.
    let slots = starts + 2.0 * K::Row::BITS as f64 + K::Row::BUCKET as f64;
    let of_slots = slots * (size_of::<K::Row>() + 8) as f64;
    let lane = of_slots + keys * 12.0 + buckets(slots) * 10.0;
    // A group's keys that are passed on; or a shard's keys once more, where a seed has failed.
    let group = (8 * passed_on) as f64 / shards as f64 * LANES as f64;
    let lanes = shards.min(LANES as u64) as f64 * lane;
    (all + lanes + group.max(keys * 8.0)) as u64 + 4096
}
