//! The filters of blocks: split-block and wide-block.

use crate::block::Block;
use crate::layout::{self, Layout};
use crate::of_blocks::of_blocks;
use crate::operators::operators;
use crate::params::folded;
use crate::probing::partition::blocks;
use crate::theory::{blocked, wide};
use crate::wide_block::WideBlock;
use crate::{BlockedParams, FoldError, WideBlockedParams, simd};
use alloc::vec::Vec;
use amq_core::internal::{Entry, Header, OneTable, Opened};
use amq_core::{
    BuildError, DecodeError, Filter, FilterKind, Inserted, KeyHash, MergeError, Parts, PlanError,
};

of_blocks! {
    /// The split-block Bloom filter: a key is eight bits in one 32-byte block, one in each of its
    /// eight words.
    ///
    /// Every operation touches one cache line. That costs a tenth more space than
    /// [`BloomFilter`](crate::BloomFilter) at 1 %, a sixth at 0.1 %. The layout is that of Apache
    /// Parquet: the same 64-bit hashes set the same bits. (Parquet hashes with XXH64 and seed 0. To
    /// read or write its filters, hash that way and use the methods that take a [`KeyHash`].)
    ///
    /// `S` holds the blocks: a vector, or a borrowed slice for a [view](crate::BlockedBloomView).
    /// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
    BlockedBloomFilter "BlockedBloomFilter", BlockedBloomView;
    Block [u32; 8], BlockedParams, blocked, BlockedBloom, differ in "blocks or seed";

    /// A filter with given blocks, as [`blocks`](BlockedBloomFilter::blocks) returns them: one read
    /// from a Parquet file, for example.
    ///
    /// Their number must match the parameters. Nothing else can be checked: a wrong seed or a
    /// damaged table denies keys.
    ///
    /// If the keys were not hashed by [`KeyHash::of`], make it a
    /// [`Prehashed`](amq_core::Prehashed) filter. So it is with Parquet, which hashes the plain
    /// encoding of a value by XXH64 with seed 0: ask such a filter by hash,
    /// `contains_hash(KeyHash::new(xxh64(value, 0)))`.
    from_blocks_unchecked;

    /// The mean over the blocks of the product of their words' fills, plus the floor of the
    /// half hash that chooses the bits: the exact rate of this filter with the bits it has set.
    /// (Beyond about 10^8 blocks, where half a hash no longer chooses them evenly, it is a few
    /// percent too low.) Reads the whole table.
    expected_fpr;

    /// The blocks. Their words, written as little-endian bytes one after another, are the bitset of
    /// a Parquet Bloom filter.
    blocks;
}

of_blocks! {
    /// The wide-block Bloom filter: a key is a few bits in one 64-byte block, spread evenly over
    /// its eight words.
    ///
    /// As [`BlockedBloomFilter`] it touches one cache line an operation, but it uses the whole
    /// line, and as many bits per key as suit the rate. So it takes 6 % less space at 1 %, 8 % at
    /// 0.1 % and 16 % at 0.01 %. Its table is no other program's: for Parquet use the split-block
    /// filter.
    ///
    /// ```
    /// use amq_bloom::{BlockedBloomFilter, Goal, WideBlockedBloomFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let goal = Goal::fpr(1_000_000, 0.0001);
    /// let mut seen = WideBlockedBloomFilter::new(goal)?;
    /// seen.insert("10.0.0.7");
    /// assert!(seen.contains("10.0.0.7") && !seen.contains("10.0.0.8"));
    /// // 2.76 MB with twelve bits per key, where eight bits in 32 bytes take 3.29 MB.
    /// assert_eq!(seen.params().probes, 12);
    /// let split = BlockedBloomFilter::plan(goal)?.bytes;
    /// assert!((seen.size_in_bytes() as f64) < 0.85 * split as f64);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// `S` holds the blocks: a vector, or a borrowed slice for a
    /// [view](crate::WideBlockedBloomView). See the [crate's documentation](crate) for the picture,
    /// the algorithm and the formulas.
    WideBlockedBloomFilter "WideBlockedBloomFilter", WideBlockedBloomView;
    WideBlock [u64; 8], WideBlockedParams, wide, WideBlockedBloom,
    differ in "blocks, probes or seed";

    /// A filter with given blocks, as [`blocks`](WideBlockedBloomFilter::blocks) returns them.
    ///
    /// Their number must match the parameters. Nothing else can be checked: a wrong seed or a
    /// damaged table denies keys.
    from_blocks_unchecked;

    /// The mean, over the blocks and the words that a key can choose in them, of the product of
    /// the words' fills, plus the floor of the half hash that chooses the bits: the exact rate
    /// of this filter with the bits it has set. Reads the whole table.
    expected_fpr;

    /// The blocks.
    blocks;
}
