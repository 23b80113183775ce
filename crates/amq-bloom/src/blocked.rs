//! The split-block Bloom filter.

use crate::block::{self, Block, place};
use crate::operators::operators;
use crate::probing::partition::blocks;
use crate::theory::blocked as theory;
use crate::{BlockedParams, FoldError, simd};
use alloc::vec::Vec;
use amq_core::internal::{Entry, Header, OneTable, Opened};
use amq_core::{
    BuildError, DecodeError, Filter, FilterKind, Inserted, KeyHash, MergeError, Parts, PlanError,
};

/// The split-block Bloom filter: a key is eight bits in one 32-byte block, one in each of its eight
/// words.
///
/// Every operation touches one cache line. That costs a tenth more space than
/// [`BloomFilter`](crate::BloomFilter) at 1 %, a sixth at 0.1 %. The layout is that of Apache
/// Parquet: the same 64-bit hashes set the same bits. (Parquet hashes with XXH64 and seed 0. To
/// read or write its filters, hash that way and use the methods that take a [`KeyHash`].)
///
/// `S` holds the blocks: a vector, or a borrowed slice for a [view](crate::BlockedBloomView). See
/// the [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct BlockedBloomFilter<S = Vec<Block>> {
    header: Header,
    len: u64,
    blocks: S,
}

/// A [`BlockedBloomFilter`] whose blocks are borrowed.
pub type BlockedBloomView<'a> = BlockedBloomFilter<&'a [Block]>;

impl BlockedBloomFilter {
    amq_core::methods! {
        in "amq_bloom" "BlockedBloomFilter" infallible;
        new: BlockedParams;
        build: BlockedParams;
        plan: BlockedParams;
        insert infallible;
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline(always)]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Inserted {
        let (block, low) = simd::block_of_mut(&mut self.blocks, hash);
        let new = simd::insert(block, low);
        self.len = self.len.saturating_add(u64::from(new));
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
        in "amq_bloom" "BlockedBloomFilter" infallible;
        clear;
        /// The union: afterwards `self` contains whatever either contained. All or nothing.
        ///
        /// [`len`](Self::len) becomes the sum of both, which counts common keys twice;
        /// [`estimated_cardinality`](Self::estimated_cardinality) does not.
        merge;
        from_bytes;
    }

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
    pub fn from_blocks_unchecked(
        blocks: impl IntoIterator<Item = [u32; 8]>,
        parts: Parts<BlockedParams>,
    ) -> Result<Self, BuildError> {
        parts.params.check()?;
        let wanted = parts.params.blocks;
        let mut table: Vec<Block> = Vec::new();
        amq_core::internal::reserve(&mut table, wanted)?;
        let mut given = 0;
        for block in blocks {
            given += 1;
            if given > wanted {
                break;
            }
            table.push(Block::new(block));
        }
        PlanError::check_parameter("blocks given", given, wanted, wanted)?;
        let header = Header::of_parts(&parts);
        Ok(Self::over(header, parts.params, parts.len, table))
    }

    /// The intersection: afterwards every key that was in both is still in. All or nothing.
    ///
    /// A key that was in only one is answered `true` no more often than by the other.
    /// [`len`](Self::len) becomes the smaller of both.
    pub fn intersect(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (block, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            *block = block.combined(theirs, |ours, theirs| ours & theirs);
        }
        self.len = self.len.min(other.len);
        Ok(())
    }
}

impl<S: AsRef<[Block]> + Send + Sync> BlockedBloomFilter<S> {
    amq_core::methods! {
        in "amq_bloom" "BlockedBloomFilter";
        contains;
        /// Number of inserts that answered [`Inserted::New`]: distinct keys, less those that were
        /// false positives on arrival. After a union, the sum of both.
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// The mean over the blocks of the product of their words' fills, plus the floor of the
        /// half hash that chooses the bits: the exact rate of this filter with the bits it has set.
        /// (Beyond about 10^8 blocks, where half a hash no longer chooses them evenly, it is a few
        /// percent too low.) Reads the whole table.
        expected_fpr;
        to_bytes;
        encoded_len;
    }

