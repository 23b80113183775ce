//! Sizing: the slots of a layer for its keys, and the number of keys it bumps.

use crate::layer::Layer;
use crate::row::{BITS, BUCKET};
use amq_core::numeric::last_true;

/// The most layers: those that bump keys, and the last one.
pub const MAX_LAYERS: usize = 6;

/// Log2 of the starts in a shard of a first layer that bumps keys. Each shard wastes about half a
/// row, and its working set must stay in cache.
const LARGE_SHARD: u32 = 16;
/// As `LARGE_SHARD`, where there would be fewer large shards than [`ENOUGH`], too few for many
/// processors.
const SMALL_SHARD: u32 = 15;
const ENOUGH: u64 = 4;
/// As `LARGE_SHARD`, for later layers, each with a twentieth of the keys before it.
const LATER_SHARD: u32 = 13;
/// The share by which a bumping layer has fewer slots than keys.
const OVERLOAD: f64 = 0.05;
/// The empty slots that a plan assumes, see [`stated`]: constants of the first release.
const STATED: Empty = Empty { share: 0.0005, at_end: 0.4 };
/// Log2 of the starts in a shard of the last layer.
const LAST_SHARD: u32 = 14;
/// A layer of at most this many keys is the last: another would save less than its blocks waste.
pub(crate) const FEW: u64 = 1200;
/// Standard deviations beyond which the bumped keys must have been chosen; and the share of a
/// layer's keys by which the modelled mean may be off, see [`limit_of_bumped`].
const CHOSEN_SPREAD: f64 = 10.0;
const CHOSEN_SHARE: f64 = 0.001;

/// The slots of a bumping layer that stay empty.
#[derive(Clone, Copy)]
struct Empty {
    /// The share of all its slots.
    share: f64,
    /// Slots at the end of each shard, as a share of a row.
    at_end: f64,
}

/// Measured at 5 x 10^7 keys, in shards of 2^13 starts and of 2^16.
const EMPTY: Empty = Empty { share: 0.000485, at_end: 0.453 };

/// The standard deviation of the number of bumped keys is `sqrt(a + b keys)`. Measured from 1,270
/// to 300,000 keys.
const SPREAD: (f64, f64) = (100.0, 0.0165);

/// Whether a layer of `keys` keys bumps some.
pub(crate) fn bumps(layer: usize, keys: u64) -> bool {
    layer + 1 < MAX_LAYERS && keys > FEW
}

/// The keys of each layer in a plan for this many keys.
pub(crate) fn expected(total: u64) -> [u64; MAX_LAYERS] {
    let mut keys = [0; MAX_LAYERS];
    let mut left = total;
    for (i, n) in keys.iter_mut().enumerate() {
        *n = left;
        if !bumps(i, left) {
            break;
        }
        left = stated(left, i) as u64;
    }
    keys
}

/// The most keys that a layer bumps by chance: far beyond the spread, and two buckets more, since a
/// bucket may be bumped whole. With more, the keys were chosen.
///
/// The spread grows with the square root of the keys, but an error of the modelled mean grows with
/// the keys, and overtakes any number of deviations. A test holds the mean to 4 deviations at 5 x
/// 10^7 keys, which is 0.00007 of them. So a thousandth of the keys exceeds any error of the mean
/// that the test lets pass, at every number of keys.
pub(crate) fn limit_of_bumped(keys: u64, layer: usize) -> u64 {
    let chance = CHOSEN_SPREAD * spread(keys) + CHOSEN_SHARE * keys as f64;
    let most = bumped(keys, layer) + chance;
    (most as u64 + 2 * BUCKET).min(keys)
}

/// The mean number of keys that a layer bumps.
pub(crate) fn bumped(keys: u64, layer: usize) -> f64 {
    without_slots(keys, layer, EMPTY)
}

/// The number of bumped keys in a plan: up to a hundredth below the mean. The number of short
/// blocks follows from it, so with other constants the same keys would give another file.
pub(crate) fn stated(keys: u64, layer: usize) -> f64 {
    without_slots(keys, layer, STATED)
}

/// The keys of a bumping layer that exceed its slots.
fn without_slots(keys: u64, layer: usize, empty: Empty) -> f64 {
    let (starts, shard_bits) = bumping(keys, layer);
    let layer = Layer { starts, shard_bits, ..Layer::default() };
    let slots = (layer.blocks() * BITS) as f64;
    let at_end = empty.at_end * BITS as f64;
    let kept = slots * (1.0 - empty.share) - at_end * layer.shards() as f64;
    (keys as f64 - kept).max(0.0)
}

/// The standard deviation of the number of keys that a layer bumps.
pub(crate) fn spread(keys: u64) -> f64 {
    let (constant, slope) = SPREAD;
    libm::sqrt(constant + slope * keys as f64)
}

/// The starts of a layer that bumps keys, and log2 of those in a shard.
pub(crate) fn bumping(keys: u64, layer: usize) -> (u64, u32) {
    let slots = keys as f64 * (1.0 - OVERLOAD);
    let shard = match layer {
        0 if slots >= (ENOUGH << LARGE_SHARD) as f64 => LARGE_SHARD,
        0 => SMALL_SHARD,
        _ => LATER_SHARD,
    };
    let blocks = slots / BITS as f64;
    // Each shard has a block more than its starts fill.
    let shards = libm::ceil(blocks / (1.0 + (1 << shard) as f64 / BITS as f64));
    let mut whole = libm::round(blocks - shards).max(1.0) as u64;
    if whole.is_multiple_of((1 << shard) / BITS) {
        // The last start would be its own shard.
        whole -= 1;
    }
    (whole * BITS + 1, shard)
}

/// The starts of a layer that keeps all its keys, and log2 of those in a shard.
pub(crate) fn last(keys: u64) -> (u64, u32) {
    let shard = 1u64 << LAST_SHARD;
    let one = slots_for(keys as f64);
    let mut whole = if one <= shard as f64 {
        libm::ceil(one / BITS as f64) - 1.0
    } else {
        // Shards are not equally full. Fuller ones find a seed, too, but later.
        let spread = |keys: u64| slots_for(keys as f64 + 2.5 * libm::sqrt(keys as f64));
        let slots = (shard + BITS - 1) as f64;
        let full = last_true(1, shard, |keys| spread(keys) <= slots);
        libm::ceil(keys as f64 / full as f64 * shard as f64 / BITS as f64)
    };
    if whole > 0.0 && (whole as u64).is_multiple_of(shard / BITS) {
        // As above, but adds a block.
        whole += 1.0;
    }
    (whole as u64 * BITS + 1, LAST_SHARD)
}

/// The slots that one shard of a last layer needs for its keys, at which a tenth of the seeds fail.
/// Measured from 30 to 32,768 keys; the two lines bound the measurements from above.
pub(crate) fn slots_for(keys: f64) -> f64 {
    amq_core::internal::step(1);
    let overhead = 0.044 + 0.0075 * (libm::log2(keys.max(1.0)) - 11.5).max(0.0);
    keys * (1.0 + overhead) + 4.0
}
