//! The classic Bloom filter.

use crate::probing::{ProbeTable, Probes};
use crate::table::{self, Bits, place, words_for};
use crate::{BloomParams, FoldError, theory};
use alloc::vec::Vec;
use amq_core::{
    BatchFull, Budget, BuildError, BuildFilter, DEFAULT_SEED, EmptyFilter, Filter, FilterKind,
    Full, Goal, InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError, MergeFilter,
    Plan, PlanError, PlanFilter, PredictedFpr, zeroed,
};
use core::fmt;

/// The classic Bloom filter: a key is k bits anywhere in a table of m.
///
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct BloomFilter {
    words: Vec<u64>,
    bits: u64,
    probes: u32,
    seed: u64,
    capacity: u64,
    len: u64,
}

impl BloomFilter {
    /// An empty filter for a goal, with the public [`DEFAULT_SEED`].
    pub fn new(goal: Goal) -> Result<Self, BuildError> {
        Self::with_seed(goal, DEFAULT_SEED)
    }

    /// An empty filter for a goal, with a seed of one's own.
    pub fn with_seed(goal: Goal, seed: u64) -> Result<Self, BuildError> {
        Self::with_goal(goal, seed)
    }

    /// An empty filter with explicit parameters; `capacity` is what [`Filter::capacity`] will say.
    pub fn from_params(params: BloomParams, capacity: u64, seed: u64) -> Result<Self, BuildError> {
        params.check()?;
        Ok(Self::from_parts(
            zeroed(words_for(params.bits))?,
            params,
            seed,
            capacity,
            0,
        ))
    }

    /// A filter with a given table, as [`as_words`](BloomFilter::as_words) gives it; `capacity` and `len` are what
    /// [`Filter::capacity`] and [`Filter::len`] will say.
    ///
    /// A table of another length than `params` ask for, or with a bit set past the last, is refused.
    pub fn from_words(
        words: Vec<u64>,
        params: BloomParams,
        seed: u64,
        capacity: u64,
        len: u64,
    ) -> Result<Self, PlanError> {
        params.check()?;
        let wanted = words_for(params.bits);
        PlanError::check_parameter("words", words.len() as u64, wanted, wanted)?;
        let last = words.last().copied().unwrap_or_default();
        let used = (params.bits - 1) % 64 + 1;
        let past = if used < 64 { last >> used } else { 0 };
        PlanError::check_parameter("bits set past the last", past.count_ones().into(), 0, 0)?;
        Ok(Self::from_parts(words, params, seed, capacity, len))
    }

    pub(crate) const fn from_parts(
        words: Vec<u64>,
        params: BloomParams,
        seed: u64,
        capacity: u64,
        len: u64,
    ) -> Self {
        Self {
            words,
            bits: params.bits,
            probes: params.probes,
            seed,
            capacity,
            len,
        }
    }

    /// The table: bit `i` is bit `i % 64` of word `i / 64`. Bits past the last are zero.
    pub fn as_words(&self) -> &[u64] {
        &self.words
    }

    #[cfg(target_has_atomic = "64")]
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// How many bits are set. Reads the whole table.
    pub fn count_ones(&self) -> u64 {
        table::count_ones(&self.words)
    }

    /// The share of bits that are set, 0 to 1. Half, at the design load. Reads the whole table.
    pub fn fill_ratio(&self) -> f64 {
        self.count_ones() as f64 / self.bits as f64
    }

    /// How many distinct keys are in, judged by the share of bits set; infinite when all are. Reads the whole table.
    ///
    /// Unlike [`Filter::len`] it is right after a union, and it counts the distinct keys that were false
    /// positives when they came. Its standard error is some `0.8 / sqrt(m)` of the estimate at the design load.
    pub fn estimated_cardinality(&self) -> f64 {
        theory::classic::items_of_fill(self.bits, self.probes, self.fill_ratio())
    }

    /// The estimated number of keys over the planned one: above 1 the rate is above the planned one, and when
    /// it is infinite every bit is set and every answer is `true`. Reads the whole table.
    pub fn saturation(&self) -> f64 {
        self.estimated_cardinality() / self.capacity.max(1) as f64
    }

    /// Keeps only what `other` has too: afterwards every key that was in both is still in.
    ///
    /// A key that was in one of them only is answered `true` no more often than by the other. [`Filter::len`]
    /// becomes the smaller of both. All or nothing.
    pub fn intersect_from(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (word, &theirs) in self.words.iter_mut().zip(&other.words) {
            *word &= theirs;
        }
        self.len = self.len.min(other.len);
        Ok(())
    }

