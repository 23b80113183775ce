//! A built filter, and the loops over keys that are timed: written once, compiled for each filter
//! and key type. The virtual call happens once per pass, never per key.

use super::probe::Probe;
use crate::keys::{BenchKey, Keys};
use amq_core::PredictedFpr;
use std::any::Any;
use std::borrow::Borrow;
use std::fmt;
use std::hint::black_box;
use std::marker::PhantomData;
use std::time::Instant;

/// A built filter.
///
/// Queried for keys of another type than it was built from, it finds none, and verification fails.
pub trait Built {
    /// The heap bytes it reports, if any.
    fn said_bytes(&self) -> Option<u64>;

    /// The exact formula's prediction of its rate with the keys that it holds, if there is one.
    fn predicted(&self) -> Option<PredictedFpr>;

    /// The timed loop: one query after another, counting hits.
    fn count_hits(&self, queries: Keys<'_>) -> u64;

    /// The same through the batch interface; `None` without one.
    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64>;

    /// The hits of queries that each depend on the answer before: see [`dependent_hits`].
    fn dependent(&self, queries: Keys<'_>) -> u64;

    /// The answers, one per query. Not timed.
    fn answers(&self, queries: Keys<'_>) -> Vec<bool>;

    /// Inserts further absent keys and returns how many it took before it refused one. `None`, here
    /// and below, if it cannot.
    fn insert_more(&mut self, keys: Keys<'_>) -> Option<u64>;

    /// The same one by one, with a look at the clock after each: the nanoseconds from one look to
    /// the next go into `times`, which limits the number of keys. A look takes some 20 ns, and
    /// waits for the insert to finish: these are latencies, and sum to more than one pass takes.
    fn insert_each(&mut self, keys: Keys<'_>, times: &mut [u32]) -> Option<u64>;

    /// Removes present keys and returns how many it reports removed.
    fn remove(&mut self, keys: Keys<'_>) -> Option<u64>;

    /// Removes a present key of the first list and inserts one of the second, in turn. Returns the
    /// number of replacements before a removal or an insert failed.
    fn replace(&mut self, gone: Keys<'_>, new: Keys<'_>) -> Option<u64>;

    /// Merges another filter of the same contender.
    fn merge(&mut self, other: &dyn Built) -> Option<Result<(), String>>;

    /// The number of slots, if it is a table in which each key takes one: load is keys over slots.
    fn slots(&self) -> Option<u64>;

    /// Itself, for downcasting.
    fn as_any(&self) -> &dyn Any;
}

impl fmt::Debug for dyn Built + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a filter of {:?} bytes", self.said_bytes())
    }
}

/// How many queries a dependent pass asks over a stream of this length.
pub const fn dependent_queries(stream: usize) -> usize {
    stream / 2
}

/// The hits that a dependent pass must count, given the answer to each query of the stream.
///
/// A hit skips the next key of the stream, so which key is asked depends on the answer before, and
/// the pass shows latency where [`Built::count_hits`] shows throughput. (Where a filter decides an
/// answer by a branch, the processor may guess it and go on, as it would in a user's program.)
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

/// The loops, compiled per filter and key type.
struct Loops<P, K: ?Sized> {
    probe: P,
    /// How many keys it holds.
    keys: u64,
    of: PhantomData<fn(&K)>,
}

impl<K: BenchKey + ?Sized, P: Probe<K> + 'static> Built for Loops<P, K> {
    fn said_bytes(&self) -> Option<u64> {
        self.probe.said_bytes()
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        self.probe.predicted(self.keys)
    }

    fn count_hits(&self, queries: Keys<'_>) -> u64 {
        // The optimiser must treat filter and keys as unknown and the sum as used; inside the loop
        // it may do whatever it could in a user's code.
        let probe = black_box(&self.probe);
        let keys = black_box(K::slice(queries).unwrap_or_default());
        black_box(keys.iter().map(|key| u64::from(probe.holds(key.borrow()))).sum())
    }

    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64> {
        let probe = black_box(&self.probe);
        black_box(probe.count_batch(black_box(K::slice(queries)?)))
    }

    fn dependent(&self, queries: Keys<'_>) -> u64 {
        let probe = black_box(&self.probe);
        let keys = black_box(K::slice(queries).unwrap_or_default());
        black_box(chained(keys.len(), |place| probe.holds(keys[place].borrow())))
    }

    fn answers(&self, queries: Keys<'_>) -> Vec<bool> {
        let keys = K::slice(queries).unwrap_or_default();
        keys.iter().map(|key| self.probe.holds(key.borrow())).collect()
    }

    fn insert_more(&mut self, keys: Keys<'_>) -> Option<u64> {
        let probe = black_box(&mut self.probe);
        let taken = black_box(probe.insert_all(black_box(K::slice(keys)?)))?;
        self.keys += taken;
        Some(taken)
    }

    fn insert_each(&mut self, keys: Keys<'_>, times: &mut [u32]) -> Option<u64> {
        let probe = black_box(&mut self.probe);
        let keys = black_box(K::slice(keys)?);
        let mut taken = 0;
        let mut before = Instant::now();
        for (key, time) in keys.iter().zip(times) {
            if !probe.insert(key.borrow())? {
                break;
            }
            let now = Instant::now();
            *time = u32::try_from(now.duration_since(before).as_nanos()).unwrap_or(u32::MAX);
            before = now;
            taken += 1;
        }
        self.keys += taken;
        Some(taken)
    }

    fn remove(&mut self, keys: Keys<'_>) -> Option<u64> {
        let probe = black_box(&mut self.probe);
        let mut known = 0;
        for key in black_box(K::slice(keys)?) {
            known += u64::from(probe.remove(key.borrow())?);
        }
        self.keys = self.keys.saturating_sub(black_box(known));
        Some(known)
    }

    fn replace(&mut self, gone: Keys<'_>, new: Keys<'_>) -> Option<u64> {
        let probe = black_box(&mut self.probe);
        let (gone, new) = black_box((K::slice(gone)?, K::slice(new)?));
        let mut replaced = 0;
        for (gone, new) in gone.iter().zip(new) {
            if !probe.remove(gone.borrow())? || !probe.insert(new.borrow())? {
                break;
            }
            replaced += 1;
        }
        Some(black_box(replaced))
    }

    fn merge(&mut self, other: &dyn Built) -> Option<Result<(), String>> {
        let other: &Self = other.as_any().downcast_ref()?;
        let merged = black_box(&mut self.probe).merge(black_box(&other.probe))?;
        if merged.is_ok() {
            self.keys += other.keys;
        }
        Some(merged)
    }

    fn slots(&self) -> Option<u64> {
        self.probe.slots()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A filter of keys of one type, with its loops.
pub(super) fn of_type<K: BenchKey + ?Sized, P: Probe<K> + 'static>(
    probe: P,
    keys: usize,
) -> Box<dyn Built> {
    Box::new(Loops { probe, keys: keys as u64, of: PhantomData::<fn(&K)> })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_skips_the_next_key_and_no_pass_leaves_the_stream() {
        let [yes, no] = [true, false];
        // Asks 0, 1, 3: hits at 1 and 3.
        assert_eq!(dependent_hits(&[no, yes, yes, yes, no, no]), 2);
        for answers in [vec![yes; 7], vec![no; 8], vec![yes; 1], vec![]] {
            let asked = dependent_queries(answers.len()) as u64;
            let all = answers.first().copied().unwrap_or(no);
            assert_eq!(dependent_hits(&answers), asked * u64::from(all));
        }
    }
}
