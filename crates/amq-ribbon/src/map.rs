//! A static function from keys to small values.

use crate::entry::Pair;
use crate::params::MAX_COLUMNS;
use crate::shape::Columns;
use crate::shards::{push, reserve};
use crate::system::System;
use crate::{Bumped, simd};
use alloc::vec::Vec;
use amq_core::{BuildError, DEFAULT_SEED, Key, KeyHash, LengthMismatch, PlanError};
use core::error::Error;
use core::fmt;

/// A map from a fixed set of keys to values of a few bits that does not store the keys: **a key that was not among them gets some
/// value, too**.
///
/// It takes little more than the values' own bits, 1.003 times as many for a million keys of 8 bits, on the machinery of
/// [`BumpedRibbonFilter`](crate::BumpedRibbonFilter). In the literature: retrieval, or a Bloomier filter (Chazelle, Kilian,
/// Rubinfeld, Tal: *The Bloomier filter: an efficient data structure for static support lookup tables*, SODA 2004).
///
/// ```
/// use amq_ribbon::RibbonMap;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shards = RibbonMap::new(3, &[("alice", 5), ("bob", 0), ("carol", 7)])?;
/// assert_eq!(shards.get("bob"), 0);
/// assert_eq!(shards.get("carol"), 7);
/// assert!(shards.get("nobody") < 8); // whatever it is
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RibbonMap {
    system: System<Bumped>,
    seed: u64,
    len: u64,
}

/// A map that could not be made.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum MapError {
    /// A value has more bits than the map's values.
    Value {
        /// Which of the pairs it is in.
        index: usize,
        /// The value.
        value: u32,
        /// The bits of values.
        bits: u32,
    },
    /// The same key, or the same hash, has two values.
    Conflict {
        /// Which of the pairs has the one.
        first: usize,
        /// And which the other.
        second: usize,
    },
    /// The number of bits is out of range, or the memory or a seed was not to be had.
    Build(BuildError),
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { index, value, bits } => write!(
                f,
                "pair {index}, counted from 0, has the value {value}, which takes {} bits: make the map with as many, instead \
                 of {bits}",
                32 - value.leading_zeros()
            ),
            Self::Conflict { first, second } => write!(
                f,
                "pairs {first} and {second}, counted from 0, have the same key, or keys of the same hash, and different values: give each key \
                 once, or take another seed"
            ),
            Self::Build(error) => error.fmt(f),
        }
    }
}

impl Error for MapError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Build(error) => Some(error),
            _ => None,
        }
    }
}

impl From<BuildError> for MapError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl RibbonMap {
    /// A map of these pairs to values of so many bits, 1 to [`MAX_COLUMNS`], with the public [`DEFAULT_SEED`].
    pub fn new<K: Key>(bits: u32, pairs: &[(K, u32)]) -> Result<Self, MapError> {
        Self::with_seed(bits, DEFAULT_SEED, pairs)
    }

    /// The same with a seed of one's own.
    pub fn with_seed<K: Key>(bits: u32, seed: u64, pairs: &[(K, u32)]) -> Result<Self, MapError> {
        let hashed = pairs
            .iter()
            .map(|(key, value)| (key.key_hash(seed), *value));
        Self::from_hashes(bits, seed, hashed)
    }

    /// The same of keys that were hashed with this seed before.
    pub fn from_hashes(
        bits: u32,
        seed: u64,
        pairs: impl ExactSizeIterator<Item = (KeyHash, u32)>,
    ) -> Result<Self, MapError> {
        PlanError::check_parameter("bits", bits.into(), 1, MAX_COLUMNS.into())
            .map_err(BuildError::from)?;
        let mut entries: Vec<Pair> = Vec::new();
        reserve(&mut entries, pairs.len() as u64)?;
        for (index, (hash, value)) in pairs.enumerate() {
            if u64::from(value) >> bits != 0 {
                return Err(MapError::Value { index, value, bits });
            }
            let hash = hash.get();
            push(&mut entries, Pair { hash, value })?;
        }
        let columns = Columns {
            most: bits,
            short: 0,
        };
        match System::build(entries.as_slice(), columns, &mut |_| ()) {
            Ok(system) => Ok(Self {
                system,
                seed,
                len: entries.len() as u64,
            }),
            // No seed helps against a contradiction.
            Err(error @ BuildError::Exhausted { .. }) => {
                Err(conflict(&entries)?.unwrap_or(MapError::Build(error)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The value of `key`, if it is one of the map's; if not, any value.
    #[inline]
    pub fn get<K: Key + ?Sized>(&self, key: &K) -> u32 {
        self.get_hash(key.key_hash(self.seed))
    }

    /// The value of the key with this hash.
    #[inline]
    pub fn get_hash(&self, hash: KeyHash) -> u32 {
        simd::value(&self.system, hash.get())
    }

    /// The values of many keys, `values[i]` for `hashes[i]`: quicker than one by one in a large map.
    pub fn get_batch(&self, hashes: &[KeyHash], values: &mut [u32]) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), values.len())?;
        simd::values(&self.system, hashes, values);
        Ok(())
    }

    /// The keys it was made of, repeated ones counted as often as they came.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether it was made of no key at all.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bits of a value.
    pub const fn value_bits(&self) -> u32 {
        self.system.params.columns
    }

    /// The seed its keys are hashed with.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Bytes held on the heap.
    pub fn size_in_bytes(&self) -> u64 {
        self.system.bytes()
    }
}

impl fmt::Debug for RibbonMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RibbonMap")
            .field("params", &self.system.params)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// Two pairs with one hash and different values, if there are any.
fn conflict(entries: &[Pair]) -> Result<Option<MapError>, BuildError> {
    let mut order: Vec<usize> = Vec::new();
    reserve(&mut order, entries.len() as u64)?;
    order.extend(0..entries.len());
    order.sort_unstable_by_key(|&index| (entries[index].hash, index));
    let differ = order.windows(2).find(|pair| {
        let [one, other] = [pair[0], pair[1]].map(|index| entries[index]);
        one.hash == other.hash && one.value != other.value
    });
    Ok(differ.map(|pair| MapError::Conflict {
        first: pair[0],
        second: pair[1],
    }))
}
