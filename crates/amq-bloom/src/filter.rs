//! The classic Bloom filter.

use crate::params::folded;
use crate::probing::partition::Hashes;
use crate::probing::partition::places::{self, Place};
use crate::probing::{ProbeTable, Probes};
use crate::resize::Sizes;
use crate::table::{self, Bits, place, words, words_for, words_mut};
use crate::{BloomParams, FoldError, theory::classic as theory};
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

/// The revision of the layout in files.
const REVISION: u8 = 1;

/// The classic Bloom filter: a key sets k bits anywhere in a table of m.
///
/// `B` stores the table: a [`Table`], or for a [view](crate::BloomView) a borrowed slice. See the
/// [crate's documentation](crate) for the picture, the algorithm and the formulas.
///
/// The most common methods are inherent. The others are in traits that this crate exports: batches
/// and iterators of keys in [`InsertExt`](crate::InsertExt) and [`FilterExt`](crate::FilterExt),
/// hashes in [`InsertFilter`] and [`Filter`], the filter's state in [`Filter`], files in
/// [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct BloomFilter<B = Table> {
    pub(crate) header: Header,
    params: BloomParams,
    len: u64,
    table: B,
}

/// A [`BloomFilter`] whose table is borrowed.
pub type BloomView<'a> = BloomFilter<&'a [u8]>;

impl BloomFilter {
    /// An empty filter for a [`Goal`] or a [`Plan`], with the public [`DEFAULT_SEED`].
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Goal};
    ///
    /// // Room for a thousand keys at a false-positive rate of 1 %.
    /// let filter = BloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.is_empty());
    /// # Ok::<(), amq_bloom::BuildError>(())
    /// ```
    pub fn new(target: impl Into<Target<BloomParams>>) -> Result<Self, BuildError> {
        Self::with_seed(target, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(
        target: impl Into<Target<BloomParams>>,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check()?;
        let table = Table::zeroed(table_bytes(plan.params.bits))?;
        Ok(Self { header: Header::new(&plan, seed), params: plan.params, len: 0, table })
    }

    /// Builds a filter of these keys, with the public [`DEFAULT_SEED`]. [`BuildFilter`] builds with
    /// another seed, from a slice of keys, and from hashes.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys, or a
    /// [`Goal`] or [`Plan`], with which more keys than planned are an error. The hashes are kept
    /// until the filter is built, 8 bytes each; the keys are not.
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Budget};
    ///
    /// let filter = BloomFilter::build(Budget::Fpr(0.01), ["one", "two", "three"])?;
    /// assert!(filter.contains("two"));
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_bloom::BuildError>(())
    /// ```
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<BloomParams>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// The best parameters for a goal, with their size and rate. Allocates nothing.
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Goal};
    ///
    /// let plan = BloomFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.0101);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_bloom::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<BloomParams>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    /// Inserts `key`. Never fails: beyond the planned number of keys the false-positive rate rises
    /// instead.
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Goal};
    ///
    /// let mut filter = BloomFilter::new(Goal::fpr(1000, 0.01))?;
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
        let BloomParams { bits, probes } = self.params;
        let new = Bit::set_all(words_mut(&mut self.table), bits, probes, hash);
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
    /// use amq_bloom::{BloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut ours = BloomFilter::new(Goal::fpr(1000, 0.01))?;
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

    /// A filter from its parts. The table must have the size that the parameters require.
    pub(crate) const fn of(header: Header, params: BloomParams, len: u64, table: Table) -> Self {
        Self { header, params, len, table }
    }

    /// Intersects `self` with `other`: keys that were in both are still in. On an error nothing
    /// changes.
    ///
    /// Both must have the same parameters and seed: unlike [`merge`](Self::merge), it resizes
    /// neither. [`fold`](Self::fold) the larger one first.
    ///
    /// A key that was in only one filter is in the result only if it was a false positive of the
    /// other. [`len`](Self::len) becomes the smaller of both.
    /// [`estimated_cardinality`](Self::estimated_cardinality) is too high from then on; its
    /// documentation shows how to estimate the number of common keys.
    pub fn intersect(&mut self, other: &Self) -> Result<(), MergeError> {
        self.params.check_same(&other.params)?;
        self.header.check_seeds(&other.header)?;
        for (byte, theirs) in self.table.iter_mut().zip(other.as_bytes()) {
            *byte &= theirs;
        }
        self.len = self.len.min(other.len);
        Ok(())
    }
}

