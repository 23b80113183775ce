//! Peer: growable-bloom-filter, the most downloaded growing Bloom filter.

use super::FEW;
use crate::contenders::Ability::{Grow, Insert};
use crate::contenders::probe::{Fill, probe};
use crate::contenders::{Course, Entry, Family, Info, theory};
use growable_bloom_filter::GrowableBloom;

const SIZED_INFO: Info = Info {
    name: "growable-bloom",
    family: Family::Scalable,
    packages: &["growable-bloom-filter"],
    import: "use growable_bloom_filter::GrowableBloom;",
    analysis: "Stages of partitioned Bloom filters, each twice the size of the last at 0.85 \
               times its rate. Told the number of keys in advance, it has one stage until more \
               arrive. The first stage alone may use up the rate asked for, so a filter that \
               has grown exceeds it. Hashes with XXH3 in its streaming form, under a fixed \
               seed.",
    abilities: &[Insert, Grow],
    max_keys: FEW,
    seeded: false,
    slow: true,
    ..Info::PEER
};

/// Told to expect all keys.
pub(super) static SIZED: Entry<Fill<GrowableBloom>> = Entry::new(
    SIZED_INFO,
    Fill(|order, given| Ok(GrowableBloom::new(order.fpr()?, order.room(given)))),
    theory::NONE,
);

/// Told to expect a thousandth of the keys: it grows nine times. On the courses the sized entry
/// does the same.
pub(super) static GROWN: Entry<Fill<GrowableBloom>> = Entry::new(
    Info {
        name: "growable-bloom-grown",
        analysis: "The same filter, told to expect a thousandth of the keys: ten stages, and a \
                   query for an absent key tries each of them.",
        jumps: true,
        skips: Course::ALL,
        ..SIZED_INFO
    },
    Fill(|order, given| Ok(GrowableBloom::new(order.fpr()?, order.start(given)))),
    theory::NONE,
);

// It reports no size.
probe! { GrowableBloom, |filter, key, keys|
    holds: filter.contains(key);
    insert: {
        filter.insert(key);
        true
    };
}
