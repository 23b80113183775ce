//! Peer: the scalable Bloom filter of probabilistic-collections.

use super::FEW;
use crate::contenders::Ability::{Grow, Insert};
use crate::contenders::probe::probe;
use crate::contenders::{Entry, Family, Info, Make, Order, filled, theory};
use crate::keys::BenchKey;
use foldhash::fast::{FixedState, FoldHasher};
use probabilistic_collections::bloom::ScalableBloomFilter;
use std::f64::consts::LN_2;
use std::hash::BuildHasher;

/// Each stage is twice as large as the one before, at half its rate.
const GROWTH: f64 = 2.0;
const TIGHTENING: f64 = 0.5;

/// `probabilistic_collections::bloom::ScalableBloomFilter`, which takes a hasher: foldhash.
pub(super) static SCALABLE: Entry<Scalable> = Entry::new(
    Info {
        name: "probabilistic-scalable",
        family: Family::Scalable,
        packages: &["probabilistic-collections", "foldhash"],
        import: "use probabilistic_collections::bloom::ScalableBloomFilter;",
        analysis: "Stages of classic Bloom filters, each twice the size of the last at half its \
                   rate. A stage begins when half the bits of the last are set; the first is sized \
                   for all keys at half the rate asked for, so that the rates sum to it. Every \
                   stage hashes the key again, twice.",
        abilities: &[Insert, Grow],
        max_keys: FEW,
        slow: true,
        ..Info::PEER
    },
    Scalable,
    theory::NONE,
);

pub(super) struct Scalable;

/// foldhash under a seed, small and `Copy`, since the filter copies its hashers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seeded(u64);

impl BuildHasher for Seeded {
    type Hasher = FoldHasher<'static>;

    #[inline]
    fn build_hasher(&self) -> Self::Hasher {
        FixedState::with_seed(self.0).build_hasher()
    }
}

impl<K: BenchKey + ?Sized> Make<K> for Scalable {
    type Filter = ScalableBloomFilter<K::Owned, Seeded>;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Self::Filter, String> {
        // The series of the stages' rates adds up to `first / (1 - TIGHTENING)`.
        let first = order.fpr()? * (1.0 - TIGHTENING);
        // The crate takes bits, not keys, and begins another stage, twice as large, once half of
        // them are set. With its whole number of probes that must not happen before the last key,
        // whatever the keys. Hence one percent more.
        let probes = (1.0 / first).log2().ceil();
        let bits = (order.room(keys.len()) as f64 * probes / LN_2 * 1.01).ceil() as usize;
        let hashers = [Seeded(order.seed), Seeded(!order.seed)];
        let filter = ScalableBloomFilter::with_hashers(bits, first, GROWTH, TIGHTENING, hashers);
        filled::<K, _>(filter, keys)
    }
}

// It reports the bits it uses, not those it holds.
probe! { ScalableBloomFilter<K::Owned, Seeded>, |filter, key, keys|
    holds: filter.contains(key);
    insert: {
        filter.insert(key);
        true
    };
}
