//! Peer: growable-bloom-filter, the most downloaded growing Bloom filter.

use super::FEW;
use crate::contenders::{Ability, Course, Entry, Family, Info, Make, Order, Probe, filled, theory};
use crate::keys::BenchKey;
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
    abilities: &[Ability::Insert, Ability::Grow],
    max_keys: FEW,
    seeded: false,
    slow: true,
    ..Info::PEER
};

/// Told to expect all keys.
pub static SIZED: Entry<Growable> = Entry::new(SIZED_INFO, Growable(Order::room), theory::NONE);

/// Told to expect a thousandth of the keys: it grows nine times. On the courses the sized entry
/// does the same.
pub static GROWN: Entry<Growable> = Entry::new(
    Info {
        name: "growable-bloom-grown",
        analysis: "The same filter, told to expect a thousandth of the keys: ten stages, and a \
                   query for an absent key tries each of them.",
        jumps: true,
        skips: Course::ALL,
        ..SIZED_INFO
    },
    Growable(Order::start),
    theory::NONE,
);

/// How many keys it is told to expect.
#[derive(Clone, Copy, Debug)]
pub struct Growable(fn(&Order, usize) -> usize);

impl<K: BenchKey + ?Sized> Make<K> for Growable {
    type Filter = GrowableBloom;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<GrowableBloom, String> {
        let filter = GrowableBloom::new(order.fpr()?, (self.0)(order, keys.len()));
        filled::<K, _>(filter, keys)
    }
}

/// It reports no size.
impl<K: BenchKey + ?Sized> Probe<K> for GrowableBloom {
    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.contains(key)
    }

    #[inline]
    fn insert(&mut self, key: &K) -> Option<bool> {
        Self::insert(self, key);
        Some(true)
    }
}
