//! How far a rolling filter goes.

/// The most generations: each query asks all of them.
pub(super) const MAX_GENERATIONS: u64 = 1 << 12;

/// The most advances: far from where numbers end.
pub(super) const MAX_ADVANCES: u64 = 1 << 56;
