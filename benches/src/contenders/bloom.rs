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
    analysis: "Bits anywhere in the table, so a present key costs k cache misses once the table outgrows the cache, \
               and an absent one two on average; sized by the exact formula.",
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
    analysis: "The contender `bloom` once more, the very same code: what differs between the two is noise.",
    ..CLASSIC_INFO
});

/// The split-block Bloom filter.
pub static SPLIT_BLOCK: Own<BlockedBloomFilter, Filled> = Own::new(Info {
    name: "blocked-bloom",
    family: Family::SplitBlock,
    analysis: "Eight bits in one 32-byte block, the layout of Parquet: one cache miss and a few vector instructions, present \
               or absent alike, for a tenth more space than the classic filter at 1 % and more at lower rates.",
    ..CLASSIC_INFO
});

/// The classic Bloom filter, shared between threads.
pub static ATOMIC: Own<AtomicBloomFilter, Filled> = Own::new(Info {
    name: "atomic-bloom",
    analysis: "The classic filter with atomic words: inserts through a shared reference, each bit a locked \
               instruction; queries as quick as without.",
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
    analysis: "The split-block filter with atomic words: inserts through a shared reference, into one cache line with at most \
               four locked instructions.",
    abilities: &[
        Ability::Insert,
        Ability::ConcurrentInsert,
        Ability::Merge,
        Ability::Batch,
    ],
    ..CLASSIC_INFO
});
