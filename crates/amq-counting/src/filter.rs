//! The counting Bloom filter.

use crate::counters::{
    self, MAX, PER_WORD, above_zero, get, lowered, place, raised, saturated, sum,
};
use crate::{CountingParams, theory::classic as theory};
use alloc::vec::Vec;
use amq_bloom::probing::{ProbeTable, Probes};
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::prefetch::prefetch;
use amq_core::{
    Budget, BuildError, BuildFilter, Count, CountFilter, DEFAULT_SEED, EmptyFilter, Filter,
    FilterKind, Full, Goal, InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError,
    MergeFilter, Plan, PlanError, PlanFilter, PredictedFpr, RemoveFilter, zeroed,
};
use core::fmt;

/// The counting Bloom filter: a key is k counters anywhere in a table of m, each one higher for it.
///
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct CountingBloomFilter {
    words: Vec<u64>,
    params: CountingParams,
    seed: u64,
    capacity: u64,
    len: u64,
}

impl CountingBloomFilter {
    /// An empty filter for a goal, with the public [`DEFAULT_SEED`].
    pub fn new(goal: Goal) -> Result<Self, BuildError> {
        Self::with_seed(goal, DEFAULT_SEED)
    }

    /// An empty filter for a goal, with a seed of one's own.
    pub fn with_seed(goal: Goal, seed: u64) -> Result<Self, BuildError> {
        Self::with_goal(goal, seed)
    }

    /// An empty filter with explicit parameters; `capacity` is what [`Filter::capacity`] will say.
    pub fn from_params(
        params: CountingParams,
        capacity: u64,
        seed: u64,
    ) -> Result<Self, BuildError> {
        params.check()?;
        Ok(Self {
            words: zeroed(params.counters.div_ceil(PER_WORD))?,
            params,
            seed,
            capacity,
            len: 0,
        })
    }

    /// The table: counter `i` is the four bits from bit `i % 16 * 4` of word `i / 16`. Counters past the last are zero.
    pub fn as_words(&self) -> &[u64] {
        &self.words
    }

    /// The share of counters above zero, 0 to 1. Half, at the design load. Reads the whole table.
    pub fn fill_ratio(&self) -> f64 {
        let above = self.words.iter().map(|&word| above_zero(word).count_ones());
        above.map(u64::from).sum::<u64>() as f64 / self.params.counters as f64
    }

    /// How many counters stand at 15 and stick there: keys that have one of them can no longer be taken out of it, and
    /// so may be answered `true` for ever. Reads the whole table.
    ///
    /// At the design load there are none, unless a key was put in fifteen times;
    /// [`theory::classic::saturation_probability`](crate::theory::classic::saturation_probability) says how many to expect.
    pub fn saturated_counters(&self) -> u64 {
        let stuck = self.words.iter().map(|&word| saturated(word).count_ones());
        stuck.map(u64::from).sum()
    }

    /// How many distinct keys are in, judged by the share of counters above zero; infinite when all are. Reads the
    /// whole table.
    pub fn estimated_cardinality(&self) -> f64 {
        let CountingParams { counters, probes } = self.params;
        theory::items_of_fill(counters, probes, self.fill_ratio())
    }

    /// The plain Bloom filter with the same answers in a quarter of the space: a bit for each counter above zero.
    ///
    /// For shipping a filter to where it is only asked. [`Filter::len`] stays what it is here.
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Filter, Goal, InsertFilter};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut blocked = CountingBloomFilter::new(Goal::fpr(10_000, 0.01))?;
    /// blocked.insert("mallory")?;
    /// let shipped = blocked.to_bloom()?;
    /// assert!(shipped.contains("mallory"));
    /// assert_eq!(shipped.size_in_bytes() * 4, blocked.size_in_bytes());
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_bloom(&self) -> Result<BloomFilter, BuildError> {
        let params = BloomParams {
            bits: self.params.counters,
            probes: self.params.probes,
        };
        let mut words: Vec<u64> = zeroed(params.bits.div_ceil(64))?;
        for (bits, counts) in words.iter_mut().zip(self.words.chunks(4)) {
            for (quarter, &count) in counts.iter().enumerate() {
                *bits |= counters::bits(count) << (16 * quarter);
            }
        }
        let filter = BloomFilter::from_words(words, params, self.seed, self.capacity, self.len)?;
        Ok(filter)
    }

    #[inline(always)]
    fn table(&self) -> Counters<'_> {
        Counters {
            words: &self.words,
            params: self.params,
        }
    }

    /// Raises the first `count` of a key's counters; whether any was zero.
    #[inline(always)]
    fn raise(&mut self, hash: KeyHash, count: u32) -> bool {
        let mut places = Probes::new(hash, self.params.counters);
        let words = &mut self.words[..];
        let mut new = false;
        for _ in 0..count {
            let (word, shift) = place(places.next_place());
            let old = words[word];
            new |= get(old, shift) == 0;
            words[word] = raised(old, shift);
        }
        new
    }
}

