//! The classic Bloom filter, shared by threads.
#![cfg(target_has_atomic = "64")]

use crate::probing::{ProbeTable, Probes};
use crate::table::{self, Bits, Word, place};
use crate::tally::Tally;
use crate::{BloomFilter, BloomParams, theory::classic as theory};
use alloc::vec::Vec;
use amq_core::internal::{Header, OneTable, step};
use amq_core::prefetch::ahead;
use amq_core::{
    BatchInsertError, BuildError, ClearFilter, EmptyFilter, Filter, FilterKind, InsertError,
    InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError, MergeFilter, Target,
};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bits of a key that are looked at before any of them is set: all there are down to 1.5e-5.
const TOGETHER: usize = 16;

/// A [`BloomFilter`] that any number of threads insert into and query at once, through `&self`,
/// without locks.
///
/// - **No bit is lost.** Bits are only ever set, each by one atomic operation. Once an insert has
///   returned, every thread that has learned of it (through a lock, a channel, a join, a
///   release/acquire pair ...) gets `true` for the key.
/// - **Of racing inserters of one new key, at least one is told [`Inserted::New`]**, unless other
///   keys covered all of its bits in the meantime. Exactly one cannot be promised, since each racer
///   may be the first at one of the k bits. Without a race the answer is exact.
/// - A new key takes one atomic operation for each of its bits that is clear (5 of 7 on average
///   while a filter fills up at 1 %) and one to count it. A processor does nothing else meanwhile,
///   for some twenty cycles each on x86-64; so from one thread alone inserts take several times as
///   long as those of [`BloomFilter`]. Batches are counted at once. Whoever has the filter to
///   itself, as generic code with `&mut` and `build` have, needs no atomic operation at all.
/// - The struct itself takes a kilobyte, for a counter that threads do not contend for; the table
///   is on the heap.
/// - The table is that of a `BloomFilter` with the same parameters, seed and keys, bit for bit.
///   They convert into each other ([`AtomicBloomFilter::into_inner`], `From`).
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
pub struct AtomicBloomFilter {
    header: Header,
    params: BloomParams,
    len: Tally,
    words: Vec<AtomicU64>,
}

impl Word for AtomicU64 {
    #[inline(always)]
    fn load(&self) -> u64 {
        self.load(Relaxed)
    }
}

impl AtomicBloomFilter {
    amq_core::methods! {
        new: BloomParams;
        build: BloomParams;
        plan: BloomParams;
        insert shared;
    }

    /// Inserts the key with this hash, from any thread; see [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&self, hash: KeyHash) -> Inserted {
        let new = self.set(hash);
        if new {
            self.len.add(Some(&hash), 1);
        }
        Inserted::from_change(new)
    }

    /// Inserts many hashes, from any thread, and returns how many were new.
    pub fn insert_batch(&self, hashes: &[KeyHash]) -> u64 {
        let mut new = 0;
        ahead(
            &mut { self },
            hashes,
            |filter, hash| filter.table().prefetch_key(hash),
            |filter, _, hash| new += u64::from(filter.set(hash)),
        );
        self.len.add(hashes.first(), new);
        new
    }

    amq_core::methods! {
        contains;
        /// Number of inserts that answered [`Inserted::New`]; see [`BloomFilter::len`].
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// `fill^k` plus the floor of 64-bit hashes: the exact rate of this filter with the bits it
        /// has set. Reads the whole table.
        expected_fpr;
        clear;
        /// The union: afterwards `self` contains whatever either contained. All or nothing. See
        /// [`BloomFilter::merge`].
        merge;
    }

    /// The parameters of its table.
    #[inline(always)]
    #[must_use]
    pub fn params(&self) -> BloomParams {
        self.params
    }

    /// A copy of the present state: it has every insert this thread has learned of, and of inserts
    /// under way perhaps some bits. An error if there is no memory for it.
    pub fn snapshot(&self) -> Result<BloomFilter, BuildError> {
        let mut words = amq_core::internal::zeroed(self.words.len() as u64)?;
        for (copy, word) in words.iter_mut().zip(&self.words) {
            *copy = Word::load(word);
        }
        let len = self.len.total();
        Ok(<BloomFilter>::over(self.header, self.params, len, words))
    }

    /// The plain filter with the same table. The table is not copied where `u64` and `AtomicU64`
    /// have the same alignment, as on every 64-bit machine.
    #[must_use]
    pub fn into_inner(self) -> BloomFilter {
        let len = self.len.total();
        let words: Vec<u64> = self.words.into_iter().map(AtomicU64::into_inner).collect();
        <BloomFilter>::over(self.header, self.params, len, words)
    }

    /// Estimated number of distinct keys, from the share of bits set; see
    /// [`BloomFilter::estimated_cardinality`].
    #[must_use]
    pub fn estimated_cardinality(&self) -> f64 {
        theory::keys_of_fill(self.params.bits, self.params.probes, self.load_factor())
    }

    #[inline(always)]
    fn table(&self) -> Bits<'_, AtomicU64> {
        Bits { words: &self.words, params: self.params }
    }

    /// Sets a key's bits, and returns whether any was clear.
    ///
    /// An atomic operation waits for the loads before it, and holds up those after it. So the words
    /// are read first, whose waits for memory overlap, and without a branch on what they hold. Most
    /// bits of a repeated key, and half of a new one's, are set already; whoever set one was told
    /// so. Only the others take an atomic operation.
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

    /// As `set`, through `&mut self`: without atomic operations.
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
}

