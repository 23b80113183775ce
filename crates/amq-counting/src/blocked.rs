//! The blocked counting filter.

use crate::block::{Block, place};
use crate::counters::{MAX, check_sum};
use crate::theory::blocked as theory;
use crate::{BlockedCountingParams, simd};
use alloc::vec::Vec;
use amq_bloom::probing::partition::blocks;
use amq_core::internal::{Entry, Header, OneTable, Opened};
use amq_core::{
    Count, CountFilter, DecodeError, Filter, FilterKind, Inserted, KeyHash, RemoveFilter,
};

/// The blocked counting filter: a key is eight counters in one 64-byte block, one in each of its
/// eight words.
///
/// Every operation touches one cache line. That costs a fifth more space than
/// [`CountingBloomFilter`](crate::CountingBloomFilter) at 1 %, a third more at 0.1 %.
///
/// `S` holds the blocks: a vector, or a borrowed slice for a [view](crate::BlockedCountingView).
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct BlockedCountingBloomFilter<S = Vec<Block>> {
    header: Header,
    len: u64,
    blocks: S,
}

/// A [`BlockedCountingBloomFilter`] whose blocks are borrowed.
pub type BlockedCountingView<'a> = BlockedCountingBloomFilter<&'a [Block]>;

impl BlockedCountingBloomFilter {
    amq_core::methods! {
        in "amq_counting" "BlockedCountingBloomFilter" infallible;
        new: BlockedCountingParams;
        build: BlockedCountingParams;
        plan: BlockedCountingParams;
        /// Every copy is counted; from the fifteenth copy on, a key's counters are saturated.
        insert infallible;
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline(always)]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Inserted {
        let (block, choice) = place(hash, self.blocks.len() as u64);
        let new = simd::insert(&mut self.blocks[block], choice);
        self.len = self.len.saturating_add(1);
        Inserted::from_change(new)
    }

    /// Inserts many hashes and returns how many were new.
    #[inline]
    pub fn insert_batch(&mut self, hashes: &[KeyHash]) -> u64 {
        blocks::insert_batch(&mut self.blocks, (), &mut self.len, hashes)
    }

    /// Inserts about `about` hashes, which `next` writes; see
    /// [`InsertFilter::insert_from`](amq_core::InsertFilter::insert_from).
    pub fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> u64 {
        blocks::insert_from(&mut self.blocks, (), &mut self.len, about, next)
    }

    amq_core::methods! {
        in "amq_counting" "BlockedCountingBloomFilter" infallible;
        /// Lowers each of the key's counters by one, except those that are saturated.
        ///
        /// **Only remove what you inserted.** A key that was never inserted but is answered `true`
        /// shares all of its counters with other keys, and lowering them makes the filter deny one
        /// of those.
        remove;
        clear;
        /// Adds the other filter counter by counter, up to 15: every copy in either can be removed
        /// again. All or nothing. [`len`](Self::len) becomes the sum of both.
        merge;
        from_bytes;
    }
}

impl<S: AsRef<[Block]> + Send + Sync> BlockedCountingBloomFilter<S> {
    amq_core::methods! {
        in "amq_counting" "BlockedCountingBloomFilter" infallible;
        contains;
        /// The number of copies of `key`: the lowest of its counters. Too high if other keys share
        /// even that one.
        count;
        /// Number of keys inserted less those removed, every copy counted. After a merge, the sum
        /// of both.
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// The mean over the blocks of the product of their words' fills, plus the floor of the 32
        /// bits that choose the counters: the exact rate of this filter with the counters it has
        /// above zero. Reads the whole table.
        expected_fpr;
        to_bytes;
        encoded_len;
    }

