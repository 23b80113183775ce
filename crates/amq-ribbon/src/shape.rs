//! How many slots there are for so many keys, and in what order they lie: everything about a filter but what is in it.

use crate::Kind;
use crate::construction::slots_for;
use crate::lanes::LANES;
use crate::width::{self, Row};
use amq_core::numeric::last_true;

/// Layers a filter can have at most: those that pass keys on, and the last one.
pub const MAX_LAYERS: usize = 6;

/// Starts of a shard of the first layer, if that passes keys on, as a power of two: each shard wastes some half of a row, and what is worked on while four are
/// built is to stay near the processor.
const LARGE_SHARD: u32 = 16;
/// The same where there would be fewer large ones than lanes: three shards at 100,000 keys, built in four fifths of the time.
const SMALL_SHARD: u32 = 15;
/// The same of the layers after the first, which get a twentieth of the keys.
const LATER_SHARD: u32 = 13;
/// How many fewer slots than keys a layer has that passes some on.
const OVERLOAD: f64 = 0.05;
/// The share of its slots that stay empty all the same, and how many more at the end of each shard, as a share of a row.
const EMPTY: f64 = 0.0005;
const EMPTY_AT_END: f64 = 0.4;
/// A layer after the first with at most this many keys is the last, which passes none on and needs more slots than keys.
const FEW: u64 = 1200;

/// Standard deviation of the number of keys that a layer passes on: `sqrt(a + b keys)`. Measured, 1,270 to 300,000 keys.
const fn spread_of<W: Row>() -> (f64, f64) {
    match W::BITS {
        64 => (100.0, 0.0165),
        _ => (400.0, 0.033),
    }
}
/// Standard deviations that a plan allows each layer, and those beyond which its keys must have been chosen.
const PLANNED_SPREAD: f64 = 3.0;
const CHOSEN_SPREAD: f64 = 10.0;

/// One layer: so many places where a row can begin, cut into shards of equal size but for the last one. Each shard has a block of slots more
/// than its starts fill, into which the last rows reach:
///
/// ```text
///   starts   0 ................ 65535 | 65536 ........... |
///   blocks   0 1 2 ........ 1023 1024 | 1025 1026 ... end |      a row that begins at start s begins in block s / bits + s / shard
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Layer {
    /// Where a row can begin, in all shards: one more than a multiple of a row's bits.
    pub(crate) starts: u64,
    /// Starts of a shard, as a power of two.
    pub(crate) shard_bits: u32,
    /// Words of earlier layers.
    pub(crate) first_word: u64,
    /// Thresholds of earlier layers.
    pub(crate) first_bucket: u64,
    /// The first so many blocks have a column less than the others.
    pub(crate) short: u64,
}

/// What a shard has of its layer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Part {
    /// Its first start, and how many it has.
    pub(crate) first: u64,
    pub(crate) starts: u64,
    /// Its first block, and how many it has.
    pub(crate) first_block: u64,
    pub(crate) blocks: u64,
}

impl Layer {
    /// Which start a hash has in a layer that passes keys on; in the last layer it says only in which shard it has one.
    #[inline(always)]
    pub(crate) const fn start(&self, hash: u64) -> u64 {
        width::start(hash, self.starts)
    }

    /// The shard of a start.
    #[inline(always)]
    pub(crate) const fn shard(&self, start: u64) -> u64 {
        start >> self.shard_bits
    }

    /// How many shards there are.
    pub(crate) const fn shards(&self) -> u64 {
        self.starts.div_ceil(1 << self.shard_bits)
    }

    /// The first start of a shard, and how many it has.
    #[inline(always)]
    pub(crate) fn starts_of(&self, shard: u64) -> (u64, u64) {
        let first = shard << self.shard_bits;
        (first, (self.starts - first).min(1 << self.shard_bits))
    }

    /// What a shard has.
    pub(crate) fn part<W: Row>(&self, shard: u64) -> Part {
        let (first, starts) = self.starts_of(shard);
        let blocks = (starts - 1) / W::BITS + 1;
        // A full shard's last row reaches into one more.
        let blocks = blocks + u64::from(starts % W::BITS == 0);
        Part {
            first,
            starts,
            first_block: self.block_of::<W>(first),
            blocks,
        }
    }

    /// The block in which a row begins.
    #[inline(always)]
    pub(crate) const fn block_of<W: Row>(&self, start: u64) -> u64 {
        start / W::BITS + self.shard(start)
    }

