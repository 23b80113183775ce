//! Peer: scalable_cuckoo_filter, cuckoo filters in stages that grow.

use super::common::{BenchKey, Made, Order, done, exactly, fpr_of_buckets, probe};
use foldhash::quality::{FixedState, FoldHasher};
use rand_of_peers::SeedableRng;
use rand_of_peers::rngs::SmallRng;
use scalable_cuckoo_filter::{ScalableCuckooFilter, ScalableCuckooFilterBuilder};
use std::hash::BuildHasher;

/// With foldhash's quality variant, all of whose bits are usable.
pub(super) fn empty<K: BenchKey + ?Sized>(order: &Order, given: usize) -> Made<Filter<K>> {
    let asked_fpr = order.fpr()?;
    let filter = ScalableCuckooFilterBuilder::new()
        .initial_capacity(order.room(given))
        .false_positive_probability(asked_fpr)
        .hasher(FixedState::with_seed(order.seed).build_hasher())
        .rng(SmallRng::seed_from_u64(order.seed))
        .finish::<K>();
    Ok(Filter { slots: filter.capacity() as u64, filter, asked_fpr })
}

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
probe! { Filter<K>, |it, key, keys|
    holds: it.filter.contains(key);
    // While there is one table: it does not report how keys spread over several.
    predicted: {
        let bits = (2.0 / it.asked_fpr).log2() + 3.0;
        let mean = fpr_of_buckets((-bits.ceil()).exp2(), keys as f64 / it.slots as f64);
        exactly(mean).filter(|_| !it.has_grown())
    };
    insert: done(it.filter.insert(key));
    remove: it.filter.remove(key);
    slots: Some(if it.has_grown() { it.filter.capacity() as u64 } else { it.slots });
}
