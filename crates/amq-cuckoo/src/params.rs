//! The parameters of a table, and their limits.

use crate::Layout;
use amq_core::{MergeError, PlanError};

/// The narrowest slot.
pub const MIN_FINGERPRINT_BITS: u32 = 4;
/// The widest slot.
pub const MAX_FINGERPRINT_BITS: u32 = 32;

/// A bucket index and a fingerprint together use at most this many of a hash's 64 bits. With the
/// two spare bits, the probabilities of fingerprints differ by at most a quarter. Every such table
/// has fewer than 2^63 bits.
const MAX_PAIR_BITS: u32 = 62;

/// The parameters of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct CuckooParams {
    /// Buckets in the table: an even number, 2 or more.
    pub buckets: u64,
    /// Bits per slot, [`MIN_FINGERPRINT_BITS`] to [`MAX_FINGERPRINT_BITS`]. If buckets overlap, one
    /// of them stores the fingerprint's position in its bucket.
    pub fingerprint_bits: u32,
}

amq_core::parameters!(CuckooParams { buckets: "buckets", fingerprint_bits: "bits" });

impl CuckooParams {
    /// A table of `buckets` with slots of `fingerprint_bits`. Does not check the ranges.
    pub const fn new(buckets: u64, fingerprint_bits: u32) -> Self {
        Self { buckets, fingerprint_bits }
    }

    /// Checks the ranges; allocates nothing.
    pub fn check<L: Layout>(&self) -> Result<(), PlanError> {
        let bits = self.fingerprint_bits;
        PlanError::check_parameter(
            "fingerprint_bits",
            bits.into(),
            MIN_FINGERPRINT_BITS.into(),
            MAX_FINGERPRINT_BITS.into(),
        )?;
        PlanError::check_parameter("buckets", self.buckets, 2, Self::max_buckets(bits))?;
        PlanError::check_multiple("buckets", self.buckets, 2)
    }

    /// `Ok` if both make the same table; the error names the difference.
    pub(crate) fn check_same(&self, theirs: &Self) -> Result<(), MergeError> {
        MergeError::check("buckets", self.buckets, theirs.buckets)?;
        let [ours, theirs] = [self, theirs].map(|params| params.fingerprint_bits.into());
        MergeError::check("fingerprint_bits", ours, theirs)
    }

    /// The most buckets for slots of this width, which must be in range.
    pub(crate) const fn max_buckets(fingerprint_bits: u32) -> u64 {
        1 << (MAX_PAIR_BITS - fingerprint_bits)
    }

    /// Slots in the table.
    pub(crate) const fn slots<L: Layout>(&self) -> u64 {
        // The last overlapping bucket extends one slot further.
        self.buckets * L::STRIDE as u64 + (L::SLOTS - L::STRIDE) as u64
    }

    /// The number of distinct fingerprints: all values but zero.
    pub(crate) const fn fingerprints<L: Layout>(&self) -> u64 {
        (1 << (self.fingerprint_bits - L::MARK_BITS)) - 1
    }

    /// Whether every bucket fits a 64-bit word. All others fit 128 bits.
    #[inline(always)]
    pub(crate) const fn is_narrow<L: Layout>(&self) -> bool {
        self.fingerprint_bits <= L::NARROW_BITS
    }

    /// Bytes that hold the slots.
    pub(crate) const fn packed_bytes<L: Layout>(&self) -> u64 {
        (self.slots::<L>() * self.fingerprint_bits as u64).div_ceil(8)
    }

    /// Bytes of the table: the slots, and padding so that a whole word can be read at any slot.
    pub(crate) const fn bytes<L: Layout>(&self) -> u64 {
        let padding = if self.is_narrow::<L>() { 8 } else { 16 };
        self.packed_bytes::<L>() + padding
    }
}
