//! One filter for threads that insert and remove: shards with a lock each.
//!
//! # Which sharing for which threads
//!
//! - Threads that only ask share `&F`, without any lock.
//! - Threads that insert, and never remove, share an
//!   [`AtomicBloomFilter`](amq_bloom::AtomicBloomFilter) or
//!   [`AtomicBlockedBloomFilter`](amq_bloom::AtomicBlockedBloomFilter), without any lock.
//! - Threads that insert *and* remove, or want another variant's space or rate, share a
//!   [`Sharded`] filter.
//!
//! # How it works
//!
//! ```text
//!   hash of a key --- KeyHash::shard ---> one of s locks --- the same hash ---> a filter of n / s
//! ```
//!
//! [`KeyHash::shard`] is independent of everything a filter takes from the hash, so within a shard
//! hashes are uniform and each shard keeps its rate. A query asks one shard, so the rate of the
//! whole is the mean of the shards' rates: that of one filter with the same bits per key.
//!
//! Two threads that want the same lock at once wait for each other. With `s` shards and `t` threads
//! that happens to a key with a probability of at most `(t - 1) / s`: eight shards a thread make it
//! one in eight. There is no gain in powers of two; any number of shards will do.
//!
//! # Room for chance
//!
//! Of `n` keys a shard gets `n / s`, give or take the square root of that. A shard that is full
//! refuses keys while others have room, so each is planned for more than `n / s`: so many that with
//! `n` keys none is over its plan, but for one filter in a billion (Chernoff's bound on all shards
//! together). That takes a seventh more space at 2,000 keys a shard, a fiftieth at 100,000.

mod batch;
mod plan;

pub use batch::Refused;
pub use plan::{ShardedPlan, ShardsError, shard_items};

use alloc::vec::Vec;
use amq_core::{
    BuildError, ClearFilter, Count, CountFilter, DEFAULT_SEED, EmptyFilter, Filter, FilterExt,
    FilterKind, Full, Goal, InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError,
    RemoveFilter, reserve,
};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

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
///         scope.spawn(move || -> Result<(), amq::Full> {
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
/// It has no file of its own: [`into_shards`](Self::into_shards) gives the filters, which have.
#[derive(Debug)]
pub struct Sharded<F> {
    shards: Vec<Shard<F>>,
    kind: FilterKind,
    key_seed: Option<u64>,
    capacity: u64,
}

/// A shard on cache lines of its own: its lock is written with every query.
#[derive(Debug)]
#[repr(align(128))]
struct Shard<F>(RwLock<F>);

/// A filter is whole whenever its lock is released, also by a panic: its operations do not panic.
impl<F> Shard<F> {
    #[inline]
    fn read(&self) -> RwLockReadGuard<'_, F> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn write(&self) -> RwLockWriteGuard<'_, F> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn exclusive(&mut self) -> &mut F {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: EmptyFilter> Sharded<F> {
    /// An empty filter for a goal, in this many shards, with the public [`DEFAULT_SEED`].
    pub fn new(goal: Goal, shards: usize) -> Result<Self, BuildError> {
        Self::with_seed(goal, shards, DEFAULT_SEED)
    }

    /// The same with your own seed.
    pub fn with_seed(goal: Goal, shards: usize, seed: u64) -> Result<Self, BuildError> {
        let plan = Self::plan(goal, shards)?;
        let mut made = Vec::new();
        reserve(&mut made, shards as u64)?;
        for _ in 0..shards {
            made.push(F::empty(plan.shard, seed)?);
        }
        let kind = made[0].kind();
        Self::of(made, kind, Some(seed), plan.items)
    }
}

impl<F: Filter> Sharded<F> {
    /// A sharded filter of the filters that [`into_shards`](Self::into_shards) gave: **all of them,
    /// in the same order**. Otherwise keys are looked for in a shard they are not in, and denied.
    /// Only their number and how they hash keys are checked.
    ///
    /// `capacity` is the number of keys planned for, in all shards together.
    pub fn from_shards_unchecked(shards: Vec<F>, capacity: u64) -> Result<Self, ShardsError> {
        plan::check_shards(shards.len()).map_err(BuildError::from)?;
        let (kind, key_seed) = (shards[0].kind(), shards[0].key_seed());
        shards
            .iter()
            .try_for_each(|shard| MergeError::check_hashes(key_seed, shard.key_seed()))
            .map_err(ShardsError::Seeds)?;
        Ok(Self::of(shards, kind, key_seed, capacity)?)
    }

    fn of(
        filters: Vec<F>,
        kind: FilterKind,
        key_seed: Option<u64>,
        items: u64,
    ) -> Result<Self, BuildError> {
        let mut shards = Vec::new();
        reserve(&mut shards, filters.len() as u64)?;
        shards.extend(filters.into_iter().map(|filter| Shard(RwLock::new(filter))));
        Ok(Self { shards, kind, key_seed, capacity: items })
    }

    /// The filters of the shards: to be saved, each as a file.
    #[must_use]
    pub fn into_shards(self) -> Vec<F> {
        let shards = self.shards.into_iter();
        let unlocked = |shard: Shard<F>| shard.0.into_inner();
        shards.map(|shard| unlocked(shard).unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// Calls `each` with every shard, one after another, while its lock is held: to advance
    /// [rolling](crate::rolling) filters, say. Other threads can ask the other shards meanwhile.
    ///
    /// ```
    /// use amq::rolling::Rolling;
    /// use amq::sharded::Sharded;
    /// use amq::{BloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shard = || Rolling::<BloomFilter>::new(Goal::fpr(2000, 0.01), 4);
    /// let shards = (0..8).map(|_| shard()).collect::<Result<Vec<_>, _>>()?;
    /// let seen = Sharded::from_shards_unchecked(shards, 8 * 1600)?;
    /// assert!(seen.insert("a key")?.is_new());
    /// for _ in 0..4 {
    ///     seen.for_each_shard(Rolling::advance); // from a timer's thread
    /// }
    /// assert!(!seen.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn for_each_shard(&self, mut each: impl FnMut(&mut F)) {
        for shard in &self.shards {
            each(&mut shard.write());
        }
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

    /// The sum over all shards, one after another: keys that come and go meanwhile may be missed.
    fn sum<N: core::iter::Sum>(&self, of: impl Fn(&F) -> N) -> N {
        self.shards.iter().map(|shard| of(&shard.read())).sum()
    }

    /// Whether `key` is probably in: `false` is certain.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        FilterExt::contains(self, key)
    }

    /// The same for the key with this hash.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: KeyHash) -> bool {
        self.shard(hash).read().contains_hash(hash)
    }

    /// The number of keys in all shards.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.sum(F::len)
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The seed its keys are hashed with.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        match self.key_seed {
            Some(seed) => seed,
            None => 0,
        }
    }

    /// The same; `None` if the shards' keys are hashed by the caller ([`Filter::key_seed`]).
    #[must_use]
    pub const fn key_seed(&self) -> Option<u64> {
        self.key_seed
    }

    /// The mean of the shards' rates, which is the rate of the whole. May read all tables.
    #[must_use]
    pub fn expected_fpr(&self) -> f64 {
        self.sum(F::expected_fpr) / self.shards.len() as f64
    }
}

impl<F: InsertFilter> Sharded<F> {
    /// Inserts `key`, from any thread. Refused if its shard is full; nothing changes then.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&self, key: &K) -> Result<Inserted, Full> {
        let seed = self.key_seed.ok_or(Full::HashedByCaller)?;
        self.insert_hash(key.key_hash(seed))
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&self, hash: KeyHash) -> Result<Inserted, Full> {
        self.shard(hash).write().insert_hash(hash)
    }

