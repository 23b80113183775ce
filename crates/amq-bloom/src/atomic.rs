//! The atomic classic Bloom filter.
#![cfg(target_has_atomic = "64")]

use crate::probing::{ProbeTable, Probes};
use crate::shared::{Atomic, AtomicTable};
use crate::table::{self, Bits, Word, place};
use crate::{BloomFilter, BloomParams, theory::classic as theory};
use alloc::vec::Vec;
use amq_core::Table;
use amq_core::internal::{Header, reserve, step};
use amq_core::prefetch::ahead;
use amq_core::{BuildError, FilterKind, KeyHash, MergeError, PlanError};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bits of a key that are read before any is set: all of them down to a rate of 1.5e-5.
const TOGETHER: usize = 16;

/// A [`BloomFilter`] that any number of threads can insert into and query concurrently, through
/// `&self`, without locks.
///
/// - **No bit is lost.** Bits are only ever set, each by one atomic operation. After an insert has
///   returned, lookups of the key return `true` in every thread that synchronises with the
///   inserting one (by a lock, a channel, a join, a release/acquire pair ...).
/// - **If threads race to insert the same new key, at least one gets [`New`]**, unless other keys
///   set all of its bits in the meantime. More than one may get it, because each may be the first
///   to set one of the k bits. Without a race the answer is exact.
/// - A new key takes one atomic operation for each of its bits that is clear (5 of 7 on average
///   while a filter fills up at 1 %) and one to count it. Each stalls the processor for some twenty
///   cycles on x86-64, so inserts from a single thread take several times as long as those of
///   [`BloomFilter`]. Batches are counted with one operation. With exclusive access (`build`, or
///   generic code with `&mut`) no atomic operations are used.
/// - The struct itself takes a kilobyte, for a counter without contention; the table is on the
///   heap.
/// - The table is that of a `BloomFilter` with the same parameters, seed and keys, bit for bit.
///   They convert into each other ([`into_inner`](Atomic::into_inner), `From`), which copies the
///   table.
///
/// ```
/// use amq_bloom::{AtomicBloomFilter, Goal};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let seen = AtomicBloomFilter::new(Goal::fpr(10_000, 0.01))?;
/// std::thread::scope(|threads| {
///     for part in 0..4u64 {
///         let mut seen = &seen;
///         threads.spawn(move || seen.extend(part * 1000..(part + 1) * 1000));
///     }
/// });
/// assert!((0..4000u64).all(|key| seen.contains(&key)));
/// # Ok(())
/// # }
/// ```
///
/// Its methods are those of [`Atomic`].
///
/// [`New`]: amq_core::Inserted::New
pub type AtomicBloomFilter = Atomic<AtomicBits>;

impl Word for AtomicU64 {
    #[inline(always)]
    fn load(&self) -> u64 {
        self.load(Relaxed)
    }
}

/// The bits, in words.
#[derive(Debug)]
pub struct AtomicBits {
    params: BloomParams,
    words: Vec<AtomicU64>,
}

impl AtomicBits {
    #[inline(always)]
    fn bits(&self) -> Bits<'_, AtomicU64> {
        Bits { words: &self.words, params: self.params }
    }

    fn loaded(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.words.iter().map(Word::load)
    }
}

impl AtomicTable for AtomicBits {
    type Plain = BloomFilter;
    type Params = BloomParams;
    const KIND: FilterKind = FilterKind::Bloom;
    const NAME: &'static str = "AtomicBloomFilter";

    fn check(params: &BloomParams) -> Result<(), PlanError> {
        params.check()
    }

    fn empty(params: BloomParams) -> Result<Self, BuildError> {
        let mut words = Vec::new();
        let count = table::words_for(params.bits);
        reserve(&mut words, count)?;
        words.extend((0..count).map(|_| AtomicU64::new(0)));
        Ok(Self { params, words })
    }

    fn of(plain: BloomFilter) -> (Header, Self) {
        let header = plain.header();
        let words = table::words(plain.as_bytes()).iter().map(|word| AtomicU64::new(word.load()));
        (header, Self { params: plain.params(), words: words.collect() })
    }

    #[inline(always)]
    fn params(&self) -> BloomParams {
        self.params
    }

    fn size_in_bytes(&self) -> u64 {
        size_of_val(&self.words[..]) as u64
    }

    fn copied(&self) -> Self {
        Self { params: self.params, words: self.loaded().map(AtomicU64::new).collect() }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.params == other.params && self.loaded().eq(other.loaded())
    }

    fn check_same(&self, other: &Self) -> Result<(), MergeError> {
        self.params.check_same(&other.params)
    }

    fn snapshot(&self, header: Header, len: u64) -> Result<BloomFilter, BuildError> {
        let mut table = Table::zeroed(self.size_in_bytes())?;
        for (copy, word) in table::words_mut(&mut table).iter_mut().zip(self.loaded()) {
            *copy = word.to_le_bytes();
        }
        Ok(BloomFilter::of(header, self.params, len, table))
    }

    #[inline(always)]
    fn contains(&self, hash: KeyHash) -> bool {
        self.bits().contains(hash)
    }

    fn contains_each(&self, hashes: &[KeyHash], answers: &mut [bool]) {
        self.bits().contains_each(hashes, answers);
    }

