//! Contenders that are not filters: a map from keys to values, and the floors.

use super::contender::{Contender, Made};
use super::order::Order;
use super::probe::{exactly, probe};
use crate::scenarios::keys::BenchKey;
use amq_core::{Key, KeyHash, hash_blocks};
use amq_ribbon::RibbonMap;
use std::convert::Infallible;
use std::hint::black_box;

pub(super) fn all() -> Vec<Contender> {
    vec![
        Contender::of("ribbon-map", map::<u64>, map::<[u8]>),
        Contender::of("hash-only", floor::<u64>, floor::<[u8]>),
        Contender::of("line-reads", lines::<u64>, lines::<[u8]>),
    ]
}

const VALUE_BITS: u32 = 8;

/// The value of a key, which takes no time to compute, so that a query costs what `get` does.
#[inline]
const fn value(hash: KeyHash) -> u32 {
    let mixed = hash.get().wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed >> (u64::BITS - VALUE_BITS)) as u32
}

fn map<K: BenchKey + ?Sized>(keys: &[K::Item<'_>], order: &Order) -> Made<RibbonMap> {
    let hashes = keys.iter().map(|key| key.key_hash(order.seed));
    let pairs = hashes.map(|hash| (hash, value(hash)));
    Ok(RibbonMap::build_hashes(VALUE_BITS, order.seed, pairs)?)
}

// Its rate is how often an absent key returns the value that it would have been given.
probe! { RibbonMap, |map, key, keys|
    holds: {
        let hash = key.key_hash(map.seed());
        map.get_hash(hash) == value(hash)
    };
    bytes: map.size_in_bytes();
    predicted: exactly((-f64::from(VALUE_BITS)).exp2());
}

/// Hashes every key and returns a bit of the hash: the cost below which no filter can be.
struct Floor {
    seed: u64,
}

fn floor<K: BenchKey + ?Sized>(keys: &[K::Item<'_>], order: &Order) -> Made<Floor> {
    let seed = order.seed;
    let odd = black_box(keys).iter().filter(|key| key.key_hash(seed).get() & 1 == 1);
    black_box(odd.count());
    Ok(Floor { seed })
}

probe! { Floor, |floor, key, keys|
    holds: key.digest(floor.seed) & 1 == 1;
    batch: {
        let mut odd = 0;
        let Ok(()) = hash_blocks(keys, floor.seed, |_, hashes: &[KeyHash]| {
            odd += hashes.iter().map(|hash| hash.get() & 1).sum::<u64>();
            Ok::<(), Infallible>(())
        });
        Some(odd)
    };
    bytes: 0;
}

/// Reads one word, and so one line of memory, from a table as large as a filter of these bits.
struct Lines {
    words: Vec<u64>,
    seed: u64,
}

/// About the size of a filter at 1 %.
const LINE_BITS: usize = 10;

fn lines<K: BenchKey + ?Sized>(keys: &[K::Item<'_>], order: &Order) -> Made<Lines> {
    let all = (keys.len() * LINE_BITS).div_ceil(u64::BITS as usize).max(1);
    // Written, so that each page is backed by memory.
    Ok(Lines { words: (1..=all as u64).collect(), seed: order.seed })
}

probe! { Lines, |table, key, keys|
    holds: {
        let place = u128::from(key.digest(table.seed)) * table.words.len() as u128;
        table.words[(place >> u64::BITS) as usize] & 1 == 1
    };
    bytes: table.words.len() * size_of::<u64>();
}
