//! This workspace's filters, through the traits they all implement.

use crate::contender::{Built, Contender, Info, Probe, built};
use crate::keys::{BenchKey, Keys};
use amq_core::{
    Budget, BuildError, BuildFilter, EmptyFilter, FilterExt, Goal, Key, MergeError, MergeFilter,
    PlanFilter, PredictedFpr, RemoveFilter,
};
use std::marker::PhantomData;

/// Keys per batch query: about a thousand, as in a join or a compaction.
const BATCH: usize = 1024;

const NO_RATE: &str = "this filter needs a target rate";

/// A way of making a filter of keys, and of changing it, as far as it can.
pub trait Way<F> {
    /// Makes it.
    fn make<K: Key>(asked_fpr: f64, seed: u64, keys: &[K]) -> Result<F, BuildError>;

    /// Makes it for exactly these keys, to be filled beyond them. Differs from [`make`](Self::make)
    /// only where that plans for another number of keys.
    fn begin<K: Key>(asked_fpr: f64, seed: u64, keys: &[K]) -> Result<F, BuildError> {
        Self::make(asked_fpr, seed, keys)
    }

    /// Inserts further keys; returns how many it took before it refused one.
    fn insert<K: Key>(_filter: &mut F, _keys: &[K]) -> Option<u64> {
        None
    }

    /// Makes it for `room` keys and inserts these, which are fewer; `None` if it can only be made
    /// for the keys it is given.
    fn with_room<K: Key>(
        _room: u64,
        _asked_fpr: f64,
        _seed: u64,
        _keys: &[K],
    ) -> Option<Result<F, BuildError>> {
        None
    }

    /// Removes keys; returns how many it reports removed.
    fn remove<K: Key>(_filter: &mut F, _keys: &[K]) -> Option<u64> {
        None
    }

    /// Removes one key and inserts another; whether both succeeded.
    fn replace<A: Key, B: Key>(_filter: &mut F, _gone: &A, _new: &B) -> Option<bool> {
        None
    }

    /// Merges another filter.
    fn merge(_filter: &mut F, _other: &F) -> Option<Result<(), MergeError>> {
        None
    }
}

/// Made empty, then filled with one batch of inserts.
#[derive(Debug)]
pub struct Filled;

impl<F: EmptyFilter + MergeFilter> Way<F> for Filled {
    #[inline]
    fn make<K: Key>(asked_fpr: f64, seed: u64, keys: &[K]) -> Result<F, BuildError> {
        let mut filter = F::empty(Goal::fpr(keys.len(), asked_fpr), seed)?;
        filter.insert_keys(keys)?;
        Ok(filter)
    }

    #[inline]
    fn insert<K: Key>(filter: &mut F, keys: &[K]) -> Option<u64> {
        Some(match filter.insert_keys(keys) {
            Ok(_) => keys.len() as u64,
            Err(refused) => refused.done,
        })
    }

    #[inline]
    fn with_room<K: Key>(
        room: u64,
        asked_fpr: f64,
        seed: u64,
        keys: &[K],
    ) -> Option<Result<F, BuildError>> {
        let made = F::empty(Goal::fpr(room as usize, asked_fpr), seed);
        Some(made.and_then(|mut filter| {
            filter.insert_keys(keys)?;
            Ok(filter)
        }))
    }

    #[inline]
    fn merge(filter: &mut F, other: &F) -> Option<Result<(), MergeError>> {
        Some(filter.merge(other))
    }
}

/// The same for filters that can remove keys.
#[derive(Debug)]
pub struct Removable;

impl<F: EmptyFilter + MergeFilter + RemoveFilter> Way<F> for Removable {
    #[inline]
    fn make<K: Key>(asked_fpr: f64, seed: u64, keys: &[K]) -> Result<F, BuildError> {
        Filled::make(asked_fpr, seed, keys)
    }

    #[inline]
    fn insert<K: Key>(filter: &mut F, keys: &[K]) -> Option<u64> {
        <Filled as Way<F>>::insert(filter, keys)
    }

    #[inline]
    fn remove<K: Key>(filter: &mut F, keys: &[K]) -> Option<u64> {
        Some(keys.iter().map(|key| u64::from(filter.remove(key))).sum())
    }

    #[inline]
    fn with_room<K: Key>(
        room: u64,
        asked_fpr: f64,
        seed: u64,
        keys: &[K],
    ) -> Option<Result<F, BuildError>> {
        Filled::with_room(room, asked_fpr, seed, keys)
    }

    #[inline]
    fn replace<A: Key, B: Key>(filter: &mut F, gone: &A, new: &B) -> Option<bool> {
        Some(filter.remove(gone) && filter.insert(new).is_ok())
    }

    #[inline]
    fn merge(filter: &mut F, other: &F) -> Option<Result<(), MergeError>> {
        Some(filter.merge(other))
    }
}

/// Built from all keys at once.
#[derive(Debug)]
pub struct AtOnce;

impl<F: BuildFilter> Way<F> for AtOnce {
    #[inline]
    fn make<K: Key>(asked_fpr: f64, seed: u64, keys: &[K]) -> Result<F, BuildError> {
        F::build_keys(Budget::Fpr(asked_fpr), seed, keys)
    }
}

