//! The blocked filters: split-block and wide-block.

use crate::FoldError;
use crate::block::Block;
use crate::layout;
use crate::params::folded;
use crate::probing::partition::{Hashes, blocks};
use crate::resize::Sizes;
use crate::simd::{self, BlockLayout};
use crate::wide_block::WideBlock;
use alloc::vec;
#[cfg(feature = "rayon")]
use amq_core::HashSource;
use amq_core::internal::{
    Contents, FileFormat, Hashing, Header, Opened, Section, Sections, extend, fill_from_hashes,
    fill_from_keys,
};
#[cfg(feature = "rayon")]
use amq_core::internal::{par_extend, par_fill_from, rayon::prelude::*};
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, Bytes, ClearFilter, DEFAULT_SEED,
    DecodeError, EmptyFilter, Filter, FilterKind, Goal, InsertError, InsertFilter, Inserted, Key,
    KeyHash, LengthMismatch, MergeError, MergeFilter, Parts, Plan, PlanError, PlanFilter,
    PredictedFpr, Stats, Table, Target,
};
use core::fmt;
use core::ops::{BitAndAssign, BitOrAssign};

/// The split-block Bloom filter: a key sets eight bits in one 32-byte block, one in each of its
/// eight words.
///
/// Every operation touches one cache line. This costs a tenth more space than
/// [`BloomFilter`](crate::BloomFilter) at 1 %, and a sixth more at 0.1 %. The layout is that of
/// Apache Parquet: the same 64-bit hashes set the same bits. (Parquet hashes with XXH64 and seed 0.
/// To read or write its filters, compute that hash and use the methods that take a [`KeyHash`].)
///
/// Its methods are those of [`Blocked`].
pub type BlockedBloomFilter<B = Table> = Blocked<Block, B>;

/// The wide-block Bloom filter: a key sets a few bits in one 64-byte block, spread evenly over its
/// eight words.
///
/// Like [`BlockedBloomFilter`], it touches one cache line per operation, but it uses the whole
/// line, and the best number of bits per key for the rate. So it needs 6 % less space at 1 %, 8 %
/// at 0.1 % and 16 % at 0.01 %. No other program uses this layout; for Parquet, use the split-block
/// filter.
///
/// Its methods are those of [`Blocked`].
///
/// ```
/// use amq_bloom::{BlockedBloomFilter, Filter, Goal, WideBlockedBloomFilter};
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
pub type WideBlockedBloomFilter<B = Table> = Blocked<WideBlock, B>;

/// A [`BlockedBloomFilter`] whose blocks are borrowed.
pub type BlockedBloomView<'a> = BlockedBloomFilter<&'a [u8]>;

/// A [`WideBlockedBloomFilter`] whose blocks are borrowed.
pub type WideBlockedBloomView<'a> = WideBlockedBloomFilter<&'a [u8]>;

/// The revision of both layouts in files.
const REVISION: u8 = 1;

/// A blocked Bloom filter: [`BlockedBloomFilter`] or [`WideBlockedBloomFilter`].
///
/// `B` stores the blocks: a [`Table`], or for a view ([`BlockedBloomView`],
/// [`WideBlockedBloomView`]) a borrowed slice. See the [crate's documentation](crate) for the
/// picture, the algorithm and the formulas.
///
/// The most common methods are inherent. The others are in traits that this crate exports: batches
/// and iterators of keys in [`InsertExt`](crate::InsertExt) and [`FilterExt`](crate::FilterExt),
/// hashes in [`InsertFilter`] and [`Filter`], the filter's state in [`Filter`], files in
/// [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct Blocked<L: BlockLayout, B = Table> {
    pub(crate) header: Header,
    shape: L::Shape,
    len: u64,
    table: B,
}

