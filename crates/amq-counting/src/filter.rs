//! The counting Bloom filter.

use crate::counters::{
    self, MAX, PER_WORD, above_zero, get, lowered, place, raised, saturated, sum,
};
use crate::{CountingParams, theory::classic as theory};
use alloc::vec::Vec;
use amq_bloom::probing::partition::places::{self, Place};
use amq_bloom::probing::{ProbeTable, Probes};
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::internal::{
    Entry, Header, OneTable, Opened, fill_from_hashes, fill_from_keys, zeroed,
};
use amq_core::prefetch::prefetch;
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, ClearFilter, Count, CountFilter,
    DEFAULT_SEED, DecodeError, EmptyFilter, Filter, FilterExt, FilterKind, Goal, InsertError,
    InsertExt, InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError, MergeFilter, Plan,
    PlanError, PlanFilter, PredictedFpr, RemoveFilter, Stats, Target,
};
use core::fmt;

/// The counting Bloom filter: a key is k counters anywhere in a table of m, each raised by one.
///
/// `S` holds the table: a vector, or a borrowed slice for a [view](crate::CountingView). See the
/// [crate's documentation](crate) for the picture, the algorithm and the formulas.
///
/// The methods used most need no import. The others are in traits that this crate exports: batches
/// and iterators of keys in [`InsertExt`] and [`FilterExt`], hashes in [`InsertFilter`] and
/// [`Filter`], the filter's state in [`Filter`], files in [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct CountingBloomFilter<S = Vec<u64>> {
    header: Header,
    params: CountingParams,
    len: u64,
    words: S,
}

/// A [`CountingBloomFilter`] whose table is borrowed.
pub type CountingView<'a> = CountingBloomFilter<&'a [u64]>;

impl CountingBloomFilter {
    /// An empty filter for a [`Goal`] or a [`Plan`], with the public [`DEFAULT_SEED`].
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// // Room for a thousand keys at a false-positive rate of 1 %.
    /// let filter = CountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.is_empty());
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    pub fn new(target: impl Into<Target<CountingParams>>) -> Result<Self, BuildError> {
        Self::with_seed(target, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(
        target: impl Into<Target<CountingParams>>,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check()?;
        let words = zeroed(plan.params.counters.div_ceil(PER_WORD))?;
        Ok(Self { header: Header::new(&plan, seed), params: plan.params, len: 0, words })
    }

    /// Builds a filter of all these keys, with the public [`DEFAULT_SEED`]. [`BuildFilter`] builds
    /// with another seed, from a slice of keys, and from hashes.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys; or a
    /// [`Goal`] or [`Plan`], and more keys than planned are an error. The keys are not kept; their
    /// hashes are, 8 bytes each, until the filter is made.
    ///
    /// ```
    /// use amq_counting::{Budget, CountingBloomFilter};
    ///
    /// let filter = CountingBloomFilter::build(Budget::Fpr(0.01), ["one", "two", "three"])?;
    /// assert!(filter.contains("two"));
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<CountingParams>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// The best parameters for a goal, their cost and their rate. Allocates nothing.
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// let plan = CountingBloomFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.0101);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_counting::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<CountingParams>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    /// Inserts `key`. Never refused: past the planned number of keys the false-positive rate rises
    /// instead. Every copy is counted; from the fifteenth copy on, a key's counters are saturated.
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// let mut filter = CountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
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
        let new = self.raise(hash, self.params.probes);
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
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// let mut filter = CountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
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
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut ours = CountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
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

    /// Raises the first `count` of a key's counters; returns whether any was zero.
    #[inline(always)]
    fn raise(&mut self, hash: KeyHash, count: u32) -> bool {
        Counter::set_all(&mut self.words, self.params.counters, count, hash)
    }
}

/// A counter of a table: setting it raises it.
struct Counter;

impl Place for Counter {
    const COUNTS_COPIES: bool = true;
    const WORD: u32 = PER_WORD.ilog2();

    #[inline(always)]
    fn set(words: &mut [u64], counter: u64) -> bool {
        let (word, shift) = place(counter);
        let old = words[word];
        words[word] = raised(old, shift);
        get(old, shift) == 0
    }
}

impl<S: AsRef<[u64]> + Send + Sync> CountingBloomFilter<S> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// ```
    /// use amq_counting::{Budget, CountingBloomFilter};
    ///
    /// let filter = CountingBloomFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
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
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// let mut filter = CountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
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
    /// use amq_counting::{Budget, CountingBloomFilter};
    ///
    /// let filter = CountingBloomFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.stats().expected_fpr < 0.02);
    /// println!("{}", filter.stats());
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }

    /// The parameters of its table.
    #[inline]
    #[must_use]
    pub fn params(&self) -> CountingParams {
        self.params
    }

