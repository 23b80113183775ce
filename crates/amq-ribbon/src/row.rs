//! Coefficient rows of 64 or 128 bits, and what a hash determines: row, result and start.

use amq_core::index::{index, remix};
use amq_core::internal::Plain;

/// Odd multipliers that spread their multiples evenly: 2^64 over the golden ratio, and the
/// fractional parts of square roots.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
const SQRT3: u64 = 0xBB67_AE85_84CA_A73B;
const SQRT5: u64 = 0x3C6E_F372_FE94_F82B;
const SQRT7: u64 = 0xA54F_F53A_5F1D_36F1;

/// A coefficient row, `u64` or `u128`: one bit per slot of a window of `BITS` slots; bit 0 is the
/// first.
///
/// The solution's words have the same width: bit i of a word is one column of the block's slot i.
///
/// Sealed: these two are all there are.
pub trait Row: Operations {
    /// Slots in a window, and in a block.
    const BITS: u64;
}

pub(crate) use sealed::Operations;

mod sealed {
    use super::Plain;

    /// What a filter does with its rows.
    pub trait Operations:
        Plain + Default + PartialEq + Eq + core::fmt::Debug + core::ops::BitXorAssign
    {
        /// Start positions that share a threshold, a power of two.
        const BUCKET: u64;
        /// No coefficient.
        const ZERO: Self;

        /// The coefficients of the key with this hash. The first one is always set.
        fn of(hash: u64) -> Self;
        /// Zeros below the lowest coefficient; `BITS` if there is none.
        fn first(self) -> u32;
        /// Shifted down: drops the first `by` coefficients.
        fn down(self, by: u32) -> Self;
        /// Shifted up to where the row lies in its first block.
        fn up(self, offset: u32) -> Self;
        /// What `up` shifts out: the coefficients that reach into the next block.
        fn rest(self, offset: u32) -> Self;
        /// The bits set in both.
        fn and(self, other: Self) -> Self;
        /// The lower 64 bits and the upper.
        fn halves(self) -> [u64; 2];
        /// The row of these halves; one of 64 bits is the lower.
        fn from_halves(halves: [u64; 2]) -> Self;
        /// Whether an odd number of bits is set: 0 or 1.
        fn parity(self) -> u32;
        /// A column of the solution from one slot on, where it is known from the next slot on: the
        /// row's parity there is the lowest bit of `result`.
        fn solved(self, row: Self, result: u64) -> Self;
        /// With the bits of `low` set.
        fn or(self, low: u32) -> Self;
        /// Adds, over GF(2), to the 64 bits at an index that counts words of 64 bits, the lower of
        /// two first.
        fn add_word(words: &mut [Self], at: usize, bits: u64);
    }
}

macro_rules! row {
    ($type:ty, $bucket:literal, $of:expr) => {
        impl Row for $type {
            const BITS: u64 = <$type>::BITS as u64;
        }

        impl Operations for $type {
            const BUCKET: u64 = $bucket;
            const ZERO: Self = 0;

            #[inline(always)]
            fn of(hash: u64) -> Self {
                let of: fn(u64) -> Self = $of;
                of(hash)
            }

            #[inline(always)]
            fn first(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn down(self, by: u32) -> Self {
                self >> by
            }

            #[inline(always)]
            fn up(self, offset: u32) -> Self {
                self << offset
            }

            #[inline(always)]
            fn rest(self, offset: u32) -> Self {
                // In two steps, since at offset 0 all bits go.
                self >> 1 >> (<$type>::BITS - 1 - offset)
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn halves(self) -> [u64; 2] {
                let row = u128::from(self);
                [row as u64, (row >> 64) as u64]
            }

            #[inline(always)]
            fn from_halves([low, high]: [u64; 2]) -> Self {
                (u128::from(low) | u128::from(high) << 64) as Self
            }

            #[inline(always)]
            fn parity(self) -> u32 {
                self.count_ones() & 1
            }

            #[inline(always)]
            fn solved(self, row: Self, result: u64) -> Self {
                // Bit 0 is the slot itself, still unknown.
                let known = self << 1;
                let parity = Self::from((known & row).count_ones());
                known | (parity ^ Self::from(result)) & 1
            }

            #[inline(always)]
            fn or(self, low: u32) -> Self {
                self | Self::from(low)
            }

            #[inline(always)]
            fn add_word(words: &mut [Self], at: usize, bits: u64) {
                let (width, bit) = (<$type>::BITS as usize, at * 64);
                words[bit / width] ^= Self::from(bits) << (bit % width);
            }
        }
    };
}

// A hash's upper bits choose the start. Bit i of a product depends on bits 0 to i of the hash, so
// the row owes little to the start: only its top bits see the hash's.
row!(u64, 128, |hash| hash.wrapping_mul(GOLDEN) | 1);
row!(u128, 512, |hash| {
    let high = (hash ^ hash >> 31).wrapping_mul(SQRT3);
    u128::from(hash.wrapping_mul(GOLDEN) | 1) | u128::from(high) << 64
});

/// The result that the key's row must have; callers take as many low bits as they need.
///
/// They are the middle bits of a product, which depend on all lower bits of the hash through
/// carries. So they are no linear function of the row's coefficients, and a sum of rows has the sum
/// of their results by chance only. (Bits of the hash itself would not do: rows of 128 bits add up
/// to one of them.)
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
