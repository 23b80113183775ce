//! A contender: describes itself, is built from keys, and answers queries.
//!
//! A contender's file says how its filter is made ([`Make`]) and used ([`Probe`]).

use super::built::{Built, of_type};
use super::info::{Ability, Info};
use super::theory::{Point, Theory};
use crate::keys::{BenchKey, Keys};
use amq_core::{Budget, PredictedFpr};
use std::borrow::Borrow;
use std::fmt;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_says_for_how_many_keys_and_which_budget() {
        let order = |planned, budget| Order { planned, budget, seed: 0 };
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
