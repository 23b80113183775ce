//! How many slots there are for so many keys, and in what order they lie: everything about a filter but what is in it.

use crate::Kind;
use crate::construction::slots_for;
use crate::width::Row;

/// Layers a filter can have at most: those that pass keys on, and the last one.
pub const MAX_LAYERS: usize = 6;

/// Slots that the shards of a large layer have, about: what is worked on while a shard is built stays in a second-level cache.
const SHARD: f64 = 32_768.0;
/// How many fewer slots than keys a layer has that passes some on.
const OVERLOAD: f64 = 0.05;
/// The share of its slots that stay empty all the same, and how many more at the end of each shard, as a share of a row.
const EMPTY: f64 = 0.0005;
const EMPTY_AT_END: f64 = 0.4;
/// As few keys go into the last layer, which passes none on and needs more slots than keys.
const FEW: u64 = 1200;

/// One layer: shards of equal size, one after another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Layer {
    /// How many shards.
    pub(crate) shards: u64,
    /// Slots of each, a multiple of the row's bits.
    pub(crate) slots: u64,
    /// Where in a shard a row can begin.
    pub(crate) starts: u64,
    /// Thresholds of each shard.
    pub(crate) buckets: u64,
    /// Words of earlier layers.
    pub(crate) first_word: u64,
    /// Thresholds of earlier layers.
    pub(crate) first_bucket: u64,
    /// The first so many blocks have a column less than the others.
    pub(crate) short: u64,
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
            shape.push::<K::Row>(
                match passes_on {
                    true => bumping::<K::Row>(n),
                    false => last::<K>(n + n.div_ceil(10) * u64::from(widened)),
                },
                columns,
            );
            if !passes_on {
                break;
            }
        }
        shape
    }

    fn push<W: Row>(&mut self, (shards, slots): (u64, u64), columns: Columns) {
        let blocks = shards * slots / W::BITS;
        let mut layer = Layer {
            shards,
            slots,
            starts: slots - W::BITS + 1,
            buckets: slots.div_ceil(W::BUCKET),
            first_word: self.words,
            first_bucket: 0,
            short: columns.short_of(blocks),
        };
        if let Some(before) = self.len.checked_sub(1).map(|last| self.layers[last]) {
            layer.first_bucket = before.first_bucket + before.shards * before.buckets;
        }
        self.buckets = layer.first_bucket;
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
    K::BUMPS && layer + 1 < MAX_LAYERS && keys > FEW
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
        let (shards, slots) = bumping::<K::Row>(left);
        let at_end = EMPTY_AT_END * K::Row::BITS as f64;
        let kept = shards as f64 * (slots as f64 * (1.0 - EMPTY) - at_end);
        left = (left as f64 - kept).max(0.0) as u64;
    }
    keys
}

/// Shards, and slots of each, of a layer that passes keys on.
fn bumping<W: Row>(keys: u64) -> (u64, u64) {
    let slots = keys as f64 * (1.0 - OVERLOAD);
    let shards = libm::round(slots / SHARD).max(1.0);
    let blocks = libm::round(slots / shards / W::BITS as f64).max(2.0);
    (shards as u64, blocks as u64 * W::BITS)
}

/// The same of a layer that keeps all keys.
fn last<K: Kind>(keys: u64) -> (u64, u64) {
    let shards = libm::round(keys as f64 / K::LAST_SHARD).max(1.0);
    let each = keys as f64 / shards;
    // Shards are not equally full. Those that are fuller than this find a seed, too, but not as soon.
    let spread = if shards > 1.0 {
        2.5 * libm::sqrt(each)
    } else {
        0.0
    };
    let slots = slots_for::<K::Row>(each + spread);
    let bits = K::Row::BITS;
    let blocks = libm::ceil(slots / bits as f64);
    (shards as u64, blocks as u64 * bits)
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
                    let blocks = layer.shards * layer.slots / 64;
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
                    buckets += layer.shards * layer.buckets;
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
                let load = keys as f64 / (layer.shards * layer.slots) as f64;
                assert!((1.02..1.09).contains(&load), "{load}");
            }
            assert!(last.slots > keys[bumping.len()]);
            let one = Shape::new::<Standard>(
                &expected::<Standard>(items),
                0,
                Columns { most: 1, short: 0 },
            );
            assert_eq!((one.layers().len(), one.buckets), (1, 0));
        }
    }
}