/// Sets bits of a table.
struct Bit;

impl Place for Bit {
    const COUNTS_COPIES: bool = false;
    const WORD: u32 = 6;

    #[inline(always)]
    fn set(words: &mut [[u8; 8]], bit: u64) -> bool {
        let (word, mask) = place(bit);
        let old = u64::from_le_bytes(words[word]);
        words[word] = (old | mask).to_le_bytes();
        old & mask == 0
    }

    // Collects all changes in one word, to branch once.
    #[inline(always)]
    fn set_all(words: &mut [[u8; 8]], bits: u64, probes: u32, hash: KeyHash) -> bool {
        let mut positions = Probes::new(hash, bits);
        let mut changed = 0;
        for _ in 0..probes {
            let (word, mask) = place(positions.next_place());
            let old = u64::from_le_bytes(words[word]);
            let new = old | mask;
            changed |= new ^ old;
            words[word] = new.to_le_bytes();
        }
        changed != 0
    }
}

impl<B: Bytes> BloomFilter<B> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Budget};
    ///
    /// let filter = BloomFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
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
    /// use amq_bloom::{BloomFilter, Budget};
    ///
    /// let filter = BloomFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.stats().expected_fpr < 0.02);
    /// println!("{}", filter.stats());
    /// # Ok::<(), amq_bloom::BuildError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }

    /// The parameters of its table.
    #[inline]
    #[must_use]
    pub fn params(&self) -> BloomParams {
        self.params
    }

    /// A filter with an existing table, as returned by [`as_bytes`](Self::as_bytes).
    ///
    /// A table of the wrong length, or with bits set past the last, is refused. Nothing else can be
    /// checked: with a wrong seed or a damaged table, the filter denies keys. If the keys were not
    /// hashed by [`KeyHash::of`], wrap it in [`Prehashed`](amq_core::Prehashed).
    pub fn from_table_unchecked(table: B, parts: Parts<BloomParams>) -> Result<Self, PlanError> {
        let params = parts.params;
        params.check()?;
        let wanted = table_bytes(params.bits);
        let bytes = table.as_ref();
        PlanError::check_parameter("bytes", bytes.len() as u64, wanted, wanted)?;
        let past = bits_past(bytes, params.bits);
        PlanError::check_parameter("bits set past the last", past, 0, 0)?;
        Ok(Self { header: Header::of_parts(&parts), params, len: parts.len, table })
    }

    /// The table: bit `i` is bit `i % 8` of byte `i / 8`. The length is rounded up to eight bytes,
    /// and bits past the last are zero.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.table.as_ref()
    }

    /// The parameters, seed and counts; see [`from_table_unchecked`](Self::from_table_unchecked).
    #[must_use]
    pub fn parts(&self) -> Parts<BloomParams> {
        self.header.parts(self.params, self.len)
    }

    /// Number of bits that are set. Reads the whole table.
    #[must_use]
    pub fn count_ones(&self) -> u64 {
        table::count_ones(words(self.as_bytes()))
    }

    /// Estimated number of distinct keys, from the fraction of bits set; infinite if all are. Reads
    /// the whole table. If it exceeds [`capacity`](Filter::capacity), the rate exceeds the planned
    /// one.
    ///
    /// Unlike [`len`](Self::len), it is correct after a merge of filters of one size, and includes
    /// keys that were false positives when inserted. Its standard error is about `0.8 / sqrt(m)` of
    /// the estimate at the design load. After a merge of different sizes it is too high, since each
    /// bit of the smaller table is set several times in the larger one.
    ///
    /// **After an [intersection](Self::intersect) it is far too high**: bits that the two filters
    /// set for different keys stay, and cannot be distinguished from those of common keys. Estimate
    /// the number of common keys from the two filters and their union:
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Goal};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let goal = Goal::fpr(100_000, 0.01);
    /// let a = BloomFilter::build(goal, 0..100_000u64)?;
    /// let b = BloomFilter::build(goal, 90_000..190_000u64)?;
    /// let (mut union, mut both) = (a.clone(), a.clone());
    /// union.merge(&b)?;
    /// both.intersect(&b)?;
    /// let [a, b, union, both] = [a, b, union, both].map(|it| it.estimated_cardinality());
    /// assert!((9_000.0..11_000.0).contains(&(a + b - union)));
    /// assert!(both > 40_000.0);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn estimated_cardinality(&self) -> f64 {
        theory::keys_of_fill(self.params.bits, self.params.probes, self.load_factor())
    }

    /// A filter with the same keys in a table `factor` times smaller, with a correspondingly higher
    /// rate.
    ///
    /// Each bit `i` moves to `i / factor`, the position of the key's probe in the smaller table.
    /// The result is the filter that would have been built at that size. Filters planned by this
    /// crate fold at least by 2, 4, 8, 16, 32 and 64. Use it to ship a filter that holds fewer keys
    /// than planned.
    ///
    /// Its [`capacity`](Filter::capacity) becomes the number of keys that the budget allows in the
    /// smaller table: the most within the rate it was planned for, or, for other budgets, the
    /// number with as many bits per key as before.
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Filter, Goal};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = BloomFilter::new(Goal::fpr(10_000, 0.001))?;
    /// filter.insert("the only key");
    /// let small = filter.fold(64)?;
    /// assert!(small.contains("the only key"));
    /// assert_eq!(small.capacity(), 10_000 / 64);
    /// assert!(small.size_in_bytes() * 64 <= filter.size_in_bytes() + 64 * 8);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fold(&self, factor: u64) -> Result<BloomFilter, FoldError> {
        FoldError::check("bits", self.params.bits, factor)?;
        let params = BloomParams::new(self.params.bits / factor, self.params.probes);
        let mut table = FoldError::zeroed(table_bytes(params.bits))?;
        let folded_words = words_mut(&mut table);
        for (i, &word) in words(self.as_bytes()).iter().enumerate() {
            let mut rest = u64::from_le_bytes(word);
            while rest != 0 {
                let bit = i as u64 * 64 + u64::from(rest.trailing_zeros());
                Bit::set(folded_words, bit / factor);
                rest &= rest - 1;
            }
        }
        let bytes = table.len() as u64;
        let fpr = |keys| theory::fpr(&params, keys);
        let header = folded(&self.header, factor, bytes, fpr);
        Ok(BloomFilter { header, params, len: self.len, table })
    }

    /// [`contains_hash`](Filter::contains_hash), optimised for absent keys: faster if the answer is
    /// `false`, slower if it is `true`.
    ///
    /// The answers are the same.
    #[inline]
    #[must_use]
    pub fn contains_hash_unlikely(&self, hash: KeyHash) -> bool {
        self.bits().contains_unlikely(hash)
    }

    #[inline(always)]
    fn bits(&self) -> Bits<'_, [u8; 8]> {
        Bits { words: words(self.table.as_ref()), params: self.params }
    }
}

