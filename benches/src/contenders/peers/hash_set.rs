//! The exact set: what a filter saves, and what exact answers cost.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use amq_core::PredictedFpr;
use foldhash::fast::FixedState;
use std::borrow::Borrow;
use std::hash::Hash;

/// `std::collections::HashSet` with foldhash: its default hasher resists attacks and would handicap
/// it.
#[derive(Debug)]
pub struct HashSet;

impl Contender for HashSet {
    fn info(&self) -> Info {
        Info {
            name: "std-hashset",
            family: Family::Exact,
            role: Role::Filter,
            ours: false,
            packages: &["std", "foldhash"],
            analysis: "The standard library's set: stores the keys themselves and is never \
                       wrong. Runs with foldhash, since the default hasher is several times \
                       slower.",
            abilities: &[
                Ability::Insert,
                Ability::Remove,
                Ability::Merge,
                Ability::Grow,
            ],
            takes_rate: false,
            // Some 20 bytes a key: beyond this it is no alternative.
            max_keys: 10_000_000,
            seeded: true,
            slow: false,
            theory: None,
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        _asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        Ok(made(keys.len(), keys, seed))
    }

    fn with_room(
        &self,
        room: usize,
        keys: Keys<'_>,
        _asked_fpr: Option<f64>,
        seed: u64,
    ) -> Option<Result<Box<dyn Built>, String>> {
        Some(Ok(made(room, keys, seed)))
    }
}

fn made(room: usize, keys: Keys<'_>, seed: u64) -> Box<dyn Built> {
    match keys {
        Keys::U64(keys) => make::<u64, u64>(room, keys, seed),
        Keys::Bytes(keys) => make::<[u8], Box<[u8]>>(room, keys, seed),
    }
}

/// A key as the set keeps it.
trait Kept<K: ?Sized>: Borrow<K> + Hash + Eq + Clone + 'static {
    /// A copy.
    fn of(key: &K) -> Self;
}

impl Kept<u64> for u64 {
    #[inline]
    fn of(key: &u64) -> Self {
        *key
    }
}

/// A boxed slice: no spare capacity, and no word to hold it.
impl Kept<[u8]> for Box<[u8]> {
    #[inline]
    fn of(key: &[u8]) -> Self {
        key.into()
    }
}

fn make<K: BenchKey + ?Sized, T: Kept<K>>(
    room: usize,
    keys: &[K::Item<'_>],
    seed: u64,
) -> Box<dyn Built> {
    let state = FixedState::with_seed(seed);
    let set = std::collections::HashSet::with_capacity_and_hasher(room, state);
    let mut set = Set::<T>(set);
    set.insert_all(keys);
    built::<K, _>(set)
}

struct Set<T>(std::collections::HashSet<T, FixedState>);

impl<K: BenchKey + ?Sized, T: Kept<K>> Probe<K> for Set<T> {
    /// The standard library does not report it.
    fn said_bytes(&self) -> Option<u64> {
        None
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        Some(PredictedFpr { mean: 0.0, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.0.contains(key)
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        self.0.extend(keys.iter().map(|key| T::of(key.borrow())));
        Some(keys.len() as u64)
    }

    #[inline]
    fn remove_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        let known = |key: &K::Item<'_>| u64::from(self.0.remove(Borrow::<K>::borrow(key)));
        Some(keys.iter().map(known).sum())
    }

    fn merge(&mut self, other: &Self) -> Option<Result<(), String>> {
        self.0.extend(other.0.iter().cloned());
        Some(Ok(()))
    }
}
