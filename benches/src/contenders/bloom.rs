//! Our Bloom filters, and two of them again as twins.

use super::own::{Filled, Own, Shared};
use super::{Ability, Entry, Family, Info, theory};
use crate::contenders::Ability::{Batch, ConcurrentInsert, Insert, Merge};
use amq_bloom::{AtomicBlockedBloomFilter, AtomicBloomFilter, BlockedBloomFilter, BloomFilter};
use amq_core::PlanFilter;

/// A Bloom filter: filled, with a curve.
type Bloom<F> = Entry<Own<F, Filled>>;

/// The same, filled through a shared reference.
type Atomic<F> = Entry<Own<F, Shared>>;

const fn entry<F: PlanFilter, W>(info: Info) -> Entry<Own<F, W>> {
    Entry::new(info, Own::SIZED, theory::curve::<F>)
}

const CLASSIC_INFO: Info = Info {
    name: "bloom",
    family: Family::Classic,
    packages: &["amq-bloom"],
    import: "use amq_bloom::BloomFilter;",
    analysis: "Bits anywhere in the table: once the table outgrows the cache, a present key \
               costs k cache misses and an absent one two on average. Sized by the exact \
               formula.",
    abilities: &[Insert, Merge, Batch],
    ..Info::OURS
};

const SHARED: &[Ability] = &[Insert, ConcurrentInsert, Merge, Batch];

const BLOCKED_INFO: Info = Info {
    name: "blocked-bloom",
    family: Family::SplitBlock,
    import: "use amq_bloom::BlockedBloomFilter;",
    analysis: "Eight bits in one 32-byte block, the Parquet layout: one cache miss and a few \
               vector instructions per query, hit or miss. Takes a tenth more space than the \
               classic filter at 1 %, and more at lower rates.",
    ..CLASSIC_INFO
};

/// The classic Bloom filter.
pub static CLASSIC: Bloom<BloomFilter> = entry(CLASSIC_INFO);

/// Its twin.
pub static CLASSIC_TWIN: Bloom<BloomFilter> = entry(CLASSIC_INFO.twin("bloom-twin"));

/// The split-block Bloom filter.
pub static SPLIT_BLOCK: Bloom<BlockedBloomFilter> = entry(BLOCKED_INFO);

/// Its twin.
pub static SPLIT_BLOCK_TWIN: Bloom<BlockedBloomFilter> =
    entry(BLOCKED_INFO.twin("blocked-bloom-twin"));

/// The classic Bloom filter, shared between threads.
pub static ATOMIC: Atomic<AtomicBloomFilter> = entry(Info {
    name: "atomic-bloom",
    import: "use amq_bloom::AtomicBloomFilter;",
    analysis: "The classic filter over atomic words: threads insert through a shared reference, \
               with one locked instruction per bit that is still clear. Queries are as fast as \
               the plain filter's.",
    abilities: SHARED,
    ..CLASSIC_INFO
});

/// The split-block Bloom filter, shared between threads.
pub static ATOMIC_SPLIT_BLOCK: Atomic<AtomicBlockedBloomFilter> = entry(Info {
    name: "atomic-blocked-bloom",
    import: "use amq_bloom::AtomicBlockedBloomFilter;",
    analysis: "The split-block filter over atomic words: threads insert through a shared \
               reference, with at most four locked instructions in one cache line.",
    abilities: SHARED,
    ..BLOCKED_INFO
});
