//! Fingerprints in a table of bytes: whole ones as they are, others packed.
//!
//! Packed, the fingerprint of slot i is the r bits from bit `i r` on, bit 0 being the lowest bit of
//! the first byte. They lie in the eight bytes from byte `i r / 8` on, whatever i is, and are read
//! as one word, shifted and masked.

use core::marker::PhantomData;

/// How fingerprints of some lengths lie in a table.
pub(crate) trait Cells {
    /// The fingerprint of a slot; `None` if that is outside the table.
    fn get(table: &[u8], slot: usize, bits: u32) -> Option<u32>;
    /// Sets the fingerprint of a slot, which is zero before.
    fn set(table: &mut [u8], slot: usize, bits: u32, fingerprint: u32);
    /// The byte at which that of a slot begins.
    fn byte(slot: usize, bits: u32) -> usize;
}

/// Fingerprints of one byte.
pub(crate) enum Bytes {}

/// Fingerprints that are integers of several bytes.
pub(crate) struct Words<W>(PhantomData<W>);

/// Fingerprints of any number of bits up to 32.
pub(crate) enum Packed {}

impl Cells for Bytes {
    #[inline(always)]
    fn get(table: &[u8], slot: usize, _: u32) -> Option<u32> {
        Some((*table.get(slot)?).into())
    }

    #[inline(always)]
    fn set(table: &mut [u8], slot: usize, _: u32, fingerprint: u32) {
        table[slot] = fingerprint as u8;
    }

    #[inline(always)]
    fn byte(slot: usize, _: u32) -> usize {
        slot
    }
}

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Cells for Words<$word> {
            #[inline(always)]
            fn get(table: &[u8], slot: usize, _: u32) -> Option<u32> {
                const N: usize = size_of::<$word>();
                // Masked, the end cannot overflow, and is all that there is to check.
                let begin = (slot * N) & (usize::MAX >> 1);
                let bytes = table.get(begin..begin + N)?.first_chunk::<N>()?;
                Some(<$word>::from_le_bytes(*bytes).into())
            }

            #[inline(always)]
            fn set(table: &mut [u8], slot: usize, _: u32, fingerprint: u32) {
                const N: usize = size_of::<$word>();
                table[slot * N..][..N].copy_from_slice(&(fingerprint as $word).to_le_bytes());
            }

            #[inline(always)]
            fn byte(slot: usize, _: u32) -> usize {
                slot * size_of::<$word>()
            }
        }
    )*};
}

words!(u16, u32);

/// The byte in which the fingerprint of a slot begins, and the bit in that byte. (A table of 2^31
/// bytes has more bits than a `usize` of 32 bits counts.)
#[inline(always)]
const fn begin(slot: usize, bits: u32) -> (usize, u32) {
    let bit = slot as u64 * bits as u64;
    ((bit >> 3) as usize, bit as u32 & 7)
}

impl Cells for Packed {
    #[inline(always)]
    fn get(table: &[u8], slot: usize, bits: u32) -> Option<u32> {
        let (byte, bit) = begin(slot, bits);
        let word = u64::from_le_bytes(*table.get(byte..byte + 8)?.first_chunk()?);
        Some((word >> bit) as u32 & (u32::MAX >> (32 - bits)))
    }

    #[inline(always)]
    fn set(table: &mut [u8], slot: usize, bits: u32, fingerprint: u32) {
        let (byte, bit) = begin(slot, bits);
        let rest = &mut table[byte..];
        let shifted = u64::from(fingerprint) << bit;
        if let Some(word) = rest.first_chunk_mut() {
            *word = (u64::from_le_bytes(*word) | shifted).to_le_bytes();
        }
    }

    #[inline(always)]
    fn byte(slot: usize, bits: u32) -> usize {
        begin(slot, bits).0
    }
}

/// `by_cells!(bits, C => body)`: the body with `C` as the cells of this many bits.
macro_rules! by_cells {
    ($bits:expr, $cells:ident => $body:expr) => {
        match $bits {
            8 => {
                type $cells = $crate::cells::Bytes;
                $body
            }
            16 => {
                type $cells = $crate::cells::Words<u16>;
                $body
            }
            32 => {
                type $cells = $crate::cells::Words<u32>;
                $body
            }
            _ => {
                type $cells = $crate::cells::Packed;
                $body
            }
        }
    };
}

pub(crate) use by_cells;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn what_is_set_is_read_and_nothing_besides_at_every_width() {
        for bits in 1..=32u32 {
            let value = |slot: usize| {
                let mixed = (slot as u32).wrapping_mul(0x9E37_79B9).rotate_left(slot as u32);
                mixed >> (32 - bits)
            };
            let slots = 100;
            let mut table = vec![0u8; (slots * bits as usize).div_ceil(8) + 7];
            by_cells!(bits, C => {
                for slot in 0..slots {
                    C::set(&mut table, slot, bits, value(slot));
                    for other in 0..slots {
                        let wanted = if other <= slot { value(other) } else { 0 };
                        assert_eq!(C::get(&table, other, bits), Some(wanted), "{bits} bits");
                    }
                }
                assert_eq!(C::get(&table, 8 * slots, bits), None);
                assert_eq!(C::get(&[], 0, bits), None);
            });
        }
    }
}
