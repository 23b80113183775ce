//! The exact set: what a filter saves, and what exact answers cost.

use super::FEW;
use crate::contenders::Ability::{Grow, Insert, Merge, Remove};
use crate::contenders::{Entry, Family, Info, Make, Order, Probe, filled, theory};
use crate::keys::BenchKey;
use amq_core::PredictedFpr;
use foldhash::fast::FixedState;
use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;

/// `std::collections::HashSet` with foldhash: its default hasher resists attacks and would handicap
/// it.
pub(super) static HASH_SET: Entry<Exact> = Entry::new(
    Info {
        name: "std-hashset",
        family: Family::Exact,
        packages: &["std", "foldhash"],
        import: "use std::collections::HashSet;",
        analysis: "The standard library's set: stores the keys themselves and is never wrong. Runs \
                   with foldhash, since the default hasher is several times slower.",
        abilities: &[Insert, Remove, Merge, Grow],
        takes_rate: false,
        jumps: true,
        // Some 20 bytes a key: beyond this it is no alternative.
        max_keys: FEW,
        ..Info::PEER
    },
    Exact,
    theory::NONE,
);

pub(super) struct Exact;

/// A key as the set keeps it.
pub(super) trait Kept<K: ?Sized>: Borrow<K> + Hash + Eq + Clone + 'static {
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

impl Make<u64> for Exact {
    type Filter = Set<u64>;

    fn make(&self, keys: &[u64], order: &Order) -> Result<Set<u64>, String> {
        filled(Set::empty(keys.len(), order), keys)
    }
}

impl Make<[u8]> for Exact {
    type Filter = Set<Box<[u8]>>;

    fn make(&self, keys: &[&[u8]], order: &Order) -> Result<Self::Filter, String> {
        filled(Set::empty(keys.len(), order), keys)
    }
}

/// The set.
pub(super) struct Set<T>(HashSet<T, FixedState>);

impl<T> Set<T> {
    fn empty(keys: usize, order: &Order) -> Self {
        let state = FixedState::with_seed(order.seed);
        Self(HashSet::with_capacity_and_hasher(order.room(keys), state))
    }
}

/// The standard library does not report its size.
impl<K: BenchKey + ?Sized, T: Kept<K>> Probe<K> for Set<T> {
    fn predicted(&self, _keys: u64) -> Option<PredictedFpr> {
        Some(PredictedFpr { mean: 0.0, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.0.contains(key)
    }

    #[inline]
    fn insert(&mut self, key: &K) -> Option<bool> {
        self.0.insert(T::of(key));
        Some(true)
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        self.0.extend(keys.iter().map(|key| T::of(key.borrow())));
        Some(keys.len() as u64)
    }

    #[inline]
    fn remove(&mut self, key: &K) -> Option<bool> {
        Some(self.0.remove(key))
    }

    fn merge(&mut self, other: &Self) -> Option<Result<(), String>> {
        self.0.extend(other.0.iter().cloned());
        Some(Ok(()))
    }
}
