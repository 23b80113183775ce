//! The counting Bloom filter.

use crate::counters::{
    self, MAX, PER_WORD, above_zero, get, lowered, place, raised, saturated, sum,
};
use crate::{CountingParams, theory::classic as theory};
use alloc::vec::Vec;
use amq_bloom::probing::partition::places::{self, Place};
use amq_bloom::probing::{ProbeTable, Probes};
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::internal::{Entry, Header, OneTable, Opened, zeroed};
use amq_core::prefetch::prefetch;
use amq_core::{
    BuildError, Count, CountFilter, DecodeError, Filter, FilterKind, Inserted, KeyHash,
    RemoveFilter,
};

/// The counting Bloom filter: a key is k counters anywhere in a table of m, each raised by one.
///
/// `S` holds the table: a vector, or a borrowed slice for a [view](crate::CountingView). See the
/// [crate's documentation](crate) for the picture, the algorithm and the formulas.
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
    amq_core::methods! {
        in "amq_counting" "CountingBloomFilter" infallible;
        new: CountingParams;
        build: CountingParams;
        plan: CountingParams;
        /// Every copy is counted; from the fifteenth copy on, a key's counters are saturated.
        insert infallible;
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline(always)]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Inserted {
        let new = self.raise(hash, self.params.probes);
        self.len = self.len.saturating_add(1);
        Inserted::from_change(new)
    }

    /// Inserts many hashes and returns how many were new.
    #[inline]
    pub fn insert_batch(&mut self, hashes: &[KeyHash]) -> u64 {
        let CountingParams { counters, probes } = self.params;
        places::insert_batch::<Counter>(&mut self.words, (counters, probes), &mut self.len, hashes)
    }

    /// Inserts about `about` hashes, which `next` writes; see
    /// [`InsertFilter::insert_from`](amq_core::InsertFilter::insert_from).
    pub fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> u64 {
        let CountingParams { counters, probes } = self.params;
        let (words, len) = (&mut self.words, &mut self.len);
        places::insert_from::<Counter>(words, (counters, probes), len, about, next)
    }

    amq_core::methods! {
        in "amq_counting" "CountingBloomFilter" infallible;
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
    amq_core::methods! {
        in "amq_counting" "CountingBloomFilter" infallible;
        contains;
        /// The number of copies of `key`: the lowest of its counters. Too high if other keys share
        /// even that one.
        count;
        /// Number of keys inserted less those removed, every copy counted. After a merge, the sum
        /// of both.
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// `fill^k` plus the floor of 64-bit hashes: the exact rate of this filter with the
        /// counters it has above zero. Reads the whole table.
        expected_fpr;
        to_bytes;
        encoded_len;
    }

    /// A view of this filter: it borrows the table.
    #[must_use]
    pub fn view(&self) -> CountingView<'_> {
        Self::over(self.header, self.params, self.len, self.as_words())
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
    /// use amq_counting::{CountingBloomFilter, Goal};
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

impl<'a> CountingView<'a> {
    amq_core::methods! { open: CountingBloomFilter; }
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
    amq_core::trait_methods! {
        kind: FilterKind::Counting; seed; len; capacity; size_in_bytes;
        contains_batch: |self, hashes, answers| self.table().contains_each(hashes, answers);
    }

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

amq_core::traits! {
    [S: AsRef<[u64]> + Send + Sync] CountingBloomFilter<S>,
    owned [] CountingBloomFilter: CountingParams;
    debug "CountingBloomFilter";
    serde;
    plan theory;
    empty: words;
    merge: words, |ours, theirs| sum(*ours, *theirs);
    insert infallible;
    build by filling;
}
