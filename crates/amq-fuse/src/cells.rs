//! Fingerprints in a table of bytes: whole integers, or packed bits.
//!
//! Packed, the fingerprint of slot i is the r bits from bit `i r` on, bit 0 being the lowest bit of
//! the first byte. They always lie within the eight bytes from byte `i r / 8` on, which are read as
//! one word, shifted and masked.

use core::marker::PhantomData;

/// The little-endian integer in which a fingerprint is read.
pub(crate) trait Word: Copy {
    const BITS: u32;
    /// The word from this byte on; `None` if it is not completely in the table.
    fn read(table: &[u8], byte: usize) -> Option<u64>;
    /// Converts a word read from a table in native order.
    fn little_endian(self) -> u64;
    /// Ors `bits` into a word.
    fn or(table: &mut [u8], byte: usize, bits: u64);
}

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Word for $word {
            const BITS: u32 = <$word>::BITS;

            #[inline(always)]
            fn read(table: &[u8], byte: usize) -> Option<u64> {
                // Masked, the end cannot overflow, so that one check is enough.
                let byte = byte & (usize::MAX >> 1);
                let bytes = table.get(byte..byte + size_of::<$word>())?;
                Some(<$word>::from_le_bytes(*bytes.first_chunk()?).into())
            }

            #[inline(always)]
            fn little_endian(self) -> u64 {
                Self::from_le(self).into()
            }

            #[inline(always)]
            fn or(table: &mut [u8], byte: usize, bits: u64) {
                if let Some(bytes) = table[byte..].first_chunk_mut() {
                    *bytes = (<$word>::from_le_bytes(*bytes) | bits as $word).to_le_bytes();
                }
            }
        }
    )*};
}

words!(u8, u16, u32, u64);

/// A layout of fingerprints in a table.
pub(crate) trait Cells {
    type Word: Word;
    /// The bits of a fingerprint; a constant if the type determines them.
    fn bits(bits: u32) -> u32;
    /// The byte in which the fingerprint of a slot begins, and the bit in that byte. (A table of
    /// 2^31 bytes has more slots, and more bits, than a `usize` of 32 bits counts.)
    fn begin(slot: u64, bits: u32) -> (usize, u32);

    /// The fingerprint of a slot; `None` if that is outside the table.
    #[inline(always)]
    fn get(table: &[u8], slot: u64, bits: u32) -> Option<u32> {
        let (byte, bit) = Self::begin(slot, bits);
        Some((Self::Word::read(table, byte)? >> bit) as u32 & (u32::MAX >> (32 - Self::bits(bits))))
    }

    /// Sets the fingerprint of a slot, which must be zero.
    #[inline(always)]
    fn set(table: &mut [u8], slot: u64, bits: u32, fingerprint: u32) {
        let (byte, bit) = Self::begin(slot, bits);
        Self::Word::or(table, byte, u64::from(fingerprint) << bit);
    }
}

/// Fingerprints that are integers.
pub(crate) struct Whole<W>(PhantomData<W>);

/// Fingerprints of any number of bits up to 32.
pub(crate) enum Packed {}

impl<W: Word> Cells for Whole<W> {
    type Word = W;

    #[inline(always)]
    fn bits(_: u32) -> u32 {
        W::BITS
    }

    #[inline(always)]
    fn begin(slot: u64, _: u32) -> (usize, u32) {
        (slot as usize * size_of::<W>(), 0)
    }
}

impl Cells for Packed {
    type Word = u64;

    #[inline(always)]
    fn bits(bits: u32) -> u32 {
        bits
    }

    #[inline(always)]
    fn begin(slot: u64, bits: u32) -> (usize, u32) {
        let bit = slot * u64::from(bits);
        ((bit >> 3) as usize, bit as u32 & 7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn what_is_set_is_read_and_nothing_besides_at_every_width() {
        for bits in 1..=32 {
            sets_and_reads::<Packed>(bits);
        }
        sets_and_reads::<Whole<u8>>(8);
        sets_and_reads::<Whole<u16>>(16);
        sets_and_reads::<Whole<u32>>(32);
    }

    fn sets_and_reads<C: Cells>(bits: u32) {
        let value = |slot: u64| {
            let mixed = (slot as u32).wrapping_mul(0x9E37_79B9).rotate_left(slot as u32);
            mixed >> (32 - bits)
        };
        let slots = 100u64;
        let mut table = vec![0u8; (slots as usize * bits as usize).div_ceil(8) + 7];
        for slot in 0..slots {
            C::set(&mut table, slot, bits, value(slot));
            for other in 0..slots {
                let wanted = if other <= slot { value(other) } else { 0 };
                assert_eq!(C::get(&table, other, bits), Some(wanted), "{bits} bits");
            }
        }
        assert_eq!(C::get(&table, 8 * slots, bits), None);
        assert_eq!(C::get(&[], 0, bits), None);
    }
}
