//! Peer: cuckoofilter, the most downloaded cuckoo filter.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use ::cuckoofilter::CuckooFilter;
use amq_core::PredictedFpr;
use foldhash::quality::{FixedState, FoldHasher};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hasher};

/// Values of the byte that becomes a fingerprint. Not all fingerprints are equally likely: 100
/// marks an empty slot, so a byte of 100 becomes 101.
const BYTES: f64 = 256.0;
/// The planned load, a little below what such buckets reach. Its own sizing would fill the table to
/// the last slot, which fails.
const MOST: f64 = 0.96;
/// Slots that a query reads: two buckets of four.
const PLACES: f64 = 8.0;

/// `cuckoofilter::CuckooFilter`, which takes a hasher: foldhash's quality variant, all of whose
/// bits are usable.
#[derive(Debug)]
pub struct Cuckoofilter;

impl Contender for Cuckoofilter {
    fn info(&self) -> Info {
        Info {
            name: "cuckoofilter",
            family: Family::Cuckoo,
            role: Role::Filter,
            ours: false,
            packages: &["cuckoofilter", "foldhash"],
            analysis: "8-bit fingerprints in four-slot buckets: a fixed rate, near 3 % at full \
                       load. The table is a power of two, so space per key depends on the \
                       number of keys. An insert that finds no room stores its key and drops \
                       another: a full filter has forgotten a key.",
            abilities: &[Ability::Insert, Ability::Remove],
            takes_rate: false,
            max_keys: 10_000_000,
            seeded: false,
            slow: false,
            theory: None,
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        _asked_fpr: Option<f64>,
        _seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        made(keys.len(), keys)
    }

    fn with_room(
        &self,
        room: usize,
        keys: Keys<'_>,
        _asked_fpr: Option<f64>,
        _seed: u64,
    ) -> Option<Result<Box<dyn Built>, String>> {
        Some(made(room, keys))
    }
}

fn made(room: usize, keys: Keys<'_>) -> Result<Box<dyn Built>, String> {
    match keys {
        Keys::U64(keys) => make::<u64>(room, keys),
        Keys::Bytes(keys) => make::<[u8]>(room, keys),
    }
}

fn make<K: BenchKey + ?Sized>(room: usize, keys: &[K::Item<'_>]) -> Result<Box<dyn Built>, String> {
    let mut filter = Filter {
        filter: CuckooFilter::with_capacity((room as f64 / MOST).ceil() as usize),
        keys: 0,
    };
    let taken = Probe::<K>::insert_all(&mut filter, keys).unwrap_or(0);
    if taken < keys.len() as u64 {
        return Err(format!(
            "it found no slot for a key when it held {taken} of {}, and dropped one of them",
            keys.len()
        ));
    }
    Ok(built::<K, _>(filter))
}

/// A hasher made by `Default`, as the filter requires.
struct Fold(FoldHasher<'static>);

impl Default for Fold {
    #[inline]
    fn default() -> Self {
        Self(FixedState::default().build_hasher())
    }
}

impl Hasher for Fold {
    #[inline]
    fn finish(&self) -> u64 {
        self.0.finish()
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0.write_u64(number);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.0.write_usize(number);
    }
}

struct Filter {
    filter: CuckooFilter<Fold>,
    keys: u64,
}

impl Filter {
    /// One byte each.
    fn places(&self) -> u64 {
        (self.filter.memory_usage() - size_of_val(&self.filter)) as u64
    }
}

impl<K: BenchKey + ?Sized> Probe<K> for Filter {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.places())
    }

    /// The formula of Fan, Andersen, Kaminsky and Mitzenmacher at its load, with its actual
    /// fingerprint distribution.
    fn predicted(&self) -> Option<PredictedFpr> {
        let load = self.keys as f64 / self.places() as f64;
        let found = |likely: f64| 1.0 - (1.0 - likely / BYTES).powf(PLACES * load);
        // Of 256 values of the hash's byte, two are 101 and none is 100.
        let mean = ((BYTES - 2.0) * found(1.0) + 2.0 * found(2.0)) / BYTES;
        Some(PredictedFpr { mean, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.contains(key)
    }

    /// A refused key is present, and another is lost.
    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        let refused = keys
            .iter()
            .position(|key| self.filter.add(Borrow::<K>::borrow(key)).is_err());
        let taken = refused.unwrap_or(keys.len()) as u64;
        self.keys += taken;
        Some(taken)
    }

    #[inline]
    fn remove_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        let known = |key: &K::Item<'_>| u64::from(self.filter.delete(Borrow::<K>::borrow(key)));
        let known = keys.iter().map(known).sum();
        self.keys = self.keys.saturating_sub(known);
        Some(known)
    }

    fn slots(&self) -> Option<u64> {
        Some(self.places())
    }
}
