//! The table: blocks of slots, and how a run is found in them.
//!
//! Positions are slots counted from the first on and go past the last instead of wrapping, so that a run's end is never before its start;
//! they wrap when memory is touched. With n slots, no position is above 3n.

use crate::QuotientParams;
use crate::bits::{Select, below, from, through};
use crate::fields::{Fields, load, store};
use crate::params::{BLOCK_SLOTS, METADATA_BYTES};
use alloc::vec::Vec;
use amq_core::index::index;
use amq_core::prefetch::prefetch;
use amq_core::{BuildError, KeyHash, zeroed};

/// What the byte of an offset says when the offset is this or more.
pub(crate) const SATURATED: u64 = 255;

/// Where what stands in a block's last 17 bytes.
const OCCUPIEDS: usize = 0;
const RUNENDS: usize = 8;
const OFFSET: usize = 16;

/// A quotient filter's table, without seed and without count.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) bytes: Vec<u8>,
    pub(crate) fields: Fields,
    params: QuotientParams,
    /// Different fingerprints.
    fingerprints: u64,
    pub(crate) blocks: u64,
    /// Bytes of a block.
    stride: usize,
    /// Bytes of the remainders in it.
    remainder_bytes: usize,
    /// Where the last block ends: all bytes.
    end: usize,
}

/// The metadata of a block.
#[derive(Clone, Copy)]
pub(crate) struct Metadata {
    pub(crate) occupieds: u64,
    pub(crate) runends: u64,
    /// 255 if it is 255 or more.
    pub(crate) offset: u64,
}

/// Where the remainders of a quotient are, or would be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Its first slot, or the one where it would begin.
    pub(crate) start: u64,
    /// One past its last slot. `start` if there is no run.
    pub(crate) end: u64,
}

/// What is found of a run without leaving its quotient's block and the metadata of the next. Slots count from the block's first, and past its last.
#[derive(Clone, Copy)]
pub(crate) struct Near {
    /// Where the block begins in memory.
    pub(crate) here: usize,
    pub(crate) metadata: Metadata,
    /// The run's first slot, or the one where it would begin.
    pub(crate) start: u32,
    /// One past its last slot. `start` if there is no run.
    pub(crate) end: u32,
    /// The run is elsewhere, and `start` and `end` mean nothing.
    pub(crate) far: bool,
}

impl Run {
    #[inline(always)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

impl Table {
    /// An empty table. The parameters have been checked.
    pub(crate) fn new(params: QuotientParams) -> Result<Self, BuildError> {
        Ok(Self::over(params, zeroed(params.bytes())?))
    }

    /// A table of these bytes, which are as many as the parameters say, and whatever is in them.
    pub(crate) fn over(params: QuotientParams, bytes: Vec<u8>) -> Self {
        Self {
            end: bytes.len(),
            bytes,
            fields: Fields::new(params.remainder_bits),
            params,
            fingerprints: params.fingerprints(),
            blocks: params.blocks(),
            stride: METADATA_BYTES as usize + 8 * params.remainder_bits as usize,
            remainder_bytes: 8 * params.remainder_bits as usize,
        }
    }

    #[inline(always)]
    pub(crate) const fn params(&self) -> QuotientParams {
        self.params
    }

    /// All slots in memory: those of the parameters, and what the last block has beyond them, where no key is at home.
    #[inline(always)]
    pub(crate) const fn places(&self) -> u64 {
        self.blocks * BLOCK_SLOTS
    }

    /// The bits of a hash that the table keeps: monotone in the hash.
    #[inline(always)]
    pub(crate) const fn fingerprint(&self, hash: KeyHash) -> u64 {
        index(hash.get(), self.fingerprints)
    }

    /// A fingerprint's home and what is stored there.
    #[inline(always)]
    pub(crate) const fn split(&self, fingerprint: u64) -> (u64, u64) {
        (
            fingerprint >> self.fields.bits,
            fingerprint & self.fields.mask(),
        )
    }

    /// The block in memory with this number, counted on past the last one.
    #[inline(always)]
    pub(crate) const fn wrapped(&self, block: u64) -> u64 {
        if block < self.blocks {
            block
        } else {
            block - self.blocks
        }
    }

    /// Where a block's remainders begin in memory. The block's number is not past the last one.
    #[inline(always)]
    pub(crate) const fn remainders_at(&self, block: u64) -> usize {
        block as usize * self.stride
    }

