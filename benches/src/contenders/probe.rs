//! Single-key operations of a filter, in a few expressions each.

use super::threads::{Done, Task};
use crate::scenarios::keys::BenchKey;
use amq_core::{Budget, PredictedFpr};
use std::borrow::Borrow;
use std::hint::black_box;

/// The operations of [`Built`](super::Built) for one key; the constants are called once per pass.
/// `None` means that the filter cannot do it. [`probe`] implements this.
pub(super) trait Probe<K: BenchKey + ?Sized>: Sized {
    const BATCH: fn(&Self, &[K::Item<'_>]) -> Option<u64> = |_, _| None;
    const BYTES: fn(&Self) -> Option<u64> = |_| None;
    /// The exact formula's prediction of its rate with this many keys, if there is one.
    const PREDICTED: fn(&Self, u64) -> Option<PredictedFpr> = |_, _| None;
    /// Inserts keys in the fastest way; returns how many it accepted before it refused one.
    const INSERT_ALL: fn(&mut Self, &[K::Item<'_>]) -> Option<u64> = one_by_one::<K, Self>;
    const MERGE: fn(&mut Self, &Self) -> Option<Result<(), String>> = |_, _| None;
    const TRUNCATE: fn(&mut Self, Budget) -> Option<Result<(), String>> = |_, _| None;
    /// The number changes when the filter grows.
    const SLOTS: fn(&Self) -> Option<u64> = |_| None;

    fn holds(&self, key: &K) -> bool;

    /// Whether it accepted the key.
    fn insert(&mut self, _key: &K) -> Option<bool> {
        None
    }

    /// Inserts or queries keys on several threads, through a shared reference.
    fn by_threads(&self, _: Task, _keys: &[K::Item<'_>], _threads: usize) -> Option<Done> {
        None
    }

    /// Whether it reports the key removed; `true` if it does not report.
    fn remove(&mut self, _key: &K) -> Option<bool> {
        None
    }
}

fn one_by_one<K: BenchKey + ?Sized, P: Probe<K>>(
    probe: &mut P,
    keys: &[K::Item<'_>],
) -> Option<u64> {
    let mut taken = 0;
    for key in keys {
        if !probe.insert(key.borrow())? {
            break;
        }
        taken += 1;
    }
    Some(taken)
}

/// The hits among the keys, queried one by one.
#[inline(always)]
pub(super) fn hits<K: BenchKey + ?Sized, P: Probe<K>>(probe: &P, keys: &[K::Item<'_>]) -> u64 {
    keys.iter().map(|key| u64::from(probe.holds(key.borrow()))).sum()
}

/// Keeps the optimiser from dropping the work behind an unused answer, such as whether a key was
/// new.
#[inline(always)]
pub(super) fn used<T>(answer: T) -> T {
    black_box(answer)
}

/// Whether an insertion was accepted; its answer is kept.
#[inline(always)]
pub(super) fn took<T, E>(inserted: Result<T, E>) -> bool {
    inserted.map(used).is_ok()
}

/// Implements [`Probe`] for a type by expressions of a filter, a key (or another filter, or a
/// budget) and keys (or their number): the supported ones, in this order.
macro_rules! probe {
    ($type:ty $(, with [$($generics:tt)*])? $(, where [$($bounds:tt)*])?,
        |$filter:ident, $key:ident, $keys:ident|
        holds: $holds:expr;
        $(batch: $batch:expr;)?
        $(bytes: $bytes:expr;)?
        $(predicted: $predicted:expr;)?
        $(insert: $insert:expr;)?
        $(insert_all: $insert_all:expr;)?
        $(shared: $shared:expr;)?
        $(remove: $remove:expr;)?
        $(merge: $merge:expr;)?
        $(truncate: $truncate:expr;)?
        $(slots: $slots:expr;)?
    ) => {
        #[allow(unused_variables, clippy::unit_arg)]
        impl<K: $crate::scenarios::keys::BenchKey + ?Sized $(, $($generics)*)?>
            $crate::contenders::probe::Probe<K> for $type
        $(where $($bounds)*)?
        {
            $(const BATCH: fn(&Self, &[K::Item<'_>]) -> Option<u64> = |$filter, $keys| $batch;)?
            $(const BYTES: fn(&Self) -> Option<u64> = |$filter| Some($bytes as u64);)?
            $(const PREDICTED: fn(&Self, u64) -> Option<amq_core::PredictedFpr> =
                |$filter, $keys| $predicted;)?
            $(const INSERT_ALL: fn(&mut Self, &[K::Item<'_>]) -> Option<u64> =
                |$filter, $keys| Some($insert_all);)?
            $(const MERGE: fn(&mut Self, &Self) -> Option<Result<(), String>> =
                |$filter, $key| Some($merge);)?
            $(const TRUNCATE: fn(&mut Self, amq_core::Budget) -> Option<Result<(), String>> =
                |$filter, $key| Some($truncate);)?
            $(const SLOTS: fn(&Self) -> Option<u64> = |$filter| $slots;)?

            #[inline]
            fn holds(&self, $key: &K) -> bool {
                let $filter = self;
                $holds
            }
            $(#[inline]
            fn insert(&mut self, $key: &K) -> Option<bool> {
                let $filter = self;
                Some($insert)
            })?
            $(fn by_threads(
                &self,
                task: $crate::contenders::Task,
                keys: &[K::Item<'_>],
                threads: usize,
            ) -> Option<$crate::contenders::threads::Done> {
                let $filter = self;
                Some($crate::contenders::threads::by_threads(threads, keys, |$keys| match task {
                    $crate::contenders::Task::Insert => $shared,
                    $crate::contenders::Task::Ask => {
                        $crate::contenders::probe::hits::<K, Self>($filter, $keys)
                    }
                }))
            })?
            $(#[inline]
            fn remove(&mut self, $key: &K) -> Option<bool> {
                let $filter = self;
                Some($remove)
            })?
        }
    };
}
pub(super) use probe;

/// Keys per batch query: about a thousand, as in a join or a compaction.
pub(super) const BATCH: usize = 1024;

/// The hits among the keys, queried in batches; `None` if a query fails.
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
