//! Table parameters and their limits.

use amq_core::PlanError;

/// Slots in a block: the width of a metadata word.
pub const BLOCK_SLOTS: u64 = 64;

/// Bytes of metadata in a block: 64 bits of occupieds, 64 of runends, one byte of offset.
pub const METADATA_BYTES: u64 = 17;

/// The widest remainder, in bits: it fits a load of eight bytes at any starting bit.
pub const MAX_REMAINDER_BITS: u32 = 56;

/// The widest fingerprint, in bits, quotient and remainder together: four fewer than a hash has.
/// Each fingerprint then covers 16 hashes or more. Some cover one hash more than others, which
/// changes rates by less than a thousandth.
pub const MAX_FINGERPRINT_BITS: u32 = 60;

/// The most slots, 2^56: more than any memory holds, and no sum of positions overflows.
pub const MAX_SLOTS: u64 = 1 << 56;

/// The highest load, 19/20 of the slots. Beyond it clusters grow without bound, and inserts slow
/// down with them.
pub const MAX_LOAD: f64 = 0.95;

/// The most entries that may match one key in an
/// [`ExpandableQuotientFilter`](crate::ExpandableQuotientFilter): its copies, and the few keys that
/// share its fingerprint. Without a limit, one key inserted again and again would make the filter
/// grow forever.
pub const MAX_COPIES: u64 = 255;

/// The parameters of a quotient filter's table.
///
/// A table has `slots * 2^remainder_bits` different fingerprints, at most
/// 2^[`MAX_FINGERPRINT_BITS`]. Growing does not change their number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct QuotientParams {
    /// The number of home slots, 1 to [`MAX_SLOTS`]: any number, not only powers of two. Memory
    /// comes in blocks of [`BLOCK_SLOTS`], so multiples of 64 waste none.
    pub slots: u64,
    /// Bits of the hash kept in a slot, 0 to [`MAX_REMAINDER_BITS`].
    pub remainder_bits: u32,
    /// The most slots to which a full table may double; equal to `slots`, it never grows.
    pub max_slots: u64,
}

amq_core::parameters!(QuotientParams {
    slots: "slots",
    remainder_bits: "bits",
    max_slots: "slots",
});

impl QuotientParams {
    /// A table that does not grow. Not checked yet.
    pub const fn new(slots: u64, remainder_bits: u32) -> Self {
        Self { slots, remainder_bits, max_slots: slots }
    }

    /// A table that doubles its slots when it is full, up to `max_slots`. Not checked yet.
    ///
    /// Each doubling takes a bit of the remainders, and needs one.
    #[must_use]
    pub const fn with_max_slots(self, max_slots: u64) -> Self {
        Self { max_slots, ..self }
    }