    /// Where a block's metadata begin in memory: after the remainders, so that a load of the last of these stays in the block.
    #[inline(always)]
    pub(crate) const fn metadata_at(&self, block: u64) -> usize {
        self.remainders_at(block) + self.remainder_bytes
    }

    #[inline(always)]
    pub(crate) fn metadata(&self, block: u64) -> Metadata {
        self.metadata_from(self.remainders_at(block))
    }

    /// The metadata of the block that begins there.
    #[inline(always)]
    fn metadata_from(&self, start: usize) -> Metadata {
        let at = start + self.remainder_bytes;
        let metadata = &self.bytes[at..at + METADATA_BYTES as usize];
        Metadata {
            occupieds: load(metadata, OCCUPIEDS),
            runends: load(metadata, RUNENDS),
            offset: metadata[OFFSET].into(),
        }
    }

    /// Writes both words of metadata of the block that begins there.
    #[inline(always)]
    pub(crate) fn set_words(&mut self, start: usize, occupieds: u64, runends: u64) {
        let at = start + self.remainder_bytes;
        let words = &mut self.bytes[at..at + 16];
        store(words, OCCUPIEDS, occupieds);
        store(words, RUNENDS, runends);
    }

    #[inline(always)]
    pub(crate) fn set_occupieds(&mut self, block: u64, word: u64) {
        let at = self.metadata_at(block) + OCCUPIEDS;
        store(&mut self.bytes, at, word);
    }

    #[inline(always)]
    pub(crate) fn set_runends(&mut self, block: u64, word: u64) {
        let at = self.metadata_at(block) + RUNENDS;
        store(&mut self.bytes, at, word);
    }

    #[inline(always)]
    pub(crate) fn offset_byte(&mut self, block: u64) -> Option<&mut u8> {
        let at = self.metadata_at(block) + OFFSET;
        self.bytes.get_mut(at)
    }

    #[inline(always)]
    fn runends(&self, block: u64) -> u64 {
        self.runends_from(self.remainders_at(block))
    }

    /// The runends of the block that begins there.
    #[inline(always)]
    fn runends_from(&self, start: usize) -> u64 {
        load(&self.bytes, start + self.remainder_bytes + RUNENDS)
    }

    /// A load of the remainders from a position on, within its block.
    #[inline(always)]
    pub(crate) fn window(&self, position: u64) -> u64 {
        let start = self.remainders_at(self.wrapped(position / BLOCK_SLOTS));
        let slot = (position % BLOCK_SLOTS) as u32;
        self.fields.window(&self.bytes, start, slot)
    }

    /// The remainder at a position.
    #[inline(always)]
    pub(crate) fn remainder(&self, position: u64) -> u64 {
        self.window(position) & self.fields.mask()
    }

    /// Asks for the memory that a key's run is found by: its home, its block's metadata, and the next block's.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: KeyHash) {
        let (quotient, _) = self.split(self.fingerprint(hash));
        let here = self.remainders_at(quotient / BLOCK_SLOTS);
        let slot = (quotient % BLOCK_SLOTS) as u32;
        self.prefetch_remainder(here, slot);
        let metadata = here + self.remainder_bytes;
        prefetch(&self.bytes, metadata);
        prefetch(&self.bytes, metadata + self.stride);
    }

    /// Asks for where a remainder is if nothing was pushed on, and mostly if something was: so that it is under way together with the metadata.
    #[inline(always)]
    fn prefetch_remainder(&self, here: usize, slot: u32) {
        prefetch(&self.bytes, here + (slot * self.fields.bits / 8) as usize);
    }

    /// Where the runend is that has `rank` others before it, from a position on. Walks over at most all blocks.
    pub(crate) fn nth_runend<S: Select>(&self, position: u64, rank: u32) -> u64 {
        let first = position / BLOCK_SLOTS;
        let mut home = self.wrapped(first);
        let mut word = self.runends(home) & from((position % BLOCK_SLOTS) as u32);
        let mut rank = rank;
        for block in first..=first + self.blocks {
            let end = S::select(word, rank.min(63));
            if end < 64 {
                return block * BLOCK_SLOTS + u64::from(end);
            }
            rank -= word.count_ones();
            home = self.wrapped(home + 1);
            word = self.runends(home);
        }
        // There is no such runend: not in a table that has been validated.
        position
    }

