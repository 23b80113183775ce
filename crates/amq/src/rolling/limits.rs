//! Limits of a rolling filter.

/// The most generations: each query reads all of them.
pub(super) const MAX_GENERATIONS: u64 = 1 << 12;

/// The most advances, far below overflow.
pub(super) const MAX_ADVANCES: u64 = 1 << 56;
