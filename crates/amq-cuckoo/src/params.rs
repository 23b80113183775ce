//! The parameters of a table, and their limits.

use crate::Layout;
use amq_core::PlanError;

/// The fewest bits a fingerprint can have.
pub const MIN_FINGERPRINT_BITS: u32 = 4;
/// The most bits a fingerprint can have.
pub const MAX_FINGERPRINT_BITS: u32 = 32;

/// Bucket and fingerprint together take at most so many of the 64 bits of a hash: with two to spare, every fingerprint is equally
/// likely to within a quarter.
const MAX_PLACE_BITS: u32 = 62;

/// What determines a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CuckooParams {
    /// Buckets in the table: an even number, 2 or more.
    pub buckets: u64,
    /// Bits of a slot, [`MIN_FINGERPRINT_BITS`] to [`MAX_FINGERPRINT_BITS`]. Where buckets overlap one of them says in which slot of its
    /// bucket a fingerprint is.
    pub fingerprint_bits: u32,
}

impl CuckooParams {
    /// Checks the ranges; nothing is allocated.
    pub fn check<L: Layout>(&self) -> Result<(), PlanError> {
        let Self {
            buckets,
            fingerprint_bits: bits,
        } = *self;
        PlanError::check_parameter(
            "fingerprint_bits",
            bits.into(),
            MIN_FINGERPRINT_BITS.into(),
            MAX_FINGERPRINT_BITS.into(),
        )?;
        PlanError::check_parameter("buckets", buckets, 2, Self::max_buckets(bits))?;
        PlanError::check_multiple("buckets", buckets, 2)
    }

    /// The most buckets there can be with fingerprints of so many bits, which are in their range.
    pub(crate) const fn max_buckets(fingerprint_bits: u32) -> u64 {
        let by_hash = 1 << (MAX_PLACE_BITS - fingerprint_bits);
        // Four slots of 32 bits are 16 bytes; some are left for the padding.
        let by_memory = (i64::MAX as u64 / 16 - 1) / 2 * 2;
        if by_hash < by_memory {
            by_hash
        } else {
            by_memory
        }
    }

    /// Slots in the table.
    pub(crate) const fn slots<L: Layout>(&self) -> u64 {
        // Buckets that overlap jut out over the last one's start.
        self.buckets * L::STRIDE as u64 + (L::SLOTS - L::STRIDE) as u64
    }

    /// Different fingerprints there are: every number of so many bits but zero.
    pub(crate) const fn fingerprints<L: Layout>(&self) -> u64 {
        (1 << (self.fingerprint_bits - L::MARK_BITS)) - 1
    }

    /// Whether every bucket fits a 64-bit word. The others fit 128 bits.
    #[inline(always)]
    pub(crate) const fn is_narrow<L: Layout>(&self) -> bool {
        self.fingerprint_bits <= L::NARROW_BITS
    }

    /// Bytes of the table.
    pub(crate) fn bytes<L: Layout>(&self) -> u64 {
        // After the last slot, so that a whole word can be read at every slot.
        let padding = if self.is_narrow::<L>() { 8 } else { 16 };
        (self.slots::<L>() * u64::from(self.fingerprint_bits)).div_ceil(8) + padding
    }
}
