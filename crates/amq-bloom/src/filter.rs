//! The classic Bloom filter.

use crate::operators::operators;
use crate::params::folded;
use crate::probing::partition::places::{self, Place};
use crate::probing::{ProbeTable, Probes};
use crate::table::{self, Bits, place, words_for};
use crate::{BloomParams, FoldError, theory::classic as theory};
use alloc::vec::Vec;
use amq_core::internal::{Entry, Header, OneTable, Opened};
use amq_core::{DecodeError, Filter, FilterKind, Inserted, KeyHash, MergeError, Parts, PlanError};

/// The classic Bloom filter: a key is k bits anywhere in a table of m.
///
/// `S` holds the table: a vector, or a borrowed slice for a [view](crate::BloomView). See the
/// [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct BloomFilter<S = Vec<u64>> {
    header: Header,
    params: BloomParams,
    len: u64,
    words: S,
}

/// A [`BloomFilter`] whose table is borrowed.
pub type BloomView<'a> = BloomFilter<&'a [u64]>;

impl BloomFilter {
    amq_core::methods! {
        in "amq_bloom" "BloomFilter" infallible;
        new: BloomParams;
        build: BloomParams;
        plan: BloomParams;
        insert infallible;
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline(always)]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Inserted {
        let BloomParams { bits, probes } = self.params;
        let new = Bit::set_all(&mut self.words, bits, probes, hash);
        self.len = self.len.saturating_add(u64::from(new));
        Inserted::from_change(new)
    }

    /// Inserts many hashes and returns how many were new.
    // No prefetching: stores do not wait, so the misses of several inserts overlap anyway. It
    // measured 1.2 to 1.7 times slower.
    #[inline]
    pub fn insert_batch(&mut self, hashes: &[KeyHash]) -> u64 {
        let BloomParams { bits, probes } = self.params;
        places::insert_batch::<Bit>(&mut self.words, (bits, probes), &mut self.len, hashes)
    }

    /// Inserts about `about` hashes, which `next` writes; see
    /// [`InsertFilter::insert_from`](amq_core::InsertFilter::insert_from).
    pub fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> u64 {
        let BloomParams { bits, probes } = self.params;
        places::insert_from::<Bit>(&mut self.words, (bits, probes), &mut self.len, about, next)
    }

    amq_core::methods! {
        in "amq_bloom" "BloomFilter" infallible;
        clear;
        /// The union: afterwards `self` contains whatever either contained. All or nothing.
        ///
        /// [`len`](Self::len) becomes the sum of both, which counts common keys twice;
        /// [`estimated_cardinality`](Self::estimated_cardinality) does not.
        merge;
        from_bytes;
    }

    /// A filter with the table that [`as_words`](BloomFilter::as_words) returned.
    ///
    /// A table of the wrong length, or with a bit set past the last, is refused. Nothing else can
    /// be checked: a wrong seed or a damaged table denies keys. If the keys were not hashed by
    /// [`KeyHash::of`], make it a [`Prehashed`](amq_core::Prehashed) filter.
    pub fn from_words_unchecked(
        words: Vec<u64>,
        parts: Parts<BloomParams>,
    ) -> Result<Self, PlanError> {
        let params = parts.params;
        params.check()?;
        let wanted = words_for(params.bits);
        PlanError::check_parameter("words", words.len() as u64, wanted, wanted)?;
        let past = bits_past(&words, params.bits);
        PlanError::check_parameter("bits set past the last", past, 0, 0)?;
        Ok(Self::over(Header::of_parts(&parts), params, parts.len, words))
    }

    #[cfg(target_has_atomic = "64")]
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// The intersection: afterwards every key that was in both is still in. All or nothing.
    ///
    /// A key that was in only one is answered `true` no more often than by the other.
    /// [`len`](Self::len) becomes the smaller of both.
    /// [`estimated_cardinality`](Self::estimated_cardinality) is too high from then on; it says how
    /// to estimate the number of common keys.
    pub fn intersect(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (word, &theirs) in self.words.iter_mut().zip(&other.words) {
            *word &= theirs;
        }
        self.len = self.len.min(other.len);
        Ok(())
    }
}

/// A bit of a table.
struct Bit;

impl Place for Bit {
    const COUNTS_COPIES: bool = false;
    const WORD: u32 = 6;

    #[inline(always)]
    fn set(words: &mut [u64], bit: u64) -> bool {
        let (word, mask) = place(bit);
        let old = words[word];
        words[word] = old | mask;
        old & mask == 0
    }

    // All changes in one word, tested once.
    #[inline(always)]
    fn set_all(words: &mut [u64], bits: u64, probes: u32, hash: KeyHash) -> bool {
        let mut positions = Probes::new(hash, bits);
        let mut changed = 0;
        for _ in 0..probes {
            let (word, mask) = place(positions.next_place());
            let old = words[word];
            let new = old | mask;
            changed |= new ^ old;
            words[word] = new;
        }
        changed != 0
    }
}

impl<S: AsRef<[u64]> + Send + Sync> BloomFilter<S> {
    amq_core::methods! {
        in "amq_bloom" "BloomFilter";
        contains;
        /// Number of inserts that answered [`Inserted::New`]: distinct keys, less those that were
        /// false positives on arrival. After a union, the sum of both.
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// `fill^k` plus the floor of 64-bit hashes: the exact rate of this filter with the bits it
        /// has set. Reads the whole table.
        expected_fpr;
        to_bytes;
        encoded_len;
    }

