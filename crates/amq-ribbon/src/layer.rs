//! The geometry of one layer: starts, shards, blocks and words. Holds no data.

use crate::row::{self, BITS, BUCKET};

/// One layer: the positions at which a row can start, cut into shards.
///
/// The shards have equal sizes, except that the last may be smaller. Each has one block more than
/// its starts fill, for its last rows:
///
/// ```text
///   starts   0 ................ 65535 | 65536 ........... |
///   blocks   0 1 2 ........ 1023 1024 | 1025 1026 ... end |
///
///   a row that starts at s starts in block s / BITS + s / shard
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Layer {
    /// Start positions of all shards: one more than a multiple of a row's bits.
    pub(crate) starts: u64,
    /// Log2 of the starts in a shard.
    pub(crate) shard_bits: u32,
    /// Words in earlier layers.
    pub(crate) first_word: u64,
    /// Thresholds in earlier layers.
    pub(crate) first_bucket: u64,
    /// The number of short blocks, which have one column less and are the first of the layer.
    pub(crate) short: u64,
}

/// A shard's share of its layer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Extent {
    /// Its first start, and the number of its starts.
    pub(crate) first: u64,
    pub(crate) starts: u64,
    /// Its first block, and the number of its blocks.
    pub(crate) first_block: u64,
    pub(crate) blocks: u64,
}

impl Layer {
    /// The start of a hash. In the last layer it only chooses the shard.
    #[inline(always)]
    pub(crate) const fn start(&self, hash: u64) -> u64 {
        row::start(hash, self.starts)
    }

    /// The shard that a start lies in.
    #[inline(always)]
    pub(crate) const fn shard(&self, start: u64) -> u64 {
        start >> self.shard_bits
    }

    /// The number of shards.
    pub(crate) const fn shards(&self) -> u64 {
        self.starts.div_ceil(1 << self.shard_bits)
    }

    /// A shard's first start, and the number of its starts.
    #[inline(always)]
    pub(crate) fn starts_of(&self, shard: u64) -> (u64, u64) {
        let first = shard << self.shard_bits;
        (first, (self.starts - first).min(1 << self.shard_bits))
    }

    /// A shard's starts and blocks.
    pub(crate) fn extent(&self, shard: u64) -> Extent {
        let (first, starts) = self.starts_of(shard);
        let blocks = (starts - 1) / BITS + 1;
        // The last row of a full shard extends into one block more.
        let blocks = blocks + u64::from(starts % BITS == 0);
        Extent { first, starts, first_block: self.block_of(first), blocks }
    }

    /// The block in which a row starts.
    #[inline(always)]
    pub(crate) const fn block_of(&self, start: u64) -> u64 {
        start / BITS + self.shard(start)
    }

    /// Blocks of all shards.
    pub(crate) const fn blocks(&self) -> u64 {
        self.starts / BITS + self.shards()
    }

    /// The most of the layer's `keys` that one shard gets by chance, at eight standard deviations.
    /// With more, the keys were chosen or repeated.
    pub(crate) fn limit_of_shard(&self, keys: u64) -> u64 {
        let (_, starts) = self.starts_of(0);
        let mean = keys as f64 * starts as f64 / self.starts as f64;
        ((mean + 8.0 * libm::sqrt(mean)) as u64 + 64).min(keys)
    }

    /// Thresholds of all shards, if the layer bumps keys.
    pub(crate) const fn buckets(&self) -> u64 {
        self.starts.div_ceil(BUCKET)
    }

    /// A block's first word, and its columns. Blocks that are not short have `most` columns.
    #[inline(always)]
    pub(crate) fn block(&self, block: u64, most: u32) -> (usize, usize) {
        let most = u64::from(most);
        let (long_before, is_short) = block.overflowing_sub(self.short);
        let long_before = if is_short { 0 } else { long_before };
        let word = self.first_word + block * (most - 1) + long_before;
        (word as usize, (most - u64::from(is_short)) as usize)
    }
}

/// The bits that the solution has per slot.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Columns {
    /// Columns of most blocks, 1 to 32.
    pub(crate) most: u32,
    /// The share of blocks that have one column less, in units of 2^-32.
    pub(crate) short: u32,
}

impl Columns {
    /// Bytes of a slot if the solution is stored slot by slot, that is, if every slot has the same
    /// whole number of bytes; otherwise zero.
    pub(crate) const fn slot_bytes(self) -> u32 {
        match self.short == 0 && self.most.is_multiple_of(8) {
            true => self.most / 8,
            false => 0,
        }
    }

    /// How many of `blocks` blocks are short. The share is the same in every layer, so the rate
    /// does not depend on the layer.
    pub(crate) const fn short_of(self, blocks: u64) -> u64 {
        ((blocks as u128 * self.short as u128) >> 32) as u64
    }
}
