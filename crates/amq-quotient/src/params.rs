//! The parameters of a table, and their limits.

use amq_core::PlanError;

/// Slots in a block: the width of the words that the metadata are kept in.
pub const BLOCK_SLOTS: u64 = 64;

/// Bytes of metadata in a block: 64 bits of occupieds, 64 of runends, one byte of offset.
pub const METADATA_BYTES: u64 = 17;

/// The widest remainder, in bits: one load of eight bytes, from any bit of its first byte on, has room for it.
pub const MAX_REMAINDER_BITS: u32 = 56;

/// Of how many bits a fingerprint may be, place and remainder together. Four less than a hash has: then there are 16 hashes or more for each fingerprint, and all are
/// as likely to within a thousandth, which the exact rates rest on.
pub const MAX_FINGERPRINT_BITS: u32 = 60;

/// The most slots, 2^56. More than any memory, and few enough that no sum of positions overflows.
pub const MAX_SLOTS: u64 = 1 << 56;

/// The highest share of slots that may be in use, 19/20. Beyond it the clusters grow without bound, and with them the time of
/// an insert.
pub const MAX_LOAD: f64 = 0.95;

/// What determines a quotient filter's table.
///
/// A table has `slots * 2^remainder_bits` different fingerprints, at most 2^[`MAX_FINGERPRINT_BITS`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QuotientParams {
    /// Slots that a key can be at home in, 1 to [`MAX_SLOTS`]: any number, not only powers of two. Memory comes in blocks of
    /// [`BLOCK_SLOTS`], so multiples of 64 waste none.
    pub slots: u64,
    /// Bits of the hash kept in a slot, 0 to [`MAX_REMAINDER_BITS`].
    pub remainder_bits: u32,
}

impl QuotientParams {
    /// Checks the ranges; nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("slots", self.slots, 1, MAX_SLOTS)?;
        PlanError::check_parameter(
            "remainder_bits",
            self.remainder_bits.into(),
            0,
            Self::widest(self.slots).into(),
        )
    }

    /// The longest remainder with so many slots, which are no more than [`MAX_SLOTS`]: what they leave of a fingerprint.
    pub(crate) const fn widest(slots: u64) -> u32 {
        let place = 64 - slots.saturating_sub(1).leading_zeros();
        if MAX_FINGERPRINT_BITS - place < MAX_REMAINDER_BITS {
            MAX_FINGERPRINT_BITS - place
        } else {
            MAX_REMAINDER_BITS
        }
    }

    /// How many different fingerprints there are, `slots * 2^remainder_bits`; zero if that is 2^64 or more.
    pub const fn fingerprints(&self) -> u64 {
        if self.remainder_bits > self.slots.leading_zeros() {
            return 0;
        }
        match self.slots.checked_shl(self.remainder_bits) {
            Some(fingerprints) => fingerprints,
            None => 0,
        }
    }

    /// The most keys the table takes: [`MAX_LOAD`] of its slots, at least one.
    pub const fn max_items(&self) -> u64 {
        let items = self.slots as u128 * 19 / 20;
        if items == 0 { 1 } else { items as u64 }
    }

    /// Blocks of memory.
    pub(crate) const fn blocks(&self) -> u64 {
        self.slots.div_ceil(BLOCK_SLOTS)
    }

    /// Bytes of the table, `ceil(slots / 64) * (17 + 8 * remainder_bits)`; saturates.
    pub const fn bytes(&self) -> u64 {
        self.blocks()
            .saturating_mul(METADATA_BYTES + 8 * self.remainder_bits as u64)
    }

    /// The same fingerprints in a table of twice the slots; `None` if no remainder bit is left, or the table would be too large.
    pub(crate) fn doubled(&self) -> Option<Self> {
        let doubled = Self {
            slots: self.slots.checked_mul(2)?,
            remainder_bits: self.remainder_bits.checked_sub(1)?,
        };
        doubled.check().ok().map(|()| doubled)
    }

    /// The same fingerprints in a table of half the slots; `None` if their number is odd, or the
    /// remainders would be too long.
    pub(crate) fn halved(&self) -> Option<Self> {
        let halved = Self {
            slots: self.slots / 2,
            remainder_bits: self.remainder_bits.checked_add(1)?,
        };
        let even = self.slots % 2 == 0 && halved.check().is_ok();
        even.then_some(halved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(slots: u64, remainder_bits: u32) -> QuotientParams {
        QuotientParams {
            slots,
            remainder_bits,
        }
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
        assert_eq!(
            params(u64::MAX, u32::MAX).max_items(),
            17_524_406_870_024_074_034
        );
    }

    #[test]
    fn a_table_takes_19_of_20_slots_and_at_least_one_key() {
        for (slots, most) in [(1, 1), (2, 1), (20, 19), (64, 60), (1 << 20, 996_147)] {
            assert_eq!(params(slots, 1).max_items(), most);
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
}
