//! A contender: describes itself, is built from keys, and answers queries.
//!
//! A contender's file says how its filter is made ([`Make`]) and used ([`Probe`]). The loops over
//! keys are here, written once and compiled for each filter and key type. The virtual call happens
//! once per pass, never per key.

use super::info::{Ability, Info};
use super::theory::{Point, Theory};
use crate::keys::{BenchKey, Keys};
use amq_core::{Budget, PredictedFpr};
use std::any::Any;
use std::borrow::Borrow;
use std::fmt;
use std::hint::black_box;
use std::marker::PhantomData;
use std::time::Instant;

/// The number of keys that a filter is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Planned {
    /// Those it is given. A growing filter is made for a thousandth of them and grows.
    Keys,
    /// Those it is given, growing or not: more will follow.
    First,
    /// This many, of which those it is given are the first. A static filter refuses.
    Room(usize),
    /// As `Keys`, but a growing filter is made for a thousandth of this many. So the sizes of
    /// filters with different numbers of keys show how size jumps within an octave.
    Octave(usize),
}

/// What a filter is made for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Order {
    /// The number of keys.
    pub planned: Planned,
    /// The rate or the size asked for; `None` for a contender that takes neither.
    pub budget: Option<Budget>,
    /// The seed of its hashes.
    pub seed: u64,
}

/// How many times the size for which a growing filter is made it then grows.
pub(super) const GROWN: usize = 1000;

impl Order {
    /// The number of keys to plan for, if `given` are given: at least one.
    pub fn room(&self, given: usize) -> usize {
        match self.planned {
            Planned::Room(room) => room.max(1),
            Planned::Keys | Planned::First | Planned::Octave(_) => given.max(1),
        }
    }

    /// The same for a filter that grows.
    pub fn start(&self, given: usize) -> usize {
        match self.planned {
            Planned::Keys => (given / GROWN).max(1),
            Planned::Octave(keys) => (keys / GROWN).max(1),
            Planned::First | Planned::Room(_) => self.room(given),
        }
    }

    /// The rate asked for.
    pub fn fpr(&self) -> Result<f64, String> {
        match self.budget {
            Some(Budget::Fpr(fpr)) => Ok(fpr),
            budget => Err(format!("takes a target rate, not {budget:?}")),
        }
    }

    /// The bits for all of `room` keys, if a size is asked for.
    pub fn bits(&self, room: usize) -> Option<usize> {
        match self.budget {
            Some(Budget::BitsPerKey(bits)) => Some((bits * room as f64) as usize),
            Some(Budget::Bytes(bytes)) => Some(bytes as usize * 8),
            Some(Budget::Fpr(_)) | None => None,
        }
    }
}

/// One entry of the registry.
pub trait Contender: Sync {
    /// What it is.
    fn info(&self) -> Info;

    /// Builds a filter of these keys, which are distinct, by the fastest way its API offers.
    fn build(&self, keys: Keys<'_>, order: &Order) -> Result<Box<dyn Built>, String>;

    /// Its theory at this many keys; see [`Theory`].
    fn theory_points(&self, _keys: u64) -> Vec<Point> {
        Vec::new()
    }
}

impl fmt::Debug for dyn Contender + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().name)
    }
}

/// How a contender's filter is made of keys.
pub trait Make<K: BenchKey + ?Sized> {
    /// The filter.
    type Filter: Probe<K> + 'static;

    /// Makes it.
    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Self::Filter, String>;
}

/// What can be done with a contender's filter.
pub trait Probe<K: BenchKey + ?Sized> {
    /// The heap bytes it reports, if any.
    fn said_bytes(&self) -> Option<u64> {
        None
    }

    /// The exact formula's prediction of its rate with this many keys, if there is one.
    fn predicted(&self, _keys: u64) -> Option<PredictedFpr> {
        None
    }

    /// Whether the key is probably present, hashing included.
    fn holds(&self, key: &K) -> bool;