    /// Blocks of all shards.
    pub(crate) const fn blocks<W: Row>(&self) -> u64 {
        self.starts / W::BITS + self.shards()
    }

    /// How many of a layer's keys one shard gets before somebody must have chosen them, or repeated them: eight standard deviations over the mean.
    pub(crate) fn limit_of_shard(&self, keys: u64) -> u64 {
        let (_, starts) = self.starts_of(0);
        let mean = keys as f64 * starts as f64 / self.starts as f64;
        ((mean + 8.0 * libm::sqrt(mean)) as u64 + 64).min(keys)
    }

    /// Thresholds of all shards, if it passes keys on.
    pub(crate) const fn buckets<W: Row>(&self) -> u64 {
        self.starts.div_ceil(W::BUCKET)
    }

    /// The words of a block: the first one, and how many.
    #[inline(always)]
    pub(crate) fn block(&self, block: u64, most: u32) -> (usize, usize) {
        let most = u64::from(most);
        let (long_before, is_short) = block.overflowing_sub(self.short);
        let long_before = if is_short { 0 } else { long_before };
        let word = self.first_word + block * (most - 1) + long_before;
        (word as usize, (most - u64::from(is_short)) as usize)
    }

    /// Of what comes to this layer, the share that is answered from a block with a column less, if this share is passed on.
    pub(crate) fn short_of_answered<W: Row>(&self, passed_on: f64) -> f64 {
        // The shard in which the short blocks end, and those before it, which are short as a whole.
        let full = (1 << self.shard_bits) / W::BITS + 1;
        let shard = (self.short / full).min(self.shards() - 1);
        let part = self.part::<W>(shard);
        let blocks = self.short.saturating_sub(part.first_block);
        let in_short = (blocks * W::BITS).min(part.starts);
        let all = self.starts as f64;
        let short = (part.first + in_short) as f64;
        // What is passed on comes from the starts where any is.
        let passing_in = |shard: u64, starts: u64| {
            shard as f64 * passing::<W>(1 << self.shard_bits) + passing::<W>(starts)
        };
        let last = self.shards() - 1;
        let passing_in_all = passing_in(last, self.starts_of(last).1).max(1.0);
        let passing_in_short = passing_in(shard, in_short);
        short / all - passed_on * passing_in_short / passing_in_all
    }
}

/// Of so many starts at the beginning of a shard, how many pass keys on, in effect: the overload has to add up to a row before there is no room. Measured:
/// passing on begins after some three rows' lengths and is as everywhere after some seventeen, with rows of 64 bits and of 128.
fn passing<W: Row>(starts: u64) -> f64 {
    let (starts, row) = (starts as f64, W::BITS as f64);
    let (from, to) = (3.0 * row, 17.0 * row);
    let beyond = (starts - to).max(0.0);
    let rising = (starts.min(to) - from).max(0.0);
    beyond + rising * rising / (2.0 * (to - from))
}

/// All layers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Shape {
    pub(crate) layers: [Layer; MAX_LAYERS],
    /// How many there are.
    pub(crate) len: usize,
    /// Thresholds of all layers but the last.
    pub(crate) buckets: u64,
    /// Words of all layers.
    pub(crate) words: u64,
}

impl Shape {
    /// The layers, the first one first.
    #[inline(always)]
    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers[..self.len]
    }

    /// The layers for these numbers of keys in each, as [`expected`] gives them, or as they came out.
    /// The last one is larger by so many tenths.
    pub(crate) fn new<K: Kind>(keys: &[u64; MAX_LAYERS], widened: u32, columns: Columns) -> Self {
        let mut shape = Self::default();
        for (i, &n) in keys.iter().enumerate() {
            let passes_on = passes_on::<K>(i, n);
            let layer = match passes_on {
                true => bumping::<K::Row>(n, i),
                false => last::<K>(n + n.div_ceil(10) * u64::from(widened)),
            };
            shape.push::<K::Row>(layer, passes_on, columns);
            if !passes_on {
                break;
            }
        }
        shape
    }

    fn push<W: Row>(
        &mut self,
        (starts, shard_bits): (u64, u32),
        passes_on: bool,
        columns: Columns,
    ) {
        let mut layer = Layer {
            starts,
            shard_bits,
            first_word: self.words,
            first_bucket: self.buckets,
            short: 0,
        };
        let blocks = layer.blocks::<W>();
        layer.short = columns.short_of(blocks);
        if passes_on {
            self.buckets += layer.buckets::<W>();
        }
        self.words += blocks * u64::from(columns.most) - layer.short;
        self.layers[self.len] = layer;
        self.len += 1;
    }
}

