//! The layout by slot: the bits of a slot are whole, adjacent bytes.
//!
//! ```text
//!   slots, two bytes each    |a0 a1|b0 b1|c0 c1|d0 d1|e0 e1| ...
//!   row, from slot b on             1     0     1     1     ...
//!   value                          b0^d0^e0.., b1^d1^e1..
//! ```
//!
//! A query reads exactly the slots of its window: half as many bytes as two blocks of columns. It
//! keeps the slots whose coefficient is set, and exclusive-ors them.
//!
//! The first slot is in the lowest bytes of the first word, on machines of either byte order.

use super::{Answer, SolutionLayout, Window};
use crate::layer::Layer;
use crate::row::{self, BITS};
use amq_core::prefetch::prefetch;

/// The layout of slots of `BYTES` bytes, 1 to 4.
pub(crate) struct BySlot<const BYTES: usize>;

/// A byte's lowest bit, in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

impl<const BYTES: usize> BySlot<BYTES> {
    /// For eight slots, which take this many 64-bit words: in each byte, the bit of its slot.
    const BITS: [u64; BYTES] = {
        let mut bits = [0; BYTES];
        let mut at = 0;
        while at < 8 * BYTES {
            bits[at / 8] |= 1 << (at / BYTES) << (at % 8 * 8);
            at += 1;
        }
        bits
    };

    /// The bits of a slot.
    pub(crate) const MASK: u32 = u32::MAX >> (32 - 8 * BYTES);

    /// The exclusive or of a row's slots; `None` if the words end before it.
    #[inline(always)]
    fn sum(words: &[u8], window: &Window<()>) -> Option<u32> {
        let row = row::of(window.hash);
        #[cfg(all(
            target_arch = "aarch64",
            target_endian = "little",
            target_feature = "neon",
            not(miri)
        ))]
        if let Some(sums) = crate::simd::neon::sums(words, window.place, row) {
            return Some(fold::<BYTES>(sums));
        }
        Self::sums(words, window.place, row).map(fold)
    }

    /// The selected slots of a row that begins at this byte, reduced to eight slots.
    #[inline(always)]
    fn sums(words: &[u8], place: usize, row: u64) -> Option<[u64; BYTES]> {
        let slots = words.get(place..)?.get(..BITS as usize * BYTES)?;
        let coefficients = Self::prepared(row);
        let mut sums = [0; BYTES];
        // Eight slots take whole words.
        for (eight, words) in slots.as_chunks().0.chunks_exact(BYTES).enumerate() {
            let masks = Self::masks(coefficients, eight);
            for ((sum, &word), mask) in sums.iter_mut().zip(words).zip(masks) {
                *sum ^= u64::from_le_bytes(word) & mask;
            }
        }
        Some(sums)
    }

    /// The coefficients in the order that [`masks`](Self::masks) needs.
    #[inline(always)]
    const fn prepared(coefficients: u64) -> u64 {
        match BYTES {
            1 => transposed(coefficients),
            _ => coefficients,
        }
    }

    /// A mask of the bytes whose slots have their coefficients set, for the group `eight` of eight
    /// slots.
    #[inline(always)]
    fn masks(prepared: u64, eight: usize) -> [u64; BYTES] {
        if BYTES == 1 {
            // The lowest bits of all bytes are the coefficients of the first eight slots.
            return [(prepared >> eight & ONES) * 0xFF; BYTES];
        }
        let spread = (prepared >> (8 * eight) & 0xFF) * ONES;
        // The top bit of each byte that has its bit. No byte has two bits, so nothing is carried.
        let top = |bits: u64| ((spread & bits) + 0x7F * ONES) >> 7 & ONES;
        Self::BITS.map(|bits| top(bits) * 0xFF)
    }
}

/// Eight slots, exclusive-ored into one.
#[inline(always)]
pub(crate) fn fold<const BYTES: usize>(sums: [u64; BYTES]) -> u32 {
    if let [a, b, c] = sums[..] {
        // Four slots, two, one.
        let sum = u128::from(a) | u128::from(b) << 64;
        let sum = sum ^ (sum >> 96 | u128::from(c) << 32);
        let sum = sum as u64 ^ (sum >> 48) as u64;
        return (sum ^ sum >> 24) as u32 & BySlot::<BYTES>::MASK;
    }
    let sum = sums.into_iter().fold(0, |sum, word| sum ^ word);
    fold_word::<BYTES>(sum)
}

/// Folds a word of whole slots.
#[inline(always)]
pub(crate) fn fold_word<const BYTES: usize>(mut sum: u64) -> u32 {
    // Rotates rather than shifts: a single instruction on processors that rotate and xor at once.
    sum ^= sum.rotate_right(32);
    if BYTES <= 2 {
        sum ^= sum.rotate_right(16);
    }
    if BYTES == 1 {
        sum ^= sum.rotate_right(8);
    }
    sum as u32 & BySlot::<BYTES>::MASK
}

impl<const BYTES: usize> SolutionLayout for BySlot<BYTES> {
    type Part = ();

    #[inline(always)]
    fn window(layer: &Layer, _: u32, start: u64, hash: u64) -> Window<()> {
        // A shard has one block more than its starts fill.
        let slot = start + layer.shard(start) * BITS;
        let place = 8 * layer.first_word + slot * BYTES as u64;
        Window { place: place as usize, hash, part: () }
    }

    #[inline(always)]
    fn prefetch(words: &[u8], _: u32, window: &Window<()>) {
        let len = BITS as usize * BYTES;
        for line in (0..len).step_by(64) {
            prefetch(words, window.place + line);
        }
        prefetch(words, window.place + len - 1);
    }

