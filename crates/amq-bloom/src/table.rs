//! Bit tables of 64-bit words, for the classic and the atomic filter. The classic filter stores its
//! words as little-endian bytes.

use crate::BloomParams;
use crate::probing::ProbeTable;
use amq_core::prefetch::prefetch;

/// A word of the table, plain or atomic.
pub(crate) trait Word {
    fn load(&self) -> u64;
}

impl Word for [u8; 8] {
    #[inline(always)]
    fn load(&self) -> u64 {
        u64::from_le_bytes(*self)
    }
}

/// The bits of a table.
#[derive(Clone, Copy)]
pub(crate) struct Bits<'a, W> {
    pub(crate) words: &'a [W],
    pub(crate) params: BloomParams,
}

impl<W: Word> ProbeTable for Bits<'_, W> {
    #[inline(always)]
    fn places(&self) -> u64 {
        self.params.bits
    }

    #[inline(always)]
    fn probes(&self) -> u32 {
        self.params.probes
    }

    #[inline(always)]
    fn bytes(&self) -> usize {
        size_of_val(self.words)
    }

    #[inline(always)]
    fn is_set(&self, bit: u64) -> u64 {
        self.words[(bit >> 6) as usize].load() >> (bit & 63)
    }

    #[inline(always)]
    fn prefetch(&self, bit: u64) {
        prefetch(self.words, (bit >> 6) as usize);
    }
}

/// Number of words for `bits` bits.
pub(crate) const fn words_for(bits: u64) -> u64 {
    bits.div_ceil(64)
}

/// Number of bits that are set.
pub(crate) fn count_ones<W: Word>(words: &[W]) -> u64 {
    words.iter().map(|word| u64::from(word.load().count_ones())).sum()
}

/// The words of a table of bytes.
#[inline(always)]
pub(crate) const fn words(table: &[u8]) -> &[[u8; 8]] {
    table.as_chunks().0
}

/// The words of a table of bytes, mutably.
#[inline(always)]
pub(crate) const fn words_mut(table: &mut [u8]) -> &mut [[u8; 8]] {
    table.as_chunks_mut().0
}

/// A bit's word, and its mask within the word.
#[inline(always)]
pub(crate) const fn place(bit: u64) -> (usize, u64) {
    ((bit >> 6) as usize, 1 << (bit & 63))
}
