//! The last generations of a stream: keys are forgotten, a generation at a time.
//!
//! "Have I seen this in the last hour?" A filter without removal fills up; one with removal needs
//! each key again when it expires. A rolling filter keeps `g` small filters, the generations. Keys
//! are inserted into the newest. After each period the oldest is emptied and becomes the newest.
//!
//! ```text
//!                    oldest                             newest
//!   contains:   [ generation ] [ generation ] ... [ generation ] <- insert
//!                      |
//!   advance():      emptied, and now the newest
//! ```
//!
//! A key is remembered for at least `g - 1` periods, and forgotten after `g` of them.
//!
//! # The rate
//!
//! A query reads all generations, so their rates add up. For a rate of `P` in total, each
//! generation is planned for `1 - (1 - P)^(1/g)`. That costs `log2 g` more bits per key, and 1.44
//! times that in a Bloom filter. Each generation remixes the hash in its own way, so their false
//! positives are independent, and a key that is one now is unlikely to be one later.
//!
//! # An hour of events
//!
//! A service sees up to 600,000 events an hour and wants to drop those it has seen within the last
//! hour, wrongly at most once in a thousand. Six generations of ten minutes would remember between
//! 50 and 60 minutes; with seven it is between 60 and 70:
//!
//! ```
//! use amq::rolling::Rolling;
//! use amq::{BloomFilter, Goal};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // 100,000 keys a generation.
//! let plan = Rolling::<BloomFilter>::plan(Goal::fpr(700_000, 0.001), 7)?;
//! assert_eq!(plan.part.keys, 100_000);
//! // 18.5 bits a key, 1.6 MB in all: 14.4 for one in a thousand, 4 for seven generations.
//! assert!((18.3..18.6).contains(&(plan.bytes as f64 * 8.0 / 700_000.0)));
//!
//! let mut seen = Rolling::<BloomFilter>::new(Goal::fpr(700_000, 0.001), 7)?;
//! assert!(seen.insert("event 1")?.is_new());
//! for _ in 0..6 {
//!     seen.advance(); // every ten minutes, from a timer
//!     assert!(seen.contains("event 1")); // an hour has not passed since it came
//! }
//! seen.advance();
//! assert!(seen.insert("event 1")?.is_new());
//! # Ok(())
//! # }
//! ```

mod file;
mod generation;
mod limits;
pub(crate) mod plan;

pub use generation::Generation;
use limits::MAX_ADVANCES;

use crate::parts::expect_room;
use alloc::vec::Vec;
use amq_core::index::remix;
use amq_core::internal::reserve;
use amq_core::prefetch::BLOCK;
use amq_core::{
    BuildError, ClearFilter, DEFAULT_SEED, EmptyFilter, Filter, FilterExt, FilterKind, Goal,
    InsertError, InsertFilter, Inserted, Key, KeyHash, LengthMismatch, Plan, Stats,
};
use core::fmt;

/// A number of generations, where a number of shards stands beside it:
/// [`Sharded::rolling`](crate::sharded::Sharded::rolling).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Generations(pub usize);

/// A filter of the last generations of a stream; see the [module](self) for how it works.
///
/// It can be saved like any other filter ([`FilterFile`](amq_core::FilterFile)), so that a restart
/// forgets nothing. The time between saving and loading is not counted: after loading, advance it
/// as often as was missed.
///
/// For several threads, use [`Sharded::rolling`](crate::sharded::Sharded::rolling). For a secret
/// key, use `Keyed::of(Rolling::new(..)?, key)`; see [`Keyed`](amq_core::Keyed).
#[derive(Clone, PartialEq)]
pub struct Rolling<F> {
    /// A ring.
    generations: Vec<F>,
    /// The number of the newest generation, from 0, and its index.
    newest: u64,
    at: usize,
    /// Keys planned for, in all generations together.
    capacity: u64,
    seed: u64,
    by_count: bool,
}

