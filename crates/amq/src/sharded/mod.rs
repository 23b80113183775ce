//! One filter for threads that insert and remove: shards with a lock each.
//!
//! # How to share a filter
//!
//! - Threads that only query share `&F`, without any lock.
//! - Threads that insert, and never remove, share an
//!   [`AtomicBloomFilter`](amq_bloom::AtomicBloomFilter) or
//!   [`AtomicBlockedBloomFilter`](amq_bloom::AtomicBlockedBloomFilter), without any lock.
//! - Threads that insert *and* remove, or need another variant's space or rate, share a [`Sharded`]
//!   filter.
//!
//! # How it works
//!
//! ```text
//!   hash of a key --- KeyHash::shard ---> one of s locks --- the same hash ---> a filter of n / s
//! ```
//!
//! [`KeyHash::shard`] is independent of the bits of the hash that filters use, so within a shard
//! hashes are uniform and each shard keeps its rate. A query reads one shard, so the rate of the
//! whole is the mean of the shards' rates: that of one filter with the same bits per key.
//!
//! Two threads that need the same lock wait for each other. With `s` shards and `t` threads the
//! probability is at most `(t - 1) / s` per key: one in eight with eight shards per thread. Any
//! number of shards will do; powers of two are no faster. The benchmark `sharded_scaling` prints
//! the speedup.
//!
//! # Spare room
//!
//! Of `n` keys a shard gets `n / s`, plus or minus the square root of that. A full shard refuses
//! keys while others have room, so each is planned for more than `n / s`. With `n` keys, a shard
//! exceeds its plan in at most one filter in a billion (by Chernoff's bound on all shards
//! together). That takes a seventh more space at 2,000 keys per shard, a fiftieth at 100,000.

mod batch;
mod change;
mod file;
mod forward;
mod limits;
mod plan;
mod shard;

pub use batch::Refused;
pub use plan::shard_keys;

use crate::parts::expect_room;
use crate::rolling::{Generations, Rolling};
use alloc::vec::Vec;
use amq_core::internal::reserve;
use amq_core::{
    BuildError, DEFAULT_SEED, EmptyFilter, Filter, FilterExt, FilterKind, Goal, Key, KeyHash, Stats,
};
use core::fmt;
use shard::Shard;

/// A filter in shards, each behind a lock: threads insert and remove through `&self`.
///
/// ```
/// use amq::sharded::Sharded;
/// use amq::{CuckooFilter, Goal};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let sessions = Sharded::<CuckooFilter>::new(Goal::fpr(100_000, 0.01), 16)?;
/// std::thread::scope(|scope| {
///     for thread in 0..4u64 {
///         let sessions = &sessions;
///         scope.spawn(move || -> Result<(), amq::InsertError> {
///             for key in thread * 1000..(thread + 1) * 1000 {
///                 sessions.insert(&key)?;
///             }
///             Ok(())
///         });
///     }
/// });
/// assert!((0..4000u64).all(|key| sessions.contains(&key)));
/// assert!(sessions.remove(&17u64));
/// # Ok(())
/// # }
/// ```
///
/// It can be saved while threads insert: [`save`](amq_core::FilterFile::save) takes `&self`, and
/// holds one shard's lock at a time. All keys inserted before are in the file.
///
/// ```
/// use amq::sharded::Sharded;
/// use amq::{CuckooFilter, FilterFile, Goal};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let sessions = Sharded::<CuckooFilter>::new(Goal::fpr(10_000, 0.01), 16)?;
/// sessions.insert("session 1")?;
/// let path = std::env::temp_dir().join(format!("sessions-{}.amq", std::process::id()));
/// std::thread::scope(|scope| {
///     scope.spawn(|| (0..1000u64).try_for_each(|key| sessions.insert(&key).map(drop)));
///     sessions.save(&path)
/// })?;
/// assert!(Sharded::<CuckooFilter>::load(&path)?.contains("session 1"));
/// # std::fs::remove_file(path)?;
/// # Ok(())
/// # }
/// ```
///
/// For a secret key, use `Keyed::of(Sharded::new(..)?, key)`, and insert through
/// [`Keyed::by_ref`](amq_core::Keyed::by_ref).
pub struct Sharded<F> {
    shards: Vec<Shard<F>>,
    kind: FilterKind,
    seed: u64,
    capacity: u64,
}

