//! Our counting Bloom filters.

use super::own::{Own, Removable};
use super::{Entry, Family, Info, theory};
use crate::contenders::Ability::{Batch, Count, Insert, Merge, Remove};
use amq_counting::{BlockedCountingBloomFilter, CountingBloomFilter};

const COUNTING_INFO: Info = Info {
    name: "counting-bloom",
    family: Family::Counting,
    packages: &["amq-counting"],
    import: "use amq_counting::CountingBloomFilter;",
    analysis: "The classic filter with a 4-bit counter in place of each bit, so that keys can \
               be removed. The same rate in four times the space; the table outgrows each cache \
               at a quarter of the keys.",
    abilities: &[Insert, Remove, Count, Merge, Batch],
    ..Info::OURS
};

/// Counters anywhere in the table.
pub static CLASSIC: Entry<Own<CountingBloomFilter, Removable>> =
    Entry::new(COUNTING_INFO, Own::SIZED, theory::curve::<CountingBloomFilter>);

/// Eight counters in one block.
pub static BLOCKED: Entry<Own<BlockedCountingBloomFilter, Removable>> = Entry::new(
    Info {
        name: "blocked-counting",
        import: "use amq_counting::BlockedCountingBloomFilter;",
        analysis: "Eight 4-bit counters in one 64-byte block: one cache miss per query, insert or \
                   removal. Takes somewhat more than four times the space of a classic Bloom \
                   filter.",
        ..COUNTING_INFO
    },
    Own::SIZED,
    theory::curve::<BlockedCountingBloomFilter>,
);