/// How many bits the solution has at each slot.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Columns {
    /// In most blocks, 1 to 32.
    pub(crate) most: u32,
    /// The share of blocks that have one less, in 2^32nds.
    pub(crate) short: u32,
}

impl Columns {
    /// Of so many blocks, how many have a column less: the same share in every layer, so that it does not matter which one answers.
    pub(crate) const fn short_of(self, blocks: u64) -> u64 {
        ((blocks as u128 * self.short as u128) >> 32) as u64
    }
}

/// Whether a layer with so many keys passes some on.
pub(crate) fn passes_on<K: Kind>(layer: usize, keys: u64) -> bool {
    K::BUMPS && layer + 1 < MAX_LAYERS && keys > if layer == 0 { K::ONE_LAYER } else { FEW }
}

/// How many keys each layer is expected to get.
pub(crate) fn expected<K: Kind>(items: u64) -> [u64; MAX_LAYERS] {
    let mut keys = [0; MAX_LAYERS];
    let mut left = items;
    for (i, n) in keys.iter_mut().enumerate() {
        *n = left;
        if !passes_on::<K>(i, left) {
            break;
        }
        left = passed_on::<K::Row>(left, i) as u64;
    }
    keys
}

/// How many keys each layer gets at most, but for about one filter in a hundred.
pub(crate) fn most<K: Kind>(items: u64) -> [u64; MAX_LAYERS] {
    let mut keys = [0; MAX_LAYERS];
    keys[0] = items;
    most_from::<K>(&mut keys, 0);
    keys
}

/// Fills in the layers after this one.
fn most_from<K: Kind>(keys: &mut [u64; MAX_LAYERS], layer: usize) {
    let n = keys[layer];
    if !passes_on::<K>(layer, n) {
        return;
    }
    let mean = passed_on::<K::Row>(n, layer);
    let spread = PLANNED_SPREAD * spread::<K::Row>(n);
    // A later layer may have fewer keys than this, and its blocks may be rounded down where these are rounded up.
    let rounding = if layer == 0 { 0 } else { K::Row::BITS / 2 };
    keys[layer + 1] = ((mean + spread) as u64 + 1 + rounding).min(n);
    let mut last = *keys;
    most_from::<K>(keys, layer + 1);
    // A last layer of fewer keys may be larger than one that passes some on.
    if passes_on::<K>(layer + 1, keys[layer + 1]) && mean - spread - rounding as f64 <= FEW as f64 {
        last[layer + 1] = FEW;
        let one = Columns { most: 1, short: 0 };
        let words = |keys| Shape::new::<K>(keys, 0, one).words;
        if words(&last) > words(keys) {
            *keys = last;
        }
    }
}

/// How many keys a layer passes on before somebody must have chosen them: far beyond the spread, and two buckets more, as a bucket is passed on whole.
pub(crate) fn limit_of_passed_on<W: Row>(keys: u64, layer: usize) -> u64 {
    let most = passed_on::<W>(keys, layer) + CHOSEN_SPREAD * spread::<W>(keys);
    (most as u64 + 2 * W::BUCKET).min(keys)
}

/// The mean number of keys that a layer passes on.
fn passed_on<W: Row>(keys: u64, layer: usize) -> f64 {
    let (starts, shard_bits) = bumping::<W>(keys, layer);
    let layer = Layer {
        starts,
        shard_bits,
        ..Layer::default()
    };
    let slots = (layer.blocks::<W>() * W::BITS) as f64;
    let at_end = EMPTY_AT_END * W::BITS as f64;
    let kept = slots * (1.0 - EMPTY) - at_end * layer.shards() as f64;
    (keys as f64 - kept).max(0.0)
}

/// The standard deviation of that number.
fn spread<W: Row>(keys: u64) -> f64 {
    let (constant, slope) = spread_of::<W>();
    libm::sqrt(constant + slope * keys as f64)
}

/// Starts, and those of a shard, of a layer that passes keys on, the first one or a later one.
fn bumping<W: Row>(keys: u64, layer: usize) -> (u64, u32) {
    let slots = keys as f64 * (1.0 - OVERLOAD);
    let shard = match layer {
        0 if slots >= (LANES << LARGE_SHARD) as f64 => LARGE_SHARD,
        0 => SMALL_SHARD,
        _ => LATER_SHARD,
    };
    let blocks = slots / W::BITS as f64;
    // Each shard has a block more than its starts fill.
    let shards = libm::ceil(blocks / (1.0 + (1 << shard) as f64 / W::BITS as f64));
    let mut whole = libm::round(blocks - shards).max(1.0) as u64;
    if whole % ((1 << shard) / W::BITS) == 0 {
        // The last start would be a shard of its own.
        whole -= 1;
    }
    (whole * W::BITS + 1, shard)
}

