//! Peer: the counting Bloom filter of fastbloom-rs, with built-in XXH3 under two seeds of its own.

use super::common::{Made, Order, done, exact, probe};
use amq_counting::CountingParams;
use fastbloom_rs::{CountingBloomFilter, Deletable, FilterBuilder, Hashes, Membership};
use zerocopy::{Immutable, IntoBytes};

pub(super) fn empty(order: &Order, given: usize) -> Made<CountingBloomFilter> {
    let mut builder = FilterBuilder::new(order.room(given) as u64, order.fpr()?);
    Ok(builder.build_counting_bloom_filter())
}

probe! { CountingBloomFilter, where [K: IntoBytes + Immutable], |filter, key, keys|
    holds: filter.contains(key.as_bytes());
    bytes: size_of_val(filter.get_u64_array());
    predicted: exact::<amq_counting::CountingBloomFilter>(
        CountingParams::new(filter.config().size, filter.hashes()), keys);
    insert: done(filter.add(key.as_bytes()));
    // It does not report whether it held the key.
    remove: done(Deletable::remove(filter, key.as_bytes()));
}
