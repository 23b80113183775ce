//! This workspace's filters, through the traits they all implement.

use super::contender::in_batches;
use super::{Make, Order, Probe};
use crate::keys::BenchKey;
use amq_core::{
    BuildError, BuildFilter, EmptyFilter, FilterExt, FilterKind, Goal, InsertFilter, Key,
    MergeError, MergeFilter, PlanFilter, PredictedFpr, RemoveFilter, Target,
};
use std::marker::PhantomData;

/// A way of making a filter of keys, and of changing it, as far as it can.
pub trait Way<F: PlanFilter> {
    /// Makes it.
    fn make<K: Key>(keys: &[K], target: Target<F::Params>, seed: u64) -> Result<F, BuildError>;

    /// Inserts a key; whether it took it.
    fn insert<K: Key + ?Sized>(_filter: &mut F, _key: &K) -> Option<bool> {
        None
    }

    /// Inserts keys; returns how many it took before it refused one.
    fn insert_all<K: Key>(_filter: &mut F, _keys: &[K]) -> Option<u64> {
        None
    }

    /// Removes a key; whether it reports it removed.
    fn remove<K: Key + ?Sized>(_filter: &mut F, _key: &K) -> Option<bool> {
        None
    }

    /// Merges another filter.
    fn merge(_filter: &mut F, _other: &F) -> Option<Result<(), MergeError>> {
        None
    }
}

/// The methods of a [`Way`], by what it takes.
macro_rules! can {
    (fill) => {
        #[inline]
        fn make<K: Key>(keys: &[K], target: Target<F::Params>, seed: u64) -> Result<F, BuildError> {
            let mut filter = F::empty(target, seed)?;
            filter.insert_keys(keys)?;
            Ok(filter)
        }

        #[inline]
        fn insert<K: Key + ?Sized>(filter: &mut F, key: &K) -> Option<bool> {
            Some(filter.insert(key).is_ok())
        }

        #[inline]
        fn insert_all<K: Key>(filter: &mut F, keys: &[K]) -> Option<u64> {
            Some(match filter.insert_keys(keys) {
                Ok(_) => keys.len() as u64,
                Err(refused) => refused.done,
            })
        }
    };
    (remove) => {
        #[inline]
        fn remove<K: Key + ?Sized>(filter: &mut F, key: &K) -> Option<bool> {
            Some(filter.remove(key))
        }
    };
    (merge) => {
        #[inline]
        fn merge(filter: &mut F, other: &F) -> Option<Result<(), MergeError>> {
            Some(filter.merge(other))
        }
    };
}

/// Made empty, then filled with one batch of inserts.
#[derive(Clone, Copy, Debug)]
pub enum Filled {}

impl<F: EmptyFilter + MergeFilter> Way<F> for Filled {
    can!(fill);
    can!(merge);
}

/// The same through a shared reference, as threads do: with its atomic operations, that is.
#[derive(Clone, Copy, Debug)]
pub enum Shared {}

impl<F: EmptyFilter + MergeFilter> Way<F> for Shared
where
    for<'a> &'a F: InsertFilter,
{
    #[inline]
    fn make<K: Key>(keys: &[K], target: Target<F::Params>, seed: u64) -> Result<F, BuildError> {
        let filter = F::empty(target, seed)?;
        FilterExt::insert_keys(&mut &filter, keys)?;
        Ok(filter)
    }

    #[inline]
    fn insert<K: Key + ?Sized>(filter: &mut F, key: &K) -> Option<bool> {
        Some(FilterExt::insert(&mut &*filter, key).is_ok())
    }

    #[inline]
    fn insert_all<K: Key>(filter: &mut F, keys: &[K]) -> Option<u64> {
        Some(match FilterExt::insert_keys(&mut &*filter, keys) {
            Ok(_) => keys.len() as u64,
            Err(refused) => refused.done,
        })
    }

    can!(merge);
}

/// The same as [`Filled`] for filters that can remove keys.
#[derive(Clone, Copy, Debug)]
pub enum Removable {}

impl<F: EmptyFilter + MergeFilter + RemoveFilter> Way<F> for Removable {
    can!(fill);
    can!(merge);
    can!(remove);
}

