//! A built filter, and the timed loops over keys: written once, compiled for each filter and key
//! type. The virtual call happens once per pass, never per key.

use super::probe::{Probe, hits};
use super::threads::{Done, Task};
use crate::scenarios::keys::{BenchKey, Keys};
use amq_core::{Budget, PredictedFpr};
use std::any::Any;
use std::borrow::Borrow;
use std::hint::black_box;
use std::marker::PhantomData;
use std::time::Instant;

/// Queried for keys of another type than it was built from, it finds none, and verification fails.
pub trait Built: Any {
    /// The heap bytes it reports, if any.
    fn said_bytes(&self) -> Option<u64>;

    /// The exact formula's rate for the keys it holds, if there is one.
    fn predicted(&self) -> Option<PredictedFpr>;

    /// The timed loop: one query after another, counting hits.
    fn count_hits(&self, queries: Keys<'_>) -> u64;

    /// Queries keys one by one, each into its nanoseconds; these are latencies, as of
    /// [`insert_each`](Self::insert_each).
    fn ask_each(&self, queries: Keys<'_>, times: &mut [u32]);

    /// Counts hits through the batch interface; `None` without one.
    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64>;

    /// The hits of queries that each depend on the previous answer: see [`dependent_hits`].
    fn dependent(&self, queries: Keys<'_>) -> u64;

    /// The answers, one per query. Not timed.
    fn answers(&self, queries: Keys<'_>) -> Vec<bool>;

    /// Inserts further absent keys and returns how many it accepted before it refused one. `None`,
    /// here and below, if it cannot insert.
    fn insert_more(&mut self, keys: Keys<'_>) -> Option<u64>;

    /// Inserts keys one by one, at most as many as `times`, and records each insert's nanoseconds.
    /// Reading the clock takes about 20 of them, and waits for the insert to finish: these are
    /// latencies.
    fn insert_each(&mut self, keys: Keys<'_>, times: &mut [u32]) -> Option<u64>;

    /// Inserts further absent keys, or queries keys, on several threads at once. Returns the keys
    /// inserted or found, and the nanoseconds. `None` also if only one thread can insert.
    fn by_threads(&mut self, task: Task, keys: Keys<'_>, threads: usize) -> Option<Done>;

    /// Removes present keys and returns how many it reports removed.
    fn remove(&mut self, keys: Keys<'_>) -> Option<u64>;

    /// Alternately removes a present key of the first list and inserts one of the second. Returns
    /// the number of replacements before a removal or an insert failed.
    fn replace(&mut self, gone: Keys<'_>, new: Keys<'_>) -> Option<u64>;

    /// Merges another filter of the same contender.
    fn merge(&mut self, other: &dyn Built) -> Option<Result<(), String>>;

    /// Makes it smaller, for a higher rate.
    fn truncate(&mut self, budget: Budget) -> Option<Result<(), String>>;

    /// The number of slots, if each key takes one: the load is keys over slots.
    fn slots(&self) -> Option<u64>;
}

/// The number of queries of a dependent pass over a stream of this length.
pub const fn dependent_queries(stream: usize) -> usize {
    stream / 2
}

/// The hits that a dependent pass must count, given the answer to each query of the stream.
///
/// A hit skips the next key of the stream, so each query depends on the previous answer, and the
/// pass shows latency where [`Built::count_hits`] shows throughput. (If a filter branches on an
/// answer, the processor may predict it, as it would in a user's program.)
pub fn dependent_hits(answers: &[bool]) -> u64 {
    chained(answers.len(), |place| answers[place])
}

#[inline(always)]
fn chained(stream: usize, holds: impl Fn(usize) -> bool) -> u64 {
    let (mut place, mut hits) = (0, 0);
    for _ in 0..dependent_queries(stream) {
        let hit = holds(place);
        hits += u64::from(hit);
        place += 1 + usize::from(hit);
    }
    hits
}

struct Loops<P, K: ?Sized> {
    probe: P,
    keys: u64,
    of: PhantomData<fn(&K)>,
}

/// The nanoseconds since `before`, which is set to now.
#[inline(always)]
fn lap(before: &mut Instant) -> u32 {
    let now = Instant::now();
    let since = now.duration_since(std::mem::replace(before, now));
    u32::try_from(since.as_nanos()).unwrap_or(u32::MAX)
}

/// Hides a filter and keys from the optimiser; in a loop over them it may do whatever it could in a
/// user's code.
#[inline(always)]
fn unknown<P, K: BenchKey + ?Sized>(probe: P, keys: Keys<'_>) -> (P, &[K::Item<'_>]) {
    (black_box(probe), black_box(K::slice(keys)))
}

impl<K: BenchKey + ?Sized, P: Probe<K> + 'static> Built for Loops<P, K> {
    fn said_bytes(&self) -> Option<u64> {
        (P::BYTES)(&self.probe)
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        (P::PREDICTED)(&self.probe, self.keys)
    }

    fn count_hits(&self, queries: Keys<'_>) -> u64 {
        let (probe, keys) = unknown::<_, K>(&self.probe, queries);
        black_box(hits::<K, P>(probe, keys))
    }

    fn ask_each(&self, queries: Keys<'_>, times: &mut [u32]) {
        let (probe, keys) = unknown::<_, K>(&self.probe, queries);
        let mut before = Instant::now();
        for (key, time) in keys.iter().zip(times) {
            black_box(probe.holds(key.borrow()));
            *time = lap(&mut before);
        }
    }

    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64> {
        let (probe, keys) = unknown::<_, K>(&self.probe, queries);
        black_box((P::BATCH)(probe, keys))
    }

    fn dependent(&self, queries: Keys<'_>) -> u64 {
        let (probe, keys) = unknown::<_, K>(&self.probe, queries);
        black_box(chained(keys.len(), |place| probe.holds(keys[place].borrow())))
    }

    fn answers(&self, queries: Keys<'_>) -> Vec<bool> {
        K::slice(queries).iter().map(|key| self.probe.holds(key.borrow())).collect()
    }

    fn insert_more(&mut self, keys: Keys<'_>) -> Option<u64> {
        let (probe, keys) = unknown::<_, K>(&mut self.probe, keys);
        let taken = black_box((P::INSERT_ALL)(probe, keys))?;
        self.keys += taken;
        Some(taken)
    }

    fn insert_each(&mut self, keys: Keys<'_>, times: &mut [u32]) -> Option<u64> {
        let (probe, keys) = unknown::<_, K>(&mut self.probe, keys);
        let mut taken = 0;
        let mut before = Instant::now();
        for (key, time) in keys.iter().zip(times) {
            if !probe.insert(key.borrow())? {
                break;
            }
            *time = lap(&mut before);
            taken += 1;
        }
        self.keys += taken;
        Some(taken)
    }

    fn by_threads(&mut self, task: Task, keys: Keys<'_>, threads: usize) -> Option<Done> {
        let (probe, keys) = unknown::<_, K>(&self.probe, keys);
        let (done, ns) = P::by_threads(probe, task, keys, threads)?;
        self.keys += if task == Task::Insert { done } else { 0 };
        Some((done, ns))
    }

    fn remove(&mut self, keys: Keys<'_>) -> Option<u64> {
        let (probe, keys) = unknown::<_, K>(&mut self.probe, keys);
        let mut known = 0;
        for key in keys {
            known += u64::from(probe.remove(key.borrow())?);
        }
        self.keys = self.keys.saturating_sub(black_box(known));
        Some(known)
    }

    fn replace(&mut self, gone: Keys<'_>, new: Keys<'_>) -> Option<u64> {
        let (probe, gone) = unknown::<_, K>(&mut self.probe, gone);
        let mut replaced = 0;
        for (gone, new) in gone.iter().zip(black_box(K::slice(new))) {
            if !probe.remove(gone.borrow())? || !probe.insert(new.borrow())? {
                break;
            }
            replaced += 1;
        }
        Some(black_box(replaced))
    }

    fn merge(&mut self, other: &dyn Built) -> Option<Result<(), String>> {
        let other: &Self = (other as &dyn Any).downcast_ref()?;
        let merged = (P::MERGE)(black_box(&mut self.probe), black_box(&other.probe))?;
        if merged.is_ok() {
            self.keys += other.keys;
        }
        Some(merged)
    }

    fn truncate(&mut self, budget: Budget) -> Option<Result<(), String>> {
        (P::TRUNCATE)(black_box(&mut self.probe), budget)
    }

    fn slots(&self) -> Option<u64> {
        (P::SLOTS)(&self.probe)
    }
}

/// A filter of this many keys of one type, with its loops.
pub(super) fn of_type<K, P>(probe: P, keys: usize) -> Box<dyn Built>
where
    K: BenchKey + ?Sized,
    P: Probe<K> + 'static,
{
    Box::new(Loops { probe, keys: keys as u64, of: PhantomData::<fn(&K)> })
}