    #[inline(always)]
    fn answer<A: Answer>(words: &[u8], window: &Window<()>) -> A {
        let sum = Self::sum(words, window);
        sum.map_or_else(A::default, |sum| A::of(sum, window.hash, |bits| bits & Self::MASK))
    }
}

/// Writes eight columns of a block: byte `byte` of each of its slots. Slots have `bytes` bytes.
/// `block` is counted from the first of `words`, which are zero in these bytes.
#[inline(always)]
pub(crate) fn put(words: &mut [u64], block: usize, byte: usize, bytes: usize, columns: &[u64]) {
    let mut slot = block * BITS as usize;
    for eight in 0..8 {
        let bits = columns
            .iter()
            .enumerate()
            .fold(0, |bits, (i, column)| bits | (column >> (8 * eight) & 0xFF) << (8 * i));
        let slots = transposed(bits);
        if bytes == 1 {
            words[slot / 8] = slots;
        } else {
            for (i, bits) in slots.to_le_bytes().into_iter().enumerate() {
                let at = (slot + i) * bytes + byte;
                words[at / 8] ^= u64::from(bits) << (at % 8 * 8);
            }
        }
        slot += 8;
    }
}

/// Reads eight columns of a block of slots: what [`put`] wrote.
pub(crate) fn columns_of(slots: &[u8], byte: usize, bytes: usize, columns: &mut [u64]) {
    for (eight, slots) in slots.chunks_exact(8 * bytes).enumerate() {
        let bits = (0..8).fold(0, |bits, i| bits | u64::from(slots[i * bytes + byte]) << (8 * i));
        for (column, bits) in columns.iter_mut().zip(transposed(bits).to_le_bytes()) {
            *column |= u64::from(bits) << (8 * eight);
        }
    }
}

/// A matrix of eight by eight bits, transposed: bit j of byte i becomes bit i of byte j.
#[inline(always)]
const fn transposed(mut bits: u64) -> u64 {
    // Swaps the two other quarters of each square of 2 by 2 bits, of 2 by 2 of these, and so on.
    let swap = (bits ^ bits >> 7) & 0x00AA_00AA_00AA_00AA;
    bits ^= swap ^ swap << 7;
    let swap = (bits ^ bits >> 14) & 0x0000_CCCC_0000_CCCC;
    bits ^= swap ^ swap << 14;
    let swap = (bits ^ bits >> 28) & 0x0000_0000_F0F0_F0F0;
    bits ^ swap ^ swap << 28
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::ByColumn;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn transposing_moves_every_single_bit_and_is_its_own_inverse() {
        for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
            assert_eq!(transposed(1 << (8 * i + j)), 1 << (8 * j + i));
        }
        let bits = 0x0123_4567_89AB_CDEF;
        assert_eq!(transposed(transposed(bits)), bits);
    }

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Writes columns of pseudo-random bits in both layouts, and queries both for rows at every
    /// slot.
    fn layouts_agree<const BYTES: usize>() {
        const BLOCKS: usize = 3;
        let columns = 8 * BYTES;
        let mut noise = 1;
        let mut word = || {
            noise = row::next_layer(noise, 0);
            row::of(noise)
        };
        let by_column: Vec<u64> = (0..BLOCKS * columns).map(|_| word()).collect();
        let mut by_slot = vec![0; by_column.len()];
        for (at, columns) in by_column.chunks(8).enumerate() {
            put(&mut by_slot, at / BYTES, at % BYTES, BYTES, columns);
        }
        for (at, columns) in by_column.chunks(8).enumerate() {
            let block = &bytes(&by_slot)[at / BYTES * 64 * BYTES..][..64 * BYTES];
            let mut read = [0; 8];
            columns_of(block, at % BYTES, BYTES, &mut read);
            assert_eq!(read, columns);
        }
        let [by_column, by_slot] = [by_column, by_slot].map(|words| bytes(&words));
        for start in 0..=(BLOCKS as u64 - 1) * BITS {
            let layer = Layer {
                starts: (BLOCKS as u64 - 1) * BITS + 1,
                shard_bits: 32,
                ..Layer::default()
            };
            let hash = row::next_layer(start, 1);
            let of_columns = ByColumn::window(&layer, columns as u32, start, hash);
            let of_slots = BySlot::<BYTES>::window(&layer, columns as u32, start, hash);
            let value: u32 = ByColumn::answer(&by_column, &of_columns);
            assert_eq!(BySlot::<BYTES>::answer::<u32>(&by_slot, &of_slots), value, "{start}");
        }
    }

    #[test]
    fn both_layouts_of_the_same_bits_have_the_same_values() {
        layouts_agree::<1>();
        layouts_agree::<2>();
        layouts_agree::<3>();
        layouts_agree::<4>();
    }

    #[cfg(all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon",
        not(miri)
    ))]
    #[test]
    fn vectors_have_the_sums_of_their_portable_twin() {
        fn agree<const BYTES: usize>() {
            use crate::simd::neon::sums;
            let words: Vec<u64> =
                (0..24 * BYTES as u64).map(|i| row::of(row::next_layer(i, 3))).collect();
            let words = bytes(&words);
            let last = words.len() - BITS as usize * BYTES;
            for place in 0..=last {
                let row = row::of(row::next_layer(place as u64, 4));
                let twin = BySlot::<BYTES>::sums(&words, place, row).map(fold);
                let sum = sums(&words, place, row).map(fold::<BYTES>);
                assert!(sum.is_some());
                assert_eq!(sum, twin, "{place}");
            }
            for past in [last + 1, last + 100, usize::MAX] {
                assert_eq!(sums::<BYTES>(&words, past, 0), None);
            }
        }
        agree::<1>();
        agree::<2>();
        agree::<3>();
        agree::<4>();
    }
}
