//! The classic Bloom filter for several threads at once.
#![cfg(target_has_atomic = "64")]

use crate::probing::{ProbeTable, Probes};
use crate::table::{self, Bits, Word, place};
use crate::{BloomFilter, BloomParams, theory};
use alloc::vec::Vec;
use amq_core::{
    Budget, BuildError, BuildFilter, DEFAULT_SEED, EmptyFilter, Filter, FilterKind, Full, Goal,
    InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError, MergeFilter, Plan, PlanError,
    PlanFilter, PredictedFpr,
};
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A [`BloomFilter`] that any number of threads insert into and query at once, through `&self`, without locks.
///
/// - **No bit is lost.** Bits are only ever set, each by one atomic operation. Once an insert has returned, every thread that has
///   heard of it (through a lock, a channel, a join, a release/acquire pair ...) gets `true` for the key.
/// - **Of racing inserters of one new key, at least one is told [`Inserted::New`]**, unless other keys
///   covered all of its bits in the meantime. With k bits in k words exactly one cannot be promised: each may be the first at one of
///   them. Alone, the answer is exact.
/// - The struct itself takes a kilobyte, for a count that threads do not wait for; the table is on the heap.
/// - The table is the same, bit for bit, as that of a `BloomFilter` with the same parameters, seed and keys; they
///   convert into each other ([`AtomicBloomFilter::into_inner`], `From`).
///
/// ```
/// use amq_bloom::{AtomicBloomFilter, Filter, Goal};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let seen = AtomicBloomFilter::new(Goal::fpr(10_000, 0.01))?;
/// std::thread::scope(|threads| {
///     for part in 0..4u64 {
///         let seen = &seen;
///         threads.spawn(move || (part * 1000..(part + 1) * 1000).for_each(|key| { seen.insert(&key); }));
///     }
/// });
/// assert!((0..4000u64).all(|key| seen.contains(&key)));
/// # Ok(())
/// # }
/// ```
pub struct AtomicBloomFilter {
    words: Vec<AtomicU64>,
    params: BloomParams,
    seed: u64,
    capacity: u64,
    len: Tally,
}

impl Word for AtomicU64 {
    #[inline(always)]
    fn load(&self) -> u64 {
        self.load(Relaxed)
    }
}

impl AtomicBloomFilter {
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
        Ok(BloomFilter::from_params(params, capacity, seed)?.into())
    }

    /// Puts `key` in, from any thread.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&self, key: &K) -> Inserted {
        self.insert_hash(key.key_hash(self.seed))
    }

    /// Puts in the key with this hash, from any thread.
    #[inline]
    pub fn insert_hash(&self, hash: KeyHash) -> Inserted {
        let words = &self.words[..];
        let mut positions = Probes::new(hash, self.params.bits);
        let mut new = false;
        for _ in 0..self.params.probes {
            let (word, mask) = place(positions.next_place());
            // Most bits of a repeated key, and half of a new one's, are set already: a plain load is enough
            // to know, and leaves the cache line to the other threads. Whoever set the bit was told so.
            if words[word].load(Relaxed) & mask == 0 {
                new |= words[word].fetch_or(mask, Relaxed) & mask == 0;
            }
        }
        if new {
            self.len.add_one(hash);
        }
        Inserted::from_change(new)
    }

    #[inline(always)]
    fn table(&self) -> Bits<'_, AtomicU64> {
        Bits {
            words: &self.words,
            params: self.params,
        }
    }

    /// A copy as it stands: every insert that this thread has heard of is in it; of inserts under way, perhaps some bits.
    /// An error if there is no memory for it.
    pub fn snapshot(&self) -> Result<BloomFilter, BuildError> {
        let mut words = amq_core::zeroed(self.words.len() as u64)?;
        for (copy, word) in words.iter_mut().zip(&self.words) {
            *copy = Word::load(word);
        }
        let (params, seed, capacity) = (self.params, self.seed, self.capacity);
        Ok(BloomFilter::from_parts(
            words,
            params,
            seed,
            capacity,
            self.len.total(),
        ))
    }

    /// The plain filter with the same table. Where a `u64` and an `AtomicU64` are aligned alike, as on every 64-bit machine,
    /// the table is not copied.
    pub fn into_inner(self) -> BloomFilter {
        let len = self.len.total();
        let words = self.words.into_iter().map(AtomicU64::into_inner).collect();
        BloomFilter::from_parts(words, self.params, self.seed, self.capacity, len)
    }

    /// The share of bits that are set, 0 to 1. Reads the whole table.
    pub fn fill_ratio(&self) -> f64 {
        table::count_ones(&self.words) as f64 / self.params.bits as f64
    }

    /// How many distinct keys are in, judged by the share of bits set; see [`BloomFilter::estimated_cardinality`].
    pub fn estimated_cardinality(&self) -> f64 {
        theory::classic::items_of_fill(self.params.bits, self.params.probes, self.fill_ratio())
    }
}

