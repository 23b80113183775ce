//! Limits on the number of shards.

use amq_core::PlanError;

/// The most shards: more locks than any machine has threads, and as many as a file's directory has
/// rows.
pub(super) const MAX_SHARDS: u64 = 1 << 15;

/// `Ok` if there can be this many shards.
pub(super) fn check_shards(shards: usize) -> Result<(), PlanError> {
    PlanError::check_parameter("shards", shards as u64, 1, MAX_SHARDS)
}
