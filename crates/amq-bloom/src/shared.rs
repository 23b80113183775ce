//! Atomic filters, which threads share.
#![cfg(target_has_atomic = "64")]

use crate::tally::Tally;
use alloc::alloc::handle_alloc_error;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use amq_core::ReadError;
#[cfg(feature = "rayon")]
use amq_core::internal::rayon::prelude::*;
#[cfg(feature = "serde")]
use amq_core::internal::serde;
use amq_core::internal::{FileFormat, Header, fill_from_hashes, fill_from_keys};
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, ClearFilter, DEFAULT_SEED, DecodeError,
    EmptyFilter, Filter, FilterFile, FilterKind, Goal, InsertError, InsertFilter, Inserted, Key,
    KeyHash, LengthMismatch, LoadOptions, MergeError, MergeFilter, Plan, PlanError, PlanFilter,
    PredictedFpr, Stats, Table, Target, hash_blocks,
};
use core::alloc::Layout;
use core::convert::Infallible;
use core::fmt;
#[cfg(feature = "std")]
use std::{
    io::{self, Read, Write},
    path::Path,
};

/// The table of an atomic filter.
pub trait AtomicTable: Sized + Send + Sync {
    /// The plain filter with the same table.
    type Plain: PlanFilter<Params = Self::Params> + FileFormat<With<Table> = Self::Plain>;
    /// Its parameters.
    type Params: Copy + PartialEq + fmt::Debug;
    /// The kind of both.
    const KIND: FilterKind;
    /// The name of the filter's type.
    const NAME: &'static str;

    /// Checks the ranges of parameters.
    fn check(params: &Self::Params) -> Result<(), PlanError>;
    /// A table of zeros, for parameters that have been checked.
    fn empty(params: Self::Params) -> Result<Self, BuildError>;
    /// The header and the table of a plain filter.
    fn of(plain: Self::Plain) -> (Header, Self);
    /// Its parameters.
    fn params(&self) -> Self::Params;
    /// Its bytes.
    fn size_in_bytes(&self) -> u64;
    /// A copy of the table.
    fn copied(&self) -> Self;
    /// Whether parameters and bits are the same.
    fn is_same(&self, other: &Self) -> bool;
    /// `Ok` if the parameters are equal; the error names the difference.
    fn check_same(&self, other: &Self) -> Result<(), MergeError>;
    /// A plain filter with the bits as they are now.
    fn snapshot(&self, header: Header, len: u64) -> Result<Self::Plain, BuildError>;
    /// Whether all of a key's bits are set.
    fn contains(&self, hash: KeyHash) -> bool;
    /// As `contains`, for many; the slices must have the same length.
    fn contains_each(&self, hashes: &[KeyHash], answers: &mut [bool]);
    /// Sets a key's bits, and returns whether any was clear.
    fn set(&self, hash: KeyHash) -> bool;
    /// As `set`, for many: returns how many were new.
    fn set_each(&self, hashes: &[KeyHash]) -> u64;
    /// As `set`, without atomic operations.
    fn set_alone(&mut self, hash: KeyHash) -> bool;
    /// As `set_each`, without atomic operations.
    fn set_each_alone(&mut self, hashes: &[KeyHash]) -> u64;
    /// The fraction of bits set.
    fn load_factor(&self) -> f64;
    /// The rate with the current bits.
    fn expected_fpr(&self) -> f64;
    /// Blocks whose bits are all set.
    fn saturated(&self) -> u64 {
        0
    }
    /// The most likely number of distinct keys.
    fn cardinality(&self) -> f64;
    /// Sets the bits that are set in another table with the same parameters.
    fn merge(&mut self, other: &Self);
    /// Clears all bits.
    fn clear(&mut self);
}

/// An atomic Bloom filter: [`AtomicBloomFilter`](crate::AtomicBloomFilter) or
/// [`AtomicBlockedBloomFilter`](crate::AtomicBlockedBloomFilter).
pub struct Atomic<T: AtomicTable> {
    header: Header,
    len: Tally,
    table: T,
}

impl<T: AtomicTable> Atomic<T> {
    /// An empty filter for a [`Goal`] or a [`Plan`], with the public [`DEFAULT_SEED`].
    pub fn new(target: impl Into<Target<T::Params>>) -> Result<Self, BuildError> {
        Self::with_seed(target, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(target: impl Into<Target<T::Params>>, seed: u64) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        T::check(&plan.params)?;
        let (header, len) = (Header::new(&plan, seed), Tally::starting_at(0));
        Ok(Self { header, len, table: T::empty(plan.params)? })
    }

    /// Builds a filter of these keys, with the public [`DEFAULT_SEED`], without atomic operations;
    /// see [`BuildFilter`].
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<T::Params>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// The best parameters for a goal, with their size and rate. Allocates nothing.
    pub fn plan(goal: Goal) -> Result<Plan<T::Params>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    /// Inserts `key`, from any thread. Never fails: beyond the planned number of keys the
    /// false-positive rate rises instead.
    ///
    /// ```
    /// use amq_bloom::{AtomicBloomFilter, Goal};
    ///
    /// let filter = AtomicBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.insert("a key").is_new());
    /// assert!(filter.contains("a key"));
    /// # Ok::<(), amq_bloom::BuildError>(())
    /// ```
    #[inline]
    pub fn insert<K: Key + ?Sized>(&self, key: &K) -> Inserted {
        self.insert_hash(key.key_hash(self.header.seed))
    }

    /// Inserts the key with this hash, from any thread; see [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&self, hash: KeyHash) -> Inserted {
        let new = self.table.set(hash);
        if new {
            self.len.add(Some(&hash), 1);
        }
        Inserted::from_change(new)
    }

