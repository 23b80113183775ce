//! Peer: fastbloom, the fastest classic Bloom filter among the crates.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::{PlanFilter, PredictedFpr};
use foldhash::fast::FixedState;
use std::borrow::Borrow;

/// `fastbloom::BloomFilter` with foldhash, the hasher its own documentation recommends for speed.
#[derive(Debug)]
pub struct Fastbloom;

impl Contender for Fastbloom {
    fn info(&self) -> Info {
        Info {
            name: "fastbloom",
            family: Family::Classic,
            role: Role::Filter,
            ours: false,
            packages: &["fastbloom", "foldhash"],
            analysis: "A classic Bloom filter that hashes each key once and derives every probe \
                       from that hash. Sized by the textbook formula.",
            abilities: &[Ability::Insert, Ability::Merge],
            takes_rate: true,
            max_keys: u64::MAX,
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
    let mut filter = Filter {
        filter: fastbloom::BloomFilter::with_false_pos(asked_fpr)
            .hasher(FixedState::with_seed(seed))
            .expected_items(room),
        keys: 0,
    };
    Probe::<K>::insert_all(&mut filter, keys);
    built::<K, _>(filter)
}

struct Filter {
    filter: fastbloom::BloomFilter<FixedState>,
    keys: u64,
}

impl<K: BenchKey + ?Sized> Probe<K> for Filter {
    fn said_bytes(&self) -> Option<u64> {
        Some(size_of_val(self.filter.as_slice()) as u64)
    }

    /// The exact classic formula, at the size and number of probes it chose.
    fn predicted(&self) -> Option<PredictedFpr> {
        let params = BloomParams::new(self.filter.num_bits() as u64, self.filter.num_hashes());
        Some(BloomFilter::predicted_fpr(&params, self.keys))
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

    fn merge(&mut self, other: &Self) -> Option<Result<(), String>> {
        self.filter.union(&other.filter);
        self.keys += other.keys;
        Some(Ok(()))
    }
}
