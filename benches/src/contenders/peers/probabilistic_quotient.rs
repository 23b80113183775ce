//! Peer: the quotient filter of probabilistic-collections.

use super::FEW;
use crate::contenders::Ability::{Insert, Remove};
use crate::contenders::probe::{exactly, probe};
use crate::contenders::{Course, Entry, Family, Info, Make, Order, Planned, filled, theory};
use crate::keys::BenchKey;
use foldhash::quality::FixedState;
use probabilistic_collections::quotient::QuotientFilter;

/// The planned load of a table sized by hand: its own sizing stays below half.
const LOAD: f64 = 0.95;

/// `probabilistic_collections::quotient::QuotientFilter`, which takes a hasher: foldhash's quality
/// variant, all of whose bits are usable.
pub(super) static QUOTIENT: Entry<Quotient> = Entry::new(
    Info {
        name: "probabilistic-quotient",
        family: Family::Quotient,
        packages: &["probabilistic-collections", "foldhash"],
        import: "use probabilistic_collections::quotient::QuotientFilter;",
        analysis: "Remainders in runs, with three metadata bits each, in a power-of-two table that \
                   is at most half full: short clusters, at twice the space necessary. A key whose \
                   fingerprint is already stored is not stored again, so removing one of the two \
                   loses the other.",
        abilities: &[Insert, Remove],
        jumps: true,
        max_keys: FEW,
        slow: true,
        // Its table can be filled to the last slot, but each key then costs a scan of all of it.
        skips: &[Course::Overfill],
        ..Info::PEER
    },
    Quotient,
    theory::NONE,
);

pub(super) struct Quotient;

impl<K: BenchKey + ?Sized> Make<K> for Quotient {
    type Filter = QuotientFilter<K::Owned, FixedState>;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Self::Filter, String> {
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
}

probe! { QuotientFilter<K::Owned, FixedState>, |filter, key, keys|
    bytes: {
        let bits = filter.capacity() as u64 * (u64::from(filter.remainder_bits()) + 3);
        bits.div_ceil(64) * 8
    };
    /// A fingerprint is present if any key has it.
    predicted: {
        let bits = filter.quotient_bits() + filter.remainder_bits();
        exactly(-(keys as f64 * (-(-f64::from(bits)).exp2()).ln_1p()).exp_m1())
    };
    holds: filter.contains(key);
    /// It would panic rather than refuse.
    insert: {
        let full = filter.len() + 1 >= filter.capacity();
        if !full {
            filter.insert(key);
        }
        !full
    };
    /// It does not report whether it held the key.
    remove: {
        filter.remove(key);
        true
    };
    slots: filter.capacity();
}
