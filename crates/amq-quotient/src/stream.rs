//! Reads the fingerprints of a table in order.
//!
//! A table is always sorted. So tables are merged, grown and shrunk by reading and
//! [writing](crate::pack) them from end to end.
//!
//! Whether a run ends, and which of two tables has the lower fingerprint, is random. Branches on it
//! would be mispredicted, at a cost of some thirty instructions each; so the only branches are
//! those taken once per block.

use crate::bits::Broadword;
use crate::entry::{Entry, FixedLength};
use crate::params::BLOCK_SLOTS;
use crate::table::{Metadata, SlotTable};
use amq_core::Bytes;

/// The fingerprints in a table, in rising order, every copy of each.
#[derive(Clone)]
pub(crate) struct Fingerprints<'a> {
    table: SlotTable<&'a [u8], FixedLength>,
    /// A block, and its occupied quotients from that of the next fingerprint on; none at the end.
    block: u64,
    occupieds: u64,
    /// The next fingerprint's slot.
    position: u64,
    /// The block of that slot, where it begins, and its runends.
    slots: u64,
    here: usize,
    runends: u64,
}

impl<'a> Fingerprints<'a> {
    pub(crate) fn new<B: Bytes, E: Entry>(table: &'a SlotTable<B, E>) -> Self {
        let Metadata { occupieds, runends, offset } = table.metadata(0);
        let mut first = Self {
            table: table.view(),
            block: 0,
            occupieds,
            // The first slots belong to the runs that wrapped.
            position: table.offset::<Broadword>(0, offset),
            slots: 0,
            here: 0,
            runends,
        };
        if occupieds == 0 {
            first.turn_home();
        }
        first.go_to(first.position);
        first
    }

    /// Moves on to the next block with an occupied quotient, if any.
    fn turn_home(&mut self) {
        while self.occupieds == 0 && self.block + 1 < self.table.blocks {
            self.block += 1;
            self.occupieds = self.table.metadata(self.block).occupieds;
        }
    }

    /// The quotient of the next fingerprint.
    #[inline(always)]
    const fn quotient(&self) -> u64 {
        // 64 past the block's first, if there is none.
        self.block * BLOCK_SLOTS + self.occupieds.trailing_zeros() as u64
    }

    /// Goes to a slot, or to the home of the next fingerprint if that is later.
    #[inline(always)]
    fn go_to(&mut self, position: u64) {
        self.position = position.max(self.quotient());
        if self.position / BLOCK_SLOTS != self.slots {
            self.slots = self.position / BLOCK_SLOTS;
            self.here = self.table.block_at(self.table.wrapped(self.slots));
            self.runends = self.table.runends_from(self.here);
        }
    }
}

impl Iterator for Fingerprints<'_> {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.occupieds == 0 {
            return None;
        }
        let slot = (self.position % BLOCK_SLOTS) as u32;
        let fields = self.table.fields;
        let remainder = fields.window(self.table.bytes(), self.here, slot) & fields.mask();
        let fingerprint = self.quotient() << fields.bits | remainder;
        // The end of its run ends the quotient.
        let ends = self.runends >> slot & 1;
        self.occupieds &= self.occupieds.wrapping_sub(ends);
        if self.occupieds == 0 {
            self.turn_home();
        }
        self.go_to(self.position + 1);
        Some(fingerprint)
    }
}

/// Fingerprints read ahead, in a separate loop.
const AHEAD: usize = 64;

/// Greater than any fingerprint: marks the end.
const NONE: u64 = u64::MAX;

/// A sequence with a buffer of values read ahead.
#[derive(Clone)]
struct Ahead<I> {
    source: I,
    read: [u64; AHEAD],
    /// The index of the next value in `read`, never past its end.
    at: usize,
}

impl<I: Iterator<Item = u64>> Ahead<I> {
    fn new(source: I) -> Self {
        let mut ahead = Self { source, read: [NONE; AHEAD], at: 0 };
        ahead.refill();
        ahead
    }

    fn refill(&mut self) {
        for next in &mut self.read {
            *next = self.source.next().unwrap_or(NONE);
        }
        self.at = 0;
    }

    /// The next value; [`NONE`] at the end.
    #[inline(always)]
    const fn peek(&self) -> u64 {
        self.read[self.at % AHEAD]
    }

    /// Advances by one, if `it`.
    #[inline(always)]
    fn pass(&mut self, it: bool) {
        self.at += usize::from(it);
        if self.at == AHEAD {
            self.refill();
        }
    }
}

/// The merge of two sorted sequences.
#[derive(Clone)]
pub(crate) struct Merged<A, B> {
    one: Ahead<A>,
    two: Ahead<B>,
}

impl<A: Iterator<Item = u64>, B: Iterator<Item = u64>> Merged<A, B> {
    pub(crate) fn new(one: A, two: B) -> Self {
        let (one, two) = (Ahead::new(one), Ahead::new(two));
        Self { one, two }
    }
}

impl<A: Iterator<Item = u64>, B: Iterator<Item = u64>> Iterator for Merged<A, B> {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        let (one, two) = (self.one.peek(), self.two.peek());
        let least = one.min(two);
        self.one.pass(one <= two);
        self.two.pass(two < one);
        (least != NONE).then_some(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::index::remix;
    use std::vec::Vec;

    #[test]
    fn two_sequences_of_any_lengths_are_merged() {
        for lengths in [[0u64, 0], [0, 1], [64, 64], [63, 65], [1, 1000], [300, 299]] {
            let [one, two] = [0, 1].map(|i| {
                let length = lengths[i as usize];
                // Many values are in both.
                let mut list: Vec<u64> = (0..length).map(|k| remix(k, i) % 500).collect();
                list.sort_unstable();
                list
            });
            let merged = Merged::new(one.iter().copied(), two.iter().copied());
            let mut naive = [one.clone(), two.clone()].concat();
            naive.sort_unstable();
            assert!(merged.clone().eq(naive.iter().copied()), "{lengths:?}");
            // The end is final.
            let mut merged = merged;
            assert_eq!(merged.by_ref().count(), naive.len());
            assert_eq!([merged.next(), merged.next()], [None, None]);
        }
    }
}
