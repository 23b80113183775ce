//! A static function from keys to small values.

use crate::entry::Pair;
use crate::layer::Columns;
use crate::memory::room;
use crate::params::MAX_COLUMNS;
use crate::simd;
use crate::solution::Solution;
use alloc::vec::Vec;
#[cfg(feature = "rayon")]
use amq_core::internal::collect_hashes;
use amq_core::internal::{Header, Threads, reserve};
use amq_core::{BuildError, Bytes, DEFAULT_SEED, Key, KeyHash, LengthMismatch, PlanError, Table};
use core::fmt;

/// A map from a fixed set of keys to values of a few bits. It does not store the keys: **an absent
/// key gets an arbitrary value**.
///
/// It takes little more than the values' own bits, 1.003 times as many for a million keys of 8
/// bits. It works like [`RibbonFilter`](crate::RibbonFilter). The literature calls it retrieval, or
/// a Bloomier filter (Chazelle, Kilian, Rubinfeld, Tal: *The Bloomier filter: an efficient data
/// structure for static support lookup tables*, SODA 2004).
///
/// ```
/// use amq_ribbon::RibbonMap;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shards = RibbonMap::build(3, [("alice", 5), ("bob", 0), ("carol", 7)])?;
/// assert_eq!(shards.get("bob"), 0);
/// assert_eq!(shards.get("carol"), 7);
/// assert!(shards.get("nobody") < 8); // any value of 3 bits
/// # Ok(())
/// # }
/// ```
///
/// Maps are saved and loaded like filters, by [`FilterFile`](crate::FilterFile):
///
/// ```
/// use amq_ribbon::{FilterFile, RibbonMap};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shards = RibbonMap::build(3, [("alice", 5), ("bob", 0), ("carol", 7)])?;
/// let file = shards.to_bytes()?; // or `save`, to a path
/// assert_eq!(RibbonMap::from_bytes(&file)?.get("carol"), 7);
/// # Ok(())
/// # }
/// ```
///
/// `B` holds each part of the solution: a [`Table`], or a borrowed slice for a
/// [view](RibbonMapView).
#[derive(Clone, PartialEq, Eq)]
pub struct RibbonMap<B = Table> {
    pub(crate) header: Header,
    pub(crate) len: u64,
    pub(crate) solution: Solution<B>,
}

/// A [`RibbonMap`] whose solution is borrowed: what
/// [`FilterFile::view`](crate::FilterFile::view) returns.
pub type RibbonMapView<'a> = RibbonMap<&'a [u8]>;

/// An error in building a map.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum MapError {
    /// A value has more bits than the map's values.
    Value {
        /// The index of its pair.
        index: usize,
        /// The value.
        value: u32,
        /// Bits of the map's values.
        bits: u32,
    },
    /// Two pairs have the same key, or the same hash, and different values.
    Conflict {
        /// The index of one pair.
        first: usize,
        /// The index of the other.
        second: usize,
    },
    /// The number of bits is out of range, memory is exhausted, or no seed solves the equations.
    Build(BuildError),
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { index, value, bits } => write!(
                f,
                "the value {value} of pair {index} (counted from 0) takes {} bits, and the map's \
                 values have {bits}: build it with more bits",
                32 - value.leading_zeros()
            ),
            Self::Conflict { first, second } => write!(
                f,
                "pairs {first} and {second} (counted from 0) have the same key, or the same hash, \
                 and different values: give each key one value, or take another seed"
            ),
            Self::Build(error) => fmt::Display::fmt(error, f),
        }
    }
}

/// The same text as `Display`, since `unwrap` and a `main` that returns an error print `Debug`.
impl fmt::Debug for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for MapError {}

