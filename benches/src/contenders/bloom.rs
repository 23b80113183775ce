//! Our Bloom filters, and the classic one once more as the noise floor.

use super::own::{Filled, Own};
use crate::contender::{Ability, Family, Info, Role};
use amq_bloom::{AtomicBlockedBloomFilter, AtomicBloomFilter, BlockedBloomFilter, BloomFilter};

const CLASSIC_INFO: Info = Info {
    name: "bloom",
    family: Family::Classic,
    role: Role::Filter,
    ours: true,
    packages: &["amq-bloom"],
    analysis: "Bits anywhere in the table: once the table outgrows the cache, a present key \
               costs k cache misses and an absent one two on average. Sized by the exact \
               formula.",
    abilities: &[Ability::Insert, Ability::Merge, Ability::Batch],
    takes_rate: true,
    max_keys: u64::MAX,
    seeded: true,
    slow: false,
    theory: None,
};

/// The classic Bloom filter.
pub static CLASSIC: Own<BloomFilter, Filled> = Own::new(CLASSIC_INFO);

/// The classic Bloom filter, entered a second time.
pub static NOISE: Own<BloomFilter, Filled> = Own::new(Info {
    name: "noise",
    role: Role::Twin,
    analysis: "The same code as `bloom`, entered a second time: any difference between the two \
               is noise.",
    ..CLASSIC_INFO
});

/// The split-block Bloom filter.
pub static SPLIT_BLOCK: Own<BlockedBloomFilter, Filled> = Own::new(Info {
    name: "blocked-bloom",
    family: Family::SplitBlock,
    analysis: "Eight bits in one 32-byte block, the Parquet layout: one cache miss and a few \
               vector instructions per query, hit or miss. Takes a tenth more space than the \
               classic filter at 1 %, and more at lower rates.",
    ..CLASSIC_INFO
});

/// The classic Bloom filter, shared between threads.
pub static ATOMIC: Own<AtomicBloomFilter, Filled> = Own::new(Info {
    name: "atomic-bloom",
    analysis: "The classic filter over atomic words: threads insert through a shared reference, \
               with one locked instruction per bit that is still clear. Queries are as fast as \
               the plain filter's.",
    abilities: &[
        Ability::Insert,
        Ability::ConcurrentInsert,
        Ability::Merge,
        Ability::Batch,
    ],
    ..CLASSIC_INFO
});

/// The split-block Bloom filter, shared between threads.
pub static ATOMIC_SPLIT_BLOCK: Own<AtomicBlockedBloomFilter, Filled> = Own::new(Info {
    name: "atomic-blocked-bloom",
    family: Family::SplitBlock,
    analysis: "The split-block filter over atomic words: threads insert through a shared \
               reference, with at most four locked instructions in one cache line.",
    abilities: &[
        Ability::Insert,
        Ability::ConcurrentInsert,
        Ability::Merge,
        Ability::Batch,
    ],
    ..CLASSIC_INFO
});
