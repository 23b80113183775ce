//! Peer: bloomfilter, the most downloaded classic Bloom filter.

use super::FEW;
use crate::contenders::Ability::Insert;
use crate::contenders::probe::probe;
use crate::contenders::{Entry, Family, Info, Make, Order, filled, theory};
use crate::keys::BenchKey;
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::PlanFilter;
use bloomfilter::Bloom;

/// `bloomfilter::Bloom`, with built-in SipHash.
pub(super) static BLOOMFILTER: Entry<Bloomfilter> = Entry::new(
    Info {
        name: "bloomfilter",
        family: Family::Classic,
        packages: &["bloomfilter"],
        import: "use bloomfilter::Bloom;",
        analysis: "A classic Bloom filter that hashes each key twice with SipHash under a secret \
                   seed, and reduces each hash by division: slow, but safe against chosen keys.",
        abilities: &[Insert],
        bits_budget: true,
        max_keys: FEW,
        ..Info::PEER
    },
    Bloomfilter,
    theory::curve::<BloomFilter>,
);

pub(super) struct Bloomfilter;

impl<K: BenchKey + ?Sized> Make<K> for Bloomfilter {
    type Filter = Bloom<K>;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Bloom<K>, String> {
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
}

probe! { Bloom<K>, |filter, key, keys|
    bytes: filter.as_slice().len();
    /// The exact classic formula, at the size and number of probes it chose.
    predicted: {
        let params = BloomParams::new(filter.len(), filter.number_of_hash_functions());
        Some(BloomFilter::predicted_fpr(&params, keys))
    };
    holds: filter.check(key);
    insert: {
        filter.set(key);
        true
    };
}