impl From<BuildError> for MapError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl RibbonMap {
    /// A map of these pairs to values of `bits` bits, 1 to [`MAX_COLUMNS`], with the public
    /// [`DEFAULT_SEED`]. A key may be repeated with the same value.
    ///
    /// ```
    /// use amq_ribbon::{MapError, RibbonMap};
    ///
    /// let levels = RibbonMap::build(2, [("debug", 0), ("info", 1), ("error", 3)])?;
    /// assert_eq!(levels.get("error"), 3);
    /// let refused = RibbonMap::build(2, [("fatal", 4)]);
    /// assert!(matches!(refused, Err(MapError::Value { index: 0, value: 4, bits: 2 })));
    /// # Ok::<(), MapError>(())
    /// ```
    pub fn build<K: Key>(
        bits: u32,
        pairs: impl IntoIterator<Item = (K, u32)>,
    ) -> Result<Self, MapError> {
        Self::build_with_seed(bits, DEFAULT_SEED, pairs)
    }

    /// Builds a map with a seed of your own; see [`build`](Self::build).
    ///
    /// ```
    /// use amq_ribbon::RibbonMap;
    ///
    /// let map = RibbonMap::build_with_seed(8, 42, (0..1000u32).map(|key| (key, key % 256)))?;
    /// assert_eq!((map.seed(), map.get(&300u32)), (42, 44));
    /// # Ok::<(), amq_ribbon::MapError>(())
    /// ```
    pub fn build_with_seed<K: Key>(
        bits: u32,
        seed: u64,
        pairs: impl IntoIterator<Item = (K, u32)>,
    ) -> Result<Self, MapError> {
        let pairs = pairs.into_iter();
        Self::build_hashes(bits, seed, pairs.map(|(key, value)| (key.key_hash(seed), value)))
    }

    /// Builds a map of keys already hashed with `seed`; see [`build`](Self::build).
    ///
    /// ```
    /// use amq_ribbon::{Key, RibbonMap};
    ///
    /// let pairs = (0..1000u32).map(|key| (key.key_hash(42), key % 256));
    /// let map = RibbonMap::build_hashes(8, 42, pairs)?;
    /// assert_eq!(map.get(&300u32), 44);
    /// # Ok::<(), amq_ribbon::MapError>(())
    /// ```
    pub fn build_hashes(
        bits: u32,
        seed: u64,
        pairs: impl IntoIterator<Item = (KeyHash, u32)>,
    ) -> Result<Self, MapError> {
        Self::of(bits, seed, pairs.into_iter(), Threads::One)
    }

    /// [`build`](Self::build) on the threads of a rayon pool, as
    /// [`ParBuildExt`](crate::ParBuildExt) does it. The map is the same.
    ///
    /// ```
    /// use amq_ribbon::RibbonMap;
    ///
    /// let pairs: Vec<(u32, u32)> = (0..1000).map(|key| (key, key % 256)).collect();
    /// let map = RibbonMap::par_build(8, &pairs)?;
    /// assert_eq!(map.get(&300u32), 44);
    /// # Ok::<(), amq_ribbon::MapError>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_build<K: Key + Sync>(bits: u32, pairs: &[(K, u32)]) -> Result<Self, MapError> {
        let hashes = collect_hashes(&Keys(pairs))?;
        let pairs = hashes.into_iter().zip(pairs.iter().map(|&(_, value)| value));
        Self::par_build_hashes(bits, DEFAULT_SEED, pairs)
    }

    /// [`build_hashes`](Self::build_hashes) on the threads of a rayon pool; see
    /// [`par_build`](Self::par_build).
    #[cfg(feature = "rayon")]
    pub fn par_build_hashes(
        bits: u32,
        seed: u64,
        pairs: impl IntoIterator<Item = (KeyHash, u32)>,
    ) -> Result<Self, MapError> {
        Self::of(bits, seed, pairs.into_iter(), Threads::Pool)
    }

    fn of(
        bits: u32,
        seed: u64,
        pairs: impl Iterator<Item = (KeyHash, u32)>,
        threads: Threads,
    ) -> Result<Self, MapError> {
        PlanError::check_parameter("bits", bits.into(), 1, MAX_COLUMNS.into())
            .map_err(BuildError::from)?;
        let entries = collect(bits, pairs)?;
        let columns = Columns { most: bits, short: 0 };
        let len = entries.len() as u64;
        match Solution::build(entries.as_slice(), columns, threads, &mut |_| ()) {
            Ok(solution) => {
                Ok(Self { header: Header { seed, capacity: len, budget: None }, len, solution })
            }
            // No seed helps against a contradiction.
            Err(error @ BuildError::Exhausted { .. }) => {
                Err(conflict(&entries)?.unwrap_or(MapError::Build(error)))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The keys of pairs, under the public seed.
#[cfg(feature = "rayon")]
struct Keys<'a, K>(&'a [(K, u32)]);

#[cfg(feature = "rayon")]
impl<K: Key + Sync> amq_core::HashSource for Keys<'_, K> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn write(&self, first: usize, to: &mut [KeyHash]) {
        for ((key, _), hash) in self.0[first..].iter().zip(to) {
            *hash = key.key_hash(DEFAULT_SEED);
        }
    }
}

