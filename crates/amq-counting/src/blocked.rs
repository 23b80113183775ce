//! The blocked counting filter.

use crate::block::{Block, place};
use crate::counters::{MAX, check_sum};
use crate::theory::blocked as theory;
use crate::{BlockedCountingParams, simd};
use alloc::vec::Vec;
use amq_bloom::probing::partition::blocks;
use amq_core::internal::{
    Entry, Header, OneTable, Opened, fill_from_hashes, fill_from_keys, zeroed,
};
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, ClearFilter, Count, CountFilter,
    DEFAULT_SEED, DecodeError, EmptyFilter, Filter, FilterExt, FilterKind, Goal, InsertError,
    InsertExt, InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError, MergeFilter, Plan,
    PlanError, PlanFilter, PredictedFpr, RemoveFilter, Stats, Target,
};
use core::fmt;

/// The blocked counting filter: a key is eight counters in one 64-byte block, one in each of its
/// eight words.
///
/// Every operation touches one cache line. That costs a fifth more space than
/// [`CountingBloomFilter`](crate::CountingBloomFilter) at 1 %, a third more at 0.1 %.
///
/// `S` holds the blocks: a vector, or a borrowed slice for a [view](crate::BlockedCountingView).
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
///
/// The methods used most need no import. The others are in traits that this crate exports: batches
/// and iterators of keys in [`InsertExt`] and [`FilterExt`], hashes in [`InsertFilter`] and
/// [`Filter`], the filter's state in [`Filter`], files in [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct BlockedCountingBloomFilter<S = Vec<Block>> {
    header: Header,
    len: u64,
    blocks: S,
}

/// A [`BlockedCountingBloomFilter`] whose blocks are borrowed.
pub type BlockedCountingView<'a> = BlockedCountingBloomFilter<&'a [Block]>;

impl BlockedCountingBloomFilter {
    /// An empty filter for a [`Goal`] or a [`Plan`], with the public [`DEFAULT_SEED`].
    ///
    /// ```
    /// use amq_counting::{BlockedCountingBloomFilter, Goal};
    ///
    /// // Room for a thousand keys at a false-positive rate of 1 %.
    /// let filter = BlockedCountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.is_empty());
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    pub fn new(target: impl Into<Target<BlockedCountingParams>>) -> Result<Self, BuildError> {
        Self::with_seed(target, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(
        target: impl Into<Target<BlockedCountingParams>>,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check()?;
        let blocks = zeroed(plan.params.blocks)?;
        Ok(Self { header: Header::new(&plan, seed), len: 0, blocks })
    }

    /// Builds a filter of all these keys, with the public [`DEFAULT_SEED`]. [`BuildFilter`] builds
    /// with another seed, from a slice of keys, and from hashes.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys; or a
    /// [`Goal`] or [`Plan`], and more keys than planned are an error. The keys are not kept; their
    /// hashes are, 8 bytes each, until the filter is made.
    ///
    /// ```
    /// use amq_counting::{BlockedCountingBloomFilter, Budget};
    ///
    /// let filter = BlockedCountingBloomFilter::build(Budget::Fpr(0.01), ["one", "two", "three"])?;
    /// assert!(filter.contains("two"));
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<BlockedCountingParams>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// The best parameters for a goal, their cost and their rate. Allocates nothing.
    ///
    /// ```
    /// use amq_counting::{BlockedCountingBloomFilter, Goal};
    ///
    /// let plan = BlockedCountingBloomFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.0101);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_counting::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<BlockedCountingParams>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    /// Inserts `key`. Never refused: past the planned number of keys the false-positive rate rises
    /// instead. Every copy is counted; from the fifteenth copy on, a key's counters are saturated.
    ///
    /// ```
    /// use amq_counting::{BlockedCountingBloomFilter, Goal};
    ///
    /// let mut filter = BlockedCountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.insert("a key").is_new());
    /// assert!(filter.contains("a key"));
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Inserted {
        self.insert_hash(key.key_hash(self.header.seed))
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline(always)]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Inserted {
        let (block, choice) = place(hash, self.blocks.len() as u64);
        let new = simd::insert(&mut self.blocks[block], choice);
        self.len = self.len.saturating_add(1);
        Inserted::from_change(new)
    }

    /// Removes one copy of `key`: lowers each of its counters by one, except those that are
    /// saturated. `false`: it was certainly not in, and nothing changed.
    ///
    /// **Only remove what you inserted.** A key that was never inserted but is answered `true`
    /// shares all of its counters with other keys, and lowering them makes the filter deny one of
    /// those.
    ///
    /// ```
    /// use amq_counting::{BlockedCountingBloomFilter, Goal};
    ///
    /// let mut filter = BlockedCountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// filter.extend(["one", "two"]);
    /// assert!(filter.remove("one"));
    /// assert!(!filter.contains("one") && filter.contains("two"));
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[inline]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> bool {
        InsertExt::remove(self, key)
    }

    /// Adds the other filter counter by counter, up to 15: every copy in either can be removed
    /// again. All or nothing.
    ///
    /// Both need the same parameters and seed. [`len`](Self::len) becomes the sum of both.
    ///
    /// ```
    /// use amq_counting::{BlockedCountingBloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut ours = BlockedCountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// let mut theirs = ours.clone();
    /// ours.insert("one");
    /// theirs.insert("two");
    /// ours.merge(&theirs)?;
    /// assert!(ours.contains("one") && ours.contains("two"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        MergeFilter::merge(self, other)
    }
}

impl<S: AsRef<[Block]> + Send + Sync> BlockedCountingBloomFilter<S> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// ```
    /// use amq_counting::{BlockedCountingBloomFilter, Budget};
    ///
    /// let filter = BlockedCountingBloomFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!((0..1000u64).all(|key| filter.contains(&key)));
    /// // One absent key in a hundred is answered `true`.
    /// let wrong = (1000..11_000u64).filter(|key| filter.contains(key)).count();
    /// assert!(wrong < 200);
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        FilterExt::contains(self, key)
    }

    /// The number of copies of `key`: the lowest of its counters. Too high if other keys share even
    /// that one.
    ///
    /// ```
    /// use amq_counting::{BlockedCountingBloomFilter, Goal};
    ///
    /// let mut filter = BlockedCountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// filter.extend(["one", "two", "two"]);
    /// assert_eq!(filter.count("two").estimate, 2);
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Count {
        FilterExt::count(self, key)
    }

    /// Number of keys inserted less those removed, every copy counted. After a merge, the sum of
    /// both.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The filter's state in one value that prints itself: keys, load, bytes, rate. Reads the whole
    /// table.
    ///
    /// ```
    /// use amq_counting::{BlockedCountingBloomFilter, Budget};
    ///
    /// let filter = BlockedCountingBloomFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.stats().expected_fpr < 0.02);
    /// println!("{}", filter.stats());
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
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

