//! Peer: scalable_cuckoo_filter, cuckoo filters in stages that grow.

use super::FEW;
use crate::contenders::{Ability, Entry, Family, Info, Make, Order, Probe, filled, theory};
use crate::keys::BenchKey;
use amq_core::PredictedFpr;
use foldhash::quality::{FixedState, FoldHasher};
use scalable_cuckoo_filter::{DefaultRng, ScalableCuckooFilter, ScalableCuckooFilterBuilder};
use std::fmt;
use std::hash::BuildHasher;

/// Slots that a query reads in one stage: two buckets of four.
const PLACES: f64 = 8.0;

/// `scalable_cuckoo_filter::ScalableCuckooFilter`, which takes a hasher: foldhash's quality
/// variant, all of whose bits are usable.
pub static SCALABLE: Entry<Scalable> = Entry::new(
    Info {
        name: "scalable-cuckoo",
        family: Family::Cuckoo,
        packages: &["scalable_cuckoo_filter", "foldhash"],
        import: "use scalable_cuckoo_filter::ScalableCuckooFilter;",
        analysis: "Packed fingerprints, as long as the rate requires, in four-slot buckets; \
                   power-of-two tables. Where another cuckoo filter would refuse a key, it begins \
                   a table twice as large at half the rate; the first has half of the rate asked \
                   for. Evicts at random, differently in every run.",
        abilities: &[Ability::Insert, Ability::Remove, Ability::Grow],
        jumps: true,
        max_keys: FEW,
        ..Info::PEER
    },
    Scalable,
    theory::NONE,
);

/// How it is made.
#[derive(Clone, Copy, Debug)]
pub struct Scalable;

impl<K: BenchKey + ?Sized> Make<K> for Scalable {
    type Filter = Filter<K>;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Filter<K>, String> {
        let asked_fpr = order.fpr()?;
        let filter = ScalableCuckooFilterBuilder::new()
            .initial_capacity(order.room(keys.len()))
            .false_positive_probability(asked_fpr)
            .hasher(FixedState::with_seed(order.seed).build_hasher())
            .finish::<K>();
        let filter = Filter {
            slots: filter.capacity() as u64,
            filter,
            asked_fpr,
        };
        filled::<K, _>(filter, keys)
    }
}

/// The filter, and what it does not tell.
pub struct Filter<K: ?Sized> {
    filter: ScalableCuckooFilter<K, FoldHasher<'static>, DefaultRng>,
    asked_fpr: f64,
    /// Of the first table.
    slots: u64,
}

impl<K: ?Sized> fmt::Debug for Filter<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} slots for {}", self.slots, self.asked_fpr)
    }
}

impl<K: BenchKey + ?Sized> Filter<K> {
    /// Besides the tables' slots, a list holds a few keys.
    fn has_grown(&self) -> bool {
        self.filter.capacity() as u64 >= 2 * self.slots
    }
}

/// It reports its tables, but not the list of them.
impl<K: BenchKey + ?Sized> Probe<K> for Filter<K> {
    /// The formula of Fan, Andersen, Kaminsky and Mitzenmacher at its load, while there is one
    /// table: it does not report how keys spread over several.
    fn predicted(&self, keys: u64) -> Option<PredictedFpr> {
        let bits = ((2.0 / self.asked_fpr).log2() + PLACES.log2()).ceil();
        let load = keys as f64 / self.slots as f64;
        let mean = 1.0 - (1.0 - (-bits).exp2()).powf(PLACES * load);
        (!self.has_grown()).then_some(PredictedFpr { mean, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.contains(key)
    }

    #[inline]
    fn insert(&mut self, key: &K) -> Option<bool> {
        self.filter.insert(key);
        Some(true)
    }

    #[inline]
    fn remove(&mut self, key: &K) -> Option<bool> {
        Some(self.filter.remove(key))
    }

    fn slots(&self) -> Option<u64> {
        Some(if self.has_grown() {
            self.filter.capacity() as u64
        } else {
            self.slots
        })
    }
}
