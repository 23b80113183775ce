//! The wide-block Bloom filter.

use crate::operators::operators;
use crate::probing::partition::blocks;
use crate::simd::wide as simd;
use crate::theory::wide as theory;
use crate::wide_block::{self as block, Shape, WideBlock, place};
use crate::{FoldError, WideBlockedParams};
use alloc::vec::Vec;
use amq_core::internal::{Entry, Header, OneTable, Opened};
use amq_core::{
    BuildError, DecodeError, Filter, FilterKind, Inserted, KeyHash, MergeError, Parts, PlanError,
};

/// The wide-block Bloom filter: a key is a few bits in one 64-byte block, spread evenly over its
/// eight words.
///
/// As [`BlockedBloomFilter`](crate::BlockedBloomFilter) it touches one cache line an operation, but
/// it uses the whole line, and as many bits per key as suit the rate. So it takes 6 % less space at
/// 1 %, 8 % at 0.1 % and 16 % at 0.01 %. Its table is no other program's: for Parquet use the
/// split-block filter.
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
/// `S` holds the blocks: a vector, or a borrowed slice for a [view](crate::WideBlockedBloomView).
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct WideBlockedBloomFilter<S = Vec<WideBlock>> {
    header: Header,
    shape: Shape,
    len: u64,
    blocks: S,
}

/// A [`WideBlockedBloomFilter`] whose blocks are borrowed.
pub type WideBlockedBloomView<'a> = WideBlockedBloomFilter<&'a [WideBlock]>;

impl WideBlockedBloomFilter {
    amq_core::methods! {
        in "amq_bloom" "WideBlockedBloomFilter" infallible;
        new: WideBlockedParams;
        build: WideBlockedParams;
        plan: WideBlockedParams;
        insert infallible;
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline(always)]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Inserted {
        let (block, low) = place(hash, self.blocks.len() as u64);
        let new = simd::insert(&mut self.blocks[block], low, self.shape);
        self.len = self.len.saturating_add(u64::from(new));
        Inserted::from_change(new)
    }

    /// Inserts many hashes and returns how many were new.
    #[inline]
    pub fn insert_batch(&mut self, hashes: &[KeyHash]) -> u64 {
        blocks::insert_batch(&mut self.blocks, self.shape, &mut self.len, hashes)
    }

    /// Inserts about `about` hashes, which `next` writes; see
    /// [`InsertFilter::insert_from`](amq_core::InsertFilter::insert_from).
    pub fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> u64 {
        blocks::insert_from(&mut self.blocks, self.shape, &mut self.len, about, next)
    }

    amq_core::methods! {
        in "amq_bloom" "WideBlockedBloomFilter" infallible;
        clear;
        /// The union: afterwards `self` contains whatever either contained. All or nothing.
        ///
        /// [`len`](Self::len) becomes the sum of both, which counts common keys twice;
        /// [`estimated_cardinality`](Self::estimated_cardinality) does not.
        merge;
        from_bytes;
    }

    /// A filter with given blocks, as [`blocks`](WideBlockedBloomFilter::blocks) returns them.
    ///
    /// Their number must match the parameters. Nothing else can be checked: a wrong seed or a
    /// damaged table denies keys.
    pub fn from_blocks_unchecked(
        blocks: impl IntoIterator<Item = [u64; 8]>,
        parts: Parts<WideBlockedParams>,
    ) -> Result<Self, BuildError> {
        parts.params.check()?;
        let wanted = parts.params.blocks;
        let mut table: Vec<WideBlock> = Vec::new();
        amq_core::internal::reserve(&mut table, wanted)?;
        let mut given = 0;
        for block in blocks {
            given += 1;
            if given > wanted {
                break;
            }
            table.push(WideBlock::new(block));
        }
        PlanError::check_parameter("blocks given", given, wanted, wanted)?;
        Ok(Self::over(Header::of_parts(&parts), parts.params, parts.len, table))
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

impl<S: AsRef<[WideBlock]> + Send + Sync> WideBlockedBloomFilter<S> {
    amq_core::methods! {
        in "amq_bloom" "WideBlockedBloomFilter";
        contains;
        /// Number of inserts that answered [`Inserted::New`]: distinct keys, less those that were
        /// false positives on arrival. After a union, the sum of both.
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// The mean, over the blocks and the words that a key can choose in them, of the product of
        /// the words' fills, plus the floor of the half hash that chooses the bits: the exact rate
        /// of this filter with the bits it has set. Reads the whole table.
        expected_fpr;
        to_bytes;
        encoded_len;
    }

    /// A view of this filter: it borrows the table.
    #[must_use]
    pub fn view(&self) -> WideBlockedBloomView<'_> {
        Self::over(self.header, self.params(), self.len, self.blocks())
    }

    /// The parameters of its table.
    #[inline(always)]
    #[must_use]
    pub fn params(&self) -> WideBlockedParams {
        WideBlockedParams::new(self.blocks().len() as u64, self.shape.probes())
    }

    /// The blocks.
    #[must_use]
    pub fn blocks(&self) -> &[WideBlock] {
        self.blocks.as_ref()
    }

    /// What the filter consists of beside its blocks; see
    /// [`from_blocks_unchecked`](WideBlockedBloomFilter::from_blocks_unchecked).
    #[must_use]
    pub fn parts(&self) -> Parts<WideBlockedParams> {
        self.header.parts(self.params(), self.len)
    }

    /// Number of bits that are set. Reads the whole table.
    #[must_use]
    pub fn count_ones(&self) -> u64 {
        self.blocks().iter().map(WideBlock::count_ones).sum()
    }

    /// Estimated number of distinct keys, from the share of bits set; infinite when all are. Reads
    /// the whole table. Above [`capacity`](Self::capacity) the rate is above the planned one.
    ///
    /// Unlike [`len`](Self::len) it is right after a union, and it counts the distinct keys that
    /// were false positives on arrival.
    #[must_use]
    pub fn estimated_cardinality(&self) -> f64 {
        theory::keys_of_fill(&self.params(), self.load_factor())
    }

    /// A filter with the same keys in a table `factor` times smaller, and the higher rate that goes
    /// with it: the filter that would have been built at that size. `factor` must divide the number
    /// of blocks.
    pub fn fold(&self, factor: u64) -> Result<WideBlockedBloomFilter, FoldError> {
        let WideBlockedParams { blocks, probes } = self.params();
        FoldError::check("blocks", blocks, factor)?;
        let params = WideBlockedParams::new(blocks / factor, probes);
        let mut table: Vec<WideBlock> = FoldError::zeroed(params.blocks)?;
        for (sum, parts) in table.iter_mut().zip(self.blocks().chunks(factor as usize)) {
            for part in parts {
                *sum = sum.combined(part, |sum, part| sum | part);
            }
        }
        Ok(Self::over(self.header, params, self.len, table))
    }
}

impl blocks::Block for WideBlock {
    type Shape = Shape;
    const COUNTS_COPIES: bool = false;

