//! Peer: fastbloom, the fastest classic Bloom filter among the crates.

use super::common::{Made, Order, done, exact, probe};
use amq_bloom::BloomParams;
use fastbloom::{AtomicBloomFilter, BloomFilter};
use foldhash::fast::FixedState;
use std::borrow::Borrow;

/// With foldhash, the hasher its own documentation recommends for speed.
pub(super) fn empty(order: &Order, given: usize) -> Made<BloomFilter<FixedState>> {
    let (room, hasher) = (order.room(given), FixedState::with_seed(order.seed));
    Ok(match order.bits(room) {
        Some(bits) => BloomFilter::with_num_bits(bits).hasher(hasher).expected_items(room),
        None => BloomFilter::with_false_pos(order.fpr()?).hasher(hasher).expected_items(room),
    })
}

pub(super) fn atomic(order: &Order, given: usize) -> Made<AtomicBloomFilter<FixedState>> {
    let hasher = FixedState::with_seed(order.seed);
    let builder = AtomicBloomFilter::with_false_pos(order.fpr()?).hasher(hasher);
    Ok(builder.expected_items(order.room(given)))
}

probe! { BloomFilter<FixedState>, |filter, key, keys|
    holds: filter.contains(key);
    bytes: size_of_val(filter.as_slice());
    predicted: exact::<amq_bloom::BloomFilter>(
        BloomParams::new(filter.num_bits() as u64, filter.num_hashes()), keys);
    insert: done(filter.insert(key));
    merge: Ok(filter.union(key));
}

probe! { AtomicBloomFilter<FixedState>, |filter, key, keys|
    holds: filter.contains(key);
    bytes: size_of_val(filter.as_slice());
    predicted: exact::<amq_bloom::BloomFilter>(
        BloomParams::new(filter.num_bits() as u64, filter.num_hashes()), keys);
    insert: done(Self::insert(filter, key));
    shared: keys.iter().map(|key| {
        let key: &K = key.borrow();
        u64::from(done(filter.insert(key)))
    }).sum();
}
