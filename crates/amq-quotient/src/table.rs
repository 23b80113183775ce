//! The table: blocks of slots in memory, and access to their parts.
//!
//! A *position* counts slots from the first and runs on past the last instead of wrapping, so no
//! run ends before it starts. Positions wrap where memory is touched, however far past the last
//! slot they are: a view whose payload was not checked may have any metadata. With n slots in
//! memory none is above 4n + 512.

use crate::QuotientParams;
use crate::fields::{Fields, load, store};
use crate::params::{BLOCK_SLOTS, METADATA_BYTES};
use amq_core::prefetch::prefetch;
use amq_core::{BuildError, Bytes, Table};
use core::marker::PhantomData;

/// The offset byte for this offset and any larger one.
pub(crate) const SATURATED: u64 = 255;

/// Field offsets within the 17 bytes of metadata that end a block.
const OCCUPIEDS: usize = 0;
const RUNENDS: usize = 8;
const OFFSET: usize = 16;

/// A quotient filter's table, without the seed. `B` holds its bytes, and `E` is the encoding of its
/// slots. The filter keeps the counts up to date.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SlotTable<B, E> {
    pub(crate) bytes: B,
    pub(crate) fields: Fields,
    pub(crate) params: QuotientParams,
    /// The number of possible fingerprints.
    pub(crate) fingerprints: u64,
    /// The most keys it holds.
    pub(crate) max_keys: u64,
    pub(crate) blocks: u64,
    /// Bytes of a block.
    pub(crate) stride: usize,
    /// Bytes of the remainders in a block.
    remainder_bytes: usize,
    /// Bytes of all blocks.
    end: usize,
    /// Slots in use.
    pub(crate) entries: u64,
    /// The number of fingerprints that the entries match.
    pub(crate) distinct: u64,
    meaning: PhantomData<E>,
}

/// The metadata of a block.
#[derive(Clone, Copy)]
pub(crate) struct Metadata {
    /// Bit i: slot i is the home of some key.
    pub(crate) occupieds: u64,
    /// Bit i: a run ends in slot i.
    pub(crate) runends: u64,
    /// Slots, from the block's first, that belong to runs of earlier blocks; 255 if 255 or more.
    pub(crate) offset: u64,
}

impl<B: Bytes, E> SlotTable<B, E> {
    /// A table over these bytes, unchecked, with counts of zero. Their number must be that of the
    /// parameters.
    pub(crate) fn over(params: QuotientParams, bytes: B) -> Self {
        Self {
            end: bytes.as_ref().len(),
            bytes,
            fields: Fields::new(params.remainder_bits),
            params,
            fingerprints: params.fingerprints(),
            max_keys: params.max_keys(),
            blocks: params.blocks(),
            stride: METADATA_BYTES as usize + 8 * params.remainder_bits as usize,
            remainder_bytes: 8 * params.remainder_bits as usize,
            entries: 0,
            distinct: 0,
            meaning: PhantomData,
        }
    }

    /// A view of this table: it borrows the bytes, and may read its entries as another type.
    pub(crate) fn view<F>(&self) -> SlotTable<&[u8], F> {
        SlotTable::over(self.params, self.bytes())
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// All slots in memory: those of the parameters, and the rest of the last block, which are no
    /// key's home.
    #[inline(always)]
    pub(crate) const fn places(&self) -> u64 {
        self.blocks * BLOCK_SLOTS
    }

    /// A fingerprint's quotient and remainder.
    #[inline(always)]
    pub(crate) const fn split(&self, fingerprint: u64) -> (u64, u64) {
        (fingerprint >> self.fields.bits, fingerprint & self.fields.mask())
    }

    /// The block in memory with this number, which may run past the last block (in a consistent
    /// table, by less than one round).
    #[inline(always)]
    pub(crate) const fn wrapped(&self, block: u64) -> u64 {
        if block < self.blocks { block } else { block % self.blocks }
    }

    /// The start of a block in memory, which is that of its remainders.
    #[inline(always)]
    pub(crate) const fn block_at(&self, block: u64) -> usize {
        block as usize * self.stride
    }

    /// Where the block after the one at `here` starts.
    #[inline(always)]
    pub(crate) const fn after(&self, here: usize) -> usize {
        let after = here + self.stride;
        if after == self.end { 0 } else { after }
    }

    #[inline(always)]
    pub(crate) fn metadata(&self, block: u64) -> Metadata {
        self.metadata_from(self.block_at(block))
    }

    /// The metadata of the block at `here`. They follow the remainders, so a load of the last of
    /// these stays in the block.
    #[inline(always)]
    pub(crate) fn metadata_from(&self, here: usize) -> Metadata {
        let at = here + self.remainder_bytes;
        let metadata = &self.bytes()[at..][..METADATA_BYTES as usize];
        Metadata {
            occupieds: load(metadata, OCCUPIEDS),
            runends: load(metadata, RUNENDS),
            offset: metadata[OFFSET].into(),
        }
    }

    #[inline(always)]
    pub(crate) fn runends(&self, block: u64) -> u64 {
        self.runends_from(self.block_at(block))
    }

    /// The runends of the block at `here`.
    #[inline(always)]
    pub(crate) fn runends_from(&self, here: usize) -> u64 {
        load(self.bytes(), here + self.remainder_bytes + RUNENDS)
    }

    /// A load of the remainders from a position on, within its block: the first is in the lowest
    /// bits.
    #[inline(always)]
    pub(crate) fn window(&self, position: u64) -> u64 {
        let here = self.block_at(self.wrapped(position / BLOCK_SLOTS));
        self.fields.window(self.bytes(), here, (position % BLOCK_SLOTS) as u32)
    }

    /// The remainder at a position.
    #[inline(always)]
    pub(crate) fn remainder(&self, position: u64) -> u64 {
        self.window(position) & self.fields.mask()
    }

    /// Prefetches what a query for this fingerprint reads: its home, and the metadata of two
    /// blocks.
    #[inline(always)]
    pub(crate) fn prefetch(&self, fingerprint: u64) {
        let (quotient, _) = self.split(fingerprint);
        let here = self.block_at(quotient / BLOCK_SLOTS);
        self.prefetch_remainder(here, (quotient % BLOCK_SLOTS) as u32);
        let metadata = here + self.remainder_bytes;
        prefetch(self.bytes(), metadata);
        prefetch(self.bytes(), metadata + self.stride);
    }

    /// Prefetches a remainder in its home slot, and usually also a displaced one, together with the
    /// metadata.
    #[inline(always)]
    pub(crate) fn prefetch_remainder(&self, here: usize, slot: u32) {
        prefetch(self.bytes(), here + (slot * self.fields.bits / 8) as usize);
    }
}

impl<E> SlotTable<Table, E> {
    /// An empty table. The parameters have been checked.
    pub(crate) fn new(params: QuotientParams) -> Result<Self, BuildError> {
        Ok(Self::over(params, Table::zeroed(params.bytes())?))
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.fill(0);
        (self.entries, self.distinct) = (0, 0);
    }

    /// Writes both metadata words of the block at `here`.
    #[inline(always)]
    pub(crate) fn set_words(&mut self, here: usize, occupieds: u64, runends: u64) {
        let at = here + self.remainder_bytes;
        let words = &mut self.bytes[at..][..16];
        store(words, OCCUPIEDS, occupieds);
        store(words, RUNENDS, runends);
    }

    /// Writes the offset of the block at `here`.
    #[inline(always)]
    pub(crate) fn set_offset(&mut self, here: usize, offset: u64) {
        self.bytes[here + self.remainder_bytes + OFFSET] = offset.min(SATURATED) as u8;
    }
}
