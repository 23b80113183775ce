//! The blocked counting filter.

use crate::block::{Block, place};
use crate::counters::MAX;
use crate::theory::blocked as theory;
use crate::{BlockedCountingParams, simd};
use alloc::vec::Vec;
use amq_core::{
    BatchFull, Budget, BuildError, BuildFilter, Count, CountFilter, DEFAULT_SEED, EmptyFilter,
    Filter, FilterKind, Full, Goal, InsertFilter, Inserted, Key, KeyHash, LengthMismatch,
    MergeError, MergeFilter, Plan, PlanError, PlanFilter, PredictedFpr, RemoveFilter, zeroed,
};
use core::fmt;

/// The blocked counting filter: a key is eight counters in one 64-byte block, one in each of its eight words.
///
/// Every operation touches one cache line. That costs a fifth more space than [`CountingBloomFilter`](crate::CountingBloomFilter) at
/// 1 %, a third at 0.1 %.
///
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct BlockedCountingBloomFilter {
    blocks: Vec<Block>,
    seed: u64,
    capacity: u64,
    len: u64,
}

impl BlockedCountingBloomFilter {
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
        params: BlockedCountingParams,
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

    /// The share of counters above zero, 0 to 1. Reads the whole table.
    pub fn fill_ratio(&self) -> f64 {
        let above: u64 = self.blocks.iter().map(Block::above_zero).sum();
        above as f64 / (self.blocks.len() as f64 * 128.0)
    }

    /// How many counters stand at 15 and stick there: keys that have one of them can no longer be taken out of it, and
    /// so may be answered `true` for ever. Reads the whole table.
    ///
    /// At the design load there are none, unless a key was put in fifteen times;
    /// [`theory::blocked::saturation_probability`](crate::theory::blocked::saturation_probability) says how many to expect.
    pub fn saturated_counters(&self) -> u64 {
        self.blocks.iter().map(Block::saturated).sum()
    }

    /// How many distinct keys are in, judged by the share of counters above zero; infinite when all are. Reads the
    /// whole table.
    pub fn estimated_cardinality(&self) -> f64 {
        theory::items_of_fill(self.blocks.len() as u64, self.fill_ratio())
    }
}

impl fmt::Debug for BlockedCountingBloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        amq_core::debug(self, "BlockedCountingBloomFilter", f)
    }
}

impl Filter for BlockedCountingBloomFilter {
    fn kind(&self) -> FilterKind {
        FilterKind::BlockedCounting
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The keys put in less those taken out, each copy counted; after a merge the sum of both.
    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        (self.blocks.capacity() * size_of::<Block>()) as u64
    }

    /// The mean over the blocks of the product of their words' fills: the exact rate of this filter with the counters it
    /// has above zero, and the floor of the 32 bits that choose them. Reads the whole table.
    fn expected_fpr(&self) -> f64 {
        let blocks = self.blocks.len() as u64;
        let rate = self.blocks.iter().map(Block::fpr).sum::<f64>() / blocks as f64;
        theory::LAYOUT.fpr_of_table(blocks, rate, self.fill_ratio())
    }

    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        let (block, choice) = place(hash, self.blocks.len() as u64);
        simd::contains(&self.blocks[block], choice)
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

impl InsertFilter for BlockedCountingBloomFilter {
    /// Every copy is counted. Never refused: past the planned number of keys the rate rises, and from the fifteenth copy of one key on
    /// its counters stick.
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        let (block, choice) = place(hash, self.blocks.len() as u64);
        let new = simd::insert(&mut self.blocks[block], choice);
        self.len = self.len.saturating_add(1);
        Ok(Inserted::from_change(new))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchFull> {
        let new = simd::insert_batch(&mut self.blocks, hashes);
        self.len = self.len.saturating_add(hashes.len() as u64);
        Ok(new)
    }

    fn clear(&mut self) {
        self.blocks.fill(Block::default());
        self.len = 0;
    }
}

impl RemoveFilter for BlockedCountingBloomFilter {
    /// Takes out one copy: each of the key's counters goes one lower, except those that stick at 15.
    ///
    /// **Only remove what was put in.** A key that was not, but is answered `true`, shares all of its counters with others, and
    /// lowering them makes the filter forget one of those.
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let (block, choice) = place(hash, self.blocks.len() as u64);
        let removed = simd::remove(&mut self.blocks[block], choice);
        self.len = self.len.saturating_sub(u64::from(removed));
        removed
    }
}

impl CountFilter for BlockedCountingBloomFilter {
    /// The lowest of the key's counters: right, or too high because of keys that share even that one.
    fn count_hash(&self, hash: KeyHash) -> Count {
        let (block, choice) = place(hash, self.blocks.len() as u64);
        let lowest = self.blocks[block].count(choice);
        Count {
            estimate: lowest,
            saturated: lowest == MAX,
        }
    }
}

impl PlanFilter for BlockedCountingBloomFilter {
    type Params = BlockedCountingParams;

    fn plan(goal: Goal) -> Result<Plan<BlockedCountingParams>, PlanError> {
        theory::plan(goal).map_err(|error| error.in_bits_per_key(goal, theory::plan))
    }

    fn predicted_fpr(params: &BlockedCountingParams, items: u64) -> PredictedFpr {
        PredictedFpr {
            mean: theory::fpr(params.blocks, items),
            sd: theory::fpr_sd(params.blocks, items),
        }
    }

    fn params(&self) -> BlockedCountingParams {
        BlockedCountingParams {
            blocks: self.blocks.len() as u64,
        }
    }
}

impl EmptyFilter for BlockedCountingBloomFilter {
    fn from_plan(plan: &Plan<BlockedCountingParams>, seed: u64) -> Result<Self, BuildError> {
        Self::from_params(plan.params, plan.items, seed)
    }
}

impl BuildFilter for BlockedCountingBloomFilter {
    fn build(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<Self, BuildError> {
        Self::filled(budget, seed, hashes)
    }

    fn build_from_keys<K: Key>(budget: Budget, seed: u64, keys: &[K]) -> Result<Self, BuildError> {
        Self::filled_from_keys(budget, seed, keys)
    }
}

impl MergeFilter for BlockedCountingBloomFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check(
            "blocks",
            self.blocks.len() as u64,
            other.blocks.len() as u64,
        )?;
        MergeError::check_seeds(self.seed, other.seed)
    }

    /// Adds counter to counter, at most to 15: every copy in either can be taken out again.
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (block, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            block.merge(theirs);
        }
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }
}