impl From<BloomFilter> for AtomicBloomFilter {
    fn from(filter: BloomFilter) -> Self {
        let (params, seed, capacity, len) = (
            filter.params(),
            filter.seed(),
            filter.capacity(),
            filter.len(),
        );
        Self {
            words: filter
                .into_words()
                .into_iter()
                .map(AtomicU64::new)
                .collect(),
            params,
            seed,
            capacity,
            len: Tally::starting_at(len),
        }
    }
}

impl Clone for AtomicBloomFilter {
    fn clone(&self) -> Self {
        let copy = |word: &AtomicU64| AtomicU64::new(Word::load(word));
        Self {
            words: self.words.iter().map(copy).collect(),
            len: Tally::starting_at(self.len.total()),
            ..*self
        }
    }
}

impl PartialEq for AtomicBloomFilter {
    fn eq(&self, other: &Self) -> bool {
        self.params == other.params
            && self.seed == other.seed
            && self.capacity == other.capacity
            && self.len.total() == other.len.total()
            && self
                .words
                .iter()
                .map(Word::load)
                .eq(other.words.iter().map(Word::load))
    }
}

impl fmt::Debug for AtomicBloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        amq_core::debug(self, "AtomicBloomFilter", f)
    }
}

impl Filter for AtomicBloomFilter {
    fn kind(&self) -> FilterKind {
        FilterKind::Bloom
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }

    fn len(&self) -> u64 {
        self.len.total()
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }

    /// `fill^k`, the exact rate of this filter with the bits it has set, and the floor of 64-bit hashes. Reads the whole table.
    fn expected_fpr(&self) -> f64 {
        let BloomParams { bits, probes } = self.params;
        theory::classic::fpr_of_table(bits, probes, self.fill_ratio())
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

/// The same as the methods on `&self`, for code that is generic over filters.
impl InsertFilter for AtomicBloomFilter {
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        Ok(Self::insert_hash(self, hash))
    }

    fn clear(&mut self) {
        for word in &mut self.words {
            *word.get_mut() = 0;
        }
        self.len = Tally::starting_at(0);
    }
}

impl PlanFilter for AtomicBloomFilter {
    type Params = BloomParams;

    fn plan(goal: Goal) -> Result<Plan<BloomParams>, PlanError> {
        BloomFilter::plan(goal)
    }

    fn predicted_fpr(params: &BloomParams, items: u64) -> PredictedFpr {
        BloomFilter::predicted_fpr(params, items)
    }

    fn params(&self) -> BloomParams {
        self.params
    }
}

impl EmptyFilter for AtomicBloomFilter {
    fn from_plan(plan: &Plan<BloomParams>, seed: u64) -> Result<Self, BuildError> {
        Self::from_params(plan.params, plan.items, seed)
    }
}

impl BuildFilter for AtomicBloomFilter {
    fn build(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<Self, BuildError> {
        Ok(BloomFilter::build(budget, seed, hashes)?.into())
    }

    fn build_from_keys<K: Key>(budget: Budget, seed: u64, keys: &[K]) -> Result<Self, BuildError> {
        Ok(BloomFilter::build_from_keys(budget, seed, keys)?.into())
    }
}

impl MergeFilter for AtomicBloomFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check("bits", self.params.bits, other.params.bits)?;
        MergeError::check(
            "probes",
            self.params.probes.into(),
            other.params.probes.into(),
        )?;
        MergeError::check_seeds(self.seed, other.seed)
    }

    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (word, theirs) in self.words.iter_mut().zip(&other.words) {
            *word.get_mut() |= Word::load(theirs);
        }
        self.len = Tally::starting_at(self.len.total().saturating_add(other.len.total()));
        Ok(())
    }
}

