//! Fingerprints in order: read from a table, and written to an empty one.
//!
//! A table is sorted by its nature. So tables are merged, grown and shrunk by reading and writing
//! them from end to end, and one is built fastest from sorted hashes.

use crate::QuotientParams;
use crate::bits::Broadword;
use crate::entry::Entry;
use crate::params::BLOCK_SLOTS;
use crate::table::{Metadata, SATURATED, Table};
use alloc::vec::Vec;
use amq_core::BuildError;

/// The fingerprints in a table, in rising order, every copy of each.
#[derive(Clone)]
pub(crate) struct Fingerprints<'a> {
    table: Table<&'a [u8]>,
    /// The block of the next run's quotient, and its quotients still to come.
    block: u64,
    occupieds: u64,
    /// The quotient of the present run.
    quotient: u64,
    /// The next slot of that run, and one past its last.
    position: u64,
    end: u64,
}

impl<'a> Fingerprints<'a> {
    pub(crate) fn new<S: AsRef<[u8]>, E: Entry>(table: &'a Table<S, E>) -> Self {
        let Metadata {
            occupieds, offset, ..
        } = table.metadata(0);
        // The first slots belong to the runs that wrapped.
        let offset = table.offset::<Broadword>(0, offset);
        Self {
            table: table.view(),
            block: 0,
            occupieds,
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
        self.end = self.table.first_runend(self.position) + 1;
        true
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

/// A table written from sorted fingerprints.
pub(crate) struct Packed<E> {
    pub(crate) table: Table<Vec<u8>, E>,
    /// The number of different fingerprints in it.
    pub(crate) distinct: u64,
}

/// Writes a new table of these fingerprints, which are in rising order and no more than its slots.
pub(crate) fn pack<E: Entry>(
    params: QuotientParams,
    sorted: impl Iterator<Item = u64> + Clone,
) -> Result<Packed<E>, BuildError> {
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

/// How many fingerprints find no slot from their home to the last, and wrap to the first slots.
///
/// They may push others on, but not past the end again: there are no more fingerprints than slots.
fn wrapping(params: QuotientParams, sorted: impl Iterator<Item = u64>) -> u64 {
    let free = sorted.fold(0, |free: u64, fingerprint| {
        free.max(fingerprint >> params.remainder_bits) + 1
    });
    free.saturating_sub(params.blocks() * BLOCK_SLOTS)
}

/// Writes a table from its first slot to its last, each word once.
struct Writer<E> {
    table: Table<Vec<u8>, E>,
    /// The next free position.
    free: u64,
    /// The last quotient written.
    quotient: Option<u64>,
    /// The next block whose offset is to be written.
    block: u64,
    /// The word of remainders being filled: its block, its number there, and its bits.
    word_of: (u64, u32),
    word: u64,
}

impl<E: Entry> Writer<E> {
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

    /// Writes the offsets of all blocks up to `last`, before the runs of that one.
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
            // A field may cross the end of a word, but not that of a block.
            self.go_to((block, bit / 64 + 1));
            self.word |= remainder >> (64 - shift);
        }
    }

    /// Turns to another word, and writes the one before.
    #[inline(always)]
    fn go_to(&mut self, word_of: (u64, u32)) {
        if self.word_of != word_of {
            self.flush();
            self.word_of = word_of;
        }
    }

    /// Adds the fields to those already in the word: the first slots are visited again if runs
    /// wrap.
    fn flush(&mut self) {
        let (block, word) = self.word_of;
        let at = self.table.block_at(self.table.wrapped(block)) + 8 * word as usize;
        let there = crate::fields::load(&self.table.bytes, at);
        crate::fields::store(&mut self.table.bytes, at, there | self.word);
        self.word = 0;
    }

    fn finish(mut self) -> Table<Vec<u8>, E> {
        self.end_run();
        self.flush();
        self.write_offsets(self.table.blocks - 1);
        self.table
    }
}
