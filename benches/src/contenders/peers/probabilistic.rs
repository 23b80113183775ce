//! Peer: the scalable Bloom filter of probabilistic-collections.

use crate::contenders::Order;
use crate::contenders::contender::{Entry, filled};
use crate::contenders::probe::probe;
use crate::keys::BenchKey;
use foldhash::fast::{FixedState, FoldHasher};
use probabilistic_collections::bloom::ScalableBloomFilter;
use std::f64::consts::LN_2;
use std::hash::BuildHasher;

/// Each stage is twice as large as the one before, at half its rate.
const GROWTH: f64 = 2.0;
const TIGHTENING: f64 = 0.5;

/// With foldhash.
pub(super) fn all() -> Vec<Entry> {
    vec![Entry::of("probabilistic-scalable", make::<u64>, make::<[u8]>)]
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

fn make<K: BenchKey + ?Sized>(
    keys: &[K::Item<'_>],
    order: &Order,
) -> Result<ScalableBloomFilter<K::Owned, Seeded>, String> {
    // The series of the stages' rates adds up to `first / (1 - TIGHTENING)`.
    let first = order.fpr()? * (1.0 - TIGHTENING);
    // The crate takes bits, not keys, and begins another stage, twice as large, once half of them
    // are set. With its whole number of probes that must not happen before the last key, whatever
    // the keys. Hence one percent more.
    let probes = (1.0 / first).log2().ceil();
    let bits = (order.room(keys.len()) as f64 * probes / LN_2 * 1.01).ceil() as usize;
    let hashers = [Seeded(order.seed), Seeded(!order.seed)];
    let filter = ScalableBloomFilter::with_hashers(bits, first, GROWTH, TIGHTENING, hashers);
    filled::<K, _>(filter, keys)
}

// It reports the bits it uses, not those it holds.
probe! { ScalableBloomFilter<K::Owned, Seeded>, |filter, key, keys|
    holds: filter.contains(key);
    insert: {
        filter.insert(key);
        true
    };
}
