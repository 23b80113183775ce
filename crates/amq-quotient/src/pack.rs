//! Writes a table from sorted fingerprints, from end to end.
//!
//! Fingerprints that find no slot from their home to the last wrap to the first slots. Their number
//! is known only at the end, and everything written before the first gap after them depends on it.
//! So the first blocks are written last.

use crate::QuotientParams;
use crate::entry::Entry;
use crate::fields::{load, store};
use crate::params::BLOCK_SLOTS;
use crate::table::{Metadata, SlotTable};
use amq_core::BuildError;
use amq_core::Table;

/// Blocks that are written last. At a load of 19/20 they have about two hundred gaps, and ten
/// fingerprints wrap.
const FRONT: u64 = 64;

/// Writes a new table of these `entries` fingerprints, which are sorted and no more than its slots.
pub(crate) fn pack<E: Entry>(
    params: QuotientParams,
    entries: u64,
    sorted: impl Iterator<Item = u64> + Clone,
) -> Result<SlotTable<Table, E>, BuildError> {
    let front = FRONT.min(params.blocks());
    let (mut table, right) = pack_behind(params, front, sorted.clone())?;
    if !right {
        // The wrapped fingerprints fill every gap of these blocks.
        drop(table);
        (table, _) = pack_behind(params, params.blocks(), sorted)?;
    }
    table.entries = entries;
    Ok(table)
}

/// Writes `front` blocks last. Returns the table and whether `front` blocks sufficed; if not, the
/// table is invalid. All blocks always suffice.
fn pack_behind<E: Entry>(
    params: QuotientParams,
    front: u64,
    sorted: impl Iterator<Item = u64> + Clone,
) -> Result<(SlotTable<Table, E>, bool), BuildError> {
    let mut rest = sorted.clone();
    let mut next = rest.next();
    // First as if none wrapped.
    let (mut free, mut in_front) = (0u64, 0);
    while let Some(fingerprint) = next {
        let quotient = fingerprint >> params.remainder_bits;
        if quotient >= front * BLOCK_SLOTS {
            break;
        }
        free = free.max(quotient) + 1;
        in_front += 1;
        next = rest.next();
    }
    let mut writer = Writer::new(SlotTable::new(params)?, front, free);
    while let Some(fingerprint) = next {
        writer.push(fingerprint);
        next = rest.next();
    }
    let wrapping = writer.end(params.blocks()).saturating_sub(params.blocks() * BLOCK_SLOTS);
    // They may push others on, but not past the end again, as there are enough slots.
    let mut writer = Writer::new(writer.table, 0, wrapping);
    for fingerprint in sorted.take(in_front) {
        writer.push(fingerprint);
    }
    // The blocks already written begin where these end without a wrap.
    let right = writer.end(front) == free || front == params.blocks();
    Ok((writer.table, right))
}

/// Writes a part of a table from slot to slot, each word once, and counts its distinct
/// fingerprints.
struct Writer<E> {
    table: SlotTable<Table, E>,
    /// The last fingerprint written, if any, and its quotient.
    last: Option<u64>,
    quotient: u64,
    /// The next free position.
    free: u64,
    /// The block of the last quotient, and its occupied quotients. Its offset and all before it are
    /// written.
    home: u64,
    occupieds: u64,
    /// The block of the last slot, where it begins, and its runends so far.
    slots: u64,
    here: usize,
    runends: u64,
    /// A word of that block's remainders: its address, and its bits so far.
    at: usize,
    word: u64,
}

impl<E: Entry> Writer<E> {
    /// Starts with the quotients of this block, at the free position after all earlier ones.
    fn new(table: SlotTable<Table, E>, block: u64, free: u64) -> Self {
        let slots = free / BLOCK_SLOTS;
        let here = table.block_at(table.wrapped(slots));
        let mut writer = Self {
            table,
            last: None,
            quotient: 0,
            free,
            home: block,
            occupieds: 0,
            slots,
            here,
            runends: 0,
            at: here,
            word: 0,
        };
        writer.write_offset(block);
        writer
    }

    #[inline(always)]
    fn push(&mut self, fingerprint: u64) {
        let (quotient, remainder) = self.table.split(fingerprint);
        self.table.distinct += u64::from(self.last != Some(fingerprint));
        self.end_run(quotient != self.quotient);
        self.last = Some(fingerprint);
        self.quotient = quotient;
        if quotient / BLOCK_SLOTS != self.home {
            self.turn_home(quotient / BLOCK_SLOTS);
        }
        self.occupieds |= 1 << (quotient % BLOCK_SLOTS);
        let position = self.free.max(quotient);
        if position / BLOCK_SLOTS != self.slots {
            self.turn_slots(position / BLOCK_SLOTS);
        }
        self.write_remainder((position % BLOCK_SLOTS) as u32, remainder);
        self.free = position + 1;
    }

    /// Ends the run of the last fingerprint, if `it`.
    #[inline(always)]
    fn end_run(&mut self, it: bool) {
        let ends = u64::from(it & self.last.is_some());
        self.runends |= ends << (self.free.wrapping_sub(1) % BLOCK_SLOTS);
    }

    /// Writes the rest, and the offsets of all blocks before this one. Returns the free position
    /// after all that was written.
    fn end(&mut self, block: u64) -> u64 {
        self.end_run(true);
        self.turn_slots(self.slots);
        self.turn_home(block.max(self.home));
        self.free
    }

