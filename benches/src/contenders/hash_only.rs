//! The floor: hashes every key and looks nothing up. Any cost beyond it is the filter's own.

use super::{Entry, Family, Info, Make, Order, Probe, Role, theory};
use crate::contenders::Ability::{Batch, Static};
use crate::keys::BenchKey;
use amq_core::{KeyHash, hash_blocks};
use std::borrow::Borrow;
use std::convert::Infallible;
use std::hint::black_box;

/// Takes a bit of each key's XXH3 hash for an answer.
pub static HASH_ONLY: Entry<HashOnly> = Entry::new(
    Info {
        name: "hash-only",
        family: Family::Floor,
        role: Role::Floor,
        packages: &["xxhash-rust"],
        import: "use amq_core::KeyHash;",
        analysis: "Hashes the keys with XXH3 and looks nothing up: the share of every time that \
                   goes into reading and hashing keys.",
        abilities: &[Static, Batch],
        takes_rate: false,
        bits_budget: false,
        ..Info::OURS
    },
    HashOnly,
    theory::NONE,
);

/// How it is made: building hashes every key once.
#[derive(Clone, Copy, Debug)]
pub struct HashOnly;

impl<K: BenchKey + ?Sized> Make<K> for HashOnly {
    type Filter = Floor;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Floor, String> {
        let floor = Floor { seed: order.seed };
        let odd = |key: &K::Item<'_>| u64::from(floor.holds(Borrow::<K>::borrow(key)));
        black_box(black_box(keys).iter().map(odd).sum::<u64>());
        Ok(floor)
    }
}

/// The seed of the hashes.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    seed: u64,
}

impl<K: BenchKey + ?Sized> Probe<K> for Floor {
    fn said_bytes(&self) -> Option<u64> {
        Some(0)
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        key.digest(self.seed) & 1 == 1
    }

    #[inline]
    fn count_batch(&self, keys: &[K::Item<'_>]) -> Option<u64> {
        let mut odd = 0;
        let done = hash_blocks(keys, self.seed, |_, hashes: &[KeyHash]| {
            odd += hashes.iter().map(|hash| hash.get() & 1).sum::<u64>();
            Ok::<(), Infallible>(())
        });
        match done {
            Ok(()) => Some(odd),
        }
    }
}
