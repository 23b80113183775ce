//! The blocked layout: a key has one counter in each word of one block.

use crate::block::{self, Block, of_key, of_key_mut, place};
use crate::layout::sealed::Operations;
use crate::{BlockedCountingParams, Layout, simd, theory::blocked as theory};
use amq_bloom::probing::partition::{Hashes, blocks};
use amq_core::internal::{Entry, Opened};
use amq_core::{DecodeError, FilterKind, Goal, KeyHash, MergeError, Plan, PlanError, PredictedFpr};

/// A key has eight counters in one 64-byte block, one in each of its eight words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Blocked;

impl Layout for Blocked {
    const KIND: FilterKind = FilterKind::BlockedCounting;
    const NAME: &'static str = "BlockedCountingBloomFilter";
}

/// Operations use the number of blocks in the slice, not that in the parameters: a view's bytes may
/// differ each time they are requested.
impl Operations for Blocked {
    type Params = BlockedCountingParams;

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

    fn fpr_of_table(table: &[u8], params: BlockedCountingParams, fill: f64) -> f64 {
        let rates = table.as_chunks().0.iter().map(block::fpr);
        theory::LAYOUT.fpr_of_table(params.blocks, rates.sum::<f64>() / params.blocks as f64, fill)
    }

    fn keys_of_fill(params: BlockedCountingParams, fill: f64) -> f64 {
        theory::keys_of_fill(params.blocks, fill)
    }

    #[inline(always)]
    fn contains(table: &[u8], _: BlockedCountingParams, hash: KeyHash) -> bool {
        let (block, choice) = of_key(table, hash);
        simd::contains(block, choice)
    }

    #[inline]
    fn contains_each(
        table: &[u8],
        _: BlockedCountingParams,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) {
        simd::contains_batch(table.as_chunks().0, hashes, answers);
    }

    #[inline]
    fn count(table: &[u8], _: BlockedCountingParams, hash: KeyHash) -> u64 {
        let (block, choice) = of_key(table, hash);
        block::count(block, choice)
    }

    #[inline(always)]
    fn insert(table: &mut [u8], _: BlockedCountingParams, hash: KeyHash) -> bool {
        let (block, choice) = of_key_mut(table, hash);
        simd::insert(block, choice)
    }

    #[inline]
    fn insert_many(
        table: &mut [u8],
        _: BlockedCountingParams,
        len: &mut u64,
        hashes: Hashes<'_>,
    ) -> u64 {
        blocks::insert::<Self>(table.as_chunks_mut().0, (), len, hashes)
    }

    #[inline]
    fn remove(table: &mut [u8], _: BlockedCountingParams, hash: KeyHash) -> bool {
        let (block, choice) = of_key_mut(table, hash);
        simd::remove(block, choice)
    }
}

impl blocks::Block for Blocked {
    type Element = Block;
    type Shape = ();
    const COUNTS_COPIES: bool = true;

    #[inline(always)]
    fn of(hash: KeyHash, blocks: u64) -> usize {
        place(hash, blocks).0
    }

    #[inline]
    fn insert(
        part: &mut [Block],
        (): (),
        range: (usize, u64),
        near: bool,
        hashes: &[KeyHash],
    ) -> u64 {
        simd::insert_batch(part, range, near, hashes)
    }
}
