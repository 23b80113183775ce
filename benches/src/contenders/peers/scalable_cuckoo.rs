//! Peer: scalable_cuckoo_filter, cuckoo filters in stages that grow.

use super::FEW;
use crate::contenders::Ability::{Grow, Insert, Remove};
use crate::contenders::probe::{exactly, probe};
use crate::contenders::{Entry, Family, Info, Make, Order, filled, theory};
use crate::keys::BenchKey;
use foldhash::quality::{FixedState, FoldHasher};
use rand_of_peers::SeedableRng;
use rand_of_peers::rngs::SmallRng;
use scalable_cuckoo_filter::{ScalableCuckooFilter, ScalableCuckooFilterBuilder};
use std::hash::BuildHasher;

/// Slots that a query reads in one stage: two buckets of four.
const PLACES: f64 = 8.0;

/// `scalable_cuckoo_filter::ScalableCuckooFilter`, which takes a hasher: foldhash's quality
/// variant, all of whose bits are usable.
pub(super) static SCALABLE: Entry<Scalable> = Entry::new(
    Info {
        name: "scalable-cuckoo",
        family: Family::Cuckoo,
        packages: &["scalable_cuckoo_filter", "foldhash"],
        import: "use scalable_cuckoo_filter::ScalableCuckooFilter;",
        analysis: "Packed fingerprints, as long as the rate requires, in four-slot buckets; \
                   power-of-two tables. Where another cuckoo filter would refuse a key, it begins \
                   a table twice as large at half the rate; the first has half of the rate asked \
                   for. Evicts at random, here by the seed: built again it is the same.",
        abilities: &[Insert, Remove, Grow],
        jumps: true,
        max_keys: FEW,
        ..Info::PEER
    },
    Scalable,
    theory::NONE,
);

pub(super) struct Scalable;

impl<K: BenchKey + ?Sized> Make<K> for Scalable {
    type Filter = Filter<K>;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Filter<K>, String> {
        let asked_fpr = order.fpr()?;
        let filter = ScalableCuckooFilterBuilder::new()
            .initial_capacity(order.room(keys.len()))
            .false_positive_probability(asked_fpr)
            .hasher(FixedState::with_seed(order.seed).build_hasher())
            .rng(SmallRng::seed_from_u64(order.seed))
            .finish::<K>();
        let filter = Filter { slots: filter.capacity() as u64, filter, asked_fpr };
        filled::<K, _>(filter, keys)
    }
}

/// The filter, and what it does not tell.
pub(super) struct Filter<K: ?Sized> {
    filter: ScalableCuckooFilter<K, FoldHasher<'static>, SmallRng>,
    asked_fpr: f64,
    /// Of the first table.
    slots: u64,
}

impl<K: BenchKey + ?Sized> Filter<K> {
    /// Besides the tables' slots, a list holds a few keys.
    fn has_grown(&self) -> bool {
        self.filter.capacity() as u64 >= 2 * self.slots
    }
}

// It reports its tables, but not the list of them.
probe! { Filter<K>, |filter, key, keys|
    /// The formula of Fan, Andersen, Kaminsky and Mitzenmacher at its load, while there is one
    /// table: it does not report how keys spread over several.
    predicted: {
        let bits = ((2.0 / filter.asked_fpr).log2() + PLACES.log2()).ceil();
        let load = keys as f64 / filter.slots as f64;
        let mean = 1.0 - (1.0 - (-bits).exp2()).powf(PLACES * load);
        exactly(mean).filter(|_| !filter.has_grown())
    };
    holds: filter.filter.contains(key);
    insert: {
        filter.filter.insert(key);
        true
    };
    remove: filter.filter.remove(key);
    slots: if filter.has_grown() { filter.filter.capacity() as u64 } else { filter.slots };
}
