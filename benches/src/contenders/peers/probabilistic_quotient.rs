//! Peer: the quotient filter of probabilistic-collections.

use super::FEW;
use crate::contenders::{
    Ability, Course, Entry, Family, Info, Make, Order, Planned, Probe, filled, theory,
};
use crate::keys::BenchKey;
use amq_core::PredictedFpr;
use foldhash::quality::FixedState;
use probabilistic_collections::quotient::QuotientFilter;

/// The planned load of a table sized by hand: its own sizing stays below half.
const LOAD: f64 = 0.95;

/// `probabilistic_collections::quotient::QuotientFilter`, which takes a hasher: foldhash's quality
/// variant, all of whose bits are usable.
pub static QUOTIENT: Entry<Quotient> = Entry::new(
    Info {
        name: "probabilistic-quotient",
        family: Family::Quotient,
        packages: &["probabilistic-collections", "foldhash"],
        import: "use probabilistic_collections::quotient::QuotientFilter;",
        analysis: "Remainders in runs, with three metadata bits each, in a power-of-two table that \
                   is at most half full: short clusters, at twice the space necessary. A key whose \
                   fingerprint is already stored is not stored again, so removing one of the two \
                   loses the other.",
        abilities: &[Ability::Insert, Ability::Remove],
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

/// How it is made.
#[derive(Clone, Copy, Debug)]
pub struct Quotient;

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

impl<K: BenchKey + ?Sized> Probe<K> for QuotientFilter<K::Owned, FixedState> {
    fn said_bytes(&self) -> Option<u64> {
        let bits = self.capacity() as u64 * (u64::from(self.remainder_bits()) + 3);
        Some(bits.div_ceil(64) * 8)
    }

    /// A fingerprint is present if any key has it.
    fn predicted(&self, keys: u64) -> Option<PredictedFpr> {
        let bits = self.quotient_bits() + self.remainder_bits();
        let each = (-f64::from(bits)).exp2();
        let mean = -(keys as f64 * (-each).ln_1p()).exp_m1();
        Some(PredictedFpr { mean, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.contains(key)
    }

    /// It would panic rather than refuse.
    #[inline]
    fn insert(&mut self, key: &K) -> Option<bool> {
        let full = self.len() + 1 >= self.capacity();
        if !full {
            Self::insert(self, key);
        }
        Some(!full)
    }

    /// It does not report whether it held the key.
    #[inline]
    fn remove(&mut self, key: &K) -> Option<bool> {
        Self::remove(self, key);
        Some(true)
    }

    fn slots(&self) -> Option<u64> {
        Some(self.capacity() as u64)
    }
}