/// The counters of a table, as far as a query is concerned.
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

impl fmt::Debug for CountingBloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        amq_core::debug(self, "CountingBloomFilter", f)
    }
}

impl Filter for CountingBloomFilter {
    fn kind(&self) -> FilterKind {
        FilterKind::Counting
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The keys put in less those taken out, each copy counted; after a merge the sum of both.
    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }

    /// `fill^k`, the exact rate of this filter with the counters it has above zero, and the floor of 64-bit hashes. Reads the
    /// whole table.
    fn expected_fpr(&self) -> f64 {
        let CountingParams { counters, probes } = self.params;
        theory::fpr_of_table(counters, probes, self.fill_ratio())
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

impl InsertFilter for CountingBloomFilter {
    /// Every copy is counted. Never refused: past the planned number of keys the rate rises, and from the fifteenth copy of one key on
    /// its counters stick.
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        let new = self.raise(hash, self.params.probes);
        self.len = self.len.saturating_add(1);
        Ok(Inserted::from_change(new))
    }

    fn clear(&mut self) {
        self.words.fill(0);
        self.len = 0;
    }
}

impl RemoveFilter for CountingBloomFilter {
    /// Takes out one copy: each of the key's counters goes one lower, except those that stick at 15.
    ///
    /// **Only remove what was put in.** A key that was not, but is answered `true`, shares all of its counters with others, and
    /// lowering them makes the filter forget one of those.
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
                // Two of the key's probes meet in this counter, which had been raised once: not by this key. A counter that was
                // just lowered cannot stick, so raising undoes it.
                self.raise(hash, lowered_so_far);
                return false;
            }
            self.words[word] = lowered(old, shift);
        }
        self.len = self.len.saturating_sub(1);
        true
    }
}

impl CountFilter for CountingBloomFilter {
    /// The lowest of the key's counters: right, or too high because of keys that share even that one.
    fn count_hash(&self, hash: KeyHash) -> Count {
        let mut places = Probes::new(hash, self.params.counters);
        let mut lowest = MAX;
        for _ in 0..self.params.probes {
            let (word, shift) = place(places.next_place());
            lowest = lowest.min(get(self.words[word], shift));
        }
        Count {
            estimate: lowest,
            saturated: lowest == MAX,
        }
    }
}

impl PlanFilter for CountingBloomFilter {
    type Params = CountingParams;

    fn plan(goal: Goal) -> Result<Plan<CountingParams>, PlanError> {
        theory::plan(goal).map_err(|error| error.in_bits_per_key(goal, theory::plan))
    }

    fn predicted_fpr(params: &CountingParams, items: u64) -> PredictedFpr {
        PredictedFpr {
            mean: theory::fpr(params.counters, params.probes, items),
            sd: theory::fpr_sd(params.counters, params.probes, items),
        }
    }

    #[inline]
    fn params(&self) -> CountingParams {
        self.params
    }
}

impl EmptyFilter for CountingBloomFilter {
    fn from_plan(plan: &Plan<CountingParams>, seed: u64) -> Result<Self, BuildError> {
        Self::from_params(plan.params, plan.items, seed)
    }
}

impl BuildFilter for CountingBloomFilter {
    fn build(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<Self, BuildError> {
        Self::filled(budget, seed, hashes)
    }

    fn build_from_keys<K: Key>(budget: Budget, seed: u64, keys: &[K]) -> Result<Self, BuildError> {
        Self::filled_from_keys(budget, seed, keys)
    }
}

impl MergeFilter for CountingBloomFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check("counters", self.params.counters, other.params.counters)?;
        MergeError::check(
            "probes",
            self.params.probes.into(),
            other.params.probes.into(),
        )?;
        MergeError::check_seeds(self.seed, other.seed)
    }

    /// Adds counter to counter, at most to 15: every copy in either can be taken out again.
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (word, &theirs) in self.words.iter_mut().zip(&other.words) {
            *word = sum(*word, theirs);
        }
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }
}