impl<L: BlockLayout> Blocked<L> {
    /// An empty filter for a [`Goal`] or a [`Plan`], with the public [`DEFAULT_SEED`].
    ///
    /// ```
    /// use amq_bloom::{BlockedBloomFilter, Goal};
    ///
    /// // Room for a thousand keys at a false-positive rate of 1 %.
    /// let filter = BlockedBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.is_empty());
    /// # Ok::<(), amq_bloom::BuildError>(())
    /// ```
    pub fn new(target: impl Into<Target<L::Params>>) -> Result<Self, BuildError> {
        Self::with_seed(target, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(target: impl Into<Target<L::Params>>, seed: u64) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        L::check(&plan.params)?;
        let (shape, table) =
            (L::shape(&plan.params), Table::zeroed(table_bytes::<L>(&plan.params))?);
        Ok(Self { header: Header::new(&plan, seed), shape, len: 0, table })
    }

    /// Builds a filter of these keys, with the public [`DEFAULT_SEED`]. [`BuildFilter`] builds with
    /// another seed, from a slice of keys, and from hashes.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys, or a
    /// [`Goal`] or [`Plan`], with which more keys than planned are an error. The hashes are kept
    /// until the filter is built, 8 bytes each; the keys are not.
    ///
    /// ```
    /// use amq_bloom::{BlockedBloomFilter, Budget};
    ///
    /// let filter = BlockedBloomFilter::build(Budget::Fpr(0.01), ["one", "two", "three"])?;
    /// assert!(filter.contains("two"));
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_bloom::BuildError>(())
    /// ```
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<L::Params>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// The best parameters for a goal, with their size and rate. Allocates nothing.
    ///
    /// ```
    /// use amq_bloom::{BlockedBloomFilter, Goal};
    ///
    /// let plan = BlockedBloomFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.0101);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_bloom::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<L::Params>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    /// Inserts `key`. Never fails: beyond the planned number of keys the false-positive rate rises
    /// instead.
    ///
    /// ```
    /// use amq_bloom::{BlockedBloomFilter, Goal};
    ///
    /// let mut filter = BlockedBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.insert("a key").is_new());
    /// assert!(filter.contains("a key"));
    /// # Ok::<(), amq_bloom::BuildError>(())
    /// ```
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Inserted {
        self.insert_hash(key.key_hash(self.header.seed))
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline(always)]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Inserted {
        let (block, low) = simd::block_of_mut(simd::blocks_of_mut::<L>(&mut self.table), hash);
        let new = simd::insert(block, low, self.shape);
        self.len = self.len.saturating_add(u64::from(new));
        Inserted::from_change(new)
    }

    /// Merges `other` into `self`, which then contains the keys of both. On an error nothing
    /// changes.
    ///
    /// Both must have the same parameters and seed. [`len`](Self::len) becomes the sum of both,
    /// which counts common keys twice; [`estimated_cardinality`](Self::estimated_cardinality) does
    /// not.
    ///
    /// Filters of equal size always merge, as inserting is never refused: beyond the planned number
    /// of keys the rate rises. One table may also be a multiple of the other; then the smaller one
    /// is expanded d-fold, and its n keys count as d n. This is refused ([`MergeError::Rate`]) if
    /// the union's rate would exceed the rate that the larger filter was planned for.
    /// [`merge_within`](Self::merge_within) keeps any sizes to a rate of your choice, and folds the
    /// larger table if the rate allows it.
    ///
    /// ```
    /// use amq_bloom::{BlockedBloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut ours = BlockedBloomFilter::new(Goal::fpr(1000, 0.01))?;
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

    pub(crate) const fn header(&self) -> Header {
        self.header
    }

    /// A filter from its parts.
    pub(crate) const fn of(header: Header, shape: L::Shape, len: u64, table: Table) -> Self {
        Self { header, shape, len, table }
    }

    /// Intersects `self` with `other`: keys that were in both are still in. On an error nothing
    /// changes.
    ///
    /// Both must have the same parameters and seed: unlike [`merge`](Self::merge), it resizes
    /// neither. [`fold`](Self::fold) the larger one first.
    ///
    /// A key that was in only one filter is in the result only if it was a false positive of the
    /// other. [`len`](Self::len) becomes the smaller of both.
    /// [`estimated_cardinality`](Self::estimated_cardinality) is too high from then on.
    pub fn intersect(&mut self, other: &Self) -> Result<(), MergeError> {
        L::check_same(&self.params(), &other.params())?;
        self.header.check_seeds(&other.header)?;
        for (byte, theirs) in self.table.iter_mut().zip(other.as_bytes()) {
            *byte &= theirs;
        }
        self.len = self.len.min(other.len);
        Ok(())
    }
}

impl<L: BlockLayout, B: Bytes> Blocked<L, B> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    ///
    /// ```
    /// use amq_bloom::{BlockedBloomFilter, Budget};
    ///
    /// let filter = BlockedBloomFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!((0..1000u64).all(|key| filter.contains(&key)));
    /// // One absent key in a hundred is answered `true`.
    /// let wrong = (1000..11_000u64).filter(|key| filter.contains(key)).count();
    /// assert!(wrong < 200);
    /// # Ok::<(), amq_bloom::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(key.key_hash(self.header.seed))
    }

    /// The number of inserts that returned [`Inserted::New`]: distinct keys, except those that were
    /// false positives when inserted. After a merge, the sum of both.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The filter's state as one value, which implements `Display`: keys, load, bytes, rate. Reads
    /// the whole table.
    ///
    /// ```
    /// use amq_bloom::{BlockedBloomFilter, Budget};
    ///
    /// let filter = BlockedBloomFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.stats().expected_fpr < 0.02);
    /// println!("{}", filter.stats());
    /// # Ok::<(), amq_bloom::BuildError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }

    /// The parameters of its table.
    #[inline(always)]
    #[must_use]
    pub fn params(&self) -> L::Params {
        L::params(self.blocks().len() as u64, self.shape)
    }

    /// A filter with existing blocks, as returned by [`as_bytes`](Self::as_bytes) or read from a
    /// Parquet file.
    ///
    /// Their number must match the parameters. Nothing else can be checked: with a wrong seed or a
    /// damaged table, the filter denies keys.
    ///
    /// If the keys were not hashed by [`KeyHash::of`], wrap it in
    /// [`Prehashed`](amq_core::Prehashed). This includes Parquet, which hashes the plain encoding
    /// of a value by XXH64 with seed 0: query such a filter by hash,
    /// `contains_hash(KeyHash::new(xxh64(value, 0)))`.
    pub fn from_table_unchecked(table: B, parts: Parts<L::Params>) -> Result<Self, PlanError> {
        L::check(&parts.params)?;
        let (bytes, wanted) = (table.as_ref().len() as u64, table_bytes::<L>(&parts.params));
        PlanError::check_parameter("bytes", bytes, wanted, wanted)?;
        let shape = L::shape(&parts.params);
        Ok(Self { header: Header::of_parts(&parts), shape, len: parts.len, table })
    }

    /// The blocks. For a split-block filter, they are the bitset of a Parquet Bloom filter.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.table.as_ref()
    }

    #[inline(always)]
    fn blocks(&self) -> &[L] {
        simd::blocks_of(self.table.as_ref())
    }

    /// The parameters, seed and counts; see [`from_table_unchecked`](Self::from_table_unchecked).
    #[must_use]
    pub fn parts(&self) -> Parts<L::Params> {
        self.header.parts(self.params(), self.len)
    }

    /// Number of bits that are set. Reads the whole table.
    #[must_use]
    pub fn count_ones(&self) -> u64 {
        layout::count_ones(self.blocks().iter().copied())
    }

    /// Estimated number of distinct keys, from the fraction of bits set; infinite if all are. Reads
    /// the whole table. If it exceeds [`capacity`](Filter::capacity), the rate exceeds the planned
    /// one.
    ///
    /// Unlike [`len`](Self::len), it is correct after a merge of filters of one size, and includes
    /// keys that were false positives when inserted. After a merge of different sizes it is too
    /// high, and after an [intersection](Blocked::intersect) far too high: estimate the number of
    /// common keys from the two filters and their union, as
    /// [`BloomFilter::estimated_cardinality`](crate::BloomFilter::estimated_cardinality) shows.
    #[must_use]
    pub fn estimated_cardinality(&self) -> f64 {
        L::keys_of_fill(&self.params(), self.load_factor())
    }

    /// A filter with the same keys in a table `factor` times smaller, with a correspondingly higher
    /// rate: the filter that would have been built at that size. `factor` must divide the number of
    /// blocks. [`capacity`](Filter::capacity) becomes the number of keys that the budget allows in
    /// the smaller table.
    pub fn fold(&self, factor: u64) -> Result<Blocked<L>, FoldError> {
        let blocks = self.blocks().len() as u64;
        FoldError::check("blocks", blocks, factor)?;
        let bytes = size_of::<L>();
        let mut table = FoldError::zeroed(blocks / factor * bytes as u64)?;
        let sums = table.chunks_exact_mut(bytes);
        for (sum, parts) in sums.zip(self.as_bytes().chunks(bytes * factor as usize)) {
            for part in parts.chunks_exact(bytes) {
                sum.iter_mut().zip(part).for_each(|(sum, part)| *sum |= part);
            }
        }
        let params = L::params(blocks / factor, self.shape);
        let bytes = table.len() as u64;
        let fpr = |keys| L::predicted(&params, keys);
        let header = folded(&self.header, factor, bytes, fpr);
        Ok(Blocked { header, shape: self.shape, len: self.len, table })
    }
}

