//! Peer: bloomfilter, the most downloaded classic Bloom filter.

use super::{BenchKey, Entry, Made, Order, curve, done, filled, probe};
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::PlanFilter;
use bloomfilter::Bloom;

/// With its built-in SipHash.
pub(super) fn all() -> Vec<Entry> {
    let entry = Entry::of("bloomfilter", make::<u64>, make::<[u8]>);
    vec![entry.theory(curve::<BloomFilter>)]
}

fn make<K: BenchKey + ?Sized>(keys: &[K::Item<'_>], order: &Order) -> Made<Bloom<K>> {
    let mut seed = [0; 32];
    // Both SipHash keys must differ between seeds and from each other.
    for (word, part) in seed.chunks_exact_mut(8).enumerate() {
        part.copy_from_slice(&(word as u64).digest(order.seed).to_le_bytes());
    }
    let room = order.room(keys.len());
    let filter = match order.bits(room) {
        Some(bits) => Bloom::new_with_seed((bits / 8).max(1), room, &seed),
        None => Bloom::new_for_fp_rate_with_seed(room, order.fpr()?, &seed),
    };
    filled::<K, _>(filter?, keys)
}

probe! { Bloom<K>, |filter, key, keys|
    holds: filter.check(key);
    bytes: filter.as_slice().len();
    // The exact classic formula, at the size and number of probes it chose.
    predicted: {
        let params = BloomParams::new(filter.len(), filter.number_of_hash_functions());
        Some(BloomFilter::predicted_fpr(&params, keys))
    };
    insert: done(filter.set(key));
}
