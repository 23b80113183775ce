//! Fingerprints in order: out of a table, and into an empty one.
//!
//! What is in a table is sorted by itself, so tables are merged, grown and shrunk by reading them from one end to the other and writing the same
//! way, and a table is built fastest from sorted hashes.

use crate::QuotientParams;
use crate::bits::from;
use crate::params::BLOCK_SLOTS;
use crate::table::{SATURATED, Table};
use amq_core::BuildError;

/// The fingerprints in a table, in rising order, every copy of each.
#[derive(Clone)]
pub(crate) struct Fingerprints<'a> {
    table: &'a Table,
    /// The block of the next run's quotient, and the quotients in it that are still to come.
    block: u64,
    occupieds: u64,
    /// The quotient of the run that is being read.
    quotient: u64,
    /// Where in it; and one past its last slot.
    position: u64,
    end: u64,
}

impl<'a> Fingerprints<'a> {
    /// `offset`: how many slots from the first on belong to the runs that wrapped.
    pub(crate) fn new(table: &'a Table, offset: u64) -> Self {
        Self {
            table,
            block: 0,
            occupieds: table.metadata(0).occupieds,
            quotient: 0,
            position: offset,
            end: offset,
        }
    }

    /// The next run, if there is one.
    #[inline(always)]
    fn next_run(&mut self) -> bool {
        while self.occupieds == 0 {
            self.block += 1;
            if self.block >= self.table.blocks {
                self.block = self.table.blocks;
                return false;
            }
            self.occupieds = self.table.metadata(self.block).occupieds;
        }
        self.quotient = self.block * BLOCK_SLOTS + u64::from(self.occupieds.trailing_zeros());
        self.occupieds &= self.occupieds - 1;
        self.position = self.end.max(self.quotient);
        self.end = self.run_end();
        true
    }

    /// One past the first runend from the present position on.
    #[inline(always)]
    fn run_end(&self) -> u64 {
        let first = self.position / BLOCK_SLOTS;
        let mut mask = from((self.position % BLOCK_SLOTS) as u32);
        for block in first..=first + self.table.blocks {
            let ends = self.table.metadata(self.table.wrapped(block)).runends & mask;
            if ends != 0 {
                return block * BLOCK_SLOTS + u64::from(ends.trailing_zeros()) + 1;
            }
            mask = u64::MAX;
        }
        // No runend: only in bytes that have not been validated.
        self.position
    }
}

impl Iterator for Fingerprints<'_> {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.position == self.end && !self.next_run() {
            return None;
        }
        let remainder = self.table.remainder(self.position);
        self.position += 1;
        Some(self.quotient << self.table.fields.bits | remainder)
    }
}

/// Two sorted sequences as one.
#[derive(Clone)]
pub(crate) struct Merged<A: Iterator, B: Iterator> {
    one: A,
    two: B,
    next: (Option<u64>, Option<u64>),
}

impl<A: Iterator<Item = u64>, B: Iterator<Item = u64>> Merged<A, B> {
    pub(crate) fn new(mut one: A, mut two: B) -> Self {
        let next = (one.next(), two.next());
        Self { one, two, next }
    }
}

impl<A: Iterator<Item = u64>, B: Iterator<Item = u64>> Iterator for Merged<A, B> {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        match self.next {
            (Some(one), Some(two)) if one <= two => {
                self.next.0 = self.one.next();
                Some(one)
            }
            (one, Some(two)) => {
                self.next = (one, self.two.next());
                Some(two)
            }
            (one, None) => {
                self.next.0 = self.one.next();
                one
            }
        }
    }
}

/// A table that was written from sorted fingerprints.
pub(crate) struct Packed {
    pub(crate) table: Table,
    /// Different fingerprints in it.
    pub(crate) distinct: u64,
}

/// A new table of these fingerprints, which must be in rising order and no more than the slots.
pub(crate) fn pack(
    params: QuotientParams,
    sorted: impl Iterator<Item = u64> + Clone,
) -> Result<Packed, BuildError> {
    let mut writer = Writer::new(params, wrapping(params, sorted.clone()))?;
    let mut distinct = 0;
    let mut before = None;
    for fingerprint in sorted {
        writer.push(fingerprint);
        distinct += u64::from(before != Some(fingerprint));
        before = Some(fingerprint);
    }
    Ok(Packed {
        table: writer.finish(),
        distinct,
    })
}

