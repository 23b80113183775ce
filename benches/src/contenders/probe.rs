//! How a filter is asked and changed, key by key: a few expressions for each.

use crate::keys::BenchKey;
use amq_core::PredictedFpr;
use std::borrow::Borrow;

/// What [`Built`](super::Built) does with many keys, for one: `None` is what the filter cannot do.
/// [`probe`] implements it.
pub(super) trait Probe<K: BenchKey + ?Sized> {
    fn holds(&self, key: &K) -> bool;

    fn count_batch(&self, _keys: &[K::Item<'_>]) -> Option<u64> {
        None
    }

    fn said_bytes(&self) -> Option<u64> {
        None
    }

    /// The exact formula's prediction of its rate with this many keys, if there is one.
    fn predicted(&self, _keys: u64) -> Option<PredictedFpr> {
        None
    }

    /// Whether it took the key.
    fn insert(&mut self, _key: &K) -> Option<bool> {
        None
    }

    /// By the fastest way; how many it took before it refused one.
    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        let mut taken = 0;
        for key in keys {
            if !self.insert(Borrow::<K>::borrow(key))? {
                break;
            }
            taken += 1;
        }
        Some(taken)
    }

    /// Whether it reports the key removed; `true` if it does not report.
    fn remove(&mut self, _key: &K) -> Option<bool> {
        None
    }

    fn merge(&mut self, _other: &Self) -> Option<Result<(), String>> {
        None
    }

    /// The number changes when the filter grows.
    fn slots(&self) -> Option<u64> {
        None
    }
}

/// Implements [`Probe`] for a type by expressions of a filter, a key (or another filter) and keys
/// (or their number): those that it has, in this order.
macro_rules! probe {
    ($type:ty $(, with [$($generics:tt)*])? $(, where [$($bounds:tt)*])?,
        |$filter:ident, $key:ident, $keys:ident|
        holds: $holds:expr;
        $(batch: $batch:expr;)?
        $(bytes: $bytes:expr;)?
        $(predicted: $predicted:expr;)?
        $(insert: $insert:expr;)?
        $(insert_all: $insert_all:expr;)?
        $(remove: $remove:expr;)?
        $(merge: $merge:expr;)?
        $(slots: $slots:expr;)?
    ) => {
        #[allow(unused_variables, clippy::unit_arg)]
        impl<K: $crate::keys::BenchKey + ?Sized $(, $($generics)*)?> Probe<K> for $type
        $(where $($bounds)*)?
        {
            #[inline]
            fn holds(&self, $key: &K) -> bool {
                let $filter = self;
                $holds
            }
            $(#[inline]
            fn count_batch(&self, $keys: &[K::Item<'_>]) -> Option<u64> {
                let $filter = self;
                $batch
            })?
            $(fn said_bytes(&self) -> Option<u64> {
                let $filter = self;
                Some($bytes as u64)
            })?
            $(fn predicted(&self, $keys: u64) -> Option<amq_core::PredictedFpr> {
                let $filter = self;
                $predicted
            })?
            $(#[inline]
            fn insert(&mut self, $key: &K) -> Option<bool> {
                let $filter = self;
                Some($insert)
            })?
            $(#[inline]
            fn insert_all(&mut self, $keys: &[K::Item<'_>]) -> Option<u64> {
                let $filter = self;
                Some($insert_all)
            })?
            $(#[inline]
            fn remove(&mut self, $key: &K) -> Option<bool> {
                let $filter = self;
                Some($remove)
            })?
            $(fn merge(&mut self, $key: &Self) -> Option<Result<(), String>> {
                let $filter = self;
                Some($merge)
            })?
            $(fn slots(&self) -> Option<u64> {
                let $filter = self;
                $slots
            })?
        }
    };
}
pub(super) use probe;

/// Keys per batch query: about a thousand, as in a join or a compaction.
pub(super) const BATCH: usize = 1024;

/// The hits among the keys, asked for in batches; `None` if asking fails.
#[inline]
pub(super) fn in_batches<T>(
    keys: &[T],
    mut ask: impl FnMut(&[T], &mut [bool]) -> Option<()>,
) -> Option<u64> {
    let mut answers = [false; BATCH];
    let mut hits = 0;
    for keys in keys.chunks(BATCH) {
        let answers = &mut answers[..keys.len()];
        ask(keys, answers)?;
        hits += answers.iter().map(|&hit| u64::from(hit)).sum::<u64>();
    }
    Some(hits)
}

/// A rate that all filters of a kind have, whatever their seed.
#[allow(clippy::unnecessary_wraps)]
pub(super) const fn exactly(mean: f64) -> Option<PredictedFpr> {
    Some(PredictedFpr { mean, sd: 0.0 })
}