/// Without the seed, which may be secret.
impl<F: fmt::Debug> fmt::Debug for Rolling<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rolling")
            .field("generations", &self.generations)
            .field("newest", &self.newest)
            .field("capacity", &self.capacity)
            .field("by_count", &self.by_count)
            .finish_non_exhaustive()
    }
}

impl<F: EmptyFilter> Rolling<F> {
    /// An empty filter of this many generations, 1 to 4096, with the public [`DEFAULT_SEED`].
    ///
    /// The goal is for the whole window: the keys and the rate of all generations together. Each is
    /// planned for an equal share of the keys.
    pub fn new(goal: Goal, generations: usize) -> Result<Self, BuildError> {
        Self::with_seed(goal, generations, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(goal: Goal, generations: usize, seed: u64) -> Result<Self, BuildError> {
        let plan = Self::plan(goal, generations)?;
        expect_room(&plan)?;
        Self::of_parts(plan.part, generations, plan.keys, seed)
    }

    /// An empty filter of generations with this plan, for `capacity` keys in all of them.
    pub(crate) fn of_parts(
        part: Plan<F::Params>,
        generations: usize,
        capacity: u64,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let mut made = Vec::new();
        reserve(&mut made, generations as u64)?;
        for _ in 0..generations {
            made.push(F::empty(part, seed)?);
        }
        Ok(Self { generations: made, newest: 0, at: 0, capacity, seed, by_count: false })
    }
}

impl<F> Rolling<F> {
    /// Also advances by itself, before an insert into a generation that holds as many keys as
    /// planned. Then no key is ever refused.
    ///
    /// **It counts inserts, not distinct keys.** A key in the newest generation is not inserted
    /// again and does not count. A key in an older one is inserted into the newest, and counts
    /// again. So with `n` keys planned in `g` generations the filter remembers at least the last `n
    /// (g - 1) / g` inserts. These are as many distinct keys if none repeats, and only `n / g` if
    /// the same keys occur in every generation.
    #[must_use]
    pub fn by_count(self) -> Self {
        Self { by_count: true, ..self }
    }

    /// The number of generations.
    #[must_use]
    pub fn generations(&self) -> usize {
        self.generations.len()
    }

    /// The number of advances so far.
    #[must_use]
    pub const fn advanced(&self) -> u64 {
        self.newest
    }

    /// The generations that may hold keys, newest first: at most [`generations`](Self::generations)
    /// of them, and only one before the first [`advance`](Self::advance).
    ///
    /// ```
    /// use amq::rolling::Rolling;
    /// use amq::{BloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut seen = Rolling::<BloomFilter>::new(Goal::fpr(6000, 0.001), 6)?;
    /// seen.insert("event 1")?;
    /// seen.advance();
    /// seen.insert("event 2")?;
    /// // How long ago was it seen, in periods?
    /// let age = |key| seen.newest_first().position(|generation| generation.contains(key));
    /// assert_eq!((age("event 2"), age("event 1"), age("event 3")), (Some(0), Some(1), None));
    /// assert!(seen.newest_first().all(|generation| generation.len() == 1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn newest_first(&self) -> impl Iterator<Item = Generation<'_, F>> {
        let seed = self.seed;
        self.ring().map(move |(number, filter)| Generation::new(number, seed, filter))
    }

    /// The generations that may hold keys, newest first, each with its number. Those not yet
    /// reached are omitted.
    #[inline]
    fn ring(&self) -> impl Iterator<Item = (u64, &F)> {
        let (newer, older) = self.generations.split_at(self.at + 1);
        let ring = newer.iter().rev().chain(older.iter().rev());
        (0..=self.newest).rev().zip(ring)
    }
}

/// A key's hash in a generation: independent of that in any other.
#[inline]
fn within(generation: u64, hash: KeyHash) -> KeyHash {
    KeyHash::new(remix(hash.get(), generation))
}

impl<F: ClearFilter> Rolling<F> {
    /// Starts a new generation, and forgets the oldest with all of its keys. Its memory is reused.
    pub fn advance(&mut self) {
        if self.newest >= MAX_ADVANCES {
            // So many advances are impossible: the number is from a forged file. Start anew.
            self.generations.iter_mut().for_each(F::clear);
            (self.newest, self.at) = (0, 0);
            return;
        }
        self.newest += 1;
        self.at = (self.at + 1) % self.generations.len();
        self.generations[self.at].clear();
    }
}

impl<F: Filter> Rolling<F> {
    /// Whether `key` is probably in, inserted within the window; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        FilterExt::contains(self, key)
    }