    /// A block's offset, however large: how many slots, from the block's first on, belong to runs of earlier blocks.
    #[inline(always)]
    pub(crate) fn offset<S: Select>(&self, block: u64, byte: u64) -> u64 {
        if byte < SATURATED {
            byte
        } else {
            self.recomputed_offset::<S>(block)
        }
    }

    /// From the nearest block before whose byte does tell.
    #[cold]
    #[inline(never)]
    fn recomputed_offset<S: Select>(&self, block: u64) -> u64 {
        let (mut home, mut back) = (block, 0);
        let mut offset = SATURATED;
        // Not all blocks can be entered by a long run, for there are no more keys than slots.
        while back < self.blocks && offset >= SATURATED {
            back += 1;
            home = if home == 0 { self.blocks } else { home } - 1;
            offset = self.metadata(home).offset;
        }
        for _ in 0..back {
            offset = self.next_offset::<S>(home, offset);
            home = self.wrapped(home + 1);
        }
        offset
    }

    /// The offset of the block after one whose offset is known.
    pub(crate) fn next_offset<S: Select>(&self, block: u64, offset: u64) -> u64 {
        let runs = self.metadata(block).occupieds.count_ones();
        let begin = block * BLOCK_SLOTS;
        let end = match runs {
            0 => begin + offset,
            _ => self.nth_runend::<S>(begin + offset, runs - 1) + 1,
        };
        end.saturating_sub(begin + BLOCK_SLOTS)
    }

    /// The run of a quotient.
    #[inline(always)]
    pub(crate) fn run<S: Select>(&self, quotient: u64) -> Run {
        let near = self.near::<S>(quotient);
        if near.far {
            return self.far_run::<S>(quotient);
        }
        let begin = quotient / BLOCK_SLOTS * BLOCK_SLOTS;
        Run {
            start: begin + u64::from(near.start),
            end: begin + u64::from(near.end),
        }
    }