    /// The table: counter `i` is the four bits from bit `i % 16 * 4` of word `i / 16`. Counters
    /// past the last are zero.
    #[must_use]
    pub fn as_words(&self) -> &[u64] {
        self.words.as_ref()
    }

    /// Number of counters at 15, which never change again: a key that has one of them can no longer
    /// be removed completely and may be answered `true` for ever. Reads the whole table.
    ///
    /// At the design load there are none, unless a key was inserted fifteen times;
    /// [`saturation_probability`](crate::theory::classic::saturation_probability) predicts them.
    #[must_use]
    pub fn saturated_counters(&self) -> u64 {
        counters::tally(self.as_words(), saturated)
    }

    /// An estimate of the number of distinct keys, from the share of counters above zero; infinite
    /// if all are. Reads the whole table.
    #[must_use]
    pub fn estimated_cardinality(&self) -> f64 {
        let CountingParams { counters, probes } = self.params;
        theory::keys_of_fill(counters, probes, self.load_factor())
    }

    /// The plain Bloom filter with the same answers in a quarter of the space: one bit for each
    /// counter above zero.
    ///
    /// For shipping a filter to where it is only queried. [`len`](Self::len) stays the same.
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Filter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut blocked = CountingBloomFilter::new(Goal::fpr(10_000, 0.01))?;
    /// blocked.insert("mallory");
    /// let shipped = blocked.to_bloom()?;
    /// assert!(shipped.contains("mallory"));
    /// assert_eq!(shipped.size_in_bytes() * 4, blocked.size_in_bytes());
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_bloom(&self) -> Result<BloomFilter, BuildError> {
        let params = BloomParams::new(self.params.counters, self.params.probes);
        let mut words: Vec<u64> = zeroed(params.bits.div_ceil(64))?;
        for (bits, counts) in words.iter_mut().zip(self.as_words().chunks(4)) {
            for (quarter, &count) in counts.iter().enumerate() {
                *bits |= counters::bits(count) << (16 * quarter);
            }
        }
        let parts = self.header.parts(params, self.len);
        Ok(BloomFilter::from_words_unchecked(words, parts)?)
    }

    #[inline(always)]
    fn table(&self) -> Counters<'_> {
        Counters { words: self.words.as_ref(), params: self.params }
    }
}

/// The bits of the last word that belong to no counter.
const fn past_the_last(params: CountingParams) -> u64 {
    let (_, last) = place(params.counters - 1);
    !(u64::MAX >> (60 - last))
}

/// The counters of a table as a query sees them: zero or not.
#[derive(Clone, Copy)]
struct Counters<'a> {
    words: &'a [u64],
    params: CountingParams,
}

impl ProbeTable for Counters<'_> {
    #[inline(always)]
    fn places(&self) -> u64 {
        self.params.counters
    }

    #[inline(always)]
    fn probes(&self) -> u32 {
        self.params.probes
    }

    #[inline(always)]
    fn bytes(&self) -> usize {
        size_of_val(self.words)
    }

    #[inline(always)]
    fn is_set(&self, counter: u64) -> u64 {
        let (word, shift) = place(counter);
        u64::from(get(self.words[word], shift) != 0)
    }

    #[inline(always)]
    fn prefetch(&self, counter: u64) {
        prefetch(self.words, place(counter).0);
    }
}

impl<S: AsRef<[u64]> + Send + Sync> Filter for CountingBloomFilter<S> {
    fn kind(&self) -> FilterKind {
        FilterKind::Counting
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
        size_of_val(self.as_words()) as u64
    }

    /// `fill^k` plus the floor of 64-bit hashes: the exact rate of this filter with the counters it
    /// has above zero.
    fn expected_fpr(&self) -> f64 {
        let CountingParams { counters, probes } = self.params;
        theory::fpr_of_table(counters, probes, self.load_factor())
    }

    fn load_factor(&self) -> f64 {
        let above = counters::tally(self.as_words(), above_zero);
        // A view whose payload was not checked may have some past the last.
        above.min(self.params.counters) as f64 / self.params.counters as f64
    }

    fn saturated(&self) -> u64 {
        self.saturated_counters()
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.table().contains(hash)
    }

    #[inline]
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        self.table().contains_each(hashes, answers);
        Ok(())
    }
}

