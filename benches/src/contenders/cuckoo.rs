//! Our cuckoo filters, and one of them again as a twin.

use super::own::{Own, Removable};
use super::{Entry, Family, Info, theory};
use crate::contenders::Ability::{Batch, Count, Insert, Merge, Remove};
use amq_cuckoo::{CuckooFilter, WindowedCuckooFilter};

const CUCKOO_INFO: Info = Info {
    name: "cuckoo",
    family: Family::Cuckoo,
    packages: &["amq-cuckoo"],
    import: "use amq_cuckoo::CuckooFilter;",
    analysis: "The fingerprint of each key is in one of two four-slot buckets. The number of \
               buckets is any even number, planned for a load of 95 %. Two cache misses per \
               query, hit or miss; inserts slow down as the table fills, and a full table \
               refuses them.",
    abilities: &[Insert, Remove, Count, Merge, Batch],
    ..Info::OURS
};

const fn buckets(info: Info) -> Entry<Own<CuckooFilter, Removable>> {
    Entry::new(info, Own::SIZED.with_slots(|filter| filter.slots()), |keys| {
        theory::steps::<CuckooFilter>(keys, |params| params.fingerprint_bits)
    })
}

/// Buckets of four slots.
pub static BUCKETS: Entry<Own<CuckooFilter, Removable>> = buckets(CUCKOO_INFO);

/// Their twin.
pub static BUCKETS_TWIN: Entry<Own<CuckooFilter, Removable>> =
    buckets(CUCKOO_INFO.twin("cuckoo-twin"));

/// Overlapping buckets of two slots.
pub static WINDOWS: Entry<Own<WindowedCuckooFilter, Removable>> = Entry::new(
    Info {
        name: "cuckoo-windowed",
        import: "use amq_cuckoo::WindowedCuckooFilter;",
        analysis: "The same with overlapping two-slot buckets. A query compares half as many \
                   fingerprints, so these can be slightly shorter at the same rate: a tenth less \
                   space, at several times the time to fill.",
        ..CUCKOO_INFO
    },
    Own::SIZED.with_slots(|filter| filter.slots()),
    |keys| theory::steps::<WindowedCuckooFilter>(keys, |params| params.fingerprint_bits),
);
