//! The blocked layout: a key has one counter in each word of one block.

use crate::block::{Block, place};
use crate::layout::sealed::Table;
use crate::{BlockedCountingParams, Counting, Layout, simd, theory::blocked as theory};
use amq_bloom::probing::partition::blocks;
use amq_core::internal::{Entry, Opened};
use amq_core::{DecodeError, FilterKind, Goal, KeyHash, MergeError, Plan, PlanError, PredictedFpr};

/// A key has eight counters in one 64-byte block, one in each of its eight words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Blocked;

impl Layout for Blocked {
    const KIND: FilterKind = FilterKind::BlockedCounting;
    const NAME: &'static str = "BlockedCountingBloomFilter";
}

/// Operations take the number of blocks from the slice, not from the parameters.
impl Table for Blocked {
    type Params = BlockedCountingParams;
    type Element = Block;

    fn check(params: BlockedCountingParams) -> Result<(), PlanError> {
        params.check()
    }

    fn check_same(
        ours: BlockedCountingParams,
        theirs: BlockedCountingParams,
    ) -> Result<(), MergeError> {
        MergeError::check("blocks", ours.blocks, theirs.blocks)
    }

    fn counters(params: BlockedCountingParams) -> u64 {
        params.blocks * 128
    }

    fn probes(_: BlockedCountingParams) -> u32 {
        8
    }

    fn entry(params: BlockedCountingParams) -> Entry {
        [params.blocks, 0, 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<BlockedCountingParams, DecodeError> {
        let [blocks] = opened.only_entry()?;
        Ok(BlockedCountingParams::new(blocks))
    }

    fn plan(goal: Goal) -> Result<Plan<BlockedCountingParams>, PlanError> {
        theory::plan(goal)
    }

    fn plan_params(
        params: BlockedCountingParams,
        keys: u64,
    ) -> Result<Plan<BlockedCountingParams>, PlanError> {
        theory::plan_params(params, keys)
    }

    fn predicted_fpr(params: &BlockedCountingParams, keys: u64) -> PredictedFpr {
        theory::fpr(params, keys)
    }

    fn fpr_of_table(blocks: &[Block], _: BlockedCountingParams, fill: f64) -> f64 {
        let rate = blocks.iter().map(Block::fpr).sum::<f64>() / blocks.len() as f64;
        theory::LAYOUT.fpr_of_table(blocks.len() as u64, rate, fill)
    }

    fn keys_of_fill(params: BlockedCountingParams, fill: f64) -> f64 {
        theory::keys_of_fill(params.blocks, fill)
    }

    #[inline(always)]
    fn contains(blocks: &[Block], _: BlockedCountingParams, hash: KeyHash) -> bool {
        let (block, choice) = place(hash, blocks.len() as u64);
        simd::contains(&blocks[block], choice)
    }

    #[inline]
    fn contains_each(
        blocks: &[Block],
        _: BlockedCountingParams,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) {
        simd::contains_batch(blocks, hashes, answers);
    }

    #[inline]
    fn count(blocks: &[Block], _: BlockedCountingParams, hash: KeyHash) -> u64 {
        let (block, choice) = place(hash, blocks.len() as u64);
        blocks[block].count(choice)
    }

    #[inline(always)]
    fn insert(blocks: &mut [Block], _: BlockedCountingParams, hash: KeyHash) -> bool {
        let (block, choice) = place(hash, blocks.len() as u64);
        simd::insert(&mut blocks[block], choice)
    }

    #[inline]
    fn insert_batch(
        blocks: &mut [Block],
        _: BlockedCountingParams,
        len: &mut u64,
        hashes: &[KeyHash],
    ) -> u64 {
        blocks::insert_batch(blocks, (), len, hashes)
    }

    fn insert_from(
        blocks: &mut [Block],
        _: BlockedCountingParams,
        len: &mut u64,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> u64 {
        blocks::insert_from(blocks, (), len, about, next)
    }

    #[inline]
    fn remove(blocks: &mut [Block], _: BlockedCountingParams, hash: KeyHash) -> bool {
        let (block, choice) = place(hash, blocks.len() as u64);
        simd::remove(&mut blocks[block], choice)
    }
}

impl<S: AsRef<[Block]> + Send + Sync> Counting<Blocked, S> {
    /// The blocks.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        self.table.as_ref()
    }
}

impl blocks::Block for Block {
    type Shape = ();
    const COUNTS_COPIES: bool = true;

    #[inline(always)]
    fn of(hash: KeyHash, blocks: u64) -> usize {
        place(hash, blocks).0
    }

    #[inline]
    fn insert(part: &mut [Self], (): (), first: usize, blocks: u64, hashes: &[KeyHash]) -> u64 {
        simd::insert_batch(part, first, blocks, hashes)
    }
}