/// The same of a layer that keeps all keys.
fn last<K: Kind>(keys: u64) -> (u64, u32) {
    let (bits, shard) = (K::Row::BITS, 1u64 << K::LAST_SHARD);
    let one = slots_for::<K::Row>(keys as f64);
    let mut whole = if one <= shard as f64 {
        libm::ceil(one / bits as f64) - 1.0
    } else {
        // Shards are not equally full. Those that are fuller than this find a seed, too, but not as soon.
        let spread = |keys: u64| slots_for::<K::Row>(keys as f64 + 2.5 * libm::sqrt(keys as f64));
        let slots = (shard + bits - 1) as f64;
        let full = last_true(1, shard, |keys| spread(keys) <= slots);
        libm::ceil(keys as f64 / full as f64 * shard as f64 / bits as f64)
    };
    if whole > 0.0 && whole as u64 % (shard / bits) == 0 {
        // As above, but with a block more.
        whole += 1.0;
    }
    (whole as u64 * bits + 1, K::LAST_SHARD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bumped, Standard};

    #[test]
    fn layers_lie_one_after_another_and_short_blocks_are_spread_over_all() {
        for items in [1u64, 100, 1201, 50_000, 3_000_000, 1 << 33] {
            let keys = expected::<Bumped>(items);
            assert!(keys.is_sorted_by(|a, b| a > b || *b == 0), "{keys:?}");
            for short in [0, 1 << 30, u32::MAX] {
                let columns = Columns { most: 8, short };
                let shape = Shape::new::<Bumped>(&keys, 0, columns);
                let (mut words, mut buckets) = (0, 0);
                for layer in shape.layers() {
                    assert_eq!((layer.first_word, layer.first_bucket), (words, buckets));
                    let blocks = layer.blocks::<u64>();
                    assert_eq!(
                        layer.block(blocks, 8).0 as u64,
                        words + blocks * 8 - layer.short
                    );
                    assert!(layer.short.abs_diff(columns.short_of(blocks)) == 0);
                    // Every block begins where the one before ends.
                    for block in (0..blocks).take(5000) {
                        let (word, columns) = layer.block(block, 8);
                        assert_eq!(word + columns, layer.block(block + 1, 8).0);
                    }
                    words += blocks * 8 - layer.short;
                    buckets += layer.buckets::<u64>();
                    // And every shard where the one before does.
                    let mut end = (0, 0);
                    for shard in 0..layer.shards() {
                        let part = layer.part::<u64>(shard);
                        assert_eq!((part.first, part.first_block), end);
                        end = (part.first + part.starts, part.first_block + part.blocks);
                        let last = layer.block_of::<u64>(end.0 - 1);
                        assert!(last < end.1 && last + 2 >= end.1);
                    }
                    assert_eq!(end, (layer.starts, blocks));
                    let share = f64::from(short) / 2.0f64.powi(32);
                    let off = (layer.short_of_answered::<u64>(0.0) - share).abs();
                    assert!(off < 1.5 / blocks as f64 + 0.001, "{items} keys: {off}");
                }
                assert_eq!(shape.words, words);
            }
        }
    }

    #[test]
    fn a_layer_that_passes_keys_on_has_fewer_slots_than_keys_and_a_last_one_more() {
        for items in [2000u64, 77_777, 10_000_000] {
            let keys = expected::<Bumped>(items);
            let shape = Shape::new::<Bumped>(&keys, 0, Columns { most: 1, short: 0 });
            let [bumping @ .., last] = shape.layers() else {
                panic!("no layer");
            };
            for (layer, keys) in bumping.iter().zip(keys) {
                let load = keys as f64 / (layer.blocks::<u64>() * 64) as f64;
                assert!((1.02..1.09).contains(&load), "{load}");
            }
            assert!(last.blocks::<u64>() * 64 > keys[bumping.len()]);
            let one = Shape::new::<Standard>(
                &expected::<Standard>(items),
                0,
                Columns { most: 1, short: 0 },
            );
            assert_eq!((one.layers().len(), one.buckets), (1, 0));
        }
    }
}