/// One of our contenders: a filter type and the way it is made.
#[derive(Debug)]
pub struct Own<F, W> {
    info: Info,
    slots: Option<Slots<F>>,
    kinds: PhantomData<fn() -> W>,
}

/// How many slots a filter has.
type Slots<F> = fn(&F) -> u64;

impl<F: PlanFilter + 'static, W: Way<F> + 'static> Own<F, W> {
    /// A contender. Unless `info` has its own theory, the theory is the filter's plan.
    pub const fn new(info: Info) -> Self {
        Self {
            info,
            slots: None,
            kinds: PhantomData,
        }
    }

    /// The same for a table in which each key takes one slot: it is compared with others at equal
    /// load.
    pub const fn with_slots(self, slots: fn(&F) -> u64) -> Self {
        Self {
            slots: Some(slots),
            ..self
        }
    }

    fn held<K: BenchKey + ?Sized>(
        &self,
        filter: Result<F, BuildError>,
        keys: &[K::Item<'_>],
    ) -> Result<Box<dyn Built>, String> {
        Ok(built::<K, _>(OwnFilter {
            filter: filter.map_err(|error| error.to_string())?,
            keys: keys.len() as u64,
            slots: self.slots,
            way: PhantomData::<fn() -> W>,
        }))
    }
}

impl<F: PlanFilter + 'static, W: Way<F> + 'static> Contender for Own<F, W> {
    fn info(&self) -> Info {
        Info {
            theory: self.info.theory.or(Some(planned_fpr::<F>)),
            ..self.info
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let asked_fpr = asked_fpr.ok_or(NO_RATE)?;
        match keys {
            Keys::U64(keys) => self.held::<u64>(W::make(asked_fpr, seed, keys), keys),
            Keys::Bytes(keys) => self.held::<[u8]>(W::make(asked_fpr, seed, keys), keys),
        }
    }

    fn begin(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let asked_fpr = asked_fpr.ok_or(NO_RATE)?;
        match keys {
            Keys::U64(keys) => self.held::<u64>(W::begin(asked_fpr, seed, keys), keys),
            Keys::Bytes(keys) => self.held::<[u8]>(W::begin(asked_fpr, seed, keys), keys),
        }
    }

    fn with_room(
        &self,
        room: usize,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Option<Result<Box<dyn Built>, String>> {
        let Some(asked_fpr) = asked_fpr else {
            return Some(Err(NO_RATE.to_owned()));
        };
        let room = room as u64;
        Some(match keys {
            Keys::U64(keys) => self.held::<u64>(W::with_room(room, asked_fpr, seed, keys)?, keys),
            Keys::Bytes(keys) => {
                self.held::<[u8]>(W::with_room(room, asked_fpr, seed, keys)?, keys)
            }
        })
    }
}

/// The theory curve of a filter: the rate of its best plan of that size.
fn planned_fpr<F: PlanFilter>(keys: u64, bits_per_key: f64) -> Option<f64> {
    F::plan(Goal::bits_per_key(keys as usize, bits_per_key))
        .ok()
        .map(|plan| plan.expected_fpr)
}

/// A built filter and the number of keys in it.
#[derive(Debug)]
struct OwnFilter<F, W> {
    filter: F,
    keys: u64,
    slots: Option<Slots<F>>,
    way: PhantomData<fn() -> W>,
}

impl<F: PlanFilter, W: Way<F>, K: BenchKey + ?Sized> Probe<K> for OwnFilter<F, W> {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.filter.size_in_bytes())
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        Some(F::predicted_fpr(&self.filter.params(), self.keys))
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.contains(key)
    }

    #[inline]
    fn count_batch(&self, keys: &[K::Item<'_>]) -> Option<u64> {
        let mut answers = [false; BATCH];
        let mut hits = 0;
        for keys in keys.chunks(BATCH) {
            let answers = &mut answers[..keys.len()];
            // The slices are equally long, so this cannot fail; if it did, the hits would not add
            // up.
            self.filter.contains_keys(keys, answers).ok()?;
            hits += answers.iter().map(|&hit| u64::from(hit)).sum::<u64>();
        }
        Some(hits)
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        let taken = W::insert(&mut self.filter, keys)?;
        self.keys += taken;
        Some(taken)
    }

    #[inline]
    fn remove_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        let known = W::remove(&mut self.filter, keys)?;
        self.keys = self.keys.saturating_sub(known);
        Some(known)
    }

    #[inline]
    fn replace_all(&mut self, gone: &[K::Item<'_>], new: &[K::Item<'_>]) -> Option<u64> {
        let mut replaced = 0;
        for (gone, new) in gone.iter().zip(new) {
            if !W::replace(&mut self.filter, gone, new)? {
                break;
            }
            replaced += 1;
        }
        Some(replaced)
    }

    fn merge(&mut self, other: &Self) -> Option<Result<(), String>> {
        let merged = W::merge(&mut self.filter, &other.filter)?;
        if merged.is_ok() {
            self.keys += other.keys;
        }
        Some(merged.map_err(|error| error.to_string()))
    }

    fn slots(&self) -> Option<u64> {
        self.slots.map(|slots| slots(&self.filter))
    }
}
