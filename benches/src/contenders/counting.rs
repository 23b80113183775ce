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
    analysis: "The classic filter with a 4-bit counter in place of each bit, so that keys can \
               be removed. The same rate in four times the space; the table outgrows each cache \
               at a quarter of the keys.",
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
    analysis: "Eight 4-bit counters in one 64-byte block: one cache miss per query, insert or \
               removal. Takes somewhat more than four times the space of a classic Bloom \
               filter.",
    ..COUNTING_INFO
});