impl<B: Bytes> RibbonMap<B> {
    /// The value of `key`; an arbitrary one if the key is not in the map.
    ///
    /// ```
    /// use amq_ribbon::RibbonMap;
    ///
    /// let shards = RibbonMap::build(3, (0..1000u32).map(|id| (id, id % 8)))?;
    /// assert!((0..1000u32).all(|id| shards.get(&id) == id % 8));
    /// # Ok::<(), amq_ribbon::MapError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn get<K: Key + ?Sized>(&self, key: &K) -> u32 {
        self.get_hash(key.key_hash(self.header.seed))
    }

    /// The value of the key with this hash.
    #[inline]
    #[must_use]
    pub fn get_hash(&self, hash: KeyHash) -> u32 {
        simd::answer(&self.solution, hash.get())
    }

    /// The values of many keys, `values[i]` for `hashes[i]`: faster than one by one in a large map.
    ///
    /// ```
    /// use amq_ribbon::{Key, KeyHash, RibbonMap};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shards = RibbonMap::build(3, (0..1000u32).map(|id| (id, id % 8)))?;
    /// let hashes: Vec<KeyHash> = (0..5u32).map(|id| id.key_hash(shards.seed())).collect();
    /// let mut values = [0; 5];
    /// shards.get_batch(&hashes, &mut values)?;
    /// assert_eq!(values, [0, 1, 2, 3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_batch(&self, hashes: &[KeyHash], values: &mut [u32]) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), values.len())?;
        simd::answer_batch(&self.solution, hashes, values);
        Ok(())
    }

    /// The number of pairs it was built from, copies included.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bits of a value.
    #[must_use]
    pub const fn value_bits(&self) -> u32 {
        self.solution.params().columns
    }

    /// The seed its keys are hashed with.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.header.seed
    }

    /// Bytes of words, thresholds and seeds.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.solution.bytes()
    }
}

/// Omits the solution, which may be gigabytes, and the seed, which may be secret.
impl<B> fmt::Debug for RibbonMap<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RibbonMap")
            .field("params", self.solution.params())
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// The pairs as entries, each value checked.
fn collect(bits: u32, pairs: impl Iterator<Item = (KeyHash, u32)>) -> Result<Vec<Pair>, MapError> {
    // An iterator's length is only a hint: reserves room for at most a million pairs at first.
    let mut entries = room(pairs.size_hint().0.min(1 << 20) as u64)?;
    for (index, (hash, value)) in pairs.enumerate() {
        if u64::from(value) >> bits != 0 {
            return Err(MapError::Value { index, value, bits });
        }
        if entries.len() == entries.capacity() {
            // Grows like a vector, but fallibly.
            let more = (entries.len() as u64).max(1024);
            reserve(&mut entries, more)?;
        }
        let hash = hash.get();
        entries.push(Pair { hash, value });
    }
    Ok(entries)
}

/// Two pairs with one hash and different values, if any.
fn conflict(entries: &[Pair]) -> Result<Option<MapError>, BuildError> {
    let mut order: Vec<usize> = room(entries.len() as u64)?;
    order.extend(0..entries.len());
    order.sort_unstable_by_key(|&index| (entries[index].hash, index));
    let differ = order.windows(2).find(|pair| {
        let [one, other] = [pair[0], pair[1]].map(|index| entries[index]);
        one.hash == other.hash && one.value != other.value
    });
    Ok(differ.map(|pair| MapError::Conflict { first: pair[0], second: pair[1] }))
}
