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
    analysis: "A fingerprint of each key in one of two buckets of four slots, in a table of any even number of buckets, planned to be 95 % full: \
               two cache misses for a query, present or absent alike; inserts slow down as it fills, and then it refuses.",
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
    analysis: "The same with overlapping buckets of two slots: a query compares half as many fingerprints, so they may be a bit shorter \
               at the same rate, and the filter a tenth smaller; it takes several times as long to fill.",
    ..CUCKOO_INFO
})
.with_slots(|filter| filter.slots());
