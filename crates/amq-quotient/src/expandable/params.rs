//! Parameters of an expandable filter and their limits.

use crate::params::{
    BLOCK_SLOTS, MAX_FINGERPRINT_BITS, MAX_REMAINDER_BITS, MAX_SLOTS, QuotientParams,
};
use amq_core::PlanError;

/// Doublings that a plan allows for unless told otherwise: a million times the keys planned for.
pub const DOUBLINGS: u32 = 20;

/// The most doublings: from two slots to [`MAX_SLOTS`].
const MOST_DOUBLINGS: u32 = 55;

/// The longest fingerprint of an [`ExpandableQuotientFilter`](crate::ExpandableQuotientFilter), in
/// bits beside the home slot: one less than the widest slot, since an entry ends with a 1.
const LONGEST: u32 = MAX_REMAINDER_BITS - 1;

/// The parameters of an expandable quotient filter: its table, and how far it may grow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct ExpandableParams {
    /// The number of home slots at present: 2^`doublings` times those of the first table, which has
    /// two or more. Memory comes in blocks of [`BLOCK_SLOTS`], so multiples of 64 waste none.
    pub slots: u64,
    /// Bits of the hash kept for a new key, beside its home slot. A slot has one bit more.
    pub fingerprint_bits: u32,
    /// How often the table has doubled.
    pub doublings: u32,
    /// How often it may double in total. Each doubling adds to the false-positive rate; see
    /// [`theory::expandable`](crate::theory::expandable).
    pub max_doublings: u32,
}

amq_core::parameters!(ExpandableParams {
    slots: "slots",
    fingerprint_bits: "bits",
    doublings: "doublings",
    max_doublings: "doublings",
});

impl ExpandableParams {
    /// A first table, which may double [`DOUBLINGS`] times, or as often as the hash has bits for if
    /// that is less: with 8 bits, beyond 2^31 slots. Not checked yet.
    pub const fn new(slots: u64, fingerprint_bits: u32) -> Self {
        let params = Self { slots, fingerprint_bits, doublings: 0, max_doublings: 0 };
        let left = params.doublings_left();
        params.with_max_doublings(if left < DOUBLINGS { left } else { DOUBLINGS })
    }

    /// With another limit. Not checked yet.
    #[must_use]
    pub const fn with_max_doublings(self, max_doublings: u32) -> Self {
        Self { max_doublings, ..self }
    }

    /// The most doublings that are safe: entries whose bits are used up then never take more than
    /// three quarters of the room, so every doubling makes room for keys. `3 * 2^(F - 1) + F - 1`
    /// for fingerprints of F bits, or fewer where a hash has too few bits for them.
    ///
    /// ```
    /// use amq_quotient::ExpandableParams;
    ///
    /// let most = |bits| ExpandableParams::new(64, bits).most_doublings();
    /// assert_eq!([1, 2, 3, 4].map(most), [3, 7, 14, 27]);
    /// ```
    #[must_use]
    pub const fn most_doublings(&self) -> u32 {
        let by_hash = self.doublings.saturating_add(self.doublings_left());
        let bits = self.fingerprint_bits;
        match bits {
            // Longer fingerprints are never used up.
            6.. => by_hash,
            0 => 0,
            _ => {
                let by_bits = (3 << (bits - 1)) + bits - 1;
                if by_bits < by_hash { by_bits } else { by_hash }
            }
        }
    }