    /// Sets a key's bits, and returns whether any was clear.
    ///
    /// An atomic operation waits for earlier loads and delays later ones. So the words are read
    /// first, without a branch on their values, and their cache misses overlap. Most bits of a
    /// repeated key, and half of those of a new key, are already set: the thread that set a bit was
    /// told so. Only the clear bits need an atomic operation.
    #[inline]
    fn set(&self, hash: KeyHash) -> bool {
        let words = &self.words[..];
        let mut places = Probes::new(hash, self.params.bits);
        let mut left = self.params.probes;
        let mut new = false;
        while left > 0 {
            let (mut clear, mut count) = ([0; TOGETHER], 0);
            let now = left.min(TOGETHER as u32);
            for _ in 0..now {
                let bit = places.next_place();
                let (word, mask) = place(bit);
                clear[count] = bit;
                count += usize::from(words[word].load(Relaxed) & mask == 0);
            }
            for &bit in &clear[..count] {
                let (word, mask) = place(bit);
                step(1);
                new |= words[word].fetch_or(mask, Relaxed) & mask == 0;
            }
            left -= now;
        }
        new
    }

    /// As `set`, for many.
    fn set_each(&self, hashes: &[KeyHash]) -> u64 {
        let mut new = 0;
        ahead(
            &mut { self },
            hashes,
            |table, hash| table.bits().prefetch_key(hash),
            |table, _, hash| new += u64::from(table.set(hash)),
        );
        new
    }

    /// As `set`, without atomic operations.
    #[inline(always)]
    fn set_alone(&mut self, hash: KeyHash) -> bool {
        let words = &mut self.words[..];
        let mut places = Probes::new(hash, self.params.bits);
        let mut clear = 0;
        for _ in 0..self.params.probes {
            let (word, mask) = place(places.next_place());
            let word = words[word].get_mut();
            clear |= mask & !*word;
            *word |= mask;
        }
        clear != 0
    }

    #[inline]
    fn set_each_alone(&mut self, hashes: &[KeyHash]) -> u64 {
        let mut new = 0;
        for &hash in hashes {
            new += u64::from(self.set_alone(hash));
        }
        new
    }

    fn load_factor(&self) -> f64 {
        table::count_ones(&self.words) as f64 / self.params.bits as f64
    }

    fn expected_fpr(&self) -> f64 {
        theory::fpr_of_table(self.params.bits, self.params.probes, self.load_factor())
    }

    fn cardinality(&self) -> f64 {
        theory::keys_of_fill(self.params.bits, self.params.probes, self.load_factor())
    }

    fn merge(&mut self, other: &Self) {
        for (word, theirs) in self.words.iter_mut().zip(other.loaded()) {
            *word.get_mut() |= theirs;
        }
    }

    fn clear(&mut self) {
        for word in &mut self.words {
            *word.get_mut() = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::index::remix;
    use amq_core::{ClearFilter, Filter, Goal, InsertFilter};
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
                    // The parts overlap, so that threads also insert the same keys.
                    for key in part * 8000..part * 8000 + 16_000 {
                        filter.insert(&key);
                    }
                });
            }
        });
        let mut alone = BloomFilter::new(goal).unwrap();
        for key in 0..40_000u64 {
            alone.insert(&key);
        }
        assert_eq!(filter.snapshot().unwrap().as_bytes(), alone.as_bytes());
        assert_eq!(filter.into_inner().as_bytes(), alone.as_bytes());
    }

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "there are no threads")]
    fn of_racing_inserters_of_a_new_key_at_least_one_is_told_so() {
        let rounds = 2000u64;
        let threads = 3;
        // Large enough that other rounds do not set all bits of a round's key.
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
        // Several threads may get New, and each is counted; later inserts do not get it.
        assert!(filter.len() >= rounds);
        assert!(!filter.insert_hash(KeyHash::new(remix(0, 0))).is_new());
    }

    #[test]
    fn an_insert_takes_an_atomic_operation_for_each_clear_bit() {
        let mut filter = AtomicBloomFilter::new(Goal::fpr(20_000, 0.01)).unwrap();
        let hashes: Vec<_> = (0..20_000u64).map(|key| KeyHash::of(&key, 0)).collect();
        let shared = || hashes.iter().filter(|&&hash| filter.insert_hash(hash).is_new());
        let (_, steps) = amq_core::internal::steps_of(|| shared().count());
        // Two probes of a key are rarely the same clear bit.
        let ones = filter.snapshot().unwrap().count_ones();
        assert!((ones..ones + 10).contains(&steps), "{steps} for {ones}");
        let mean = steps as f64 / 20_000.0;
        assert!((4.95..5.0).contains(&mean), "{mean}");
        assert_eq!(amq_core::internal::steps_of(|| shared().count()), (0, 0));
        filter.clear();
        let alone = || InsertFilter::insert_batch(&mut filter, &hashes);
        assert_eq!(amq_core::internal::steps_of(alone).1, 0);
    }

    #[test]
    fn alone_it_is_the_plain_filter() {
        let goal = Goal::fpr(1000, 0.01);
        let mut plain = BloomFilter::new(goal).unwrap();
        let atomic = AtomicBloomFilter::new(goal).unwrap();
        let mut exclusive = atomic.clone();
        for key in (0..1000u64).chain(500..1500) {
            let inserted = plain.insert(&key);
            assert_eq!(atomic.insert(&key), inserted);
            let hash = KeyHash::of(&key, 0);
            assert_eq!(InsertFilter::insert_hash(&mut exclusive, hash), Ok(inserted));
        }
        assert_eq!(exclusive, atomic);
        assert_eq!(atomic.len(), plain.len());
        assert_eq!(atomic.load_factor(), plain.load_factor());
        assert_eq!(atomic.expected_fpr(), plain.expected_fpr());
        assert_eq!(atomic.snapshot().unwrap(), plain);
        assert_eq!(AtomicBloomFilter::from(plain.clone()), atomic);
        assert_eq!(atomic.clone().into_inner(), plain);
    }
}
