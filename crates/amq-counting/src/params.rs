//! The parameters of the two layouts, and their limits.

use amq_bloom::MAX_PROBES;
use amq_core::PlanError;

/// What determines a counting table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CountingParams {
    /// 4-bit counters in the table, 1 or more.
    pub counters: u64,
    /// Counters that stand for one key, 1 to [`MAX_PROBES`].
    pub probes: u32,
}

impl CountingParams {
    /// Checks the ranges; nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("counters", self.counters, 1, i64::MAX as u64 / 8 * 16)?;
        PlanError::check_parameter("probes", self.probes.into(), 1, MAX_PROBES.into())
    }
}

/// What determines a blocked counting table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BlockedCountingParams {
    /// Blocks of 64 bytes in the table, 1 to [`MAX_BLOCKS`].
    pub blocks: u64,
}

/// The most blocks, 256 GiB: what is left of a 64-bit hash when it has chosen one of so many has 32 bits, which choose the
/// counters.
pub const MAX_BLOCKS: u64 = 1 << 32;

impl BlockedCountingParams {
    /// Checks the range; nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("blocks", self.blocks, 1, MAX_BLOCKS)
    }
}
