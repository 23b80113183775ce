//! The split-block Bloom filter.

use crate::block::{Block, place};
use crate::theory::blocked as theory;
use crate::{BlockedParams, FoldError, simd};
use alloc::vec::Vec;
use amq_core::{
    BatchFull, Budget, BuildError, BuildFilter, DEFAULT_SEED, EmptyFilter, Filter, FilterKind,
    Full, Goal, InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError, MergeFilter,
    Plan, PlanError, PlanFilter, PredictedFpr, zeroed,
};
use core::fmt;

/// The split-block Bloom filter: a key is eight bits in one 32-byte block, one in each of its eight words.
///
/// Every operation touches one cache line. That costs a tenth more space than [`BloomFilter`](crate::BloomFilter) at 1 %, a
/// sixth at 0.1 %. The layout is that of Apache Parquet: the same 64-bit hashes set the same bits. (Parquet hashes with
/// XXH64 and seed 0; to read or write its filters hash that way and use the methods that take a [`KeyHash`].)
///
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct BlockedBloomFilter {
    blocks: Vec<Block>,
    seed: u64,
    capacity: u64,
    len: u64,
}

impl BlockedBloomFilter {
    /// An empty filter for a goal, with the public [`DEFAULT_SEED`].
    pub fn new(goal: Goal) -> Result<Self, BuildError> {
        Self::with_seed(goal, DEFAULT_SEED)
    }

    /// An empty filter for a goal, with a seed of one's own.
    pub fn with_seed(goal: Goal, seed: u64) -> Result<Self, BuildError> {
        Self::with_goal(goal, seed)
    }

    /// An empty filter with explicit parameters; `capacity` is what [`Filter::capacity`] will say.
    pub fn from_params(
        params: BlockedParams,
        capacity: u64,
        seed: u64,
    ) -> Result<Self, BuildError> {
        params.check()?;
        Ok(Self {
            blocks: zeroed(params.blocks)?,
            seed,
            capacity,
            len: 0,
        })
    }

    /// A filter with given blocks, as [`blocks`](BlockedBloomFilter::blocks) gives them: one read from a Parquet file, for
    /// example. `capacity` and `len` are what [`Filter::capacity`] and [`Filter::len`] will say.
    pub fn from_blocks(
        blocks: impl IntoIterator<Item = [u32; 8]>,
        seed: u64,
        capacity: u64,
        len: u64,
    ) -> Result<Self, PlanError> {
        let blocks: Vec<Block> = blocks.into_iter().map(Block).collect();
        let params = BlockedParams {
            blocks: blocks.len() as u64,
        };
        params.check()?;
        Ok(Self {
            blocks,
            seed,
            capacity,
            len,
        })
    }

    /// The blocks, each as its eight words. Written as little-endian bytes, one after another, they are the bitset of
    /// a Parquet Bloom filter.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = &[u32; 8]> {
        self.blocks.iter().map(|block| &block.0)
    }

    /// How many bits are set. Reads the whole table.
    pub fn count_ones(&self) -> u64 {
        self.blocks.iter().map(Block::count_ones).sum()
    }

    /// The share of bits that are set, 0 to 1. Reads the whole table.
    pub fn fill_ratio(&self) -> f64 {
        self.count_ones() as f64 / (self.blocks.len() as f64 * 256.0)
    }

    /// How many distinct keys are in, judged by the share of bits set; infinite when all are. Reads the whole table.
    ///
    /// Unlike [`Filter::len`] it is right after a union, and it counts the distinct keys that were false
    /// positives when they came.
    pub fn estimated_cardinality(&self) -> f64 {
        theory::items_of_fill(self.blocks.len() as u64, self.fill_ratio())
    }

    /// The estimated number of keys over the planned one: above 1 the rate is above the planned one, and when
    /// it is infinite every bit is set and every answer is `true`. Reads the whole table.
    pub fn saturation(&self) -> f64 {
        self.estimated_cardinality() / self.capacity.max(1) as f64
    }

    /// Keeps only what `other` has too: afterwards every key that was in both is still in.
    ///
    /// A key that was in one of them only is answered `true` no more often than by the other. [`Filter::len`]
    /// becomes the smaller of both. All or nothing.
    pub fn intersect_from(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (block, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            for (word, &theirs) in block.0.iter_mut().zip(&theirs.0) {
                *word &= theirs;
            }
        }
        self.len = self.len.min(other.len);
        Ok(())
    }

    /// A filter with the same keys in a table `factor` times smaller, and the higher rate that goes with it:
    /// the filter that would have been built at that size. `factor` must divide the number of blocks.
    pub fn fold(&self, factor: u64) -> Result<Self, FoldError> {
        FoldError::check("blocks", self.blocks.len() as u64, factor)?;
        let mut blocks = FoldError::room(self.blocks.len() as u64 / factor)?;
        blocks.extend(self.blocks.chunks(factor as usize).map(|parts| {
            parts.iter().fold(Block::default(), |mut sum, part| {
                for (word, &part) in sum.0.iter_mut().zip(&part.0) {
                    *word |= part;
                }
                sum
            })
        }));
        Ok(Self {
            blocks,
            seed: self.seed,
            capacity: self.capacity,
            len: self.len,
        })
    }
}

