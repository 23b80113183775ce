//! Our cuckoo filters.

use super::own::{Own, Removable};
use crate::contender::{Ability, Family, Info, Role};
use amq_cuckoo::{CuckooFilter, WindowedCuckooFilter};

const CUCKOO_INFO: Info = Info {
    name: "cuckoo",
    family: Family::Cuckoo,
    role: Role::Filter,
    ours: true,
    packages: &["amq-cuckoo"],
    analysis: "The fingerprint of each key is in one of two four-slot buckets. The number of \
               buckets is any even number, planned for a load of 95 %. Two cache misses per \
               query, hit or miss; inserts slow down as the table fills, and a full table \
               refuses them.",
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

/// Buckets of four slots.
pub static BUCKETS: Own<CuckooFilter, Removable> =
    Own::new(CUCKOO_INFO).with_slots(|filter| filter.slots());

/// Overlapping buckets of two slots.
pub static WINDOWS: Own<WindowedCuckooFilter, Removable> = Own::new(Info {
    name: "cuckoo-windowed",
    analysis: "The same with overlapping two-slot buckets. A query compares half as many \
               fingerprints, so these can be slightly shorter at the same rate: a tenth less \
               space, at several times the time to fill.",
    ..CUCKOO_INFO
})
.with_slots(|filter| filter.slots());