impl<B: Bytes> Filter for BloomFilter<B> {
    fn kind(&self) -> FilterKind {
        FilterKind::Bloom
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
        self.as_bytes().len() as u64
    }

    /// `fill^k` plus the floor of 64-bit hashes: the exact rate of this filter with the bits it has
    /// set.
    fn expected_fpr(&self) -> f64 {
        let BloomParams { bits, probes } = self.params;
        theory::fpr_of_table(bits, probes, self.load_factor())
    }

    fn load_factor(&self) -> f64 {
        // A view whose payload was not checked may have bits set past the last.
        self.count_ones().min(self.params.bits) as f64 / self.params.bits as f64
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.bits().contains(hash)
    }

    #[inline]
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        self.bits().contains_each(hashes, answers);
        Ok(())
    }
}

impl BloomFilter {
    #[inline(always)]
    fn insert_many(&mut self, hashes: Hashes<'_>) -> u64 {
        let BloomParams { bits, probes } = self.params;
        places::insert::<Bit>(words_mut(&mut self.table), (bits, probes), &mut self.len, hashes)
    }
}

impl InsertFilter for BloomFilter {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Ok(Self::insert_hash(self, hash))
    }

    // No prefetching: stores do not stall, so the misses of several inserts overlap anyway.
    // Prefetching measured 1.2 to 1.7 times slower.
    #[inline]
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        Ok(self.insert_many(Hashes::Slice(hashes)))
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

impl ClearFilter for BloomFilter {
    fn clear(&mut self) {
        self.table.fill(0);
        self.len = 0;
    }
}

impl MergeFilter for BloomFilter {
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

impl PlanFilter for BloomFilter {
    type Params = BloomParams;

    fn plan(goal: Goal) -> Result<Plan<BloomParams>, PlanError> {
        Ok(goal.plan_by(theory::plan)?.with_budget(goal.budget))
    }

    fn plan_params(params: BloomParams, keys: u64) -> Result<Plan<BloomParams>, PlanError> {
        theory::plan_params(params, keys)
    }