    /// Inserts many keys, from any thread, and returns how many were new. Allocates nothing.
    #[inline]
    pub fn insert_keys<K: Key>(&self, keys: &[K]) -> u64 {
        let mut new = 0;
        let Ok(()) = hash_blocks(keys, self.header.seed, |_, hashes| {
            new += self.insert_batch(hashes);
            Ok::<_, Infallible>(())
        });
        new
    }

    /// Inserts many hashes, from any thread, and returns how many were new.
    pub fn insert_batch(&self, hashes: &[KeyHash]) -> u64 {
        let new = self.table.set_each(hashes);
        self.len.add(hashes.first(), new);
        new
    }

    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(key.key_hash(self.header.seed))
    }

    /// The number of inserts that returned [`Inserted::New`]: distinct keys, except those that were
    /// false positives when inserted. After a merge, the sum of both.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len.total()
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The filter's state as one value, which implements `Display`: keys, load, bytes, rate. Reads
    /// the whole table.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }

    /// The parameters of its table.
    #[inline(always)]
    #[must_use]
    pub fn params(&self) -> T::Params {
        self.table.params()
    }

    /// Merges `other` into `self`, which then contains the keys of both. On an error nothing
    /// changes.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        MergeFilter::merge(self, other)
    }

    /// A copy of the current state. It contains every insert that happened before the call, and
    /// possibly some bits of concurrent inserts. An error if out of memory.
    pub fn snapshot(&self) -> Result<T::Plain, BuildError> {
        self.table.snapshot(self.header, self.len())
    }

    /// Converts into the plain filter with the same bits, by a [`snapshot`](Self::snapshot). Aborts
    /// if out of memory, as a vector does.
    #[must_use]
    pub fn into_inner(self) -> T::Plain {
        match self.snapshot() {
            Ok(plain) => plain,
            Err(_) => handle_alloc_error(Layout::new::<u64>()),
        }
    }

    /// Estimated number of distinct keys, from the fraction of bits set; see
    /// [`BloomFilter::estimated_cardinality`](crate::BloomFilter::estimated_cardinality).
    #[must_use]
    pub fn estimated_cardinality(&self) -> f64 {
        self.table.cardinality()
    }

    fn of(plain: T::Plain) -> Self {
        let len = Tally::starting_at(plain.len());
        let (header, table) = T::of(plain);
        Self { header, len, table }
    }
}

/// Files, in the format of the plain filter, which reads them too. For other options, such as a
/// file without its seed, save a [snapshot](Self::snapshot).
impl<T: AtomicTable> Atomic<T> {
    /// The current state as a file. Takes a [`snapshot`](Self::snapshot) first, which needs as much
    /// memory as the table. Other threads may continue to insert.
    ///
    /// ```
    /// use amq_bloom::{AtomicBloomFilter, Goal};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let seen = AtomicBloomFilter::new(Goal::fpr(10_000, 0.01))?;
    /// seen.insert("a key");
    /// let again = AtomicBloomFilter::from_bytes(&seen.to_bytes()?)?;
    /// assert!(again.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>, BuildError> {
        self.snapshot()?.to_bytes()
    }

    /// Writes what [`to_bytes`](Self::to_bytes) returns, and flushes the writer.
    #[cfg(feature = "std")]
    pub fn write_to(&self, writer: impl Write) -> io::Result<()> {
        self.snapshot().map_err(io::Error::other)?.write_to(writer)
    }

    /// Saves the current state atomically; see [`FilterFile::save`].
    #[cfg(feature = "std")]
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.snapshot().map_err(io::Error::other)?.save(path)
    }

    /// Reads a filter from the bytes of exactly one file. Everything is checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        LoadOptions::new().from_bytes(bytes).map(Self::of)
    }

    /// Reads exactly one filter's bytes.
    #[cfg(feature = "std")]
    pub fn read_from<R: Read>(reader: R) -> Result<Self, ReadError> {
        LoadOptions::new().read_from(reader).map(Self::of)
    }

    /// Loads the filter that [`save`](Self::save) wrote.
    #[cfg(feature = "std")]
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        LoadOptions::new().load(path).map(Self::of)
    }
}

