//! Peer: scalable_cuckoo_filter, cuckoo filters in stages that grow.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use ::scalable_cuckoo_filter::{DefaultRng, ScalableCuckooFilter, ScalableCuckooFilterBuilder};
use amq_core::PredictedFpr;
use foldhash::quality::{FixedState, FoldHasher};
use std::borrow::Borrow;
use std::hash::BuildHasher;

/// Slots that a query reads in one stage: two buckets of four.
const PLACES: f64 = 8.0;

/// `scalable_cuckoo_filter::ScalableCuckooFilter`, which takes a hasher: foldhash's quality
/// variant, all of whose bits are usable.
#[derive(Debug)]
pub struct ScalableCuckoo;

impl Contender for ScalableCuckoo {
    fn info(&self) -> Info {
        Info {
            name: "scalable-cuckoo",
            family: Family::Cuckoo,
            role: Role::Filter,
            ours: false,
            packages: &["scalable_cuckoo_filter", "foldhash"],
            analysis: "Packed fingerprints, as long as the rate requires, in four-slot buckets; \
                       power-of-two tables. Where another cuckoo filter would refuse a key, it \
                       begins a table twice as large at half the rate; the first has half of \
                       the rate asked for. Evicts at random, differently in every run.",
            abilities: &[Ability::Insert, Ability::Remove, Ability::Grow],
            takes_rate: true,
            max_keys: 10_000_000,
            seeded: true,
            slow: false,
            theory: None,
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        made(keys.len(), keys, asked_fpr, seed)
    }

    fn with_room(
        &self,
        room: usize,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Option<Result<Box<dyn Built>, String>> {
        Some(made(room, keys, asked_fpr, seed))
    }
}

fn made(
    room: usize,
    keys: Keys<'_>,
    asked_fpr: Option<f64>,
    seed: u64,
) -> Result<Box<dyn Built>, String> {
    let asked_fpr = asked_fpr.ok_or("this filter needs a target rate")?;
    Ok(match keys {
        Keys::U64(keys) => make::<u64>(room, keys, asked_fpr, seed),
        Keys::Bytes(keys) => make::<[u8]>(room, keys, asked_fpr, seed),
    })
}

fn make<K: BenchKey + ?Sized>(
    room: usize,
    keys: &[K::Item<'_>],
    asked_fpr: f64,
    seed: u64,
) -> Box<dyn Built> {
    let filter = ScalableCuckooFilterBuilder::new()
        .initial_capacity(room)
        .false_positive_probability(asked_fpr)
        .hasher(FixedState::with_seed(seed).build_hasher())
        .finish::<K>();
    let mut filter = Filter {
        slots: filter.capacity() as u64,
        filter,
        asked_fpr,
        keys: 0,
    };
    filter.insert_all(keys);
    built::<K, _>(filter)
}

struct Filter<K: ?Sized> {
    filter: ScalableCuckooFilter<K, FoldHasher<'static>, DefaultRng>,
    asked_fpr: f64,
    /// Of the first table.
    slots: u64,
    keys: u64,
}

impl<K: BenchKey + ?Sized> Filter<K> {
    /// Besides the tables' slots, a list holds a few keys.
    fn has_grown(&self) -> bool {
        self.filter.capacity() as u64 >= 2 * self.slots
    }
}

impl<K: BenchKey + ?Sized> Probe<K> for Filter<K> {
    /// It reports its tables, but not the list of them.
    fn said_bytes(&self) -> Option<u64> {
        None
    }

    /// The formula of Fan, Andersen, Kaminsky and Mitzenmacher at its load, while there is one
    /// table: it does not report how keys spread over several.
    fn predicted(&self) -> Option<PredictedFpr> {
        let bits = ((2.0 / self.asked_fpr).log2() + PLACES.log2()).ceil();
        let load = self.keys as f64 / self.slots as f64;
        let mean = 1.0 - (1.0 - (-bits).exp2()).powf(PLACES * load);
        (!self.has_grown()).then_some(PredictedFpr { mean, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.contains(key)
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        for key in keys {
            self.filter.insert(Borrow::<K>::borrow(key));
        }
        self.keys += keys.len() as u64;
        Some(keys.len() as u64)
    }

    #[inline]
    fn remove_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        let known = |key: &K::Item<'_>| u64::from(self.filter.remove(Borrow::<K>::borrow(key)));
        let known = keys.iter().map(known).sum();
        self.keys = self.keys.saturating_sub(known);
        Some(known)
    }

    fn slots(&self) -> Option<u64> {
        Some(if self.has_grown() {
            self.filter.capacity() as u64
        } else {
            self.slots
        })
    }
}
