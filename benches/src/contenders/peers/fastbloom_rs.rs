//! Peer: the counting Bloom filter of fastbloom-rs.

use super::FEW;
use crate::contenders::{Ability, Entry, Family, Info, Make, Order, Probe, filled, theory};
use crate::keys::BenchKey;
use amq_core::{PlanFilter, PredictedFpr};
use amq_counting::CountingParams;
use fastbloom_rs::{CountingBloomFilter, Deletable, FilterBuilder, Hashes, Membership};

/// `fastbloom_rs::CountingBloomFilter`, with built-in XXH3 under two seeds of its own.
pub static COUNTING: Entry<Counting> = Entry::new(
    Info {
        name: "fastbloom-rs-counting",
        family: Family::Counting,
        packages: &["fastbloom-rs"],
        import: "use fastbloom_rs::CountingBloomFilter;",
        analysis: "4-bit counters at positions from plain double hashing, one division per probe. \
                   Hashes every key twice with XXH3 under fixed seeds. A saturated counter is \
                   decremented like any other.",
        abilities: &[Ability::Insert, Ability::Remove, Ability::Count],
        max_keys: FEW,
        seeded: false,
        ..Info::PEER
    },
    Counting,
    theory::curve::<amq_counting::CountingBloomFilter>,
);

/// How it is made.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

/// A key as the bytes the filter takes.
pub trait Bytes {
    /// The bytes.
    fn bytes(&self) -> impl AsRef<[u8]>;
}

impl Bytes for u64 {
    #[inline]
    fn bytes(&self) -> impl AsRef<[u8]> {
        self.to_le_bytes()
    }
}

impl Bytes for [u8] {
    #[inline]
    fn bytes(&self) -> impl AsRef<[u8]> {
        self
    }
}

impl<K: BenchKey + Bytes + ?Sized> Make<K> for Counting {
    type Filter = CountingBloomFilter;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Self::Filter, String> {
        let mut builder = FilterBuilder::new(order.room(keys.len()) as u64, order.fpr()?);
        filled::<K, _>(builder.build_counting_bloom_filter(), keys)
    }
}

impl<K: BenchKey + Bytes + ?Sized> Probe<K> for CountingBloomFilter {
    fn said_bytes(&self) -> Option<u64> {
        Some(size_of_val(self.get_u64_array()) as u64)
    }

    /// The exact classic formula, at the counters and probes it chose.
    fn predicted(&self, keys: u64) -> Option<PredictedFpr> {
        let params = CountingParams::new(self.config().size, self.hashes());
        Some(amq_counting::CountingBloomFilter::predicted_fpr(
            &params, keys,
        ))
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.contains(key.bytes().as_ref())
    }

    #[inline]
    fn insert(&mut self, key: &K) -> Option<bool> {
        self.add(key.bytes().as_ref());
        Some(true)
    }

    /// It does not report whether it held the key.
    #[inline]
    fn remove(&mut self, key: &K) -> Option<bool> {
        Deletable::remove(self, key.bytes().as_ref());
        Some(true)
    }
}