/// How many of the fingerprints do not fit behind their homes before the last slot, and go to the first ones.
///
/// They may push on others, but not over the end once more: there are no more fingerprints than slots.
fn wrapping(params: QuotientParams, sorted: impl Iterator<Item = u64>) -> u64 {
    let free = sorted.fold(0, |free: u64, fingerprint| {
        free.max(fingerprint >> params.remainder_bits) + 1
    });
    free.saturating_sub(params.blocks() * BLOCK_SLOTS)
}

/// Writes a table from its first slot to its last, each word once.
struct Writer {
    table: Table,
    /// The next free position.
    free: u64,
    /// The quotient that was last written.
    quotient: Option<u64>,
    /// The block that the next offset to be written is of.
    block: u64,
    /// The word of remainders that is being filled: the block it is in, its number there, and its bits.
    word_of: (u64, u32),
    word: u64,
}

impl Writer {
    fn new(params: QuotientParams, wrapping: u64) -> Result<Self, BuildError> {
        let mut writer = Self {
            table: Table::new(params)?,
            free: wrapping,
            quotient: None,
            block: 0,
            word_of: (0, 0),
            word: 0,
        };
        writer.write_offsets(0);
        Ok(writer)
    }

    #[inline(always)]
    fn push(&mut self, fingerprint: u64) {
        let (quotient, remainder) = self.table.split(fingerprint);
        if self.quotient != Some(quotient) {
            self.end_run();
            self.quotient = Some(quotient);
            let block = quotient / BLOCK_SLOTS;
            self.write_offsets(block);
            let occupieds = self.table.metadata(block).occupieds | 1 << (quotient % BLOCK_SLOTS);
            self.table.set_occupieds(block, occupieds);
            self.free = self.free.max(quotient);
        }
        self.write_remainder(remainder);
        self.free += 1;
    }

    /// The offsets of all blocks up to one, whose runs have yet to come.
    #[inline(always)]
    fn write_offsets(&mut self, last: u64) {
        while self.block <= last {
            let offset = self.free.saturating_sub(self.block * BLOCK_SLOTS);
            if let Some(byte) = self.table.offset_byte(self.block) {
                *byte = offset.min(SATURATED) as u8;
            }
            self.block += 1;
        }
    }

    #[inline(always)]
    fn end_run(&mut self) {
        if self.quotient.is_some() {
            let last = self.free - 1;
            let block = self.table.wrapped(last / BLOCK_SLOTS);
            let runends = self.table.metadata(block).runends | 1 << (last % BLOCK_SLOTS);
            self.table.set_runends(block, runends);
        }
    }

    #[inline(always)]
    fn write_remainder(&mut self, remainder: u64) {
        let r = self.table.fields.bits;
        if r == 0 {
            return;
        }
        let block = self.free / BLOCK_SLOTS;
        let bit = (self.free % BLOCK_SLOTS) as u32 * r;
        self.go_to((block, bit / 64));
        let shift = bit % 64;
        self.word |= remainder << shift;
        if shift + r > 64 {
            // A field that goes over the end of a word never goes over the end of a block.
            self.go_to((block, bit / 64 + 1));
            self.word |= remainder >> (64 - shift);
        }
    }

    /// Turns to another word, and writes the one before. What is there already are other fields: the word with the first slots is come to
    /// a second time when runs wrap.
    #[inline(always)]
    fn go_to(&mut self, word_of: (u64, u32)) {
        if self.word_of != word_of {
            self.flush();
            self.word_of = word_of;
        }
    }

    fn flush(&mut self) {
        let (block, word) = self.word_of;
        let at = self.table.remainders_at(self.table.wrapped(block)) + 8 * word as usize;
        let there = crate::fields::load(&self.table.bytes, at);
        crate::fields::store(&mut self.table.bytes, at, there | self.word);
        self.word = 0;
    }

    fn finish(mut self) -> Table {
        self.end_run();
        self.flush();
        self.write_offsets(self.table.blocks - 1);
        self.table
    }
}