/// The same for filters that cannot merge.
#[derive(Clone, Copy, Debug)]
pub enum Unmergeable {}

impl<F: EmptyFilter + RemoveFilter> Way<F> for Unmergeable {
    can!(fill);
    can!(remove);
}

/// Built from all keys at once.
#[derive(Clone, Copy, Debug)]
pub enum AtOnce {}

impl<F: BuildFilter> Way<F> for AtOnce {
    #[inline]
    fn make<K: Key>(keys: &[K], target: Target<F::Params>, seed: u64) -> Result<F, BuildError> {
        F::build_keys(target, seed, keys)
    }
}

/// What a filter of a number of keys is sized by.
type Sizing<F> = fn(&Order, usize) -> Result<Target<<F as PlanFilter>::Params>, String>;

/// How one of our filters is made: its type, its way, and what it is sized by.
#[derive(Debug)]
pub struct Own<F: PlanFilter, W> {
    target: Sizing<F>,
    slots: Option<fn(&F) -> u64>,
    way: PhantomData<fn() -> W>,
}

impl<F: PlanFilter, W> Own<F, W> {
    /// A filter sized for the number of keys and the budget.
    pub const SIZED: Self = Self::by(|order, keys| {
        let budget = order.budget.ok_or("needs a target rate or a size")?;
        Ok(Goal::new(order.room(keys) as u64, budget).into())
    });

    /// A filter sized in its own way, for a number of keys.
    pub const fn by(target: Sizing<F>) -> Self {
        Self { target, slots: None, way: PhantomData }
    }

    /// The same for a table in which each key takes one slot: it is compared with others at equal
    /// load.
    #[must_use]
    pub const fn with_slots(self, slots: fn(&F) -> u64) -> Self {
        Self { slots: Some(slots), ..self }
    }
}

impl<F, W, K> Make<K> for Own<F, W>
where
    F: PlanFilter + 'static,
    W: Way<F> + 'static,
    K: BenchKey + ?Sized,
{
    type Filter = Ours<F, W>;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Self::Filter, String> {
        let target = (self.target)(order, keys.len())?;
        Ok(Ours {
            filter: W::make(keys, target, order.seed).map_err(|error| error.to_string())?,
            slots: self.slots,
            made_of: keys.len() as u64,
            way: PhantomData,
        })
    }
}

/// A filter of ours.
#[derive(Debug)]
pub struct Ours<F, W> {
    filter: F,
    slots: Option<fn(&F) -> u64>,
    /// The keys it was made of.
    made_of: u64,
    way: PhantomData<fn() -> W>,
}

impl<F: PlanFilter, W: Way<F>, K: BenchKey + ?Sized> Probe<K> for Ours<F, W> {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.filter.size_in_bytes())
    }

    fn predicted(&self, keys: u64) -> Option<PredictedFpr> {
        if keys < self.made_of && self.filter.kind() == FilterKind::ExpandableQuotient {
            // Its formula's keys are the first that came, with the shortest fingerprints, and not
            // those left of any. So then it is what the filter reckons of its entries.
            let mean = self.filter.expected_fpr();
            return Some(PredictedFpr { mean, sd: 0.0 });
        }
        Some(F::predicted_fpr(&self.filter.params(), keys))
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.contains(key)
    }

    #[inline]
    fn count_batch(&self, keys: &[K::Item<'_>]) -> Option<u64> {
        // The slices are equally long, so this cannot fail; if it did, the hits would not add up.
        in_batches(keys, |keys, answers| self.filter.contains_keys(keys, answers).ok())
    }

    #[inline]
    fn insert(&mut self, key: &K) -> Option<bool> {
        W::insert(&mut self.filter, key)
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        W::insert_all(&mut self.filter, keys)
    }

    #[inline]
    fn remove(&mut self, key: &K) -> Option<bool> {
        W::remove(&mut self.filter, key)
    }

    fn merge(&mut self, other: &Self) -> Option<Result<(), String>> {
        let merged = W::merge(&mut self.filter, &other.filter)?;
        Some(merged.map_err(|error| error.to_string()))
    }

    fn slots(&self) -> Option<u64> {
        self.slots.map(|slots| slots(&self.filter))
    }
}