/// Without the seed, which may be secret.
impl<F: fmt::Debug> fmt::Debug for Sharded<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sharded")
            .field("shards", &self.shards)
            .field("kind", &self.kind)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl<F: EmptyFilter> Sharded<F> {
    /// An empty filter for a goal, in this many shards, with the public [`DEFAULT_SEED`].
    pub fn new(goal: Goal, shards: usize) -> Result<Self, BuildError> {
        Self::with_seed(goal, shards, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(goal: Goal, shards: usize, seed: u64) -> Result<Self, BuildError> {
        let plan = Self::plan(goal, shards)?;
        expect_room(&plan)?;
        Self::try_from_fn(goal, shards, |_| F::empty(plan.part, seed))
    }
}

impl<F: EmptyFilter> Sharded<Rolling<F>> {
    /// An empty filter of [rolling](crate::rolling) shards, each of this many generations: for
    /// threads that insert into a window of time. Every generation of a shard has room for chance.
    ///
    /// The goal is for the whole window, as in [`Rolling::new`]. A part, which is one generation of
    /// one shard, takes 120 to 550 bytes beside its table, by variant: have hundreds of keys in
    /// each, or the filter needs several times the memory that its tables do.
    ///
    /// ```
    /// use amq::rolling::{Generations, Rolling};
    /// use amq::sharded::Sharded;
    /// use amq::{BloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// // The last hour of a stream, for four threads: seven generations of ten minutes.
    /// let seen = Sharded::<Rolling<BloomFilter>>::rolling(
    ///     Goal::fpr(700_000, 0.001), // of the whole window
    ///     32,                        // shards
    ///     Generations(7),
    /// )?;
    /// assert!(seen.insert("a key")?.is_new());
    /// for _ in 0..7 {
    ///     seen.for_each_shard(Rolling::advance); // every ten minutes, from a timer's thread
    /// }
    /// assert!(!seen.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn rolling(
        goal: Goal,
        shards: usize,
        Generations(generations): Generations,
    ) -> Result<Self, BuildError> {
        let plan = Self::plan_rolling(goal, shards, Generations(generations))?;
        expect_room(&plan)?;
        let capacity = plan.part.keys.saturating_mul(generations as u64);
        Self::try_from_fn(goal, shards, |_| {
            Rolling::of_parts(plan.part, generations, capacity, DEFAULT_SEED)
        })
    }
}

impl<F: Filter> Sharded<F> {
    /// A filter in this many shards, 1 to 32,768, made by `make`: for parameters that
    /// [`new`](Self::new) does not choose.
    ///
    /// `make` is called once per shard with the shard's goal: [`shard_keys`] of the keys, at the
    /// same rate, or an equal part of the bytes. It must return an **empty** filter. All shards
    /// must have the same seed.
    ///
    /// ```
    /// use amq::sharded::Sharded;
    /// use amq::{Goal, QuotientFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// // Shards that start with room for 100 keys each, and grow to the goal.
    /// let seen = Sharded::try_from_fn(Goal::fpr(1_000_000, 0.01), 16, |shard| {
    ///     QuotientFilter::new(QuotientFilter::plan_growing(shard, 100)?)
    /// })?;
    /// assert!(seen.insert("a key")?.is_new());
    /// # Ok(())
    /// # }
    /// ```
    pub fn try_from_fn(
        goal: Goal,
        shards: usize,
        mut make: impl FnMut(Goal) -> Result<F, BuildError>,
    ) -> Result<Self, BuildError> {
        limits::check_shards(shards)?;
        let goal = goal.checked()?;
        let shard = plan::shard_goal(goal, shards);
        let mut made = Vec::new();
        reserve(&mut made, shards as u64)?;
        for _ in 0..shards {
            made.push(make(shard)?);
        }
        Self::from_shards_unchecked(made, goal.keys)
    }

    /// A sharded filter of the filters that [`into_shards`](Self::into_shards) gave: **all of them,
    /// in the same order**. Otherwise keys are looked for in a shard they are not in, and denied.
    /// Only their number and how they hash keys are checked.
    ///
    /// `capacity` is the number of keys planned for, in all shards together.
    pub fn from_shards_unchecked(shards: Vec<F>, capacity: u64) -> Result<Self, BuildError> {
        limits::check_shards(shards.len())?;
        let (kind, seed) = (shards[0].kind(), shards[0].seed());
        if let Some(part) = shards.iter().position(|shard| shard.seed() != seed) {
            return Err(BuildError::PartSeeds { part: part as u64 });
        }
        Self::of(shards, kind, seed, capacity)
    }

    fn of(filters: Vec<F>, kind: FilterKind, seed: u64, keys: u64) -> Result<Self, BuildError> {
        let mut shards = Vec::new();
        reserve(&mut shards, filters.len() as u64)?;
        shards.extend(filters.into_iter().map(Shard::new));
        Ok(Self { shards, kind, seed, capacity: keys })
    }

    /// The filters of the shards, in order.
    ///
    /// Two sharded filters with the same plan and seed are merged shard by shard:
    ///
    /// ```
    /// use amq::sharded::Sharded;
    /// use amq::{Goal, QuotientFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let goal = Goal::fpr(10_000, 0.01);
    /// let [monday, tuesday] = [Sharded::new(goal, 8)?, Sharded::new(goal, 8)?];
    /// monday.insert("key 1")?;
    /// tuesday.insert("key 2")?;
    /// let mut shards: Vec<QuotientFilter> = monday.into_shards();
    /// for (shard, other) in shards.iter_mut().zip(tuesday.into_shards()) {
    ///     shard.merge(&other)?;
    /// }
    /// let both = Sharded::from_shards_unchecked(shards, 10_000)?;
    /// assert!(both.contains("key 1") && both.contains("key 2"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn into_shards(self) -> Vec<F> {
        self.shards.into_iter().map(Shard::into_inner).collect()
    }

    /// Visits every shard, one after another: calls `each` with it while its lock is held, to
    /// advance [rolling](crate::rolling) filters, say. Meanwhile, other threads can use the other
    /// shards. Returns how many shards were visited.
    ///
    /// `each` may use this filter, too. Its other shards work as usual. Operations on the visited
    /// shard do not wait for its lock: a query returns "maybe", an insert is refused
    /// ([`InsertError::Visited`](crate::InsertError::Visited)), a removal returns `false`, sums
    /// omit the shard, saving is refused, and a nested visit skips it.
    ///
    /// **A shard must keep the keys whose hashes belong to it.** Never swap shards: each key is
    /// looked up in the shard that its hash selects, so the keys of a shard that moves are denied.
    /// A replacement must have the same seed. Otherwise its keys are denied, and saving is refused
    /// ([`BuildError::PartSeeds`]).
    ///
    /// ```
    /// use amq::rolling::{Generations, Rolling};
    /// use amq::sharded::Sharded;
    /// use amq::{BloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let goal = Goal::fpr(12_800, 0.01);
    /// let seen = Sharded::<Rolling<BloomFilter>>::rolling(goal, 8, Generations(4))?;
    /// assert!(seen.insert("a key")?.is_new());
    /// for _ in 0..4 {
    ///     seen.for_each_shard(Rolling::advance); // from a timer's thread
    /// }
    /// assert!(!seen.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn for_each_shard(&self, mut each: impl FnMut(&mut F)) -> usize {
        self.shards.iter().map(|shard| usize::from(shard.visit(&mut each))).sum()
    }

    /// The number of shards.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    #[inline]
    fn shard(&self, hash: KeyHash) -> &Shard<F> {
        &self.shards[hash.shard(self.shards.len())]
    }

    /// The sum over all shards, one after another, while other threads may insert and remove.
    /// `visited` is the count of a shard that this thread visits.
    fn sum(&self, of: impl Fn(&F) -> f64, visited: f64) -> f64 {
        let each = |shard: &Shard<F>| shard.read().map_or(visited, |shard| of(&shard));
        self.shards.iter().map(each).sum()
    }

    /// The sum over all shards, saturating: a forged file can claim any number.
    fn total(&self, of: impl Fn(&F) -> u64) -> u64 {
        let each = |shard: &Shard<F>| shard.read().map_or(0, |shard| of(&shard));
        self.shards.iter().map(each).fold(0, u64::saturating_add)
    }

    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        FilterExt::contains(self, key)
    }

    /// The number of keys in all shards.
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