    #[inline(always)]
    fn of(hash: KeyHash, blocks: u64) -> usize {
        place(hash, blocks).0
    }

    #[inline]
    fn insert(
        part: &mut [Self],
        shape: Shape,
        first: usize,
        blocks: u64,
        hashes: &[KeyHash],
    ) -> u64 {
        simd::insert_batch(part, shape, first, blocks, hashes)
    }
}

impl<'a> WideBlockedBloomView<'a> {
    amq_core::methods! { open: WideBlockedBloomFilter; }
}

impl<S: AsRef<[WideBlock]> + Send + Sync> Filter for WideBlockedBloomFilter<S> {
    amq_core::trait_methods! {
        kind: FilterKind::WideBlockedBloom; seed; len; capacity; size_in_bytes;
        contains_batch: |self, hashes, answers| {
            simd::contains_batch(self.blocks(), self.shape, hashes, answers)
        };
    }

    fn expected_fpr(&self) -> f64 {
        let rate = block::fpr(self.blocks(), self.shape);
        theory::fpr_of_table(&self.params(), rate, self.load_factor())
    }

    fn load_factor(&self) -> f64 {
        block::load_factor(self.blocks())
    }

    /// Blocks whose bits are all set.
    fn saturated(&self) -> u64 {
        block::saturated(self.blocks())
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        let blocks = self.blocks.as_ref();
        let (block, low) = place(hash, blocks.len() as u64);
        simd::contains(&blocks[block], low, self.shape)
    }
}

impl<S: AsRef<[WideBlock]> + Send + Sync> OneTable for WideBlockedBloomFilter<S> {
    type Params = WideBlockedParams;
    const KIND: FilterKind = FilterKind::WideBlockedBloom;
    const REVISION: u8 = 1;
    type Element = WideBlock;
    type Over<T: AsRef<[WideBlock]> + Send + Sync> = WideBlockedBloomFilter<T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        let WideBlockedParams { blocks, probes } = self.params();
        [blocks, probes.into(), 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<WideBlockedParams, DecodeError> {
        let [blocks, probes] = opened.only_entry()?;
        let params = WideBlockedParams::new(blocks, Opened::narrow("probes", probes)?);
        params.check()?;
        Ok(params)
    }

    fn elements_for(params: &WideBlockedParams) -> u64 {
        params.blocks
    }

    fn elements(&self) -> &[WideBlock] {
        self.blocks()
    }

    fn over<T>(
        header: Header,
        params: WideBlockedParams,
        len: u64,
        blocks: T,
    ) -> WideBlockedBloomFilter<T> {
        WideBlockedBloomFilter { header, shape: Shape::new(params.probes), len, blocks }
    }
}

operators!(WideBlockedBloomFilter, "blocks, probes or seed");

amq_core::traits! {
    [S: AsRef<[WideBlock]> + Send + Sync] WideBlockedBloomFilter<S>,
    owned [] WideBlockedBloomFilter: WideBlockedParams;
    debug "WideBlockedBloomFilter";
    serde;
    plan theory;
    empty: blocks;
    merge: blocks, |ours, theirs| ours.combined(theirs, |ours, theirs| ours | theirs);
    insert infallible;
    build by filling;
}
