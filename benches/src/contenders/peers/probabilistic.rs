//! Peer: the scalable Bloom filter of probabilistic-collections.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use ::probabilistic_collections::bloom::ScalableBloomFilter;
use foldhash::fast::{FixedState, FoldHasher};
use std::borrow::Borrow;
use std::f64::consts::LN_2;
use std::hash::BuildHasher;

/// Each stage is twice as large as the one before, at half its rate.
const GROWTH: f64 = 2.0;
const TIGHTENING: f64 = 0.5;

/// `probabilistic_collections::bloom::ScalableBloomFilter`, which takes a hasher: foldhash.
#[derive(Debug)]
pub struct Probabilistic;

impl Contender for Probabilistic {
    fn info(&self) -> Info {
        Info {
            name: "probabilistic-scalable",
            family: Family::Scalable,
            role: Role::Filter,
            ours: false,
            packages: &["probabilistic-collections", "foldhash"],
            analysis: "Stages of classic Bloom filters, each twice the size of the last at half \
                       its rate. A stage begins when half the bits of the last are set; the \
                       first is sized for all keys at half the rate asked for, so that the \
                       rates sum to it. Every stage hashes the key again, twice.",
            abilities: &[Ability::Insert, Ability::Grow],
            takes_rate: true,
            max_keys: 10_000_000,
            seeded: true,
            slow: true,
            theory: None,
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let asked_fpr = asked_fpr.ok_or("this filter needs a target rate")?;
        Ok(match keys {
            Keys::U64(keys) => make::<u64>(keys, asked_fpr, seed),
            Keys::Bytes(keys) => make::<[u8]>(keys, asked_fpr, seed),
        })
    }
}

/// foldhash under a seed, small and `Copy`, since the filter copies its hashers.
#[derive(Clone, Copy)]
struct Seeded(u64);

impl BuildHasher for Seeded {
    type Hasher = FoldHasher<'static>;

    #[inline]
    fn build_hasher(&self) -> Self::Hasher {
        FixedState::with_seed(self.0).build_hasher()
    }
}

fn make<K: BenchKey + ?Sized>(keys: &[K::Item<'_>], asked_fpr: f64, seed: u64) -> Box<dyn Built> {
    // The series of the stages' rates adds up to `first / (1 - TIGHTENING)`.
    let first = asked_fpr * (1.0 - TIGHTENING);
    // The crate takes bits, not keys, and begins another stage, twice as large, once half of them
    // are set. With its whole number of probes that must not happen before the last key, whatever
    // the keys. Hence one percent more.
    let probes = (1.0 / first).log2().ceil();
    let bits = (keys.len() as f64 * probes / LN_2 * 1.01).ceil() as usize;
    let hashers = [Seeded(seed), Seeded(!seed)];
    let mut filter = Filter::<K>(ScalableBloomFilter::with_hashers(
        bits, first, GROWTH, TIGHTENING, hashers,
    ));
    filter.insert_all(keys);
    built::<K, _>(filter)
}

struct Filter<K: BenchKey + ?Sized>(ScalableBloomFilter<K::Owned, Seeded>);

impl<K: BenchKey + ?Sized> Probe<K> for Filter<K> {
    /// It reports the bits it uses, not those it holds.
    fn said_bytes(&self) -> Option<u64> {
        None
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.0.contains(key)
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        for key in keys {
            self.0.insert(Borrow::<K>::borrow(key));
        }
        Some(keys.len() as u64)
    }
}
