//! Every filter of this workspace, through the traits they all implement.

use crate::contender::{Built, Contender, Info, Probe, built};
use crate::keys::{BenchKey, Keys};
use amq_core::{
    Budget, BuildError, BuildFilter, EmptyFilter, Goal, Key, PlanFilter, PredictedFpr, RemoveFilter,
};
use std::marker::PhantomData;

/// How many keys a batch query is given at once: some thousand, as a join or a compaction would.
const BATCH: usize = 1024;

const NO_RATE: &str = "this filter must be asked for a rate";

/// A way of making a filter of keys, and of changing it then, as far as it can be.
pub trait Way<F> {
    /// Makes it.
    fn make<K: Key>(asked_fpr: f64, seed: u64, keys: &[K]) -> Result<F, BuildError>;

    /// Makes it for these keys and no more, to be filled beyond them; only a way that is not told of all keys does it otherwise
    /// than [`make`](Self::make).
    fn begin<K: Key>(asked_fpr: f64, seed: u64, keys: &[K]) -> Result<F, BuildError> {
        Self::make(asked_fpr, seed, keys)
    }

    /// Puts in further keys: how many were taken before one was refused.
    fn insert<K: Key>(_filter: &mut F, _keys: &[K]) -> Option<u64> {
        None
    }

    /// Takes out keys: how many of them were known.
    fn remove<K: Key>(_filter: &mut F, _keys: &[K]) -> Option<u64> {
        None
    }
}

/// Made empty, then filled with one batch of inserts.
#[derive(Debug)]
pub struct Filled;

impl<F: EmptyFilter> Way<F> for Filled {
    #[inline]
    fn make<K: Key>(asked_fpr: f64, seed: u64, keys: &[K]) -> Result<F, BuildError> {
        let mut filter = F::with_goal(Goal::fpr(keys.len() as u64, asked_fpr), seed)?;
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
}

/// The same, of keys that can be taken out again.
#[derive(Debug)]
pub struct Removable;

impl<F: EmptyFilter + RemoveFilter> Way<F> for Removable {
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
}

/// Made from all keys at once.
#[derive(Debug)]
pub struct AtOnce;

impl<F: BuildFilter> Way<F> for AtOnce {
    #[inline]
    fn make<K: Key>(asked_fpr: f64, seed: u64, keys: &[K]) -> Result<F, BuildError> {
        F::build_from_keys(Budget::Fpr(asked_fpr), seed, keys)
    }
}

/// A contender of our own: a filter type and the way it is made.
#[derive(Debug)]
pub struct Own<F, W> {
    info: Info,
    kinds: PhantomData<fn() -> (F, W)>,
}

impl<F: PlanFilter + 'static, W: Way<F> + 'static> Own<F, W> {
    /// A contender. Unless `info` has a theory of its own, it is the filter's plan.
    pub const fn new(info: Info) -> Self {
        Self {
            info,
            kinds: PhantomData,
        }
    }

    fn held<K: BenchKey + ?Sized>(
        filter: Result<F, BuildError>,
        keys: &[K::Item<'_>],
    ) -> Result<Box<dyn Built>, String> {
        Ok(built::<K, _>(OwnFilter {
            filter: filter.map_err(|error| error.to_string())?,
            keys: keys.len() as u64,
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
            Keys::U64(keys) => Self::held::<u64>(W::make(asked_fpr, seed, keys), keys),
            Keys::Bytes(keys) => Self::held::<[u8]>(W::make(asked_fpr, seed, keys), keys),
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
            Keys::U64(keys) => Self::held::<u64>(W::begin(asked_fpr, seed, keys), keys),
            Keys::Bytes(keys) => Self::held::<[u8]>(W::begin(asked_fpr, seed, keys), keys),
        }
    }
}

/// The theory curve of a filter: the rate of its best plan of that size.
fn planned_fpr<F: PlanFilter>(keys: u64, bits_per_key: f64) -> Option<f64> {
    F::plan(Goal::bits_per_key(keys, bits_per_key))
        .ok()
        .map(|plan| plan.expected_fpr)
}

/// A built filter and the number of keys in it.
#[derive(Debug)]
struct OwnFilter<F, W> {
    filter: F,
    keys: u64,
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
            // The slices are equally long, so this cannot fail; were it to, the hits would not add up.
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
}
