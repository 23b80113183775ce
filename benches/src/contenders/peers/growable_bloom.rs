//! Peer: growable-bloom-filter, the most downloaded growing Bloom filter.

use super::{Entry, done, probe};
use growable_bloom_filter::GrowableBloom;

/// Told to expect all keys; told to expect a thousandth of them, so that it grows nine times.
pub(super) fn all() -> Vec<Entry> {
    vec![
        Entry::filled("growable-bloom", |order, given| {
            Ok(GrowableBloom::new(order.fpr()?, order.room(given)))
        }),
        Entry::filled("growable-bloom-grown", |order, given| {
            Ok(GrowableBloom::new(order.fpr()?, order.start(given)))
        }),
    ]
}

// It reports no size.
probe! { GrowableBloom, |filter, key, keys|
    holds: filter.contains(key);
    insert: done(filter.insert(key));
}
