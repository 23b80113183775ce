//! Parameters of a filter and their limits.

use amq_core::PlanError;

/// The most bits of a fingerprint.
pub const MAX_FINGERPRINT_BITS: u32 = 32;

/// The most keys.
pub const MAX_KEYS: u64 = 1 << 35;

/// The number of internal seeds. Each fails with a probability of at most a few percent.
pub(crate) const SEEDS: u32 = 32;

/// Log2 of the slots of the smallest and of the largest segment.
pub(crate) const SEGMENT_BITS: (u32, u32) = (2, 20);

/// The most slots of a shard in a file: twice those of any plan.
pub(crate) const MAX_SHARD_SLOTS: u64 = 1 << 28;

/// The most shards.
pub(crate) const MAX_SHARDS: u64 = 1 << 20;

/// The parameters that determine a filter's size and rate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct FuseParams {
    /// Bits of a fingerprint, which a query compares: 1 to [`MAX_FINGERPRINT_BITS`].
    pub fingerprint_bits: u32,
    /// Log2 of the slots of a segment.
    pub segment_bits: u32,
    /// The segments of a shard for the first slots of keys; the shard has two more. Zero: there is
    /// no table yet.
    pub segments: u32,
    /// The number of shards, which are equally large.
    pub shards: u32,
    /// The internal seed that solved the filter; 0 in a plan.
    pub internal_seed: u32,
}

amq_core::parameters!(FuseParams {
    fingerprint_bits: "bits",
    segment_bits: "log2 of slots",
    segments: "segments",
    shards: "shards",
    internal_seed: "internal seed",
});

impl FuseParams {
    /// Fingerprints of this many bits, not planned for a number of keys yet:
    /// [`PlanFilter::plan_params`](amq_core::PlanFilter::plan_params) sets the other parameters.
    #[must_use]
    pub const fn new(fingerprint_bits: u32) -> Self {
        Self { fingerprint_bits, segment_bits: 0, segments: 0, shards: 0, internal_seed: 0 }
    }

    /// Checks the ranges. Allocates nothing.
    pub fn check(&self) -> Result<(), PlanError> {
        let check = PlanError::check_parameter;
        let bits = self.fingerprint_bits.into();
        check("fingerprint_bits", bits, 1, MAX_FINGERPRINT_BITS.into())?;
        check("internal_seed", self.internal_seed.into(), 0, u64::from(SEEDS) - 1)?;
        let most_shards = if self.segments == 0 { 0 } else { MAX_SHARDS };
        check("shards", self.shards.into(), most_shards.min(1), most_shards)?;
        // A shard begins at a whole byte.
        let least = if self.shards > 1 { 3 } else { SEGMENT_BITS.0 };
        let (least, most) = if self.segments == 0 { (0, 0) } else { (least, SEGMENT_BITS.1) };
        check("segment_bits", self.segment_bits.into(), least.into(), most.into())?;
        let most = (MAX_SHARD_SLOTS >> self.segment_bits) - 2;
        check("segments", self.segments.into(), 0, most)
    }

    /// Slots of a shard. Like the two below, saturates for parameters out of range.
    pub(crate) const fn shard_slots(&self) -> u64 {
        let segment = match 1u64.checked_shl(self.segment_bits) {
            Some(segment) => segment,
            None => u64::MAX,
        };
        match self.segments {
            0 => 0,
            segments => (segments as u64 + 2).saturating_mul(segment),
        }
    }

    /// Slots of all shards.
    pub(crate) const fn slots(&self) -> u64 {
        self.shard_slots().saturating_mul(self.shards as u64)
    }

    /// Bytes of the table.
    pub(crate) const fn bytes(&self) -> u64 {
        let bytes = self.slots().saturating_mul(self.fingerprint_bits as u64).div_ceil(8);
        match self.fingerprint_bits {
            _ if bytes == 0 => 0,
            8 | 16 | 32 => bytes,
            // Room to read the last slot as a word, too.
            _ => bytes + 7,
        }
    }
}
