//! Coefficient rows of 64 or 128 bits, and what a hash makes of them.

use amq_core::index::index;

/// An odd number whose multiples are spread evenly: 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
/// Another one, from the square root of three.
const SQRT3: u64 = 0xBB67_AE85_84CA_A73B;
/// And from those of five and seven.
const SQRT5: u64 = 0x3C6E_F372_FE94_F82B;
const SQRT7: u64 = 0xA54F_F53A_5F1D_36F1;

/// A row of coefficients: so many bits, one for each of as many neighbouring slots, of which the lowest belongs to the first.
#[doc(hidden)]
pub trait Row:
    sealed::Sealed
    + Copy
    + Default
    + PartialEq
    + Eq
    + Send
    + Sync
    + core::fmt::Debug
    + core::ops::BitXorAssign
    + 'static
{
    /// Its bits.
    const BITS: u64;
    /// Start positions that share a threshold, a power of two.
    const BUCKET: u64;
    /// No coefficient.
    const ZERO: Self;

    /// The coefficients of a key, by its hash. The first one is always set.
    fn of(hash: u64) -> Self;
    /// Zeros below the lowest coefficient; all of them if there is none.
    fn first(self) -> u32;
    /// The coefficients from this one on.
    fn down(self, by: u32) -> Self;
    /// As `down` by all but so many: the coefficients that reach into the next block.
    fn rest(self, offset: u32) -> Self;
    /// The coefficients moved up to where they are in their block.
    fn up(self, offset: u32) -> Self;
    /// What two words have in common.
    fn and(self, other: Self) -> Self;
    /// The lower 64 bits, and the others.
    fn halves(self) -> [u64; 2];
    /// Whether an odd number of bits is set: 0 or 1.
    fn parity(self) -> u32;
    /// One position up, with a new lowest bit.
    fn push(self, bit: u32) -> Self;
    /// With a bit or two added at the low end.
    fn or(self, low: u32) -> Self;
}

macro_rules! row {
    ($type:ty, $bucket:literal, $of:expr) => {
        impl Row for $type {
            const BITS: u64 = <$type>::BITS as u64;
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
            fn rest(self, offset: u32) -> Self {
                // In two steps, as all of the bits may go.
                self >> 1 >> (<$type>::BITS - 1 - offset)
            }

            #[inline(always)]
            fn up(self, offset: u32) -> Self {
                self << offset
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
            fn parity(self) -> u32 {
                self.count_ones() & 1
            }

            #[inline(always)]
            fn push(self, bit: u32) -> Self {
                self << 1 | Self::from(bit)
            }

            #[inline(always)]
            fn or(self, low: u32) -> Self {
                self | Self::from(low)
            }
        }
    };
}

// The upper bits of a hash choose where its row begins. Those of a product depend on all bits, the lower ones on lower bits only; none
// on the start more than that the row is not the same for all of them.
row!(u64, 128, |hash| hash.wrapping_mul(GOLDEN) | 1);
row!(u128, 512, |hash| {
    let high = (hash ^ hash >> 31).wrapping_mul(SQRT3);
    u128::from(hash.wrapping_mul(GOLDEN) | 1) | u128::from(high) << 64
});

/// The result that the row of a key must have, as many bits as are wanted. They are the middle bits of a product, on which all lower bits of the hash have acted through carries:
/// no linear function of the row's coefficients, so no sum of rows has the sum of their results but by chance. (Bits of the hash itself
/// would not do: rows of 128 bits add up to one of them.)
#[inline(always)]
pub(crate) const fn result(hash: u64) -> u32 {
    (hash.wrapping_mul(SQRT5) >> 32) as u32
}

/// Where a row begins, of so many places.
#[inline(always)]
pub(crate) const fn start(hash: u64, starts: u64) -> u64 {
    index(hash, starts)
}

/// A hash for the rows of a shard that is solved with this seed: each seed multiplies by another odd number.
#[inline(always)]
pub(crate) const fn seeded(hash: u64, seed: u8) -> u64 {
    (hash ^ hash >> 32).wrapping_mul(SQRT7.wrapping_add(SQRT5.wrapping_mul(2 * seed as u64)))
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u64 {}
    impl Sealed for u128 {}
}