/// Keeps the table: it is not copied where `u64` and `AtomicU64` have the same alignment.
impl From<BloomFilter> for AtomicBloomFilter {
    fn from(filter: BloomFilter) -> Self {
        let (header, params) = (*filter.header(), filter.params());
        let len = Tally::starting_at(filter.len());
        let words = filter.into_words().into_iter().map(AtomicU64::new);
        Self { header, params, len, words: words.collect() }
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
        let [ours, theirs] = [self, other].map(|filter| filter.words.iter().map(Word::load));
        self.header == other.header
            && self.params == other.params
            && self.len() == other.len()
            && ours.eq(theirs)
    }
}

impl Filter for AtomicBloomFilter {
    fn kind(&self) -> FilterKind {
        FilterKind::Bloom
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.header.seed
    }

    fn len(&self) -> u64 {
        self.len.total()
    }

    fn capacity(&self) -> u64 {
        self.header.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        size_of_val(&self.words[..]) as u64
    }

    fn expected_fpr(&self) -> f64 {
        let BloomParams { bits, probes } = self.params;
        theory::fpr_of_table(bits, probes, self.load_factor())
    }

    fn load_factor(&self) -> f64 {
        table::count_ones(&self.words) as f64 / self.params.bits as f64
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.table().contains(hash)
    }

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

impl EmptyFilter for AtomicBloomFilter {
    fn empty(target: impl Into<Target<BloomParams>>, seed: u64) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check()?;
        let count = table::words_for(plan.params.bits);
        let mut words = Vec::new();
        amq_core::internal::reserve(&mut words, count)?;
        words.extend((0..count).map(|_| AtomicU64::new(0)));
        Ok(Self {
            header: Header::new(&plan, seed),
            params: plan.params,
            len: Tally::starting_at(0),
            words,
        })
    }
}

/// Without atomic operations: nobody else has the filter.
impl InsertFilter for AtomicBloomFilter {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        let new = self.set_alone(hash);
        self.len.add_alone(new.into());
        Ok(Inserted::from_change(new))
    }

    #[inline]
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let mut new = 0;
        for &hash in hashes {
            new += u64::from(self.set_alone(hash));
        }
        self.len.add_alone(new);
        Ok(new)
    }
}

/// For code that is generic over filters: a shared reference takes keys, too.
impl InsertFilter for &AtomicBloomFilter {
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Ok(AtomicBloomFilter::insert_hash(self, hash))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        Ok(AtomicBloomFilter::insert_batch(self, hashes))
    }
}

impl<K: Key> Extend<K> for &AtomicBloomFilter {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(&key);
        }
    }
}

impl ClearFilter for AtomicBloomFilter {
    fn clear(&mut self) {
        for word in &mut self.words {
            *word.get_mut() = 0;
        }
        self.len = Tally::starting_at(0);
    }
}

impl MergeFilter for AtomicBloomFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.params.check_same(&other.params)?;
        self.header.check_seeds(&other.header)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (word, theirs) in self.words.iter_mut().zip(&other.words) {
            *word.get_mut() |= Word::load(theirs);
        }
        self.len = Tally::starting_at(self.len.total().saturating_add(other.len.total()));
        Ok(())
    }
}

amq_core::traits! {
    [] AtomicBloomFilter, owned [] AtomicBloomFilter: BloomParams;
    debug "AtomicBloomFilter";
    plan theory;
    build by filling;
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::Goal;
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
            alone.insert(&key);
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
    fn an_insert_takes_an_atomic_operation_for_each_clear_bit_and_none_alone() {
        let mut filter = AtomicBloomFilter::new(Goal::fpr(20_000, 0.01)).unwrap();
        let hashes: Vec<_> = (0..20_000u64).map(|key| KeyHash::of(&key, 0)).collect();
        let shared = || hashes.iter().filter(|&&hash| filter.insert_hash(hash).is_new());
        let (_, steps) = amq_core::internal::steps_of(|| shared().count());
        // Seldom two probes of a key are the same clear bit.
        let ones = table::count_ones(&filter.words);
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
