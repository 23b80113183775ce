//! Geometry: from the number of keys to layers, shards, blocks and slots. Holds no data.

use crate::layer::{Columns, Layer};
use crate::row::BITS;
use crate::sizing::{self, FEW, MAX_LAYERS, bumps};

/// The standard deviations that a plan allows for each layer's bumped keys above the stated number,
/// and above the mean. Two in each layer are two and a half of the sum, since layers vary
/// independently: all but one in a hundred filters stay within.
const ABOVE_STATED: f64 = 3.0;
const ABOVE_MEAN: f64 = 2.0;

/// The layers of a filter, and their sizes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Geometry {
    pub(crate) layers: [Layer; MAX_LAYERS],
    /// The number of layers.
    pub(crate) len: usize,
    /// Thresholds of all layers but the last.
    pub(crate) buckets: u64,
    /// Words of all layers.
    pub(crate) words: u64,
}

impl Geometry {
    /// The geometry for `keys` keys in each layer, expected or counted. The last layer is planned
    /// for `widened` tenths more keys. Without keys there are no layers.
    pub(crate) fn new(keys: &[u64; MAX_LAYERS], widened: u32, columns: Columns) -> Self {
        let mut geometry = Self::default();
        if keys[0] == 0 {
            return geometry;
        }
        for (i, &n) in keys.iter().enumerate() {
            let bumps = bumps(i, n);
            let layer = match bumps {
                true => sizing::bumping(n, i),
                false => sizing::last(n + n.div_ceil(10) * u64::from(widened)),
            };
            let (starts, shard_bits) = layer;
            let mut layer = Layer {
                starts,
                shard_bits,
                first_word: geometry.words,
                first_bucket: geometry.buckets,
                short: 0,
            };
            layer.short = columns.short_of(layer.blocks());
            geometry.push(layer, bumps, columns.most);
            if !bumps {
                break;
            }
        }
        geometry
    }

    /// Appends a layer. Its words and buckets begin where those of the previous layer end.
    pub(crate) fn push(&mut self, layer: Layer, bumps: bool, most: u32) {
        if bumps {
            self.buckets += layer.buckets();
        }
        self.words += layer.blocks() * u64::from(most) - layer.short;
        self.layers[self.len] = layer;
        self.len += 1;
    }

    /// The layers, first to last.
    #[inline(always)]
    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers[..self.len]
    }

    /// Bytes of words, of thresholds and of seeds.
    pub(crate) fn parts(&self) -> [u64; 3] {
        let seeds = self.layers().last().map_or(0, Layer::shards);
        [self.words * size_of::<u64>() as u64, self.buckets.div_ceil(32) * 8, seeds]
    }

    /// Bytes of all three parts.
    pub(crate) fn bytes(&self) -> u64 {
        self.parts().into_iter().sum()
    }

    /// Slots of all layers.
    pub(crate) fn slots(&self) -> u64 {
        self.layers().iter().map(|layer| layer.blocks() * BITS).sum()
    }
}

/// Upper bounds on the keys in each layer, for all but about one in a hundred filters of this size.
pub(crate) fn most(total: u64) -> [u64; MAX_LAYERS] {
    let mut keys = [0; MAX_LAYERS];
    keys[0] = total;
    most_from(&mut keys, 0);
    keys
}

/// Fills in the layers after `layer`.
fn most_from(keys: &mut [u64; MAX_LAYERS], layer: usize) {
    let n = keys[layer];
    if !bumps(layer, n) {
        return;
    }
    let (mean, spread) = (sizing::bumped(n, layer), sizing::spread(n));
    let stated = sizing::stated(n, layer);
    // The mean matters from two million keys on.
    let bumped = (stated + ABOVE_STATED * spread).max(mean + ABOVE_MEAN * spread);
    // A layer with fewer keys may round its blocks down where this plan rounds up.
    let rounding = if layer == 0 { 0 } else { BITS / 2 };
    keys[layer + 1] = (bumped as u64 + 1 + rounding).min(n);
    let mut last = *keys;
    most_from(keys, layer + 1);
    // A last layer, with fewer keys, may be larger than one that bumps some.
    let fewest = stated - ABOVE_STATED * spread - rounding as f64;
    if bumps(layer + 1, keys[layer + 1]) && fewest <= FEW as f64 {
        last[layer + 1] = FEW;
        let one = Columns { most: 1, short: 0 };
        let words = |keys| Geometry::new(keys, 0, one).words;
        if words(&last) > words(keys) {
            *keys = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::expected;

    #[test]
    fn layers_follow_one_another_and_share_the_short_blocks() {
        for total in [1u64, 100, 1201, 50_000, 3_000_000, 1 << 33] {
            let keys = expected(total);
            assert!(keys.is_sorted_by(|a, b| a > b || *b == 0), "{keys:?}");
            for short in [0, 1 << 30, u32::MAX] {
                let columns = Columns { most: 8, short };
                let geometry = Geometry::new(&keys, 0, columns);
                let (mut words, mut buckets) = (0, 0);
                for layer in geometry.layers() {
                    assert_eq!((layer.first_word, layer.first_bucket), (words, buckets));
                    let blocks = layer.blocks();
                    assert_eq!(layer.block(blocks, 8).0 as u64, words + blocks * 8 - layer.short);
                    assert!(layer.short.abs_diff(columns.short_of(blocks)) == 0);
                    // Every block begins where the one before ends.
                    for block in (0..blocks).take(5000) {
                        let (word, columns) = layer.block(block, 8);
                        assert_eq!(word + columns, layer.block(block + 1, 8).0);
                    }
                    words += blocks * 8 - layer.short;
                    buckets += layer.buckets();
                    // And every shard where the one before ends.
                    let mut end = (0, 0);
                    for shard in 0..layer.shards() {
                        let extent = layer.extent(shard);
                        assert_eq!((extent.first, extent.first_block), end);
                        end = (extent.first + extent.starts, extent.first_block + extent.blocks);
                        let last = layer.block_of(end.0 - 1);
                        assert!(last < end.1 && last + 2 >= end.1);
                    }
                    assert_eq!(end, (layer.starts, blocks));
                }
                assert_eq!(geometry.words, words);
            }
        }
    }

    #[test]
    fn a_bumping_layer_has_fewer_slots_than_keys_the_last_one_more() {
        for total in [2000u64, 77_777, 10_000_000] {
            let keys = expected(total);
            let geometry = Geometry::new(&keys, 0, Columns { most: 1, short: 0 });
            let [bumping @ .., last] = geometry.layers() else {
                panic!("no layer");
            };
            for (layer, keys) in bumping.iter().zip(keys) {
                let load = keys as f64 / (layer.blocks() * 64) as f64;
                assert!((1.02..1.09).contains(&load), "{load}");
            }
            assert!(last.blocks() * 64 > keys[bumping.len()]);
        }
    }
}