impl fmt::Debug for BlockedBloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        amq_core::debug(self, "BlockedBloomFilter", f)
    }
}

impl Filter for BlockedBloomFilter {
    fn kind(&self) -> FilterKind {
        FilterKind::BlockedBloom
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        (self.blocks.capacity() * size_of::<Block>()) as u64
    }

    /// The mean over the blocks of the product of their words' fills: the exact rate of this filter with the bits it
    /// has set, and the floor of the half hash that chooses them. (Beyond some 10^8 blocks, where half a hash no longer chooses
    /// them evenly, it is a few percent too low.) Reads the whole table.
    fn expected_fpr(&self) -> f64 {
        let blocks = self.blocks.len() as u64;
        let rate = self.blocks.iter().map(Block::fpr).sum::<f64>() / blocks as f64;
        theory::LAYOUT.fpr_of_table(blocks, rate, self.fill_ratio())
    }

    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        let (block, low) = place(hash, self.blocks.len() as u64);
        simd::contains(&self.blocks[block], low)
    }

    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        simd::contains_batch(&self.blocks, hashes, answers);
        Ok(())
    }
}

impl InsertFilter for BlockedBloomFilter {
    /// Never refused: past the planned number of keys the rate rises instead.
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        let (block, low) = place(hash, self.blocks.len() as u64);
        let new = simd::insert(&mut self.blocks[block], low);
        self.len = self.len.saturating_add(u64::from(new));
        Ok(Inserted::from_change(new))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchFull> {
        let new = simd::insert_batch(&mut self.blocks, hashes);
        self.len = self.len.saturating_add(new);
        Ok(new)
    }

    fn clear(&mut self) {
        self.blocks.fill(Block::default());
        self.len = 0;
    }
}

impl PlanFilter for BlockedBloomFilter {
    type Params = BlockedParams;

    fn plan(goal: Goal) -> Result<Plan<BlockedParams>, PlanError> {
        theory::plan(goal).map_err(|error| error.in_bits_per_key(goal, theory::plan))
    }

    fn predicted_fpr(params: &BlockedParams, items: u64) -> PredictedFpr {
        PredictedFpr {
            mean: theory::fpr(params.blocks, items),
            sd: theory::fpr_sd(params.blocks, items),
        }
    }

    fn params(&self) -> BlockedParams {
        BlockedParams {
            blocks: self.blocks.len() as u64,
        }
    }
}

impl EmptyFilter for BlockedBloomFilter {
    fn from_plan(plan: &Plan<BlockedParams>, seed: u64) -> Result<Self, BuildError> {
        Self::from_params(plan.params, plan.items, seed)
    }
}

impl BuildFilter for BlockedBloomFilter {
    fn build(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<Self, BuildError> {
        Self::filled(budget, seed, hashes)
    }

    fn build_from_keys<K: Key>(budget: Budget, seed: u64, keys: &[K]) -> Result<Self, BuildError> {
        Self::filled_from_keys(budget, seed, keys)
    }
}

impl MergeFilter for BlockedBloomFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check(
            "blocks",
            self.blocks.len() as u64,
            other.blocks.len() as u64,
        )?;
        MergeError::check_seeds(self.seed, other.seed)
    }

    /// The union. [`Filter::len`] becomes the sum of both, which counts keys in both twice;
    /// [`BlockedBloomFilter::estimated_cardinality`] does not.
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (block, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            for (word, &theirs) in block.0.iter_mut().zip(&theirs.0) {
                *word |= theirs;
            }
        }
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }
}