    /// The run of a quotient if it ends within 64 slots of where its block's first one may begin, which nearly all do: found without a branch.
    #[inline(always)]
    pub(crate) fn near<S: Select>(&self, quotient: u64) -> Near {
        let (block, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let here = self.remainders_at(block);
        self.prefetch_remainder(here, slot);
        let metadata = self.metadata_from(here);
        let skipped = (metadata.offset % 64) as u32;
        let next = self.runends_from(self.after(here));
        let ends = (metadata.runends >> skipped) | (next << 1 << (63 - skipped));
        let runs = (metadata.occupieds & below(slot)).count_ones();
        // As if the runs of earlier blocks ended just before the offset. 64 if too few end.
        let free = S::nth_one((ends << 1) | 1, runs).trailing_zeros();
        let start = (skipped + free).max(slot);
        let past = start - skipped;
        let end = (ends & u64::MAX.wrapping_shl(past)).trailing_zeros();
        let occupied = (metadata.occupieds >> slot) as u32 & 1;
        let mask = occupied.wrapping_neg();
        Near {
            here,
            metadata,
            start,
            end: start.wrapping_add((skipped + end + 1).wrapping_sub(start) & mask),
            far: (free | past | (end & mask) | metadata.offset as u32) >= 64,
        }
    }

    /// Where the block begins that follows the one that begins here.
    #[inline(always)]
    const fn after(&self, here: usize) -> usize {
        let after = here + self.stride;
        if after == self.end { 0 } else { after }
    }

    /// The run of a quotient, wherever it is.
    #[cold]
    #[inline(never)]
    fn far_run<S: Select>(&self, quotient: u64) -> Run {
        let (block, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let metadata = self.metadata(block);
        let begin = block * BLOCK_SLOTS + self.offset::<S>(block, metadata.offset);
        let runs = (metadata.occupieds & below(slot)).count_ones();
        let free = match runs {
            0 => begin,
            _ => self.nth_runend::<S>(begin, runs - 1) + 1,
        };
        let start = free.max(quotient);
        let occupied = metadata.occupieds >> slot & 1 == 1;
        let end = if occupied {
            self.nth_runend::<S>(start, 0) + 1
        } else {
            start
        };
        Run { start, end }
    }

    /// Whether the fingerprint is there.
    ///
    /// Nineteen times in twenty, at the highest load, the run ends within 64 slots of where its block's first may begin, does not go over the end of a block, and its
    /// remainders fit into one load. Then there is no branch that depends on the key but the one that finds this out.
    #[inline(always)]
    pub(crate) fn contains<S: Select>(&self, fingerprint: u64) -> bool {
        let (quotient, remainder) = self.split(fingerprint);
        let (block, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let here = self.remainders_at(block);
        self.prefetch_remainder(here, slot);
        let after = self.after(here);
        let Metadata {
            occupieds,
            runends,
            offset,
        } = self.metadata_from(here);
        // The runends from the offset on, 64 of them.
        let skipped = (offset % 64) as u32;
        let ends = (runends >> skipped) | (self.runends_from(after) << 1 << (63 - skipped));
        let runs = (occupieds & through(slot)).count_ones();
        let end = S::nth_one(ends, runs.wrapping_sub(1) % 64);
        let before = ends & end.wrapping_sub(1);
        let start = (skipped + 64 - before.leading_zeros()).max(slot);
        // 64 and more if there is none.
        let end = end.trailing_zeros();
        let last = skipped + end;
        let length = last.wrapping_sub(start).wrapping_add(1);
        // Whether there is a run must not be in this: it is chance, and a branch on it would be foretold wrongly for two absent keys in five. Without one, what was
        // found is the run before, nearly as seldom out of reach, and its length is zero or less.
        let far = ((start ^ last) | end | offset as u32) >> 6;
        let long = self.fields.per_load.wrapping_sub(length) >> 31;
        if far | long != 0 {
            return self.contains_anyhow::<S>(quotient, remainder);
        }
        let home = if start < 64 { here } else { after };
        let window = self.fields.window(&self.bytes, home, start % 64);
        let equal = self.fields.any_equal(window, remainder, length);
        equal & (occupieds >> slot) as u32 & 1 == 1
    }

    /// The same, wherever the run is and however long.
    #[cold]
    #[inline(never)]
    fn contains_anyhow<S: Select>(&self, quotient: u64, remainder: u64) -> bool {
        let run = self.far_run::<S>(quotient);
        self.place(run, remainder).1
    }

    /// The first position in a run whose remainder is not less, and whether it is equal. The end of the run if all are less.
    #[inline(always)]
    pub(crate) fn place(&self, run: Run, remainder: u64) -> (u64, bool) {
        let length = run.end - run.start;
        let near = length <= self.fields.per_load.into()
            && run.start % BLOCK_SLOTS + length <= BLOCK_SLOTS;
        if !near {
            return self.far_place(run, remainder);
        }
        let window = self.window(run.start);
        let passed = self.fields.count_less(window, remainder, length as u32);
        let found = self.fields.any_equal(window, remainder, length as u32) == 1;
        (run.start + u64::from(passed), found)
    }

    /// The same for a run that takes several loads.
    #[cold]
    #[inline(never)]
    fn far_place(&self, run: Run, remainder: u64) -> (u64, bool) {
        let mut position = run.start;
        while position < run.end {
            let count = self.at_once(position, run.end);
            let window = self.window(position);
            let passed = self.fields.count_less(window, remainder, count);
            if passed < count {
                let found = window >> (passed * self.fields.bits) & self.fields.mask() == remainder;
                return (position + u64::from(passed), found);
            }
            position += u64::from(count);
        }
        (run.end, false)
    }

    /// How often a remainder is in a run.
    pub(crate) fn count(&self, run: Run, remainder: u64) -> u64 {
        if self.fields.bits == 0 {
            return run.end - run.start;
        }
        let mut copies = 0;
        let mut position = run.start;
        while position < run.end {
            let count = self.at_once(position, run.end);
            let window = self.window(position);
            copies += u64::from(self.fields.count_equal(window, remainder, count));
            position += u64::from(count);
        }
        copies
    }

    /// How many remainders one load from a position on can compare, up to the end of a run and of the block. One at least, so that all loops over
    /// runs end, even where remainders have no bits.
    #[inline(always)]
    fn at_once(&self, position: u64, end: u64) -> u32 {
        let in_block = BLOCK_SLOTS - position % BLOCK_SLOTS;
        (end - position)
            .min(in_block)
            .min(u64::from(self.fields.per_load.max(1))) as u32
    }
}
