//! Peer: the counting Bloom filter of fastbloom-rs.

use super::FEW;
use crate::contenders::Ability::{Count, Insert, Remove};
use crate::contenders::probe::{Fill, probe};
use crate::contenders::{Entry, Family, Info, theory};
use amq_core::PlanFilter;
use amq_counting::CountingParams;
use fastbloom_rs::{CountingBloomFilter, Deletable, FilterBuilder, Hashes, Membership};

/// `fastbloom_rs::CountingBloomFilter`, with built-in XXH3 under two seeds of its own.
pub(super) static COUNTING: Entry<Fill<CountingBloomFilter>> = Entry::new(
    Info {
        name: "fastbloom-rs-counting",
        family: Family::Counting,
        packages: &["fastbloom-rs"],
        import: "use fastbloom_rs::CountingBloomFilter;",
        analysis: "4-bit counters at positions from plain double hashing, one division per probe. \
                   Hashes every key twice with XXH3 under fixed seeds. A saturated counter is \
                   decremented like any other.",
        abilities: &[Insert, Remove, Count],
        max_keys: FEW,
        seeded: false,
        ..Info::PEER
    },
    Fill(|order, given| {
        let mut builder = FilterBuilder::new(order.room(given) as u64, order.fpr()?);
        Ok(builder.build_counting_bloom_filter())
    }),
    theory::curve::<amq_counting::CountingBloomFilter>,
);

/// A key as the bytes the filter takes.
pub(super) trait Bytes {
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

probe! { CountingBloomFilter where K: Bytes, |filter, key, keys|
    bytes: size_of_val(filter.get_u64_array());
    /// The exact classic formula, at the counters and probes it chose.
    predicted: {
        let params = CountingParams::new(filter.config().size, filter.hashes());
        Some(amq_counting::CountingBloomFilter::predicted_fpr(&params, keys))
    };
    holds: filter.contains(key.bytes().as_ref());
    insert: {
        filter.add(key.bytes().as_ref());
        true
    };
    /// It does not report whether it held the key.
    remove: {
        Deletable::remove(filter, key.bytes().as_ref());
        true
    };
}
