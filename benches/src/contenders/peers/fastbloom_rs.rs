//! Peer: the counting Bloom filter of fastbloom-rs.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use ::fastbloom_rs::{CountingBloomFilter, Deletable, FilterBuilder, Hashes, Membership};
use amq_core::{PlanFilter, PredictedFpr};
use amq_counting::CountingParams;
use std::borrow::Borrow;

/// `fastbloom_rs::CountingBloomFilter`, with built-in XXH3 under two seeds of its own.
#[derive(Debug)]
pub struct FastbloomRs;

impl Contender for FastbloomRs {
    fn info(&self) -> Info {
        Info {
            name: "fastbloom-rs-counting",
            family: Family::Counting,
            role: Role::Filter,
            ours: false,
            packages: &["fastbloom-rs"],
            analysis: "4-bit counters at positions from plain double hashing, one division per \
                       probe. Hashes every key twice with XXH3 under fixed seeds. A saturated \
                       counter is decremented like any other.",
            abilities: &[Ability::Insert, Ability::Remove, Ability::Count],
            takes_rate: true,
            max_keys: 10_000_000,
            seeded: false,
            slow: false,
            theory: None,
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        _seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        made(keys.len(), keys, asked_fpr)
    }

    fn with_room(
        &self,
        room: usize,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        _seed: u64,
    ) -> Option<Result<Box<dyn Built>, String>> {
        Some(made(room, keys, asked_fpr))
    }
}

fn made(room: usize, keys: Keys<'_>, asked_fpr: Option<f64>) -> Result<Box<dyn Built>, String> {
    let asked_fpr = asked_fpr.ok_or("this filter needs a target rate")?;
    Ok(match keys {
        Keys::U64(keys) => make::<u64>(room, keys, asked_fpr),
        Keys::Bytes(keys) => make::<[u8]>(room, keys, asked_fpr),
    })
}

/// A key as the bytes the filter takes.
trait Bytes {
    /// Calls with the bytes.
    fn with_bytes<T>(&self, work: impl FnOnce(&[u8]) -> T) -> T;
}

impl Bytes for u64 {
    #[inline]
    fn with_bytes<T>(&self, work: impl FnOnce(&[u8]) -> T) -> T {
        work(&self.to_le_bytes())
    }
}

impl Bytes for [u8] {
    #[inline]
    fn with_bytes<T>(&self, work: impl FnOnce(&[u8]) -> T) -> T {
        work(self)
    }
}

fn make<K: BenchKey + Bytes + ?Sized>(
    room: usize,
    keys: &[K::Item<'_>],
    asked_fpr: f64,
) -> Box<dyn Built> {
    let mut filter = Filter {
        filter: FilterBuilder::new(room as u64, asked_fpr).build_counting_bloom_filter(),
        keys: 0,
    };
    Probe::<K>::insert_all(&mut filter, keys);
    built::<K, _>(filter)
}

struct Filter {
    filter: CountingBloomFilter,
    keys: u64,
}

impl<K: BenchKey + Bytes + ?Sized> Probe<K> for Filter {
    fn said_bytes(&self) -> Option<u64> {
        Some(size_of_val(self.filter.get_u64_array()) as u64)
    }

    /// The exact classic formula, at the counters and probes it chose.
    fn predicted(&self) -> Option<PredictedFpr> {
        let params = CountingParams::new(self.filter.config().size, self.filter.hashes());
        Some(amq_counting::CountingBloomFilter::predicted_fpr(
            &params, self.keys,
        ))
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        key.with_bytes(|bytes| self.filter.contains(bytes))
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        for key in keys {
            Borrow::<K>::borrow(key).with_bytes(|bytes| self.filter.add(bytes));
        }
        self.keys += keys.len() as u64;
        Some(keys.len() as u64)
    }

    #[inline]
    fn remove_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        for key in keys {
            Borrow::<K>::borrow(key).with_bytes(|bytes| self.filter.remove(bytes));
        }
        self.keys = self.keys.saturating_sub(keys.len() as u64);
        Some(keys.len() as u64)
    }
}
