//! The filter.

use crate::entry::{Hashed, Source};
use crate::shape::Columns;
use crate::shards::push;
use crate::system::System;
use crate::{Bumped, Bumped128, Kind, RibbonParams, Standard, Standard64, simd, theory};
use alloc::vec::Vec;
use amq_core::{
    Budget, BuildError, BuildFilter, DEFAULT_SEED, Filter, FilterKind, Goal, Key, KeyHash,
    LengthMismatch, Plan, PlanError, PlanFilter, PredictedFpr,
};
use core::fmt;

/// The standard ribbon filter, with rows of 128 bits: four to five percent above the least possible space.
pub type RibbonFilter = Ribbon<Standard>;
/// The standard ribbon filter with rows of 64 bits: larger, and quicker to build.
pub type NarrowRibbonFilter = Ribbon<Standard64>;
/// The bumped ribbon filter (BuRR), with rows of 64 bits: half a percent above the least possible space and less, from 100,000 keys on and at rates that are
/// powers of two.
pub type BumpedRibbonFilter = Ribbon<Bumped>;
/// The bumped ribbon filter with rows of 128 bits: smaller still, and slower.
pub type WideBumpedRibbonFilter = Ribbon<Bumped128>;

/// A ribbon filter of any kind.
#[derive(Clone, PartialEq, Eq)]
pub struct Ribbon<K: Kind> {
    system: System<K>,
    seed: u64,
    len: u64,
}

impl<K: Kind> Ribbon<K> {
    /// A filter of all these keys, with the public [`DEFAULT_SEED`].
    pub fn new<T: Key>(budget: Budget, keys: &[T]) -> Result<Self, BuildError> {
        Self::with_seed(budget, DEFAULT_SEED, keys)
    }

    /// A filter of all these keys, with a seed of one's own.
    pub fn with_seed<T: Key>(budget: Budget, seed: u64, keys: &[T]) -> Result<Self, BuildError> {
        Self::build_from_keys(budget, seed, keys)
    }

    /// A filter of all keys that an iterator gives, none of which is kept: their hashes are, 8 to 16 bytes each, while the filter is built.
    pub fn from_keys<T: Key>(
        budget: Budget,
        seed: u64,
        keys: impl IntoIterator<Item = T>,
    ) -> Result<Self, BuildError> {
        let mut hashes = Vec::new();
        for key in keys {
            push(&mut hashes, key.key_hash(seed))?;
        }
        Self::build(budget, seed, &hashes)
    }

    /// [`BuildFilter::build`], telling now and then how many keys have their place: some hundred times for ten million keys, and in
    /// the end of all. A layer that passes no keys on, and with the feature `parallel` any layer, is told of at its end only.
    pub fn build_with_progress(
        budget: Budget,
        seed: u64,
        hashes: &[KeyHash],
        mut progress: impl FnMut(u64),
    ) -> Result<Self, BuildError> {
        Self::of(budget, seed, hashes, &mut progress)
    }

    #[cfg(test)]
    pub(crate) fn into_system(self) -> System<K> {
        self.system
    }

    fn of(
        budget: Budget,
        seed: u64,
        source: &(impl Source<KeyHash> + ?Sized),
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, BuildError> {
        let len = source.len();
        let system = Self::system(Goal { items: len, budget }, source, progress)?;
        Ok(Self { system, seed, len })
    }

    fn system(
        goal: Goal,
        source: &(impl Source<KeyHash> + ?Sized),
        progress: &mut dyn FnMut(u64),
    ) -> Result<System<K>, BuildError> {
        if goal.items == 0 {
            // No key takes no space, whatever is allowed, and is found in no filter.
            goal.check(0)?;
            return System::build(source, Columns { most: 1, short: 0 }, progress);
        }
        let planned = Self::plan(goal)?.params;
        let system = System::build(source, planned.bits(), progress)?;
        let allowed = goal.max_bits() / 8;
        if system.bytes() <= allowed {
            return Ok(system);
        }
        // More keys were passed on than planned: about one filter in a hundred. How many does not depend on the columns.
        let fitting = theory::within::<K>(system.params, allowed)?;
        drop(system);
        let system = System::build(source, fitting.bits(), &mut |_| ())?;
        if system.bytes() > allowed {
            return Err(BuildError::KeysChanged { items: goal.items });
        }
        Ok(system)
    }
}

impl<K: Kind> fmt::Debug for Ribbon<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        amq_core::debug(self, K::NAME, f)
    }
}

impl<K: Kind> Filter for Ribbon<K> {
    fn kind(&self) -> FilterKind {
        K::KIND
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The keys it was made of, repeated ones counted as often as they came.
    fn len(&self) -> u64 {
        self.len
    }

    /// The same: it holds what it was made of.
    fn capacity(&self) -> u64 {
        self.len
    }

    fn size_in_bytes(&self) -> u64 {
        self.system.bytes()
    }

    fn expected_fpr(&self) -> f64 {
        theory::fpr::<K>(&self.system.params, self.len).mean
    }

    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        simd::contains(&self.system, hash.get())
    }

    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        simd::contains_batch(&self.system, hashes, answers);
        Ok(())
    }
}

impl<K: Kind> PlanFilter for Ribbon<K> {
    type Params = RibbonParams;

    fn plan(goal: Goal) -> Result<Plan<RibbonParams>, PlanError> {
        let plan = theory::plan::<K>;
        plan(goal).map_err(|error| error.in_bits_per_key(goal, plan))
    }

    fn predicted_fpr(params: &RibbonParams, items: u64) -> PredictedFpr {
        theory::fpr::<K>(params, items)
    }

    #[inline]
    fn params(&self) -> RibbonParams {
        self.system.params
    }
}

impl<K: Kind> BuildFilter for Ribbon<K> {
    fn build(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<Self, BuildError> {
        Self::of(budget, seed, hashes, &mut |_| ())
    }

    /// Hashes every key twice, and keeps no list of hashes beside the one it sorts.
    fn build_from_keys<T: Key>(budget: Budget, seed: u64, keys: &[T]) -> Result<Self, BuildError> {
        Self::of(budget, seed, &Hashed { keys, seed }, &mut |_| ())
    }
}
