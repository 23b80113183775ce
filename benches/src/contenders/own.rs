//! Every filter of this workspace, through the traits they all implement.

use crate::contender::{Built, Contender, Info, Probe, built};
use crate::keys::{BenchKey, Keys};
use amq_core::{Budget, BuildError, BuildFilter, EmptyFilter, Goal, Key, PlanFilter, PredictedFpr};
use std::marker::PhantomData;

/// How many keys a batch query is given at once: some thousand, as a join or a compaction would.
const BATCH: usize = 1024;

/// A way of making a filter of keys.
pub trait Way<F> {
    /// Makes it.
    fn make<K: Key>(asked_fpr: f64, seed: u64, keys: &[K]) -> Result<F, BuildError>;
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

impl<F: PlanFilter + 'static, W: Way<F>> Own<F, W> {
    /// A contender; its theory is the filter's own plan, whatever `info` says.
    pub const fn new(info: Info) -> Self {
        Self {
            info,
            kinds: PhantomData,
        }
    }

    fn make<K: BenchKey + ?Sized>(
        keys: &[K::Item<'_>],
        asked_fpr: f64,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let filter = W::make(asked_fpr, seed, keys).map_err(|error| error.to_string())?;
        Ok(built::<K, _>(OwnFilter {
            filter,
            keys: keys.len() as u64,
        }))
    }
}

impl<F: PlanFilter + 'static, W: Way<F>> Contender for Own<F, W> {
    fn info(&self) -> Info {
        Info {
            theory: Some(planned_fpr::<F>),
            ..self.info
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let asked_fpr = asked_fpr.ok_or("this filter must be asked for a rate")?;
        match keys {
            Keys::U64(keys) => Self::make::<u64>(keys, asked_fpr, seed),
            Keys::Bytes(keys) => Self::make::<[u8]>(keys, asked_fpr, seed),
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
struct OwnFilter<F> {
    filter: F,
    keys: u64,
}

impl<F: PlanFilter, K: BenchKey + ?Sized> Probe<K> for OwnFilter<F> {
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
}
