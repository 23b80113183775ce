//! Peer: growable-bloom-filter, the most downloaded growing Bloom filter.

use super::common::{Made, Order, done, probe};
use growable_bloom_filter::GrowableBloom;

/// Expects all keys.
pub(super) fn sized(order: &Order, given: usize) -> Made<GrowableBloom> {
    Ok(GrowableBloom::new(order.fpr()?, order.room(given)))
}

/// Expects a thousandth of the keys, so that it grows nine times.
pub(super) fn grown(order: &Order, given: usize) -> Made<GrowableBloom> {
    Ok(GrowableBloom::new(order.fpr()?, order.start(given)))
}

// It reports no size.
probe! { GrowableBloom, |filter, key, keys|
    holds: filter.contains(key);
    insert: done(filter.insert(key));
}
