//! Peer: the scalable Bloom filter and the quotient filter of probabilistic-collections.

use super::common::{BenchKey, Made, Order, Planned, done, exactly, fpr_of, probe};
use foldhash::{fast, quality};
use probabilistic_collections::bloom::ScalableBloomFilter;
use probabilistic_collections::quotient::QuotientFilter;
use std::f64::consts::LN_2;
use std::hash::BuildHasher;

/// Each stage has half the rate of the one before, and is twice as large.
const TIGHTENING: f64 = 0.5;

/// foldhash under a seed, small and `Copy`, since the filter copies its hashers.
#[derive(Clone, Copy)]
pub(super) struct Seeded(u64);

impl BuildHasher for Seeded {
    type Hasher = fast::FoldHasher<'static>;

    #[inline]
    fn build_hasher(&self) -> Self::Hasher {
        fast::FixedState::with_seed(self.0).build_hasher()
    }
}

pub(super) type Scalable<K> = ScalableBloomFilter<<K as ToOwned>::Owned, Seeded>;

pub(super) fn scalable<K: BenchKey + ?Sized>(order: &Order, given: usize) -> Made<Scalable<K>> {
    // The series of the stages' rates adds up to `first / (1 - TIGHTENING)`.
    let first = order.fpr()? * (1.0 - TIGHTENING);
    // The crate takes bits, not keys, and begins another stage, twice as large, once half of them
    // are set. With its whole number of probes that must not happen before the last key, whatever
    // the keys. Hence one percent more.
    let probes = (1.0 / first).log2().ceil();
    let bits = (order.room(given) as f64 * probes / LN_2 * 1.01).ceil() as usize;
    let hashers = [Seeded(order.seed), Seeded(!order.seed)];
    Ok(ScalableBloomFilter::with_hashers(bits, first, 2.0, TIGHTENING, hashers))
}

// It reports the bits it uses, not those it holds.
probe! { Scalable<K>, |filter, key, keys|
    holds: filter.contains(key);
    insert: done(filter.insert(key));
}

/// The planned load of a table sized by hand: its own sizing stays below half.
const LOAD: f64 = 0.95;

/// With foldhash's quality variant, all of whose bits are usable.
pub(super) type Quotient<K> = QuotientFilter<<K as ToOwned>::Owned, quality::FixedState>;

pub(super) fn quotient<K: BenchKey + ?Sized>(order: &Order, given: usize) -> Made<Quotient<K>> {
    let (room, fpr) = (order.room(given), order.fpr()?);
    let hasher = quality::FixedState::with_seed(order.seed);
    if !matches!(order.planned, Planned::Room(_)) {
        return Ok(QuotientFilter::from_fpp_with_hasher(room, fpr, hasher));
    }
    // At the other contenders' load.
    let quotient = (room as f64 / LOAD).log2().ceil().max(1.0) as u8;
    let remainder = (LOAD / -(-fpr).ln_1p()).log2().ceil().max(1.0) as u8;
    Ok(QuotientFilter::with_hasher(quotient, remainder, hasher))
}

probe! { Quotient<K>, |filter, key, keys|
    holds: filter.contains(key);
    bytes: (filter.capacity() * (usize::from(filter.remainder_bits()) + 3)).div_ceil(64) * 8;
    predicted: exactly(fpr_of(keys, filter.quotient_bits() + filter.remainder_bits()));
    // It would panic rather than refuse.
    insert: filter.len() + 1 < filter.capacity() && done(filter.insert(key));
    // It does not report whether it held the key.
    remove: done(filter.remove(key));
    slots: Some(filter.capacity() as u64);
}
