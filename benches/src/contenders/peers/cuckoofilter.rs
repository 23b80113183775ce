//! Peer: cuckoofilter, the most downloaded cuckoo filter.

use super::common::{Made, Order, Point, exactly, fpr_of_buckets, point, probe, took};
use cuckoofilter::CuckooFilter;
use foldhash::quality::{FixedState, FoldHasher};
use std::hash::{BuildHasher, Hasher};

/// The planned load, a little below the limit of such buckets. The crate's own sizing would fill
/// the table to the last slot, which fails.
const MOST: f64 = 0.96;

/// With foldhash's quality variant, all of whose bits are usable.
pub(super) fn empty(order: &Order, given: usize) -> Made<CuckooFilter<Fold>> {
    Ok(CuckooFilter::with_capacity((order.room(given) as f64 / MOST).ceil() as usize))
}

/// A table as full as planned; the others are larger.
pub(super) fn full(_keys: u64) -> Vec<Point> {
    vec![point(Some(8), 8.0 / MOST, rate(MOST))]
}

/// The rate at a load. Not all fingerprints are equally likely: 100 marks an empty slot, so a byte
/// of 100 becomes 101.
fn rate(load: f64) -> f64 {
    let found = |likely: f64| fpr_of_buckets(likely / 256.0, load);
    (254.0 * found(1.0) + 2.0 * found(2.0)) / 256.0
}

/// A hasher made by `Default`, as the filter requires.
pub(super) struct Fold(FoldHasher<'static>);

impl Default for Fold {
    #[inline]
    fn default() -> Self {
        Self(FixedState::default().build_hasher())
    }
}

impl Hasher for Fold {
    #[inline]
    fn finish(&self) -> u64 {
        self.0.finish()
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0.write_u64(number);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.0.write_usize(number);
    }
}

/// One byte each.
fn places(filter: &CuckooFilter<Fold>) -> u64 {
    (filter.memory_usage() - size_of_val(filter)) as u64
}

probe! { CuckooFilter<Fold>, |filter, key, keys|
    holds: filter.contains(key);
    bytes: places(filter);
    predicted: exactly(rate(keys as f64 / places(filter) as f64));
    // A refused key is stored, and another is lost.
    insert: took(filter.add(key));
    remove: filter.delete(key);
    slots: Some(places(filter));
}
