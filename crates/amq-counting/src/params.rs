//! The parameters of the two layouts, and their limits.

use amq_bloom::MAX_PROBES;
use amq_core::PlanError;

/// The parameters of a counting table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct CountingParams {
    /// Number of 4-bit counters in the table, 1 or more.
    pub counters: u64,
    /// Number of counters per key, 1 to [`MAX_PROBES`].
    pub probes: u32,
}

amq_core::parameters!(CountingParams { counters: "4-bit counters", probes: "counters per key" });

impl CountingParams {
    /// A table of `counters` counters, with `probes` of them per key. Does not check the ranges.
    pub const fn new(counters: u64, probes: u32) -> Self {
        Self { counters, probes }
    }

    /// Checks the ranges; allocates nothing.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("counters", self.counters, 1, i64::MAX as u64 / 8 * 16)?;
        PlanError::check_parameter("probes", self.probes.into(), 1, MAX_PROBES.into())
    }
}

/// The parameters of a blocked counting table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct BlockedCountingParams {
    /// Number of 64-byte blocks in the table, 1 to [`MAX_BLOCKS`].
    pub blocks: u64,
}

amq_core::parameters!(BlockedCountingParams { blocks: "64-byte blocks" });

/// The largest number of blocks, 256 GiB. Choosing one of them leaves 32 bits of the hash, enough
/// to choose the counters.
pub const MAX_BLOCKS: u64 = 1 << 32;

impl BlockedCountingParams {
    /// A table of `blocks` blocks. Does not check the range.
    pub const fn new(blocks: u64) -> Self {
        Self { blocks }
    }

    /// Checks the range; allocates nothing.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("blocks", self.blocks, 1, MAX_BLOCKS)
    }
}
