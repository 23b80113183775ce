//! Peer: bloomfilter, the most downloaded classic Bloom filter.

use super::common::{BenchKey, Made, Order, done, exact, probe};
use amq_bloom::{BloomFilter, BloomParams};
use bloomfilter::Bloom;

/// With its built-in SipHash.
pub(super) fn empty<K: BenchKey + ?Sized>(order: &Order, given: usize) -> Made<Bloom<K>> {
    let mut seed = [0; 32];
    // Both SipHash keys must differ between seeds and from each other.
    for (word, part) in seed.chunks_exact_mut(8).enumerate() {
        part.copy_from_slice(&(word as u64).digest(order.seed).to_le_bytes());
    }
    let room = order.room(given);
    Ok(match order.bits(room) {
        Some(bits) => Bloom::new_with_seed((bits / 8).max(1), room, &seed)?,
        None => Bloom::new_for_fp_rate_with_seed(room, order.fpr()?, &seed)?,
    })
}

probe! { Bloom<K>, |filter, key, keys|
    holds: filter.check(key);
    bytes: filter.as_slice().len();
    predicted: exact::<BloomFilter>(
        BloomParams::new(filter.len(), filter.number_of_hash_functions()), keys);
    insert: done(filter.set(key));
}