impl<S: AsRef<[Block]> + Send + Sync> Filter for BlockedCountingBloomFilter<S> {
    fn kind(&self) -> FilterKind {
        FilterKind::BlockedCounting
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.header.seed
    }

    #[inline]
    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.header.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        size_of_val(self.blocks()) as u64
    }

    /// The mean over the blocks of the product of their words' fills, plus the floor of the 32 bits
    /// that choose the counters: the exact rate of this filter with the counters it has above zero.
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

    #[inline]
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        simd::contains_batch(self.blocks(), hashes, answers);
        Ok(())
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

impl InsertFilter for BlockedCountingBloomFilter {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Ok(Self::insert_hash(self, hash))
    }

    #[inline]
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        Ok(blocks::insert_batch(&mut self.blocks, (), &mut self.len, hashes))
    }

    fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> Result<u64, BatchInsertError> {
        Ok(blocks::insert_from(&mut self.blocks, (), &mut self.len, about, next))
    }
}

impl ClearFilter for BlockedCountingBloomFilter {
    fn clear(&mut self) {
        self.blocks.fill(Block::default());
        self.len = 0;
    }
}

impl MergeFilter for BlockedCountingBloomFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.params().check_same(&other.params())?;
        self.header.check_seeds(&other.header)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (block, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            *block = block.sum(theirs);
        }
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }
}

impl PlanFilter for BlockedCountingBloomFilter {
    type Params = BlockedCountingParams;

    fn plan(goal: Goal) -> Result<Plan<BlockedCountingParams>, PlanError> {
        Ok(goal.plan_by(theory::plan)?.with_budget(goal.budget))
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

    fn params(&self) -> BlockedCountingParams {
        self.params()
    }
}

impl EmptyFilter for BlockedCountingBloomFilter {
    fn empty(
        target: impl Into<Target<BlockedCountingParams>>,
        seed: u64,
    ) -> Result<Self, BuildError> {
        Self::with_seed(target, seed)
    }
}

impl BuildFilter for BlockedCountingBloomFilter {
    fn build_hashes(
        target: impl Into<BuildTarget<BlockedCountingParams>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        fill_from_hashes(target, seed, hashes)
    }

    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<BlockedCountingParams>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        fill_from_keys(target, seed, keys)
    }
}

impl<K: Key> Extend<K> for BlockedCountingBloomFilter {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(&key);
        }
    }
}

/// Neither the table, which may be gigabytes, nor the seed, which may be secret.
impl<S: AsRef<[Block]> + Send + Sync> fmt::Debug for BlockedCountingBloomFilter<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockedCountingBloomFilter")
            .field("params", &self.params())
            .field("len", &self.len)
            .field("capacity", &self.header.capacity)
            .finish_non_exhaustive()
    }
}

/// The bytes of the filter's file.
#[cfg(feature = "serde")]
impl<S: AsRef<[Block]> + Send + Sync> amq_core::internal::serde::Serialize
    for BlockedCountingBloomFilter<S>
{
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::Written::serialize_file(self, serializer)
    }
}

/// The bytes of the filter's file, with all the checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de> amq_core::internal::serde::Deserialize<'de> for BlockedCountingBloomFilter {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}