    /// Inserts the key with this hash unless the filter answers `true` for it already; see
    /// [`InsertFilter::insert_unique_hash`] and its warning. Of threads that insert one new key at
    /// once, exactly one is answered [`Inserted::New`].
    #[inline]
    pub fn insert_unique_hash(&self, hash: KeyHash) -> Result<Inserted, Full> {
        self.shard(hash).write().insert_unique_hash(hash)
    }
}

impl<F: RemoveFilter> Sharded<F> {
    /// Removes one copy of `key`, from any thread. `false`: it was certainly not in, and nothing
    /// changed; or the caller hashes the keys, and nothing can be told.
    ///
    /// **Only remove what you inserted**; see [`RemoveFilter::remove_hash`].
    #[inline]
    pub fn remove<K: Key + ?Sized>(&self, key: &K) -> bool {
        match self.key_seed {
            Some(seed) => self.remove_hash(key.key_hash(seed)),
            None => false,
        }
    }

    /// Removes one copy of the key with this hash; see [`remove`](Self::remove).
    #[inline]
    pub fn remove_hash(&self, hash: KeyHash) -> bool {
        self.shard(hash).write().remove_hash(hash)
    }
}

impl<F: CountFilter> Sharded<F> {
    /// The number of copies of `key`; see [`CountFilter::count_hash`].
    #[must_use]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Count {
        FilterExt::count(self, key)
    }
}

impl<F: Filter> Filter for Sharded<F> {
    /// The kind of the shards.
    fn kind(&self) -> FilterKind {
        self.kind
    }
    #[inline]
    fn seed(&self) -> u64 {
        Self::seed(self)
    }
    #[inline]
    fn key_seed(&self) -> Option<u64> {
        self.key_seed
    }
    fn len(&self) -> u64 {
        Self::len(self)
    }
    /// The number of keys planned for. The shards' plans come to more, as room for chance.
    fn capacity(&self) -> u64 {
        self.capacity
    }
    fn size_in_bytes(&self) -> u64 {
        self.sum(F::size_in_bytes)
    }
    fn expected_fpr(&self) -> f64 {
        Self::expected_fpr(self)
    }
    fn load_factor(&self) -> f64 {
        self.sum(F::load_factor) / self.shards.len() as f64
    }
    fn saturated(&self) -> u64 {
        self.sum(F::saturated)
    }
    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        Self::contains_hash(self, hash)
    }
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        Self::contains_batch(self, hashes, answers)
    }
}

impl<F: CountFilter> CountFilter for Sharded<F> {
    fn count_hash(&self, hash: KeyHash) -> Count {
        self.shard(hash).read().count_hash(hash)
    }
}

/// Without locking: nobody else has the filter.
impl<F: InsertFilter> InsertFilter for Sharded<F> {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        let shard = hash.shard(self.shards.len());
        self.shards[shard].exclusive().insert_hash(hash)
    }
}

/// For code that is generic over filters: a shared reference takes keys, too.
impl<F: InsertFilter> InsertFilter for &Sharded<F> {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        Sharded::insert_hash(self, hash)
    }
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        Sharded::insert_unique_hash(self, hash)
    }
}

impl<F: RemoveFilter> RemoveFilter for Sharded<F> {
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let shard = hash.shard(self.shards.len());
        self.shards[shard].exclusive().remove_hash(hash)
    }
}

impl<F: RemoveFilter> RemoveFilter for &Sharded<F> {
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        Sharded::remove_hash(self, hash)
    }
}

impl<F: ClearFilter> ClearFilter for Sharded<F> {
    fn clear(&mut self) {
        for shard in &mut self.shards {
            shard.exclusive().clear();
        }
    }
}
