//! Our counting Bloom filters.

use super::own::{Own, Removable};
use crate::contender::{Ability, Family, Info, Role};
use amq_counting::{BlockedCountingBloomFilter, CountingBloomFilter};

const COUNTING_INFO: Info = Info {
    name: "counting-bloom",
    family: Family::Counting,
    role: Role::Filter,
    ours: true,
    packages: &["amq-counting"],
    analysis: "A counter of four bits in place of each bit of the classic filter, so that keys can be taken out again: the classic \
               filter's rate at four times its space, and its cache misses in a table that outgrows a cache four times as soon.",
    abilities: &[
        Ability::Insert,
        Ability::Remove,
        Ability::Count,
        Ability::Merge,
        Ability::Batch,
    ],
    takes_rate: true,
    max_keys: u64::MAX,
    seeded: true,
    slow: false,
    theory: None,
};

/// Counters anywhere in the table.
pub static CLASSIC: Own<CountingBloomFilter, Removable> = Own::new(COUNTING_INFO);

/// Eight counters in one block.
pub static BLOCKED: Own<BlockedCountingBloomFilter, Removable> = Own::new(Info {
    name: "blocked-counting",
    analysis: "Eight counters of four bits in one 64-byte block: one cache miss for a query, an insert or a removal, in somewhat \
               more than four times a classic Bloom filter's space.",
    ..COUNTING_INFO
});