impl<S: AsRef<[u64]> + Send + Sync> OneTable for CountingBloomFilter<S> {
    type Params = CountingParams;
    const KIND: FilterKind = FilterKind::Counting;
    const REVISION: u8 = 1;
    type Element = u64;
    type Over<T: AsRef<[u64]> + Send + Sync> = CountingBloomFilter<T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        let CountingParams { counters, probes } = self.params;
        [counters, probes.into(), 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<CountingParams, DecodeError> {
        let [counters, probes] = opened.only_entry()?;
        let params = CountingParams::new(counters, Opened::narrow("probes", probes)?);
        params.check()?;
        Ok(params)
    }

    fn elements_for(params: &CountingParams) -> u64 {
        params.counters.div_ceil(PER_WORD)
    }

    fn elements(&self) -> &[u64] {
        self.as_words()
    }

    fn over<T>(
        header: Header,
        params: CountingParams,
        len: u64,
        words: T,
    ) -> CountingBloomFilter<T> {
        CountingBloomFilter { header, params, len, words }
    }

    fn walk(&self) -> Result<(), DecodeError> {
        let last = self.as_words().last().copied().unwrap_or_default();
        if last & past_the_last(self.params) != 0 {
            return Err(DecodeError::Structure { what: "counters above zero past the last" });
        }
        counters::check_sum(self.as_words(), self.len, self.params.probes)
    }
}

impl RemoveFilter for CountingBloomFilter {
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        if !self.table().contains(hash) {
            return false;
        }
        let mut places = Probes::new(hash, self.params.counters);
        for lowered_so_far in 0..self.params.probes {
            let (word, shift) = place(places.next_place());
            let old = self.words[word];
            if get(old, shift) == 0 {
                // Two of the key's probes meet in this counter, which had been raised only once: by
                // another key. A counter just lowered is not saturated, so raising it again undoes
                // that.
                self.raise(hash, lowered_so_far);
                return false;
            }
            self.words[word] = lowered(old, shift);
        }
        self.len = self.len.saturating_sub(1);
        true
    }
}

impl<S: AsRef<[u64]> + Send + Sync> CountFilter for CountingBloomFilter<S> {
    fn count_hash(&self, hash: KeyHash) -> Count {
        let (mut places, words) = (Probes::new(hash, self.params.counters), self.as_words());
        let counters = (0..self.params.probes).map(|_| {
            let (word, shift) = place(places.next_place());
            get(words[word], shift)
        });
        Count::up_to(counters.fold(MAX, u64::min), MAX)
    }
}

impl InsertFilter for CountingBloomFilter {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Ok(Self::insert_hash(self, hash))
    }

    #[inline]
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let CountingParams { counters, probes } = self.params;
        let (words, shape) = (&mut self.words, (counters, probes));
        Ok(places::insert_batch::<Counter>(words, shape, &mut self.len, hashes))
    }

    fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> Result<u64, BatchInsertError> {
        let CountingParams { counters, probes } = self.params;
        let (words, shape) = (&mut self.words, (counters, probes));
        Ok(places::insert_from::<Counter>(words, shape, &mut self.len, about, next))
    }
}

impl ClearFilter for CountingBloomFilter {
    fn clear(&mut self) {
        self.words.fill(0);
        self.len = 0;
    }
}

impl MergeFilter for CountingBloomFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.params().check_same(&other.params())?;
        self.header.check_seeds(&other.header)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (word, theirs) in self.words.iter_mut().zip(&other.words) {
            *word = sum(*word, *theirs);
        }
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }
}

impl PlanFilter for CountingBloomFilter {
    type Params = CountingParams;

    fn plan(goal: Goal) -> Result<Plan<CountingParams>, PlanError> {
        Ok(goal.plan_by(theory::plan)?.with_budget(goal.budget))
    }

    fn plan_params(params: CountingParams, keys: u64) -> Result<Plan<CountingParams>, PlanError> {
        theory::plan_params(params, keys)
    }

    fn predicted_fpr(params: &CountingParams, keys: u64) -> PredictedFpr {
        theory::fpr(params, keys)
    }

    fn params(&self) -> CountingParams {
        self.params()
    }
}

impl EmptyFilter for CountingBloomFilter {
    fn empty(target: impl Into<Target<CountingParams>>, seed: u64) -> Result<Self, BuildError> {
        Self::with_seed(target, seed)
    }
}

impl BuildFilter for CountingBloomFilter {
    fn build_hashes(
        target: impl Into<BuildTarget<CountingParams>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        fill_from_hashes(target, seed, hashes)
    }

    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<CountingParams>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        fill_from_keys(target, seed, keys)
    }
}

impl<K: Key> Extend<K> for CountingBloomFilter {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(&key);
        }
    }
}

/// Neither the table, which may be gigabytes, nor the seed, which may be secret.
impl<S: AsRef<[u64]> + Send + Sync> fmt::Debug for CountingBloomFilter<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountingBloomFilter")
            .field("params", &self.params())
            .field("len", &self.len)
            .field("capacity", &self.header.capacity)
            .finish_non_exhaustive()
    }
}

/// The bytes of the filter's file.
#[cfg(feature = "serde")]
impl<S: AsRef<[u64]> + Send + Sync> amq_core::internal::serde::Serialize
    for CountingBloomFilter<S>
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
impl<'de> amq_core::internal::serde::Deserialize<'de> for CountingBloomFilter {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}