    /// A view of this filter: it borrows the table.
    #[must_use]
    pub fn view(&self) -> BlockedBloomView<'_> {
        Self::over(self.header, self.params(), self.len, self.blocks())
    }

    /// The parameters of its table.
    #[inline(always)]
    #[must_use]
    pub fn params(&self) -> BlockedParams {
        BlockedParams::new(self.blocks().len() as u64)
    }

    /// The blocks. Their words, written as little-endian bytes one after another, are the bitset of
    /// a Parquet Bloom filter.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        self.blocks.as_ref()
    }

    /// What the filter consists of beside its blocks; see
    /// [`from_blocks_unchecked`](BlockedBloomFilter::from_blocks_unchecked).
    #[must_use]
    pub fn parts(&self) -> Parts<BlockedParams> {
        self.header.parts(self.params(), self.len)
    }

    /// Number of bits that are set. Reads the whole table.
    #[must_use]
    pub fn count_ones(&self) -> u64 {
        self.blocks().iter().map(Block::count_ones).sum()
    }

    /// Estimated number of distinct keys, from the share of bits set; infinite when all are. Reads
    /// the whole table. Above [`capacity`](Self::capacity) the rate is above the planned one.
    ///
    /// Unlike [`len`](Self::len) it is right after a union, and it counts the distinct keys that
    /// were false positives on arrival.
    #[must_use]
    pub fn estimated_cardinality(&self) -> f64 {
        theory::keys_of_fill(self.blocks().len() as u64, self.load_factor())
    }

    /// A filter with the same keys in a table `factor` times smaller, and the higher rate that goes
    /// with it: the filter that would have been built at that size. `factor` must divide the number
    /// of blocks.
    pub fn fold(&self, factor: u64) -> Result<BlockedBloomFilter, FoldError> {
        FoldError::check("blocks", self.blocks().len() as u64, factor)?;
        let params = BlockedParams::new(self.blocks().len() as u64 / factor);
        let mut blocks: Vec<Block> = FoldError::zeroed(params.blocks)?;
        for (sum, parts) in blocks.iter_mut().zip(self.blocks().chunks(factor as usize)) {
            for part in parts {
                for (word, &part) in sum.0.iter_mut().zip(&part.0) {
                    *word |= part;
                }
            }
        }
        Ok(Self::over(self.header, params, self.len, blocks))
    }
}

impl blocks::Block for Block {
    type Shape = ();
    const COUNTS_COPIES: bool = false;

    #[inline(always)]
    fn of(hash: KeyHash, blocks: u64) -> usize {
        place(hash, blocks).0
    }

    #[inline]
    fn insert(part: &mut [Self], (): (), first: usize, blocks: u64, hashes: &[KeyHash]) -> u64 {
        simd::insert_batch(part, first, blocks, hashes)
    }
}

impl<'a> BlockedBloomView<'a> {
    amq_core::methods! { open: BlockedBloomFilter; }
}

impl<S: AsRef<[Block]> + Send + Sync> Filter for BlockedBloomFilter<S> {
    amq_core::trait_methods! {
        kind: FilterKind::BlockedBloom; seed; len; capacity; size_in_bytes;
        contains_batch: |self, hashes, answers| {
            simd::contains_batch(self.blocks(), hashes, answers)
        };
    }

    fn expected_fpr(&self) -> f64 {
        block::expected_fpr(self.blocks().iter().copied())
    }

    fn load_factor(&self) -> f64 {
        block::load_factor(self.blocks().iter().copied())
    }

    /// Blocks whose bits are all set.
    fn saturated(&self) -> u64 {
        block::saturated(self.blocks().iter().copied())
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        let (block, low) = simd::block_of(self.blocks(), hash);
        simd::contains(block, low)
    }
}

impl<S: AsRef<[Block]> + Send + Sync> OneTable for BlockedBloomFilter<S> {
    type Params = BlockedParams;
    const KIND: FilterKind = FilterKind::BlockedBloom;
    const REVISION: u8 = 1;
    type Element = Block;
    type Over<T: AsRef<[Block]> + Send + Sync> = BlockedBloomFilter<T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        [self.blocks().len() as u64, 0, 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<BlockedParams, DecodeError> {
        let [blocks] = opened.only_entry()?;
        let params = BlockedParams::new(blocks);
        params.check()?;
        Ok(params)
    }

    fn elements_for(params: &BlockedParams) -> u64 {
        params.blocks
    }

    fn elements(&self) -> &[Block] {
        self.blocks()
    }

    fn over<T>(header: Header, _: BlockedParams, len: u64, blocks: T) -> BlockedBloomFilter<T> {
        BlockedBloomFilter { header, len, blocks }
    }
}

operators!(BlockedBloomFilter, "blocks or seed");

amq_core::traits! {
    [S: AsRef<[Block]> + Send + Sync] BlockedBloomFilter<S>,
    owned [] BlockedBloomFilter: BlockedParams;
    debug "BlockedBloomFilter";
    serde;
    plan theory;
    empty: blocks;
    merge: blocks, |ours, theirs| ours.combined(theirs, |ours, theirs| ours | theirs);
    insert infallible;
    build by filling;
}
