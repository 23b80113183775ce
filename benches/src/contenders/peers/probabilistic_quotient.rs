//! Peer: the quotient filter of probabilistic-collections.

use crate::contenders::contender::{Entry, filled};
use crate::contenders::probe::{exactly, probe};
use crate::contenders::{Order, Planned};
use crate::keys::BenchKey;
use foldhash::quality::FixedState;
use probabilistic_collections::quotient::QuotientFilter;

/// The planned load of a table sized by hand: its own sizing stays below half.
const LOAD: f64 = 0.95;

/// With foldhash's quality variant, all of whose bits are usable.
pub(super) fn all() -> Vec<Entry> {
    vec![Entry::of("probabilistic-quotient", make::<u64>, make::<[u8]>)]
}

fn make<K: BenchKey + ?Sized>(
    keys: &[K::Item<'_>],
    order: &Order,
) -> Result<QuotientFilter<K::Owned, FixedState>, String> {
    let (room, fpr) = (order.room(keys.len()), order.fpr()?);
    let hasher = FixedState::with_seed(order.seed);
    let filter = if matches!(order.planned, Planned::Room(_)) {
        // At the other contenders' load.
        let quotient = (room as f64 / LOAD).log2().ceil().max(1.0) as u8;
        let remainder = (LOAD / -(-fpr).ln_1p()).log2().ceil().max(1.0) as u8;
        QuotientFilter::with_hasher(quotient, remainder, hasher)
    } else {
        QuotientFilter::from_fpp_with_hasher(room, fpr, hasher)
    };
    filled::<K, _>(filter, keys)
}

probe! { QuotientFilter<K::Owned, FixedState>, |filter, key, keys|
    holds: filter.contains(key);
    bytes: {
        let bits = filter.capacity() as u64 * (u64::from(filter.remainder_bits()) + 3);
        bits.div_ceil(64) * 8
    };
    // A fingerprint is present if any key has it.
    predicted: {
        let bits = filter.quotient_bits() + filter.remainder_bits();
        exactly(-(keys as f64 * (-(-f64::from(bits)).exp2()).ln_1p()).exp_m1())
    };
    // It would panic rather than refuse.
    insert: {
        let full = filter.len() + 1 >= filter.capacity();
        if !full {
            filter.insert(key);
        }
        !full
    };
    // It does not report whether it held the key.
    remove: {
        filter.remove(key);
        true
    };
    slots: Some(filter.capacity() as u64);
}