    fn predicted_fpr(params: &BloomParams, keys: u64) -> PredictedFpr {
        theory::fpr(params, keys)
    }

    fn params(&self) -> BloomParams {
        self.params()
    }
}

impl EmptyFilter for BloomFilter {
    fn empty(target: impl Into<Target<BloomParams>>, seed: u64) -> Result<Self, BuildError> {
        Self::with_seed(target, seed)
    }
}

impl BuildFilter for BloomFilter {
    fn build_hashes(
        target: impl Into<BuildTarget<BloomParams>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        fill_from_hashes(target, seed, hashes)
    }

    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<BloomParams>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        fill_from_keys(target, seed, keys)
    }

    #[cfg(feature = "rayon")]
    fn par_build_from(
        target: impl Into<BuildTarget<BloomParams>>,
        seed: u64,
        hashes: &dyn HashSource,
    ) -> Result<Self, BuildError> {
        par_fill_from(target, seed, hashes)
    }
}

/// Keeps the hashes of all keys until they are inserted, 8 bytes each.
#[cfg(feature = "rayon")]
impl<K: Key + Send> ParallelExtend<K> for BloomFilter {
    fn par_extend<I: IntoParallelIterator<Item = K>>(&mut self, keys: I) {
        par_extend(self, keys);
    }
}

impl<K: Key> Extend<K> for BloomFilter {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        extend(self, keys);
    }
}

/// [`merge`](Self::merge) for filters known to match.
///
/// # Panics
///
/// If they differ in parameters or seed, where `merge` returns an error.
impl BitOrAssign<&Self> for BloomFilter {
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
impl BitAndAssign<&Self> for BloomFilter {
    #[track_caller]
    #[allow(clippy::panic, reason = "documented: operators cannot return errors")]
    fn bitand_assign(&mut self, other: &Self) {
        if let Err(error) = self.intersect(other) {
            panic!("{error}");
        }
    }
}

/// Prints neither the table, which may be gigabytes, nor the seed, which may be secret.
impl<B: Bytes> fmt::Debug for BloomFilter<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BloomFilter")
            .field("params", &self.params())
            .field("len", &self.len)
            .field("capacity", &self.header.capacity)
            .finish_non_exhaustive()
    }
}

/// Serialises the bytes of the filter's file.
#[cfg(feature = "serde")]
impl<B: Bytes> amq_core::internal::serde::Serialize for BloomFilter<B> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::serialize(self, serializer)
    }
}

/// Deserialises the bytes of the filter's file, with all checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de> amq_core::internal::serde::Deserialize<'de> for BloomFilter {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}

impl<B: Bytes> FileFormat for BloomFilter<B> {
    type With<C: Bytes> = BloomFilter<C>;
    type Geometry = BloomParams;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let BloomParams { bits, probes } = self.params;
        Ok(Contents {
            entries: vec![[bits, probes.into(), 0, 0, 0, 0, 0, 0]],
            sections: vec![Section::new(self.as_bytes(), 8)],
            ..Contents::new(FilterKind::Bloom, REVISION, hashing, &self.header, self.len)
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<BloomParams, DecodeError> {
        opened.expect_kind(FilterKind::Bloom, REVISION)?;
        opened.expect_asked(0)?;
        let [bits, probes] = opened.only_entry()?;
        let params = BloomParams::new(bits, Opened::narrow("probes", probes)?);
        params.check()?;
        opened.expect_sections([(table_bytes(bits), 8)].into_iter())?;
        Ok(params)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        params: BloomParams,
        mut sections: Sections<'_, C>,
    ) -> Result<BloomFilter<C>, DecodeError> {
        let table = sections.take()?;
        if sections.is_checked() && bits_past(table.as_ref(), params.bits) > 0 {
            return Err(DecodeError::Structure { what: "bits set past the last" });
        }
        Ok(BloomFilter { header: opened.header(), params, len: opened.keys(), table })
    }
}

/// Bytes of a table of `bits` bits, in whole words.
pub(crate) const fn table_bytes(bits: u64) -> u64 {
    words_for(bits) * 8
}

/// How many bits are set past the last one.
fn bits_past(table: &[u8], bits: u64) -> u64 {
    let last = words(table).last().map_or(0, |&word| u64::from_le_bytes(word));
    let used = (bits - 1) % 64 + 1;
    let past = if used < 64 { last >> used } else { 0 };
    past.count_ones().into()
}
