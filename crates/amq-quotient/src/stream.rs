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

    /// The same from the last block on that no run of an earlier one enters; all, if there is none.
    ///
    /// In a table of twice the slots, no fingerprint from before such a block is pushed past twice
    /// its first slot: there are at most two in the place of each. So these alone tell how many
    /// find no slot before the end.
    pub(crate) fn last_part(mut self) -> Self {
        let table = &self.table;
        let free = |&block: &u64| table.metadata(block).offset == 0;
        if let Some(block) = (1..table.blocks).rev().find(free) {
            self.occupieds = table.metadata(block).occupieds;
            (self.position, self.end) = (block * BLOCK_SLOTS, block * BLOCK_SLOTS);
            self.block = block;
        }
        self
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
    let wrapping = wrapping(params, sorted.clone());
    pack_wrapping(params, wrapping, sorted)
}

/// The same, when it is known how many [wrap](wrapping).
pub(crate) fn pack_wrapping<E: Entry>(
    params: QuotientParams,
    wrapping: u64,
    sorted: impl Iterator<Item = u64>,
) -> Result<Packed<E>, BuildError> {
    let mut writer = Writer::new(params, wrapping)?;
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
pub(crate) fn wrapping(params: QuotientParams, sorted: impl Iterator<Item = u64>) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Aged, Whole};
    use crate::expandable::aging::{doubled, is_void};
    use amq_core::index::remix;

    #[test]
    fn the_last_part_of_a_table_tells_what_wraps_in_one_of_twice_the_slots() {
        let (mut wrapped, mut from_within) = (0, 0);
        for i in 0..4000u64 {
            let slots = [64, 200, 640, 1000][i as usize % 4];
            let params = QuotientParams::new(slots, 3);
            let grown = QuotientParams::new(2 * slots, 3);
            // Up to all slots; some tables with most of it near the end, or without gaps at all.
            let held = slots * (40 + remix(i, 0) % 61) / 100;
            let pick = |k: u64| match i % 3 {
                0 => remix(k, i) % slots,
                1 => slots - 1 - remix(k, i) % slots * (remix(!k, i) % slots) / slots,
                _ => slots * 4 / 5 + remix(k, i) % (slots / 5),
            };
            let mut entries: Vec<u64> = (0..held)
                .map(|k| pick(k) << 3 | (1 + remix(k, 77) % 7))
                .collect();
            entries.sort_unstable();
            let table = pack::<Aged>(params, entries.iter().copied()).unwrap().table;
            let all = Fingerprints::new(&table);
            let part = all.clone().last_part();
            from_within += u64::from(part.clone().count() < entries.len());
            let void = entries.iter().filter(|&&entry| is_void(entry, 3)).count() as u64;
            let next = |of| doubled(of, 3, void);
            if held + void < 2 * slots {
                let wrapping_of_all = wrapping(grown, next(all.clone()));
                assert_eq!(wrapping(grown, next(part.clone())), wrapping_of_all);
                wrapped += u64::from(wrapping_of_all > 0);
                let table = pack::<Aged>(grown, next(all.clone())).unwrap().table;
                assert_eq!(table.walk::<Broadword>().unwrap().items, held + void);
            }
            // Whole fingerprints keep their number.
            let grown = QuotientParams::new(2 * slots, 2);
            let table = pack::<Whole>(params, entries.iter().copied())
                .unwrap()
                .table;
            let all = Fingerprints::new(&table);
            let part = all.clone().last_part();
            assert_eq!(wrapping(grown, part), wrapping(grown, all));
        }
        assert!(
            wrapped > 500 && from_within > 500,
            "{wrapped}, {from_within}"
        );
    }
}
