//! Peer: the counting Bloom filter of fastbloom-rs, with built-in XXH3 under two seeds of its own.

use super::{Entry, curve, done, exact, probe};
use amq_counting::CountingParams;
use fastbloom_rs::{CountingBloomFilter, Deletable, FilterBuilder, Hashes, Membership};

pub(super) fn all() -> Vec<Entry> {
    let entry = Entry::filled("fastbloom-rs-counting", |order, given| {
        let mut builder = FilterBuilder::new(order.room(given) as u64, order.fpr()?);
        Ok(builder.build_counting_bloom_filter())
    });
    vec![entry.theory(curve::<amq_counting::CountingBloomFilter>)]
}

/// A key as the bytes the filter takes.
trait Bytes {
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

probe! { CountingBloomFilter, where [K: Bytes], |filter, key, keys|
    holds: filter.contains(key.bytes().as_ref());
    bytes: size_of_val(filter.get_u64_array());
    predicted: exact::<amq_counting::CountingBloomFilter>(
        CountingParams::new(filter.config().size, filter.hashes()), keys);
    insert: done(filter.add(key.bytes().as_ref()));
    // It does not report whether it held the key.
    remove: done(Deletable::remove(filter, key.bytes().as_ref()));
}