impl<L: BlockLayout, B: Bytes> Filter for Blocked<L, B> {
    fn kind(&self) -> FilterKind {
        L::KIND
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

    /// The exact rate of this filter: the mean of the blocks' rates, plus the probability that two
    /// keys of a block share the half hash that chooses the bits. (Beyond about 10^8 split blocks,
    /// which half a hash does not choose evenly, it is a few percent too low.)
    fn expected_fpr(&self) -> f64 {
        layout::expected_fpr(self.blocks().iter().copied(), self.shape)
    }

    fn load_factor(&self) -> f64 {
        layout::load_factor(self.blocks().iter().copied())
    }

    /// Blocks whose bits are all set.
    fn saturated(&self) -> u64 {
        layout::saturated(self.blocks().iter().copied())
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        let (block, low) = simd::block_of(self.blocks(), hash);
        simd::contains(block, low, self.shape)
    }

    #[inline]
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        simd::contains_batch(self.blocks(), self.shape, hashes, answers);
        Ok(())
    }
}

impl<L: BlockLayout> Blocked<L> {
    #[inline(always)]
    fn insert_many(&mut self, hashes: Hashes<'_>) -> u64 {
        let blocks = simd::blocks_of_mut::<L>(&mut self.table);
        blocks::insert::<L>(blocks, self.shape, &mut self.len, hashes)
    }
}

