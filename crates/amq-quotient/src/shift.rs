//! Shifts entries by one slot, to make room for one or to close a gap.
//!
//! Both shift everything from the run to the end of the entries packed behind it: the remainders
//! from the fingerprint's own place on, the runends from the start of the run on. The bit inserted
//! (or removed) at the start of the run is a 0 if the run has other entries, a 1 if this is its
//! only one; so the run's own runend needs no special case.
//!
//! From the home on, each block is read once and written once: its runends as one word, its
//! remainders as r words, and the offset of the next block, of which earlier runs now cover one
//! slot more (or fewer). The entry that leaves a block enters the next one, or the reverse.

use crate::bits::{Select, from, put_in, take_out};
use crate::entry::{Entry, Run};
use crate::params::BLOCK_SLOTS;
use crate::search::Near;
use crate::table::{Metadata, SATURATED, SlotTable};
use amq_core::Table;

/// The span that moves: a run and a place in it, in slots from the first of a block on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// The run's first slot: runends move from here on.
    pub(crate) start: u64,
    /// The place of the entry: remainders move from here on.
    pub(crate) place: u64,
    /// One past the run's last slot.
    pub(crate) end: u64,
}

impl Span {
    /// A run and a position in it, seen from a block at or before it.
    pub(crate) const fn of(run: Run, place: u64, block: u64) -> Self {
        let begin = block * BLOCK_SLOTS;
        Self { start: run.start - begin, place: place - begin, end: run.end - begin }
    }

    /// A run and a place in it, seen from its quotient's block. The run is not far.
    #[inline(always)]
    pub(crate) const fn near(run: &Near, place: u32) -> Self {
        Self { start: run.start as u64, place: place as u64, end: run.end as u64 }
    }

    /// The run and place, seen from the next block: starts before it become its start.
    const fn seen_from_next(self) -> Self {
        Self {
            start: self.start.saturating_sub(BLOCK_SLOTS),
            place: self.place.saturating_sub(BLOCK_SLOTS),
            end: self.end.saturating_sub(BLOCK_SLOTS),
        }
    }
}

/// The first slot of a block, from `slot` on, past every run of an earlier block and of the `homes`
/// up to that slot; 64 if there is none.
#[inline(always)]
fn free_in<I: Select>(metadata: Metadata, homes: u64, slot: u64) -> u32 {
    // Runs of earlier blocks fill the whole block, or the slot is past it.
    if (metadata.offset | slot) >= 64 {
        return 64;
    }
    let offset = metadata.offset as u32;
    // A run opens at its home and closes behind its end.
    let ends = (metadata.runends & from(offset)) << 1;
    I::first_balanced(homes, ends, offset.max(slot as u32))
}

/// The first empty slot: every run with its home up to there is closed.
#[inline(always)]
pub(crate) fn empty_in<I: Select>(metadata: Metadata, slot: u64) -> u32 {
    free_in::<I>(metadata, metadata.occupieds, slot)
}

/// The first slot that is empty or starts a run at home: every run of an earlier home is closed.
#[inline(always)]
pub(crate) fn settled_in<I: Select>(metadata: Metadata, slot: u64) -> u32 {
    free_in::<I>(metadata, metadata.occupieds << 1, slot)
}

impl<E: Entry> SlotTable<Table, E> {
    /// Moves everything of `span` up to the first empty slot one slot on, and puts `remainder` in
    /// its place.
    ///
    /// `metadata` is what the block `home` will have, but for the runends; `empty` its first empty
    /// slot from the run's end on, or 64.
    #[inline(always)]
    pub(crate) fn make_room<I: Select>(
        &mut self,
        home: u64,
        metadata: Metadata,
        span: Span,
        empty: u32,
        remainder: u64,
    ) {
        let (mut here, mut metadata, mut span, mut empty) =
            (self.block_at(home), metadata, span, empty);
        let (mut carried, mut end) = (remainder, u64::from(span.start == span.end));
        // If the table has an empty slot, one round finds it.
        for _ in 0..=self.blocks {
            if span.start < BLOCK_SLOTS {
                let runends = metadata.runends;
                metadata.runends = put_in(runends, span.start as u32, empty.min(63), end);
                end = runends >> 63;
            }
            if span.place < BLOCK_SLOTS {
                let (place, block) = (span.place as u32, &mut self.bytes[here..]);
                if empty < 64 {
                    self.fields.put_in(block, place, empty, carried);
                } else {
                    carried = self.fields.push_in(block, place, carried);
                }
            }
            self.set_words(here, metadata.occupieds, metadata.runends);
            if empty < 64 {
                return;
            }
            (here, span) = (self.after(here), span.seen_from_next());
            metadata = self.metadata_from(here);
            self.set_offset(here, metadata.offset + 1);
            empty = empty_in::<I>(metadata, span.end);
        }
    }

    /// The reverse: removes the entry at the span's place, and moves what is behind it one slot
    /// back, up to the first settled slot, which is `settled` in the block `home`.
    #[inline(always)]
    pub(crate) fn close_gap<I: Select>(
        &mut self,
        home: u64,
        metadata: Metadata,
        span: Span,
        settled: u32,
    ) {
        let (mut here, mut metadata, mut span, mut settled) =
            (self.block_at(home), metadata, span, settled);
        let (mut last, mut saturated) = (home, false);
        // A consistent table has a settled slot, so one round finds it.
        for _ in 0..=self.blocks {
            let after = self.after(here);
            // Whether a run of this block, or of an earlier one, continues in the next: then the
            // first slot there moves into this block's last.
            let goes_on = settled == 64 && self.metadata_from(after).offset > 0;
            let (end, remainder) = match goes_on {
                true => (self.runends_from(after) & 1, self.fields.window(&self.bytes, after, 0)),
                false => (0, 0),
            };
            if span.start < BLOCK_SLOTS {
                let start = span.start as u32;
                metadata.runends = take_out(metadata.runends, start, settled - 1, end);
            }
            if span.place < BLOCK_SLOTS {
                let (place, block) = (span.place as u32, &mut self.bytes[here..]);
                if settled < 64 {
                    self.fields.take_out(block, place, settled - 1);
                } else {
                    self.fields.pull_in(block, place, remainder);
                }
            }
            self.set_words(here, metadata.occupieds, metadata.runends);
            if !goes_on {
                break;
            }
            (here, span, last) = (after, span.seen_from_next(), last + 1);
            // A lone block is its own successor.
            metadata = self.metadata_from(here);
            saturated |= metadata.offset == SATURATED;
            if metadata.offset < SATURATED {
                self.set_offset(here, metadata.offset.saturating_sub(1));
            }
            settled = settled_in::<I>(metadata, span.end);
        }
        if saturated {
            self.recompute_offsets::<I>(home, last);
        }
    }

    /// Recomputes the saturated offsets of the blocks after `home` up to `last`, which may have
    /// fallen below 255. In one pass, so that a long cluster costs no more than its length.
    #[cold]
    #[inline(never)]
    fn recompute_offsets<I: Select>(&mut self, home: u64, last: u64) {
        let mut before = None;
        for block in home + 1..=last {
            let wrapped = self.wrapped(block);
            let byte = self.metadata(wrapped).offset;
            let offset = match before {
                _ if byte < SATURATED => byte,
                Some(before) => self.next_offset::<I>(self.wrapped(block - 1), before),
                None => self.offset::<I>(wrapped, byte),
            };
            self.set_offset(self.block_at(wrapped), offset);
            before = Some(offset);
        }
    }
}