    /// A view of this filter: it borrows the table.
    #[must_use]
    pub fn view(&self) -> BloomView<'_> {
        Self::over(self.header, self.params, self.len, self.as_words())
    }

    /// The parameters of its table.
    #[inline]
    #[must_use]
    pub fn params(&self) -> BloomParams {
        self.params
    }

    /// The table: bit `i` is bit `i % 64` of word `i / 64`. Bits past the last are zero.
    #[must_use]
    pub fn as_words(&self) -> &[u64] {
        self.words.as_ref()
    }

    /// What the filter consists of beside its table; see
    /// [`from_words_unchecked`](BloomFilter::from_words_unchecked).
    #[must_use]
    pub fn parts(&self) -> Parts<BloomParams> {
        self.header.parts(self.params, self.len)
    }

    /// Number of bits that are set. Reads the whole table.
    #[must_use]
    pub fn count_ones(&self) -> u64 {
        table::count_ones(self.as_words())
    }

    /// Estimated number of distinct keys, from the share of bits set; infinite when all are. Reads
    /// the whole table. Above [`capacity`](Self::capacity) the rate is above the planned one.
    ///
    /// Unlike [`len`](Self::len) it is right after a union, and it counts the distinct keys that
    /// were false positives on arrival. Its standard error is about `0.8 / sqrt(m)` of the estimate
    /// at the design load.
    ///
    /// **After an [intersection](Self::intersect) it is far too high**: bits that the two filters
    /// set for different keys stay, and nothing tells them from those of common keys. Estimate the
    /// number of common keys from the two filters and their union:
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

    /// A filter with the same keys in a table `factor` times smaller, and the higher rate that goes
    /// with it.
    ///
    /// Each bit at `i` moves to `i / factor`, which is where the key's probe lands in the smaller
    /// table. Nothing is lost, and the result is the filter that would have been built at that
    /// size. Filters planned by this crate fold by 2, 4, 8, 16, 32 and 64 at least. Fold a filter
    /// that holds fewer keys than planned before you ship it.
    ///
    /// Its [`capacity`](Self::capacity) becomes the number of keys that the budget allows in the
    /// smaller table: the most within the rate it was planned for, else as many bits per key as
    /// before.
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Goal};
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
        let mut words = FoldError::zeroed(words_for(params.bits))?;
        for (i, &word) in self.as_words().iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let bit = i as u64 * 64 + u64::from(rest.trailing_zeros());
                let (word, mask) = place(bit / factor);
                words[word] |= mask;
                rest &= rest - 1;
            }
        }
        let bytes = words.len() as u64 * 8;
        let fpr = |keys| theory::fpr(&params, keys);
        Ok(Self::over(folded(&self.header, factor, bytes, fpr), params, self.len, words))
    }

    /// [`contains_hash`](Self::contains_hash), sooner if the answer is no and later if it is yes.
    ///
    /// For filters that are mostly queried for keys they do not have. The answers are the same.
    #[inline]
    #[must_use]
    pub fn contains_hash_unlikely(&self, hash: KeyHash) -> bool {
        self.table().contains_unlikely(hash)
    }

    #[inline(always)]
    fn table(&self) -> Bits<'_, u64> {
        Bits { words: self.words.as_ref(), params: self.params }
    }
}

impl<'a> BloomView<'a> {
    amq_core::methods! { open: BloomFilter; }
}

impl<S: AsRef<[u64]> + Send + Sync> Filter for BloomFilter<S> {
    amq_core::trait_methods! {
        kind: FilterKind::Bloom; seed; len; capacity; size_in_bytes;
        contains_batch: |self, hashes, answers| self.table().contains_each(hashes, answers);
    }

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
        self.table().contains(hash)
    }
}

operators!(BloomFilter, "bits, probes or seed");

amq_core::traits! {
    [S: AsRef<[u64]> + Send + Sync] BloomFilter<S>, owned [] BloomFilter: BloomParams;
    debug "BloomFilter";
    serde;
    plan theory;
    empty: words;
    merge: words, |ours, theirs| *ours | theirs;
    insert infallible;
    build by filling;
}

impl<S: AsRef<[u64]> + Send + Sync> OneTable for BloomFilter<S> {
    type Params = BloomParams;
    const KIND: FilterKind = FilterKind::Bloom;
    const REVISION: u8 = 1;
    type Element = u64;
    type Over<T: AsRef<[u64]> + Send + Sync> = BloomFilter<T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        let BloomParams { bits, probes } = self.params;
        [bits, probes.into(), 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<BloomParams, DecodeError> {
        let [bits, probes] = opened.only_entry()?;
        let params = BloomParams::new(bits, Opened::narrow("probes", probes)?);
        params.check()?;
        Ok(params)
    }

    fn elements_for(params: &BloomParams) -> u64 {
        words_for(params.bits)
    }

    fn elements(&self) -> &[u64] {
        self.as_words()
    }

    fn over<T>(header: Header, params: BloomParams, len: u64, words: T) -> BloomFilter<T> {
        BloomFilter { header, params, len, words }
    }

    fn walk(&self) -> Result<(), DecodeError> {
        let what = "bits set past the last";
        match bits_past(self.as_words(), self.params.bits) {
            0 => Ok(()),
            _ => Err(DecodeError::Structure { what }),
        }
    }
}

/// How many bits are set past the last. There are as many words as the bits take.
fn bits_past(words: &[u64], bits: u64) -> u64 {
    let last = words.last().copied().unwrap_or_default();
    let used = (bits - 1) % 64 + 1;
    let past = if used < 64 { last >> used } else { 0 };
    past.count_ones().into()
}