    /// Moves on to another home block: the offset of each block up to it is that before its runs.
    fn turn_home(&mut self, block: u64) {
        if self.home < self.table.blocks {
            let here = self.table.block_at(self.home);
            let Metadata { occupieds, runends, .. } = self.table.metadata_from(here);
            self.table.set_words(here, occupieds | self.occupieds, runends);
        }
        self.occupieds = 0;
        for passed in self.home + 1..=block {
            self.write_offset(passed);
        }
        self.home = block;
    }

    fn write_offset(&mut self, block: u64) {
        let offset = self.free.saturating_sub(block * BLOCK_SLOTS);
        if block < self.table.blocks {
            self.table.set_offset(self.table.block_at(block), offset);
        }
    }

    /// Moves on to another block of slots.
    fn turn_slots(&mut self, block: u64) {
        self.write_word();
        let Metadata { occupieds, runends, .. } = self.table.metadata_from(self.here);
        self.table.set_words(self.here, occupieds, runends | self.runends);
        self.runends = 0;
        self.slots = block;
        self.here = self.table.block_at(self.table.wrapped(block));
        self.at = self.here;
    }

    #[inline(always)]
    fn write_remainder(&mut self, slot: u32, remainder: u64) {
        let r = self.table.fields.bits;
        if r == 0 {
            return;
        }
        let (word, shift) = (slot * r / 64, slot * r % 64);
        self.go_to(self.here + 8 * word as usize);
        self.word |= remainder << shift;
        if shift + r > 64 {
            // A field may cross the end of a word, but not that of a block.
            self.go_to(self.at + 8);
            self.word |= remainder >> (64 - shift);
        }
    }

    /// Moves on to another word, and writes the one before.
    #[inline(always)]
    fn go_to(&mut self, at: usize) {
        if self.at != at {
            self.write_word();
            self.at = at;
        }
    }

    /// Ors the fields into the word, since blocks may be visited again.
    #[inline(always)]
    fn write_word(&mut self) {
        if self.table.fields.bits > 0 {
            let there = load(&self.table.bytes, self.at);
            store(&mut self.table.bytes, self.at, there | self.word);
        }
        self.word = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Broadword;
    use crate::entry::FixedLength;
    use amq_core::Inserted;
    use amq_core::index::remix;
    use std::vec::Vec;

    /// The table that results from inserting one fingerprint after another.
    fn inserted(params: QuotientParams, sorted: &[u64]) -> SlotTable<Table, FixedLength> {
        let mut table = SlotTable::new(params).unwrap();
        let new = sorted
            .iter()
            .filter(|&&fingerprint| table.insert::<Broadword>(fingerprint) == Some(Inserted::New));
        table.distinct = new.count() as u64;
        table.entries = sorted.len() as u64;
        table
    }

    #[test]
    fn a_table_is_written_as_it_is_by_inserts_whatever_wraps() {
        let (mut wrapped, mut too_few) = (0, 0);
        for i in 0..3000u64 {
            let (slots, r) = [(50, 3), (64, 0), (200, 7), (640, 11), (1000, 6)][i as usize % 5];
            let params = QuotientParams::new(slots, r);
            // Up to all slots but one; spread evenly, or mostly at the end or the beginning.
            let held = (params.blocks() * BLOCK_SLOTS - 1) * (remix(i, 0) % 101) / 100;
            let crowding = [1, 1, 3, 30][remix(i, 1) as usize % 4];
            let at_the_end = remix(i, 2).is_multiple_of(2);
            let mut sorted: Vec<u64> = (0..held)
                .map(|k| {
                    let fingerprint = remix(k, i) % params.fingerprints() / crowding;
                    match at_the_end {
                        true => params.fingerprints() - 1 - fingerprint,
                        false => fingerprint,
                    }
                })
                .collect();
            sorted.sort_unstable();
            let table = inserted(params, &sorted);
            for front in 0..=params.blocks() {
                let (mut packed, right) =
                    pack_behind(params, front, sorted.iter().copied()).unwrap();
                assert!(right || front < params.blocks());
                too_few += u64::from(!right);
                packed.entries = held;
                assert!(packed == table || !right, "{params:?}, {held} keys, {front} blocks");
            }
            wrapped += u64::from(table.metadata(0).offset > 0);
            assert!(pack(params, held, sorted.iter().copied()).unwrap() == table);
        }
        assert!(wrapped > 500 && too_few > 500, "{wrapped}, {too_few}");
    }

    #[test]
    fn a_front_without_gaps_enough_is_written_with_all_the_rest() {
        // Twice the blocks of the front. The last home alone has more entries than the front has
        // gaps.
        let params = QuotientParams::new(2 * FRONT * BLOCK_SLOTS, 5);
        let slots = params.slots;
        for gaps in [32, 128] {
            let mut sorted: Vec<u64> = (0..slots - 200)
                .filter(|slot| slot % (FRONT * BLOCK_SLOTS / gaps) != 0)
                .map(|slot| slot << 5)
                .collect();
            sorted.extend((0..230).map(|k| ((slots - 1) << 5) | (k % 32)));
            sorted.sort_unstable();
            let (_, right) =
                pack_behind::<FixedLength>(params, FRONT, sorted.iter().copied()).unwrap();
            assert!(!right);
            let table = inserted(params, &sorted);
            let packed = pack(params, table.entries, sorted.iter().copied()).unwrap();
            assert!(packed == table);
        }
    }
}