    /// A view of this filter: it borrows the table.
    #[must_use]
    pub fn view(&self) -> BlockedCountingView<'_> {
        Self::over(self.header, self.params(), self.len, self.blocks())
    }

    /// The parameters of its table.
    #[inline(always)]
    #[must_use]
    pub fn params(&self) -> BlockedCountingParams {
        BlockedCountingParams::new(self.blocks().len() as u64)
    }

    /// The blocks.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        self.blocks.as_ref()
    }

    /// Number of counters at 15, which never change again: a key that has one of them can no longer
    /// be removed completely and may be answered `true` for ever. Reads the whole table.
    ///
    /// At the design load there are none, unless a key was inserted fifteen times;
    /// [`saturation_probability`](crate::theory::blocked::saturation_probability) predicts them.
    #[must_use]
    pub fn saturated_counters(&self) -> u64 {
        self.blocks().iter().map(Block::saturated).sum()
    }

    /// An estimate of the number of distinct keys, from the share of counters above zero; infinite
    /// if all are. Reads the whole table.
    #[must_use]
    pub fn estimated_cardinality(&self) -> f64 {
        theory::keys_of_fill(self.blocks().len() as u64, self.load_factor())
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

impl<'a> BlockedCountingView<'a> {
    amq_core::methods! { open: BlockedCountingBloomFilter; }
}

impl<S: AsRef<[Block]> + Send + Sync> Filter for BlockedCountingBloomFilter<S> {
    amq_core::trait_methods! {
        kind: FilterKind::BlockedCounting; seed; len; capacity; size_in_bytes;
        contains_batch: |self, hashes, answers| {
            simd::contains_batch(self.blocks(), hashes, answers)
        };
    }

    fn expected_fpr(&self) -> f64 {
        let blocks = self.blocks().len() as u64;
        let rate = self.blocks().iter().map(Block::fpr).sum::<f64>() / blocks as f64;
        theory::LAYOUT.fpr_of_table(blocks, rate, self.load_factor())
    }

    fn load_factor(&self) -> f64 {
        let above: u64 = self.blocks().iter().map(Block::above_zero).sum();
        above as f64 / (self.blocks().len() as f64 * 128.0)
    }

    fn saturated(&self) -> u64 {
        self.saturated_counters()
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        let blocks = self.blocks.as_ref();
        let (block, choice) = place(hash, blocks.len() as u64);
        simd::contains(&blocks[block], choice)
    }
}

impl<S: AsRef<[Block]> + Send + Sync> OneTable for BlockedCountingBloomFilter<S> {
    type Params = BlockedCountingParams;
    const KIND: FilterKind = FilterKind::BlockedCounting;
    const REVISION: u8 = 1;
    type Element = Block;
    type Over<T: AsRef<[Block]> + Send + Sync> = BlockedCountingBloomFilter<T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        [self.blocks().len() as u64, 0, 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<BlockedCountingParams, DecodeError> {
        let [blocks] = opened.only_entry()?;
        let params = BlockedCountingParams::new(blocks);
        params.check()?;
        Ok(params)
    }

    fn elements_for(params: &BlockedCountingParams) -> u64 {
        params.blocks
    }

    fn elements(&self) -> &[Block] {
        self.blocks()
    }

    fn over<T>(
        header: Header,
        _: BlockedCountingParams,
        len: u64,
        blocks: T,
    ) -> BlockedCountingBloomFilter<T> {
        BlockedCountingBloomFilter { header, len, blocks }
    }

    fn walk(&self) -> Result<(), DecodeError> {
        check_sum(self.blocks().iter().flat_map(Block::words), self.len, 8)
    }
}

impl RemoveFilter for BlockedCountingBloomFilter {
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let (block, choice) = place(hash, self.blocks.len() as u64);
        let removed = simd::remove(&mut self.blocks[block], choice);
        self.len = self.len.saturating_sub(u64::from(removed));
        removed
    }
}

impl<S: AsRef<[Block]> + Send + Sync> CountFilter for BlockedCountingBloomFilter<S> {
    fn count_hash(&self, hash: KeyHash) -> Count {
        let blocks = self.blocks.as_ref();
        let (block, choice) = place(hash, blocks.len() as u64);
        Count::up_to(blocks[block].count(choice), MAX)
    }
}

amq_core::traits! {
    [S: AsRef<[Block]> + Send + Sync] BlockedCountingBloomFilter<S>,
    owned [] BlockedCountingBloomFilter: BlockedCountingParams;
    debug "BlockedCountingBloomFilter";
    serde;
    plan theory;
    empty: blocks;
    merge: blocks, |ours, theirs| ours.sum(theirs);
    insert infallible;
    build by filling;
}