    /// Checks the ranges; nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("slots", self.slots, 1, MAX_SLOTS)?;
        let widest = Self::widest(self.slots);
        PlanError::check_parameter("remainder_bits", self.remainder_bits.into(), 0, widest.into())?;
        let most = self.fingerprints().min(MAX_SLOTS);
        PlanError::check_parameter("max_slots", self.max_slots, self.slots, most)
    }

    /// The widest remainder with this many slots, at most [`MAX_SLOTS`].
    pub(crate) const fn widest(slots: u64) -> u32 {
        let quotient = 64 - slots.saturating_sub(1).leading_zeros();
        if MAX_FINGERPRINT_BITS - quotient < MAX_REMAINDER_BITS {
            MAX_FINGERPRINT_BITS - quotient
        } else {
            MAX_REMAINDER_BITS
        }
    }

    /// The number of different fingerprints, `slots * 2^remainder_bits`; zero if that is 2^64 or
    /// more.
    pub const fn fingerprints(&self) -> u64 {
        if self.remainder_bits > self.slots.leading_zeros() {
            return 0;
        }
        match self.slots.checked_shl(self.remainder_bits) {
            Some(fingerprints) => fingerprints,
            None => 0,
        }
    }

    /// The most keys the table holds: [`MAX_LOAD`] of its slots, at least one.
    pub const fn max_keys(&self) -> u64 {
        // 19/20 of the slots, rounded down, without overflow.
        let keys = self.slots / 20 * 19 + self.slots % 20 * 19 / 20;
        if keys == 0 { 1 } else { keys }
    }

    /// Blocks of memory.
    pub(crate) const fn blocks(&self) -> u64 {
        self.slots.div_ceil(BLOCK_SLOTS)
    }

    /// Bytes of the table, `ceil(slots / 64) * (17 + 8 * remainder_bits)`; saturates.
    pub const fn bytes(&self) -> u64 {
        self.blocks().saturating_mul(METADATA_BYTES + 8 * self.remainder_bits as u64)
    }

    /// The parameters of the table once it has grown as far as it may; the same if it does not
    /// grow.
    #[must_use]
    pub fn grown(&self) -> Self {
        self.sizes().fold(*self, |_, params| params)
    }

    /// The parameters of this table, then of each it grows to.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = Self> + use<> {
        core::iter::successors(Some(*self), |params| {
            let doubled = params.doubled();
            doubled.filter(|doubled| doubled.slots <= params.max_slots)
        })
    }

    /// The first of its sizes that holds this many keys.
    pub(crate) fn size_for(&self, keys: u64) -> Option<Self> {
        self.sizes().find(|params| params.max_keys() >= keys)
    }

    /// Parameters that keep the fingerprints' length in twice the slots; `None` if no remainder bit
    /// is left, or if the slots would be too many.
    pub(crate) fn doubled(&self) -> Option<Self> {
        let slots = self.slots.checked_mul(2)?;
        let doubled = Self {
            slots,
            remainder_bits: self.remainder_bits.checked_sub(1)?,
            max_slots: self.max_slots.max(slots),
        };
        doubled.check().ok().map(|()| doubled)
    }

    /// Parameters that keep the fingerprints' length in half the slots; `None` if their number is
    /// odd, or if the remainders would be too wide.
    pub(crate) fn halved(&self) -> Option<Self> {
        let slots = self.slots / 2;
        let grows = self.max_slots > self.slots;
        let halved = Self {
            slots,
            remainder_bits: self.remainder_bits.checked_add(1)?,
            max_slots: if grows { self.max_slots } else { slots },
        };
        let even = self.slots.is_multiple_of(2) && halved.check().is_ok();
        even.then_some(halved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn params(slots: u64, remainder_bits: u32) -> QuotientParams {
        QuotientParams::new(slots, remainder_bits)
    }

    #[test]
    fn fingerprints_fit_into_a_hash_or_are_refused() {
        for (slots, bits, good) in [
            (1, 0, true),
            (1, 56, true),
            (1, 57, false),
            (0, 8, false),
            (15, 56, true),
            (16, 56, true),
            (17, 56, false),
            (17, 55, true),
            (1 << 56, 4, true),
            (1 << 56, 5, false),
            ((1 << 55) + 1, 4, true),
            ((1 << 55) + 1, 5, false),
            ((1 << 56) + 1, 0, false),
            (u64::MAX, u32::MAX, false),
        ] {
            let params = params(slots, bits);
            assert_eq!(params.check().is_ok(), good, "{params:?}");
            if good {
                let wide = u128::from(slots) << bits;
                assert_eq!(u128::from(params.fingerprints()), wide);
            }
        }
        assert_eq!(params(1, 64).fingerprints(), 0);
        assert_eq!(params(u64::MAX, u32::MAX).fingerprints(), 0);
        assert_eq!(params(u64::MAX, u32::MAX).max_keys(), 17_524_406_870_024_074_034);
    }

    #[test]
    fn a_table_takes_19_of_20_slots_and_at_least_one_key() {
        for (slots, most) in [(1, 1), (2, 1), (20, 19), (64, 60), (1 << 20, 996_147)] {
            assert_eq!(params(slots, 1).max_keys(), most);
        }
    }

    #[test]
    fn a_slot_takes_its_remainder_and_two_and_an_eighth_bits() {
        assert_eq!(params(6400, 7).bytes() * 8, 6400 / 8 * (7 * 8 + 17));
        assert_eq!(params(1, 7).bytes(), 73);
        assert_eq!(params(65, 0).bytes(), 34);
        assert_eq!(params(u64::MAX, u32::MAX).bytes(), u64::MAX);
    }

    #[test]
    fn doubling_keeps_the_fingerprints_while_there_are_bits() {
        let mut now = params(3 << 7, 5);
        for _ in 0..5 {
            let next = now.doubled().unwrap();
            assert_eq!(next.fingerprints(), now.fingerprints());
            now = next;
        }
        assert_eq!(now.doubled(), None);
        assert_eq!(params(1 << 56, 3).doubled(), None);
    }

    #[test]
    fn a_table_grows_by_doubling_up_to_its_limit() {
        let slots = |params: QuotientParams| params.sizes().map(|size| size.slots).sum::<u64>();
        for (max_slots, sum, grown) in [
            (10, 10, params(10, 3)),
            (11, 10, params(10, 3)),
            (20, 10 + 20, params(20, 2)),
            (79, 10 + 20 + 40, params(40, 1)),
            (80, 10 + 20 + 40 + 80, params(80, 0)),
        ] {
            let growing = params(10, 3).with_max_slots(max_slots);
            growing.check().unwrap();
            assert_eq!(slots(growing), sum);
            assert_eq!(growing.grown(), grown.with_max_slots(max_slots));
            assert_eq!(growing.size_for(grown.max_keys()), Some(growing.grown()));
            assert_eq!(growing.size_for(grown.max_keys() + 1), None);
        }
        for max_slots in [0, 9, 81, u64::MAX] {
            assert!(params(10, 3).with_max_slots(max_slots).check().is_err());
        }
        // Half the slots, the same limit; without a limit none appears.
        let halved = params(10, 3).with_max_slots(40).halved().unwrap();
        assert_eq!(halved, params(5, 4).with_max_slots(40));
        assert_eq!(params(10, 3).halved(), Some(params(5, 4)));
    }
}