impl From<crate::BloomFilter> for crate::AtomicBloomFilter {
    fn from(filter: crate::BloomFilter) -> Self {
        Self::of(filter)
    }
}

impl From<crate::BlockedBloomFilter> for crate::AtomicBlockedBloomFilter {
    fn from(filter: crate::BlockedBloomFilter) -> Self {
        Self::of(filter)
    }
}

impl<T: AtomicTable> Clone for Atomic<T> {
    fn clone(&self) -> Self {
        let len = Tally::starting_at(self.len());
        Self { header: self.header, len, table: self.table.copied() }
    }
}

impl<T: AtomicTable> PartialEq for Atomic<T> {
    fn eq(&self, other: &Self) -> bool {
        self.header == other.header && self.len() == other.len() && self.table.is_same(&other.table)
    }
}

impl<T: AtomicTable> Filter for Atomic<T> {
    fn kind(&self) -> FilterKind {
        T::KIND
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
        self.table.size_in_bytes()
    }

    fn expected_fpr(&self) -> f64 {
        self.table.expected_fpr()
    }

    fn load_factor(&self) -> f64 {
        self.table.load_factor()
    }

    fn saturated(&self) -> u64 {
        self.table.saturated()
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.table.contains(hash)
    }

    #[inline]
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        self.table.contains_each(hashes, answers);
        Ok(())
    }
}

/// Exclusive access: no atomic operations are needed.
impl<T: AtomicTable> InsertFilter for Atomic<T> {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        let new = self.table.set_alone(hash);
        self.len.add_alone(new.into());
        Ok(Inserted::from_change(new))
    }

    #[inline]
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let new = self.table.set_each_alone(hashes);
        self.len.add_alone(new);
        Ok(new)
    }
}

/// Lets generic code insert through a shared reference.
impl<T: AtomicTable> InsertFilter for &Atomic<T> {
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Ok(Atomic::insert_hash(self, hash))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        Ok(Atomic::insert_batch(self, hashes))
    }
}

impl<T: AtomicTable, K: Key> Extend<K> for &Atomic<T> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(&key);
        }
    }
}

/// Allocates nothing.
#[cfg(feature = "rayon")]
impl<T: AtomicTable, K: Key + Send> ParallelExtend<K> for &Atomic<T> {
    fn par_extend<I: IntoParallelIterator<Item = K>>(&mut self, keys: I) {
        keys.into_par_iter().for_each(|key| {
            self.insert(&key);
        });
    }
}

impl<T: AtomicTable> ClearFilter for Atomic<T> {
    fn clear(&mut self) {
        self.table.clear();
        self.len = Tally::starting_at(0);
    }
}

impl<T: AtomicTable> MergeFilter for Atomic<T> {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.table.check_same(&other.table)?;
        self.header.check_seeds(&other.header)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        self.table.merge(&other.table);
        self.len = Tally::starting_at(self.len().saturating_add(other.len()));
        Ok(())
    }
}

/// Plans as the plain filter does.
impl<T: AtomicTable> PlanFilter for Atomic<T> {
    type Params = T::Params;

    fn plan(goal: Goal) -> Result<Plan<T::Params>, PlanError> {
        T::Plain::plan(goal)
    }

    fn plan_params(params: T::Params, keys: u64) -> Result<Plan<T::Params>, PlanError> {
        T::Plain::plan_params(params, keys)
    }

    fn predicted_fpr(params: &T::Params, keys: u64) -> PredictedFpr {
        T::Plain::predicted_fpr(params, keys)
    }

    fn params(&self) -> T::Params {
        self.params()
    }
}

impl<T: AtomicTable> EmptyFilter for Atomic<T> {
    fn empty(target: impl Into<Target<T::Params>>, seed: u64) -> Result<Self, BuildError> {
        Self::with_seed(target, seed)
    }
}

impl<T: AtomicTable> BuildFilter for Atomic<T> {
    fn build_hashes(
        target: impl Into<BuildTarget<T::Params>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        fill_from_hashes(target, seed, hashes)
    }

    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<T::Params>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        fill_from_keys(target, seed, keys)
    }
}

/// Prints neither the table, which may be gigabytes, nor the seed, which may be secret.
impl<T: AtomicTable> fmt::Debug for Atomic<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(T::NAME)
            .field("params", &self.params())
            .field("len", &self.len())
            .field("capacity", &self.header.capacity)
            .finish_non_exhaustive()
    }
}

/// Serialises the bytes of the [snapshot](Atomic::snapshot)'s file.
#[cfg(feature = "serde")]
impl<T: AtomicTable> serde::Serialize for Atomic<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error;
        amq_core::internal::serialize(&self.snapshot().map_err(S::Error::custom)?, serializer)
    }
}

/// Deserialises the bytes of the filter's file, with all checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de, T: AtomicTable> serde::Deserialize<'de> for Atomic<T>
where
    T::Plain: serde::Deserialize<'de>,
{
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::Plain::deserialize(deserializer).map(Self::of)
    }
}
