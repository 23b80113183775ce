//! The floor: hashes every key and answers nothing. Any cost beyond it is the filter's own.

use super::contender::chained;
use super::{Built, Contender, Family, Info, Order, Role};
use crate::keys::{BenchKey, Keys};
use amq_core::{KeyHash, PredictedFpr, hash_blocks};
use std::any::Any;
use std::borrow::Borrow;
use std::convert::Infallible;
use std::hint::black_box;

/// Sums the XXH3 hashes of the keys.
#[derive(Debug)]
pub struct HashOnly;

impl Contender for HashOnly {
    fn info(&self) -> Info {
        Info {
            name: "hash-only",
            family: Family::Floor,
            role: Role::Floor,
            packages: &["xxhash-rust"],
            import: "use amq_core::KeyHash;",
            analysis: "Sums the XXH3 hashes of the keys and looks nothing up: the share of \
                       every time that goes into reading and hashing keys.",
            takes_rate: false,
            bits_budget: false,
            ..Info::OURS
        }
    }

    fn build(&self, keys: Keys<'_>, order: &Order) -> Result<Box<dyn Built>, String> {
        let floor = Floor { seed: order.seed };
        // Building hashes every key once.
        black_box(floor.count_hits(keys));
        Ok(Box::new(floor))
    }
}

/// The "filter": a seed. Its hits are the sum of the hashes.
#[derive(Debug)]
struct Floor {
    seed: u64,
}

impl Floor {
    fn sum<K: BenchKey + ?Sized>(&self, keys: &[K::Item<'_>]) -> u64 {
        let keys = black_box(keys);
        let hash = |key: &K::Item<'_>| Borrow::<K>::borrow(key).digest(self.seed);
        black_box(keys.iter().map(hash).fold(0, u64::wrapping_add))
    }

    fn sum_in_blocks<K: BenchKey + ?Sized>(&self, keys: &[K::Item<'_>]) -> u64 {
        let mut sum = 0u64;
        let done = hash_blocks(black_box(keys), self.seed, |_, hashes| {
            sum = hashes
                .iter()
                .copied()
                .map(KeyHash::get)
                .fold(sum, u64::wrapping_add);
            Ok::<(), Infallible>(())
        });
        match done {
            Ok(()) => black_box(sum),
        }
    }

    /// A bit of each hash stands for the answer.
    fn chain<K: BenchKey + ?Sized>(&self, keys: &[K::Item<'_>]) -> u64 {
        let keys = black_box(keys);
        black_box(chained(keys.len(), |place| {
            Borrow::<K>::borrow(&keys[place]).digest(self.seed) & 1 == 1
        }))
    }
}

impl Built for Floor {
    fn said_bytes(&self) -> Option<u64> {
        Some(0)
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        None
    }

    fn count_hits(&self, queries: Keys<'_>) -> u64 {
        match queries {
            Keys::U64(keys) => self.sum::<u64>(keys),
            Keys::Bytes(keys) => self.sum::<[u8]>(keys),
        }
    }

    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64> {
        Some(match queries {
            Keys::U64(keys) => self.sum_in_blocks::<u64>(keys),
            Keys::Bytes(keys) => self.sum_in_blocks::<[u8]>(keys),
        })
    }

    fn dependent(&self, queries: Keys<'_>) -> u64 {
        match queries {
            Keys::U64(keys) => self.chain::<u64>(keys),
            Keys::Bytes(keys) => self.chain::<[u8]>(keys),
        }
    }

    fn answers(&self, queries: Keys<'_>) -> Vec<bool> {
        vec![false; queries.len()]
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