    /// Checks the ranges, and that no more doublings are allowed than
    /// [`most_doublings`](Self::most_doublings); nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        self.check_ranges()?;
        let most = self.most_doublings();
        // Forbidding further doublings is always allowed, also for a filter from an older file.
        if self.max_doublings > most && self.max_doublings > self.doublings {
            let (fingerprint_bits, doublings) = (self.fingerprint_bits, self.max_doublings);
            return Err(PlanError::Doublings { fingerprint_bits, doublings, most });
        }
        Ok(())
    }

    /// Checks only the ranges: older files allow any number of doublings.
    pub(crate) fn check_ranges(&self) -> Result<(), PlanError> {
        let check = PlanError::check_parameter;
        check("doublings", self.doublings.into(), 0, MOST_DOUBLINGS.into())?;
        // Two slots hold no more keys than one.
        check("slots", self.slots, 2 << self.doublings, MAX_SLOTS)?;
        let widest = QuotientParams::widest(self.slots);
        let longest = LONGEST.min(widest.saturating_sub(1));
        check("fingerprint_bits", self.fingerprint_bits.into(), 1, longest.into())?;
        PlanError::check_multiple("slots", self.slots, 1 << self.doublings)?;
        let most = self.doublings + self.doublings_left();
        let (done, most) = (self.doublings.into(), most.into());
        check("max_doublings", self.max_doublings.into(), done, most)
    }

    /// How often the present table can double until its fingerprints have [`MAX_FINGERPRINT_BITS`]
    /// bits, or it has [`MAX_SLOTS`] slots.
    pub(crate) const fn doublings_left(&self) -> u32 {
        let quotient = 64 - self.slots.saturating_sub(1).leading_zeros();
        let left = MAX_FINGERPRINT_BITS.saturating_sub(self.fingerprint_bits.saturating_add(1));
        let most = MAX_SLOTS.ilog2();
        let left = if left < most { left } else { most };
        left.saturating_sub(quotient)
    }

    /// The table these parameters describe.
    pub(crate) const fn table(&self) -> QuotientParams {
        QuotientParams::new(self.slots, self.fingerprint_bits.saturating_add(1))
    }

    /// The first table, before it doubled.
    #[must_use]
    pub(crate) const fn first(self) -> Self {
        Self { slots: self.slots >> self.doublings, doublings: 0, ..self }
    }

    /// The table after another doubling, if that is allowed.
    pub(crate) fn doubled(self) -> Option<Self> {
        (self.doublings < self.max_doublings).then(|| Self {
            slots: self.slots * 2,
            doublings: self.doublings + 1,
            ..self
        })
    }

    /// The number of fingerprints that the table distinguishes, `slots * 2^fingerprint_bits`.
    pub(crate) const fn fingerprints(&self) -> u64 {
        self.slots << self.fingerprint_bits
    }

    /// The most entries in the table: 19/20 of its slots, at least one.
    pub const fn max_entries(&self) -> u64 {
        self.table().max_keys()
    }

    /// Whether `void` entries without bits are too many for another doubling: more than three
    /// quarters of 19/20 of the slots.
    pub(crate) const fn is_used_up(&self, void: u64) -> bool {
        // At most 2^56 each.
        80 * void > 57 * self.slots
    }

    /// Bytes of the table, `ceil(slots / 64) * (25 + 8 * fingerprint_bits)`; saturates.
    pub const fn bytes(&self) -> u64 {
        self.table().bytes()
    }

    /// The parameters of a first table with this many blocks, which doubles at most this often, or
    /// as often as it [can](Self::most_doublings) if that is less.
    pub(crate) fn of_blocks(blocks: u64, fingerprint_bits: u32, doublings: u32) -> Self {
        let first = Self::new(blocks * BLOCK_SLOTS, fingerprint_bits);
        first.with_max_doublings(first.most_doublings().min(doublings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn parameters_not_checked_yet_do_not_overflow() {
        let params = ExpandableParams::new(64, u32::MAX);
        assert!(params.check().is_err());
        assert_eq!(params.max_entries(), 60);
    }

    #[test]
    fn doublings_end_where_the_bits_of_a_hash_do() {
        for (slots, bits, most) in [
            (64u64, 11u32, 42u32),
            (65, 11, 41),
            (2, 1, 55),
            (1 << 40, 3, 16),
            (1 << 40, 19, 0),
            (16, 55, 0),
        ] {
            let params = ExpandableParams::new(slots, bits);
            assert_eq!(params.doublings_left(), most, "{params:?}");
            params.with_max_doublings(most).check_ranges().unwrap();
            assert!(params.with_max_doublings(most + 1).check_ranges().is_err());
            let mut last = params.with_max_doublings(most);
            while let Some(next) = last.doubled() {
                next.check_ranges().unwrap();
                assert_eq!(next.first(), last.first());
                last = next;
            }
            assert_eq!(last.doublings, most);
            last.table().check().unwrap();
        }
    }

    #[test]
    fn a_table_of_any_size_is_allowed_without_a_limit_of_its_own() {
        for bits in [8u32, 11, 20] {
            for log_slots in 1..=52 - bits {
                let params = ExpandableParams::new(1 << log_slots, bits);
                assert_eq!(params.check(), Ok(()), "{params:?}");
                assert_eq!(params.max_doublings, DOUBLINGS.min(params.most_doublings()));
            }
        }
    }

    #[test]
    fn what_is_out_of_range_is_refused_by_name() {
        let good = ExpandableParams::new(64, 11);
        let with = |doublings, slots| ExpandableParams { doublings, slots, ..good };
        for (params, name) in [
            (with(0, 0), "slots"),
            (with(0, 1), "slots"),
            (with(6, 64), "slots"),
            (with(0, u64::MAX), "slots"),
            (ExpandableParams::new(64, 0), "fingerprint_bits"),
            (ExpandableParams::new(64, 54), "fingerprint_bits"),
            (ExpandableParams::new(1 << 56, 4), "fingerprint_bits"),
            (ExpandableParams::new(64, u32::MAX), "fingerprint_bits"),
            (with(56, 64), "doublings"),
            (with(u32::MAX, 64), "doublings"),
            (with(7, 64), "slots"),
            (with(21, 64 << 21), "max_doublings"),
            (good.with_max_doublings(43), "max_doublings"),
            (good.with_max_doublings(u32::MAX), "max_doublings"),
        ] {
            let error = params.check().unwrap_err();
            let text = std::format!("{error}");
            assert!(text.starts_with(name), "{params:?}: {text}");
        }
        with(3, 64 << 3).check().unwrap();
    }

    #[test]
    fn fingerprints_used_up_are_refused_with_the_numbers() {
        for (bits, most) in [(1u32, 3u32), (2, 7), (3, 14), (4, 27), (5, 52)] {
            let params = ExpandableParams::new(2, bits);
            assert_eq!(params.most_doublings(), most);
            params.with_max_doublings(most).check().unwrap();
            let doublings = most + 1;
            let error = params.with_max_doublings(doublings).check().unwrap_err();
            let refused = PlanError::Doublings { fingerprint_bits: bits, doublings, most };
            assert_eq!(error, refused);
            // As in older files.
            params.with_max_doublings(doublings).check_ranges().unwrap();
            let grown = ExpandableParams { slots: 2 << doublings, doublings, ..params };
            grown.with_max_doublings(doublings).check().unwrap();
            assert!(grown.with_max_doublings(doublings + 1).check().is_err());
        }
        let error = ExpandableParams::new(64, 1).check().unwrap_err().to_string();
        assert_eq!(
            error,
            "1-bit fingerprints last for 3 doublings, not for 20: then entries whose bits are used \
             up would fill the table. Take longer fingerprints, or allow fewer doublings"
        );
    }
}