impl<L: BlockLayout> InsertFilter for Blocked<L> {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Ok(Self::insert_hash(self, hash))
    }

    #[inline]
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        Ok(self.insert_many(Hashes::Slice(hashes)))
    }

    #[inline]
    fn insert_batch_new(
        &mut self,
        hashes: &[KeyHash],
        new: &mut [bool],
    ) -> Result<u64, BatchInsertError> {
        BatchInsertError::check_length(hashes.len(), new.len())?;
        let blocks = simd::blocks_of_mut::<L>(&mut self.table);
        let count = simd::insert_batch_new(blocks, self.shape, hashes, new);
        self.len = self.len.saturating_add(count);
        Ok(count)
    }

    fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> Result<u64, BatchInsertError> {
        Ok(self.insert_many(Hashes::From(about, next)))
    }

    #[cfg(feature = "rayon")]
    fn par_insert_from(&mut self, hashes: &dyn HashSource) -> Result<u64, BatchInsertError> {
        Ok(self.insert_many(Hashes::Shared(hashes)))
    }
}

impl<L: BlockLayout> ClearFilter for Blocked<L> {
    fn clear(&mut self) {
        self.table.fill(0);
        self.len = 0;
    }
}

impl<L: BlockLayout> MergeFilter for Blocked<L> {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        match self.sizes(other)? {
            Sizes::Equal => Ok(()),
            Sizes::Ours(_) | Sizes::Theirs(_) => self.merged(other).map(drop),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.sizes(other)? != Sizes::Equal {
            *self = self.merged(other)?;
            return Ok(());
        }
        for (byte, theirs) in self.table.iter_mut().zip(other.as_bytes()) {
            *byte |= theirs;
        }
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }
}

impl<L: BlockLayout> PlanFilter for Blocked<L> {
    type Params = L::Params;

    fn plan(goal: Goal) -> Result<Plan<L::Params>, PlanError> {
        Ok(goal.plan_by(L::plan)?.with_budget(goal.budget))
    }

    fn plan_params(params: L::Params, keys: u64) -> Result<Plan<L::Params>, PlanError> {
        L::plan_params(params, keys)
    }

    fn predicted_fpr(params: &L::Params, keys: u64) -> PredictedFpr {
        L::predicted(params, keys)
    }

    fn params(&self) -> L::Params {
        self.params()
    }
}