    /// How many of the keys are probably present, by the batch interface; `None` without one.
    fn count_batch(&self, _keys: &[K::Item<'_>]) -> Option<u64> {
        None
    }

    /// Inserts a key; whether it took it. `None` if it takes no keys once built.
    fn insert(&mut self, _key: &K) -> Option<bool> {
        None
    }

    /// Inserts keys by the fastest way and returns how many it took before it refused one.
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

    /// Removes a key; whether it reports it removed, `true` if it does not report. `None` if it
    /// cannot remove.
    fn remove(&mut self, _key: &K) -> Option<bool> {
        None
    }

    /// Merges another filter, or says why not; `None` if it cannot merge.
    fn merge(&mut self, _other: &Self) -> Option<Result<(), String>> {
        None
    }

    /// The slots of a table in which each key takes one; the load is keys over slots. `None`
    /// without such a table. The number changes when the filter grows.
    fn slots(&self) -> Option<u64> {
        None
    }
}

/// Fills a filter that is made empty; an error if it refuses a key.
#[inline]
pub fn filled<K, P>(mut filter: P, keys: &[K::Item<'_>]) -> Result<P, String>
where
    K: BenchKey + ?Sized,
    P: Probe<K>,
{
    match filter.insert_all(keys) {
        Some(taken) if taken == keys.len() as u64 => Ok(filter),
        taken => Err(format!(
            "it took {} of {} keys and refused the next",
            taken.unwrap_or(0),
            keys.len()
        )),
    }
}

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

/// A contender of any filter: its description, how it is made, and its theory.
#[derive(Debug)]
pub struct Entry<M> {
    info: Info,
    make: M,
    theory: Theory,
}

impl<M> Entry<M> {
    /// An entry.
    pub const fn new(info: Info, make: M, theory: Theory) -> Self {
        Self { info, make, theory }
    }
}

impl<M: Make<u64> + Make<[u8]> + Sync> Contender for Entry<M> {
    fn info(&self) -> Info {
        self.info
    }

    fn build(&self, keys: Keys<'_>, order: &Order) -> Result<Box<dyn Built>, String> {
        built(&self.info, &self.make, keys, order)
    }

    fn theory_points(&self, keys: u64) -> Vec<Point> {
        (self.theory)(keys)
    }
}

/// Makes a filter of keys of either type.
pub fn built<M: Make<u64> + Make<[u8]>>(
    info: &Info,
    make: &M,
    keys: Keys<'_>,
    order: &Order,
) -> Result<Box<dyn Built>, String> {
    if info.can(Ability::Static) && matches!(order.planned, Planned::Room(_)) {
        return Err("is static: it is made of its keys and takes no others".to_owned());
    }
    match keys {
        Keys::U64(keys) => of_type::<u64, M>(make, keys, order),
        Keys::Bytes(keys) => of_type::<[u8], M>(make, keys, order),
    }
}

fn of_type<K: BenchKey + ?Sized, M: Make<K>>(
    make: &M,
    keys: &[K::Item<'_>],
    order: &Order,
) -> Result<Box<dyn Built>, String> {
    Ok(Box::new(Loops {
        probe: make.make(keys, order)?,
        keys: keys.len() as u64,
        of: PhantomData::<fn(&K)>,
    }))
}

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

    /// Inserts further absent keys and returns how many it took before it refused one. `None` if it
    /// takes no keys once built.
    fn insert_more(&mut self, _keys: Keys<'_>) -> Option<u64> {
        None
    }

    /// The same one by one, with a look at the clock after each: the nanoseconds from one look to
    /// the next go into `times`, which limits the number of keys. A look takes some 20 ns, and
    /// waits for the insert to finish, so these are latencies; their sum is more than
    /// [`insert_more`](Self::insert_more) takes.
    fn insert_each(&mut self, _keys: Keys<'_>, _times: &mut [u32]) -> Option<u64> {
        None
    }

    /// Removes present keys and returns how many it reports removed. `None` if it cannot remove.
    fn remove(&mut self, _keys: Keys<'_>) -> Option<u64> {
        None
    }

    /// Removes a present key of the first list and inserts one of the second, in turn. Returns the
    /// number of replacements before a removal or an insert failed. `None` if it cannot.
    fn replace(&mut self, _gone: Keys<'_>, _new: Keys<'_>) -> Option<u64> {
        None
    }

    /// Merges another filter of the same contender. `None` if it cannot.
    fn merge(&mut self, _other: &dyn Built) -> Option<Result<(), String>> {
        None
    }

    /// The number of slots, if each key takes one; see [`Probe::slots`].
    fn slots(&self) -> Option<u64> {
        None
    }

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
#[derive(Debug)]
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
        black_box(
            keys.iter()
                .map(|key| u64::from(probe.holds(key.borrow())))
                .sum(),
        )
    }

    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64> {
        let probe = black_box(&self.probe);
        black_box(probe.count_batch(black_box(K::slice(queries)?)))
    }

    fn dependent(&self, queries: Keys<'_>) -> u64 {
        let probe = black_box(&self.probe);
        let keys = black_box(K::slice(queries).unwrap_or_default());
        black_box(chained(keys.len(), |place| {
            probe.holds(keys[place].borrow())
        }))
    }

    fn answers(&self, queries: Keys<'_>) -> Vec<bool> {
        let keys = K::slice(queries).unwrap_or_default();
        keys.iter()
            .map(|key| self.probe.holds(key.borrow()))
            .collect()
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

    #[test]
    fn an_order_says_for_how_many_keys_and_which_budget() {
        let order = |planned, budget| Order {
            planned,
            budget,
            seed: 0,
        };
        let rate = Some(Budget::Fpr(0.01));
        for (planned, room, start) in [
            (Planned::Keys, 5000, 5),
            (Planned::First, 5000, 5000),
            (Planned::Room(0), 1, 1),
            (Planned::Room(9000), 9000, 9000),
            (Planned::Octave(3000), 5000, 3),
        ] {
            let order = order(planned, rate);
            assert_eq!((order.room(5000), order.start(5000)), (room, start));
            assert_eq!((order.fpr(), order.bits(room)), (Ok(0.01), None));
        }
        let sized = order(Planned::Keys, Some(Budget::BitsPerKey(2.5)));
        assert_eq!(sized.bits(100), Some(250));
        assert!(sized.fpr().unwrap_err().contains("BitsPerKey(2.5)"));
        assert!(order(Planned::Keys, None).fpr().is_err());
    }
}