    /// A filter with the same keys in a table `factor` times smaller, and the higher rate that goes with it.
    ///
    /// Each bit at `i` moves to `i / factor`, which is where the key's probe lands in the smaller table, so nothing is lost
    /// and the result is the filter that would have been built at that size. Filters planned by this crate
    /// fold by 2, 4, 8, 16, 32 and 64 at least. Good for filters that turned out to hold fewer keys than planned,
    /// before they are shipped.
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Filter, Goal, InsertFilter};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = BloomFilter::new(Goal::fpr(10_000, 0.001))?;
    /// filter.insert("the only key")?;
    /// let small = filter.fold(64)?;
    /// assert!(small.contains("the only key"));
    /// assert!(small.size_in_bytes() * 64 <= filter.size_in_bytes() + 64 * 8);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fold(&self, factor: u64) -> Result<Self, FoldError> {
        FoldError::check("bits", self.bits, factor)?;
        let bits = self.bits / factor;
        let len = words_for(bits);
        let mut words = FoldError::room(len)?;
        words.resize(len as usize, 0u64);
        for (i, &word) in self.words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let bit = i as u64 * 64 + u64::from(rest.trailing_zeros());
                let (word, mask) = place(bit / factor);
                words[word] |= mask;
                rest &= rest - 1;
            }
        }
        let params = BloomParams {
            bits,
            probes: self.probes,
        };
        Ok(Self::from_parts(
            words,
            params,
            self.seed,
            self.capacity,
            self.len,
        ))
    }

    /// [`contains_hash`](Filter::contains_hash), sooner if the answer is no and later if it is yes.
    ///
    /// For filters that are mostly asked for keys they do not have, in whatever order. The answers are the same.
    #[inline]
    pub fn contains_hash_unlikely(&self, hash: KeyHash) -> bool {
        self.table().contains_unlikely(hash)
    }

    #[inline(always)]
    fn table(&self) -> Bits<'_, u64> {
        Bits {
            words: &self.words,
            params: self.params(),
        }
    }

    /// Sets a key's bits; whether any was clear.
    #[inline(always)]
    fn set(&mut self, hash: KeyHash) -> bool {
        // Locals, so that the compiler need not read the fields again after each store.
        let (probes, bits) = (self.probes, self.bits);
        let words = &mut self.words[..];
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

impl fmt::Debug for BloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        amq_core::debug(self, "BloomFilter", f)
    }
}

impl Filter for BloomFilter {
    fn kind(&self) -> FilterKind {
        FilterKind::Bloom
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }

    /// `fill^k`, the exact rate of this filter with the bits it has set, and the floor of 64-bit hashes. Reads the whole table.
    fn expected_fpr(&self) -> f64 {
        theory::classic::fpr_of_table(self.bits, self.probes, self.fill_ratio())
    }

    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.table().contains(hash)
    }

    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        self.table().contains_batch(hashes, answers)
    }
}

impl InsertFilter for BloomFilter {
    /// Never refused: past the planned number of keys the rate rises instead.
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        let new = self.set(hash);
        self.len = self.len.saturating_add(u64::from(new));
        Ok(Inserted::from_change(new))
    }

    // No prefetching: stores do not wait, so the misses of several inserts overlap as it is. It measured 1.2 to
    // 1.7 times slower.
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchFull> {
        let mut new = 0;
        for &hash in hashes {
            new += u64::from(self.set(hash));
        }
        self.len = self.len.saturating_add(new);
        Ok(new)
    }

    fn clear(&mut self) {
        self.words.fill(0);
        self.len = 0;
    }
}

impl PlanFilter for BloomFilter {
    type Params = BloomParams;

    fn plan(goal: Goal) -> Result<Plan<BloomParams>, PlanError> {
        theory::classic::plan(goal)
            .map_err(|error| error.in_bits_per_key(goal, theory::classic::plan))
    }

    fn predicted_fpr(params: &BloomParams, items: u64) -> PredictedFpr {
        PredictedFpr {
            mean: theory::classic::fpr(params.bits, params.probes, items),
            sd: theory::classic::fpr_sd(params.bits, params.probes, items),
        }
    }

    #[inline]
    fn params(&self) -> BloomParams {
        BloomParams {
            bits: self.bits,
            probes: self.probes,
        }
    }
}

impl EmptyFilter for BloomFilter {
    fn from_plan(plan: &Plan<BloomParams>, seed: u64) -> Result<Self, BuildError> {
        Self::from_params(plan.params, plan.items, seed)
    }
}

impl BuildFilter for BloomFilter {
    fn build(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<Self, BuildError> {
        Self::filled(budget, seed, hashes)
    }

    fn build_from_keys<K: Key>(budget: Budget, seed: u64, keys: &[K]) -> Result<Self, BuildError> {
        Self::filled_from_keys(budget, seed, keys)
    }
}

impl MergeFilter for BloomFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check("bits", self.bits, other.bits)?;
        MergeError::check("probes", self.probes.into(), other.probes.into())?;
        MergeError::check_seeds(self.seed, other.seed)
    }

    /// The union. [`Filter::len`] becomes the sum of both, which counts keys in both twice;
    /// [`BloomFilter::estimated_cardinality`] does not.
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (word, &theirs) in self.words.iter_mut().zip(&other.words) {
            *word |= theirs;
        }
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }
}