impl<L: BlockLayout> EmptyFilter for Blocked<L> {
    fn empty(target: impl Into<Target<L::Params>>, seed: u64) -> Result<Self, BuildError> {
        Self::with_seed(target, seed)
    }
}

impl<L: BlockLayout> BuildFilter for Blocked<L> {
    fn build_hashes(
        target: impl Into<BuildTarget<L::Params>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        fill_from_hashes(target, seed, hashes)
    }

    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<L::Params>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        fill_from_keys(target, seed, keys)
    }

    #[cfg(feature = "rayon")]
    fn par_build_from(
        target: impl Into<BuildTarget<L::Params>>,
        seed: u64,
        hashes: &dyn HashSource,
    ) -> Result<Self, BuildError> {
        par_fill_from(target, seed, hashes)
    }
}

/// Keeps the hashes of all keys until they are inserted, 8 bytes each.
#[cfg(feature = "rayon")]
impl<L: BlockLayout, K: Key + Send> ParallelExtend<K> for Blocked<L> {
    fn par_extend<I: IntoParallelIterator<Item = K>>(&mut self, keys: I) {
        par_extend(self, keys);
    }
}

impl<L: BlockLayout, K: Key> Extend<K> for Blocked<L> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        extend(self, keys);
    }
}

/// [`merge`](Self::merge) for filters known to match.
///
/// # Panics
///
/// If they differ in parameters or seed, where `merge` returns an error.
impl<L: BlockLayout> BitOrAssign<&Self> for Blocked<L> {
    #[track_caller]
    #[allow(clippy::panic, reason = "documented: operators cannot return errors")]
    fn bitor_assign(&mut self, other: &Self) {
        if let Err(error) = self.merge(other) {
            panic!("{error}");
        }
    }
}

/// [`intersect`](Self::intersect) for filters known to match.
///
/// # Panics
///
/// If they differ in parameters or seed, where `intersect` returns an error.
impl<L: BlockLayout> BitAndAssign<&Self> for Blocked<L> {
    #[track_caller]
    #[allow(clippy::panic, reason = "documented: operators cannot return errors")]
    fn bitand_assign(&mut self, other: &Self) {
        if let Err(error) = self.intersect(other) {
            panic!("{error}");
        }
    }
}

/// Prints neither the table, which may be gigabytes, nor the seed, which may be secret.
impl<L: BlockLayout, B: Bytes> fmt::Debug for Blocked<L, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(L::NAME)
            .field("params", &self.params())
            .field("len", &self.len)
            .field("capacity", &self.header.capacity)
            .finish_non_exhaustive()
    }
}

/// Serialises the bytes of the filter's file.
#[cfg(feature = "serde")]
impl<L: BlockLayout, B: Bytes> amq_core::internal::serde::Serialize for Blocked<L, B> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::serialize(self, serializer)
    }
}

/// Deserialises the bytes of the filter's file, with all checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de, L: BlockLayout> amq_core::internal::serde::Deserialize<'de> for Blocked<L> {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}

impl<L: BlockLayout, B: Bytes> FileFormat for Blocked<L, B> {
    type With<C: Bytes> = Blocked<L, C>;
    type Geometry = L::Params;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        Ok(Contents {
            entries: vec![L::geometry(&self.params())],
            sections: vec![Section::new(self.as_bytes(), size_of::<L::Word>())],
            ..Contents::new(L::KIND, REVISION, hashing, &self.header, self.len)
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<L::Params, DecodeError> {
        opened.expect_kind(L::KIND, REVISION)?;
        opened.expect_asked(0)?;
        let params = L::params_in(opened)?;
        L::check(&params)?;
        let section = (table_bytes::<L>(&params), size_of::<L::Word>());
        opened.expect_sections([section].into_iter())?;
        Ok(params)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        params: L::Params,
        mut sections: Sections<'_, C>,
    ) -> Result<Blocked<L, C>, DecodeError> {
        let (header, shape) = (opened.header(), L::shape(&params));
        Ok(Blocked { header, shape, len: opened.keys(), table: sections.take()? })
    }
}

/// Bytes of a table with these parameters.
fn table_bytes<L: BlockLayout>(params: &L::Params) -> u64 {
    L::blocks(params).saturating_mul(size_of::<L>() as u64)
}
