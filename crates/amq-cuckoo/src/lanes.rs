//! A bucket in one register: all of its slots compared at once.
//!
//! The slots of a bucket are the *lanes* of a word, the first one lowest. Comparing them uses plain
//! arithmetic in which no carry crosses lanes, the same on every machine, without vector
//! instructions. The bits above the last lane are ignored.

use core::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// A word that holds a bucket: 64 or 128 bits.
pub(crate) trait Word:
    Copy
    + PartialEq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Its size in bytes.
    const BYTES: usize;
    /// No bit set.
    const ZERO: Self;

    /// The low bits of a wider word.
    fn narrow(wide: u128) -> Self;
    /// The lowest 64 bits.
    fn low(self) -> u64;
    /// The word at the start of `bytes`, which hold at least one.
    fn read(bytes: &[u8]) -> Self;
    /// Wrapping sum.
    fn plus(self, other: Self) -> Self;
    /// Wrapping difference.
    fn minus(self, other: Self) -> Self;
    /// Wrapping product.
    fn times(self, other: Self) -> Self;
    /// Trailing zeros.
    fn zeros_below(self) -> u32;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const BYTES: usize = size_of::<Self>();
            const ZERO: Self = 0;

            #[inline(always)]
            fn narrow(wide: u128) -> Self {
                wide as Self
            }

            #[inline(always)]
            fn low(self) -> u64 {
                self as u64
            }

            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                bytes[..Self::BYTES].first_chunk().map_or(0, |&word| Self::from_le_bytes(word))
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn zeros_below(self) -> u32 {
                self.trailing_zeros()
            }
        }
    };
}

word!(u64);
word!(u128);

/// How a word is divided into lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lanes<W> {
    /// One in each lane.
    ones: W,
    /// The highest bit of each lane.
    highs: W,
    /// Bits in a lane.
    bits: u32,
}

impl<W: Word> Lanes<W> {
    /// Lanes of `bits` bits; `ones` has the lowest bit of each set.
    #[inline(always)]
    pub(crate) fn new(ones: u128, bits: u32) -> Self {
        let ones = W::narrow(ones);
        Self { ones, highs: ones << (bits - 1), bits }
    }

    /// A word with `value` in every lane.
    #[inline(always)]
    pub(crate) fn splat(self, value: u64) -> W {
        self.ones.times(W::narrow(value.into()))
    }

    /// Whether a lane of either word is zero. Takes six instructions for both: only a zero lane
    /// borrows from the next.
    #[inline(always)]
    pub(crate) fn any_zero(self, one: W, other: W) -> bool {
        let borrowed = |word: W| word.minus(self.ones) & !word;
        (borrowed(one) | borrowed(other)) & self.highs != W::ZERO
    }

    /// The highest bit of each lane that is zero, exactly.
    #[inline(always)]
    pub(crate) fn zeros(self, word: W) -> W {
        let below = self.highs.minus(self.ones);
        !((word & below).plus(below) | word) & self.highs
    }

    /// The number of lanes that a mask of highest bits marks.
    #[inline(always)]
    pub(crate) fn count(self, mask: W, lanes: u32) -> u32 {
        // The product accumulates all lanes in the last one.
        let sum = (mask >> (self.bits - 1)).times(self.ones) >> (self.bits * (lanes - 1));
        sum.low() as u32 & 0xF
    }

    /// The lowest of `lanes` lanes that a mask of highest bits marks. It must mark one.
    #[inline(always)]
    pub(crate) fn lowest(self, mask: W, lanes: u32) -> u32 {
        // Faster than dividing by `bits`.
        let below = mask.zeros_below();
        (1..lanes).map(|lane| u32::from(below >= lane * self.bits)).sum()
    }
}

/// A mask of the low `bits` bits.
#[inline(always)]
pub(crate) const fn low_bits(bits: u32) -> u64 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::index::remix;
    use std::vec::Vec;

    /// The plain twin, lane by lane.
    fn lanes_of(word: u128, bits: u32, count: u32) -> Vec<u128> {
        let lane = |i| word >> (i * bits) & u128::from(low_bits(bits));
        (0..count).map(lane).collect()
    }

    fn check<W: Word>(ones: u128, bits: u32, count: u32, wide: u128, other: u128) {
        let lanes = Lanes::<W>::new(ones, bits);
        let (word, other_word) = (W::narrow(wide), W::narrow(other));
        let (naive, naive_too) = (lanes_of(wide, bits, count), lanes_of(other, bits, count));
        let zeros: Vec<u32> = (0..count).filter(|&i| naive[i as usize] == 0).collect();

        let mask = lanes.zeros(word);
        let marked = lanes_of(mask.wide(), bits, count);
        for (lane, (marked, value)) in marked.iter().zip(&naive).enumerate() {
            let want = if *value == 0 { 1 << (bits - 1) } else { 0 };
            assert_eq!(*marked, want, "{bits} bits, {wide:#x}, lane {lane}");
        }
        assert_eq!(lanes.count(mask, count), zeros.len() as u32, "{bits} bits, {wide:#x}");
        if let Some(&first) = zeros.first() {
            assert_eq!(lanes.lowest(mask, count), first, "{bits} bits, {wide:#x}");
        }
        let any = naive.contains(&0) || naive_too.contains(&0);
        assert_eq!(lanes.any_zero(word, other_word), any, "{bits} bits, {wide:#x} {other:#x}");
    }

    trait Wide: Word {
        fn wide(self) -> u128;
    }
    impl<W: Word> Wide for W {
        fn wide(self) -> u128 {
            let high = if W::BYTES == 16 { (self >> (W::BYTES as u32 * 4)).low() } else { 0 };
            u128::from(self.low()) | u128::from(high) << 64
        }
    }

    #[test]
    fn lanes_compare_as_they_do_one_by_one() {
        for count in [2u32, 4] {
            for bits in 4..=32 {
                let ones = (0..count).fold(0u128, |word, i| word | 1 << (i * bits));
                for sample in 0..4000u64 {
                    let random = |layer| {
                        let word = u128::from(remix(sample, layer)) << 64
                            | u128::from(remix(sample, layer + 1));
                        // In every other sample most lanes are zero, one or the highest value: the
                        // edge cases of carries.
                        if sample % 2 == 0 {
                            return word;
                        }
                        (0..128 / bits).fold(word, |word, i| {
                            let lane = u128::from(low_bits(bits)) << (i * bits);
                            match remix(sample + u64::from(i), layer + 2) % 5 {
                                0 | 1 => word & !lane,
                                2 => word & !lane | 1 << (i * bits),
                                3 => word | lane,
                                _ => word,
                            }
                        })
                    };
                    let (word, other) = (random(0), random(10));
                    check::<u128>(ones, bits, count, word, other);
                    if count * bits <= 64 {
                        check::<u64>(ones, bits, count, word, other);
                    }
                }
            }
        }
    }

    #[test]
    fn a_splat_fills_every_lane() {
        for bits in 4..=32 {
            let ones = (0..4).fold(0u128, |word, i| word | 1 << (i * bits));
            for value in [0, 1, low_bits(bits) / 3, low_bits(bits)] {
                let word = Lanes::<u128>::new(ones, bits).splat(value);
                assert!(lanes_of(word, bits, 4).iter().all(|&lane| lane == u128::from(value)));
            }
        }
    }
}
