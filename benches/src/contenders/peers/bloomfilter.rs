//! Peer: bloomfilter, the most downloaded classic Bloom filter.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use ::bloomfilter::Bloom;
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::{PlanFilter, PredictedFpr};
use std::borrow::Borrow;

/// `bloomfilter::Bloom`, with built-in SipHash.
#[derive(Debug)]
pub struct Bloomfilter;

impl Contender for Bloomfilter {
    fn info(&self) -> Info {
        Info {
            name: "bloomfilter",
            family: Family::Classic,
            role: Role::Filter,
            ours: false,
            packages: &["bloomfilter"],
            analysis: "A classic Bloom filter that hashes each key twice with SipHash under a \
                       secret seed, and reduces each hash by division: slow, but safe against \
                       chosen keys.",
            abilities: &[Ability::Insert],
            takes_rate: true,
            max_keys: 10_000_000,
            seeded: true,
            slow: false,
            theory: None,
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let asked_fpr = asked_fpr.ok_or("this filter needs a target rate")?;
        match keys {
            Keys::U64(keys) => make::<u64>(keys, asked_fpr, seed),
            Keys::Bytes(keys) => make::<[u8]>(keys, asked_fpr, seed),
        }
    }
}

fn make<K: BenchKey + ?Sized>(
    keys: &[K::Item<'_>],
    asked_fpr: f64,
    seed: u64,
) -> Result<Box<dyn Built>, String> {
    let mut long_seed = [0; 32];
    // Both SipHash keys must differ between seeds and from each other.
    for (word, part) in long_seed.chunks_exact_mut(8).enumerate() {
        part.copy_from_slice(&(word as u64).digest(seed).to_le_bytes());
    }
    let mut filter = Filter {
        filter: Bloom::new_for_fp_rate_with_seed(keys.len(), asked_fpr, &long_seed)?,
        keys: 0,
    };
    filter.insert_all(keys);
    Ok(built::<K, _>(filter))
}

struct Filter<K: ?Sized> {
    filter: Bloom<K>,
    keys: u64,
}

impl<K: BenchKey + ?Sized> Probe<K> for Filter<K> {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.filter.as_slice().len() as u64)
    }

    /// The exact classic formula, at the size and number of probes it chose.
    fn predicted(&self) -> Option<PredictedFpr> {
        let params = BloomParams::new(self.filter.len(), self.filter.number_of_hash_functions());
        Some(BloomFilter::predicted_fpr(&params, self.keys))
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.check(key)
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        for key in keys {
            self.filter.set(Borrow::<K>::borrow(key));
        }
        self.keys += keys.len() as u64;
        Some(keys.len() as u64)
    }
}
