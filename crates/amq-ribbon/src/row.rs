//! Rows of 64 coefficients, and the functions of a hash: row, result and start.
//!
//! Bit i of a row is the coefficient of slot i of its window. The solution's words have the same
//! width: bit i of a word is one column of the block's slot i.

use amq_core::index::{index, remix};

/// Slots in a window, and in a block.
pub(crate) const BITS: u64 = 64;

/// Start positions that share a threshold, a power of two.
pub(crate) const BUCKET: u64 = 128;

/// Odd multipliers that spread their multiples evenly: 2^64 over the golden ratio, and the
/// fractional parts of square roots.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
const SQRT5: u64 = 0x3C6E_F372_FE94_F82B;
const SQRT7: u64 = 0xA54F_F53A_5F1D_36F1;

/// The coefficients of the key with this hash. The first one is always set.
///
/// A hash's upper bits choose the start. Bit i of a product depends on bits 0 to i of the hash, so
/// the row is nearly independent of the start: only its top bits depend on the hash's upper bits.
#[inline(always)]
pub(crate) const fn of(hash: u64) -> u64 {
    hash.wrapping_mul(GOLDEN) | 1
}

/// The coefficients of a row in its first block, where it begins at `offset`, and those in the next
/// block.
#[inline(always)]
pub(crate) const fn split(row: u64, offset: u32) -> (u64, u64) {
    // In two steps, since at offset 0 all bits are shifted out.
    (row << offset, row >> 1 >> (63 - offset))
}

/// Whether an odd number of bits is set: 0 or 1.
#[inline(always)]
pub(crate) const fn parity(word: u64) -> u32 {
    word.count_ones() & 1
}

/// Extends a column of the solution by one slot, so that the row's parity is the lowest bit of
/// `result`.
#[inline(always)]
pub(crate) const fn solved(column: u64, row: u64, result: u64) -> u64 {
    // Bit 0 is the slot itself, still unknown.
    let known = column << 1;
    known | ((known & row).count_ones() as u64 ^ result) & 1
}

/// The result that the key's row must have; callers take as many low bits as they need.
///
/// They are the middle bits of a product, which depend on all lower bits of the hash through
/// carries. So they are not a linear function of the coefficients, and a sum of rows has the sum of
/// their results only by chance.
#[inline(always)]
pub(crate) const fn result(hash: u64) -> u32 {
    (hash.wrapping_mul(SQRT5) >> 32) as u32
}

/// The start of the key's row, below `starts`.
#[inline(always)]
pub(crate) const fn start(hash: u64, starts: u64) -> u64 {
    index(hash, starts)
}

/// The hash under one of a shard's seeds: each seed multiplies by another odd number.
#[inline(always)]
pub(crate) const fn seeded(hash: u64, seed: u8) -> u64 {
    (hash ^ hash >> 32).wrapping_mul(SQRT7.wrapping_add(SQRT5.wrapping_mul(2 * seed as u64)))
}

/// The key's hash in the layer after `layer`, independent of its hash in this one.
#[inline(always)]
pub(crate) const fn next_layer(hash: u64, layer: usize) -> u64 {
    remix(hash, layer as u64 + 1)
}