/// A count that threads add to without waiting for each other: several cells, each in a cache line of its own.
#[derive(Debug, Default)]
struct Tally([Cell; 16]);

#[derive(Debug, Default)]
#[repr(align(64))]
struct Cell(AtomicU64);

impl Tally {
    fn starting_at(count: u64) -> Self {
        let tally = Self::default();
        tally.0[0].0.store(count, Relaxed);
        tally
    }

    /// Adds one, in a cell that the hash chooses, so that threads seldom meet.
    #[inline]
    fn add_one(&self, hash: KeyHash) {
        self.0[hash.get() as usize % 16].0.fetch_add(1, Relaxed);
    }

    fn total(&self) -> u64 {
        let cells = self.0.iter().map(|cell| cell.0.load(Relaxed));
        cells.fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::index::remix;
    use std::sync::Barrier;
    use std::thread;

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "there are no threads")]
    fn threads_that_insert_at_once_lose_no_bit() {
        let goal = Goal::fpr(40_000, 0.01);
        let filter = AtomicBloomFilter::new(goal).unwrap();
        thread::scope(|threads| {
            for part in 0..4u64 {
                let filter = &filter;
                threads.spawn(move || {
                    // Overlapping parts, so that threads also meet at the same keys.
                    for key in part * 8000..part * 8000 + 16_000 {
                        filter.insert(&key);
                    }
                });
            }
        });
        let mut alone = BloomFilter::new(goal).unwrap();
        for key in 0..40_000u64 {
            InsertFilter::insert(&mut alone, &key).unwrap();
        }
        assert_eq!(filter.snapshot().unwrap().as_words(), alone.as_words());
        assert_eq!(filter.into_inner().as_words(), alone.as_words());
    }

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "there are no threads")]
    fn of_racing_inserters_of_a_new_key_at_least_one_is_told_so() {
        let rounds = 2000u64;
        let threads = 3;
        // So large that no round's key is covered by the others'.
        let filter = AtomicBloomFilter::new(Goal::fpr(rounds, 1e-12)).unwrap();
        let barrier = Barrier::new(threads);
        let told: Vec<Vec<bool>> = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    scope.spawn(|| {
                        (0..rounds)
                            .map(|round| {
                                barrier.wait();
                                filter.insert_hash(KeyHash::new(remix(round, 0))).is_new()
                            })
                            .collect()
                    })
                })
                .collect();
            workers.into_iter().map(|w| w.join().unwrap()).collect()
        });
        for round in 0..rounds as usize {
            assert!(told.iter().any(|answers| answers[round]), "round {round}");
        }
        // Several may be told New, and each is counted; afterwards nobody is.
        assert!(filter.len() >= rounds);
        assert!(!filter.insert_hash(KeyHash::new(remix(0, 0))).is_new());
    }

    #[test]
    fn alone_it_is_the_plain_filter() {
        let goal = Goal::fpr(1000, 0.01);
        let mut plain = BloomFilter::new(goal).unwrap();
        let atomic = AtomicBloomFilter::new(goal).unwrap();
        for key in (0..1000u64).chain(500..1500) {
            assert_eq!(
                InsertFilter::insert(&mut plain, &key),
                Ok(atomic.insert(&key))
            );
        }
        assert_eq!(atomic.len(), plain.len());
        assert_eq!(atomic.fill_ratio(), plain.fill_ratio());
        assert_eq!(atomic.expected_fpr(), plain.expected_fpr());
        assert_eq!(atomic.snapshot().unwrap(), plain);
        assert_eq!(AtomicBloomFilter::from(plain.clone()), atomic);
        assert_eq!(atomic.clone().into_inner(), plain);
    }
}