    /// The number of keys in all generations; a key in several counts in each.
    #[must_use]
    pub fn len(&self) -> u64 {
        Filter::len(self)
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The filter's state in one value that prints itself: keys, load, bytes, rate. Reads all
    /// tables.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }
}

impl<F: InsertFilter + ClearFilter> Rolling<F> {
    /// Inserts `key` into the newest generation, so that it is remembered from now on, and returns
    /// whether it was inserted within the window: [`Inserted::New`] is certain.
    ///
    /// Refused if the newest generation is full; nothing changes then. [`advance`](Self::advance)
    /// makes room, and [`by_count`](Self::by_count) advances by itself.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, InsertError> {
        self.insert_hash(key.key_hash(self.seed))
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    pub fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        let (newest, number) = (&self.generations[self.at], self.newest);
        // Nothing is ever removed from a generation, so one copy of a key suffices.
        if newest.contains_hash(within(number, hash)) {
            return Ok(Inserted::MaybePresent);
        }
        let full = newest.len() >= newest.capacity();
        let seen =
            self.ring().skip(1).any(|(number, older)| older.contains_hash(within(number, hash)));
        if self.by_count && full {
            self.advance();
        }
        self.generations[self.at].insert_hash(within(self.newest, hash))?;
        Ok(Inserted::from_change(!seen))
    }
}

impl<F: Filter> Filter for Rolling<F> {
    /// The kind of the generations.
    fn kind(&self) -> FilterKind {
        self.generations[self.at].kind()
    }
    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }
    fn len(&self) -> u64 {
        self.generations.iter().map(F::len).fold(0, u64::saturating_add)
    }
    fn capacity(&self) -> u64 {
        self.capacity
    }
    fn size_in_bytes(&self) -> u64 {
        self.generations.iter().map(F::size_in_bytes).fold(0, u64::saturating_add)
    }
    fn expected_fpr(&self) -> f64 {
        let none: f64 =
            self.ring().map(|(_, generation)| libm::log1p(-generation.expected_fpr())).sum();
        -libm::expm1(none)
    }
    fn load_factor(&self) -> f64 {
        self.generations.iter().map(F::load_factor).sum::<f64>() / self.generations.len() as f64
    }
    fn saturated(&self) -> u64 {
        self.generations.iter().map(F::saturated).fold(0, u64::saturating_add)
    }
    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.ring().any(|(number, generation)| generation.contains_hash(within(number, hash)))
    }
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        answers.fill(false);
        let (mut remixed, mut found) = ([KeyHash::default(); BLOCK], [false; BLOCK]);
        for (number, generation) in self.ring() {
            let blocks = hashes.chunks(BLOCK).zip(answers.chunks_mut(BLOCK));
            for (hashes, answers) in blocks {
                let remixed = &mut remixed[..hashes.len()];
                for (remixed, &hash) in remixed.iter_mut().zip(hashes) {
                    *remixed = within(number, hash);
                }
                let found = &mut found[..hashes.len()];
                generation.contains_batch(remixed, found)?;
                for (answer, &found) in answers.iter_mut().zip(&*found) {
                    *answer |= found;
                }
            }
        }
        Ok(())
    }
}

impl<F: InsertFilter + ClearFilter> InsertFilter for Rolling<F> {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Self::insert_hash(self, hash)
    }
}

/// Forgets all generations.
impl<F: ClearFilter> ClearFilter for Rolling<F> {
    fn clear(&mut self) {
        for generation in &mut self.generations {
            generation.clear();
        }
    }
}
