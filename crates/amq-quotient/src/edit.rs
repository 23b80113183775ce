//! Putting a fingerprint in and taking one out: what moves, and how far.
//!
//! Both move everything between the run and the end of what is packed behind it, by one slot: the remainders from their own place on, the runends from the start
//! of the run on. There, an entry without a runend goes in or out if the run has others, and one with it if it is the run's only one; so the
//! runend itself needs no care.

use crate::bits::{Select, below, from, put_in, take_out, through};
use crate::params::BLOCK_SLOTS;
use crate::table::{Metadata, SATURATED, Table};
use amq_core::KeyHash;
use amq_core::prefetch::DISTANCE;

/// What an insert found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Put {
    /// The fingerprint was not there.
    New,
    /// It was; now it is there once more.
    Again,
}

/// What a removal found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    /// The fingerprint was not there; nothing changed.
    Nothing,
    /// One copy is gone, and there are others.
    Copy,
    /// It is gone.
    Last,
}

/// The first slot of a block, from `slot` on, that no run reaches whose home is in an earlier block or among `homes` of the slot; 64 if there is none.
#[inline(always)]
fn free_in<S: Select>(metadata: Metadata, slot: u32, homes: impl Fn(u32) -> u64) -> u32 {
    // Otherwise the whole block belongs to runs of earlier ones.
    if metadata.offset < 64 {
        let offset = metadata.offset as u32;
        // As if the runs of earlier blocks ended just before the offset.
        let ends = metadata.runends & from(offset);
        let mut slot = slot.max(offset);
        while slot < 64 {
            let runs = (metadata.occupieds & homes(slot)).count_ones();
            let free = match runs {
                0 => offset,
                // 65 if the run ends in a later block.
                _ => S::select(ends, runs - 1) + 1,
            };
            if free <= slot {
                return slot;
            }
            slot = free;
        }
    }
    64
}

impl Table {
    /// Puts a fingerprint in. There must be an empty slot.
    #[inline(always)]
    pub(crate) fn insert<S: Select>(&mut self, fingerprint: u64) -> Put {
        let (quotient, remainder) = self.split(fingerprint);
        let (block, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let metadata = self.metadata(block);
        let run = self.run_in::<S>(quotient, metadata);
        if run.is_empty() && run.start == quotient {
            // Nothing is at home here, and nothing of others is here: the slot is empty.
            let start = self.remainders_at(block);
            self.fields.set(&mut self.bytes[start..], slot, remainder);
            self.set_occupieds(block, metadata.occupieds | 1 << slot);
            self.set_runends(block, metadata.runends | 1 << slot);
            return Put::New;
        }
        let (place, found) = self.place(run, remainder);
        let new_run = u64::from(run.is_empty());
        let put = if found { Put::Again } else { Put::New };
        let begin = block * BLOCK_SLOTS;
        let empty = match run.end - begin {
            near @ 0..64 => free_in::<S>(metadata, near as u32, through),
            _ => 64,
        };
        if empty < 64 {
            // All that changes is in this block.
            let start = self.remainders_at(block);
            let remainders = &mut self.bytes[start..];
            self.fields
                .put_in(remainders, (place - begin) as u32, empty, remainder);
            let first = (run.start - begin) as u32;
            self.set_occupieds(block, metadata.occupieds | 1 << slot);
            self.set_runends(block, put_in(metadata.runends, first, empty, new_run));
            return put;
        }
        let empty = self.first_empty::<S>(run.end);
        self.set_occupieds(block, metadata.occupieds | 1 << slot);
        self.make_room(run.start, place, empty, remainder, new_run);
        self.raise_offsets(block, empty / BLOCK_SLOTS);
        put
    }

    /// Takes one copy of a fingerprint out.
    #[inline(always)]
    pub(crate) fn remove<S: Select>(&mut self, fingerprint: u64) -> Taken {
        let (quotient, remainder) = self.split(fingerprint);
        let (block, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let metadata = self.metadata(block);
        let run = self.run_in::<S>(quotient, metadata);
        let (place, found) = self.place(run, remainder);
        if !found {
            return Taken::Nothing;
        }
        let more = place + 1 < run.end && self.remainder(place + 1) == remainder;
        // The run is gone if this was all of it.
        let gone = u64::from(run.end - run.start == 1) << slot;
        let begin = block * BLOCK_SLOTS;
        let settled = match run.end - begin {
            near @ 0..64 => free_in::<S>(metadata, near as u32, below),
            _ => 64,
        };
        if settled < 64 {
            // All that changes is in this block.
            let start = self.remainders_at(block);
            let last = settled - 1;
            let remainders = &mut self.bytes[start..];
            self.fields
                .take_out(remainders, (place - begin) as u32, last, 0);
            let first = (run.start - begin) as u32;
            self.set_occupieds(block, metadata.occupieds & !gone);
            self.set_runends(block, take_out(metadata.runends, first, last, 0));
        } else {
            // What is from here on is at home, or nothing.
            let last = self.first_settled::<S>(run.end) - 1;
            self.set_occupieds(block, metadata.occupieds & !gone);
            self.close_gap(run.start, place, last);
            self.lower_offsets::<S>(block, last / BLOCK_SLOTS);
        }
        if more { Taken::Copy } else { Taken::Last }
    }

    /// Inserts each hash; how many were new. There must be as many empty slots.
    ///
    /// Loops of its own instead of [`amq_core::prefetch::ahead`]: closures given to that one would not be compiled with the instructions that select is.
    #[inline(always)]
    pub(crate) fn insert_each<S: Select>(&mut self, hashes: &[KeyHash]) -> u64 {
        let mut new = 0;
        for &hash in hashes.iter().take(DISTANCE) {
            self.prefetch(hash);
        }
        for (i, &hash) in hashes.iter().enumerate() {
            if let Some(&later) = hashes.get(i + DISTANCE) {
                self.prefetch(later);
            }
            let put = self.insert::<S>(self.fingerprint(hash));
            new += u64::from(put == Put::New);
        }
        new
    }

    /// Asks for each hash; the slices are equally long.
    #[inline(always)]
    pub(crate) fn contains_each<S: Select>(&self, hashes: &[KeyHash], answers: &mut [bool]) {
        for &hash in hashes.iter().take(DISTANCE) {
            self.prefetch(hash);
        }
        for (i, (&hash, answer)) in hashes.iter().zip(answers).enumerate() {
            if let Some(&later) = hashes.get(i + DISTANCE) {
                self.prefetch(later);
            }
            *answer = self.contains::<S>(self.fingerprint(hash));
        }
    }

    /// The first empty slot from a position on that is not before the end of the run that is there.
    ///
    /// A slot is empty if all runs with a home up to it end before it. So from a position on one goes to the end of the last run at home so far, and again, until nothing
    /// is at home in between. In a table with an empty slot it is found within one round.
    #[inline(always)]
    fn first_empty<S: Select>(&self, position: u64) -> u64 {
        self.first_free::<S>(position, through)
    }

    /// The first position from one on that no run with an earlier home reaches: an empty slot, or a run that begins at home.
    #[inline(always)]
    fn first_settled<S: Select>(&self, position: u64) -> u64 {
        self.first_free::<S>(position, below)
    }

    #[inline(always)]
    fn first_free<S: Select>(&self, position: u64, homes: impl Fn(u32) -> u64) -> u64 {
        let first = position / BLOCK_SLOTS;
        let mut slot = (position % BLOCK_SLOTS) as u32;
        for block in first..=first + self.blocks {
            let free = free_in::<S>(self.metadata(self.wrapped(block)), slot, &homes);
            if free < 64 {
                return block * BLOCK_SLOTS + u64::from(free);
            }
            slot = 0;
        }
        // The table is full: only in bytes that have not been validated.
        position
    }

    /// Moves everything up to `last`, which is empty, one slot on: the remainders from `place` on, where `remainder` goes in, and the runends
    /// from `start` on, where `end` goes in.
    #[inline(always)]
    fn make_room(&mut self, start: u64, place: u64, last: u64, remainder: u64, end: u64) {
        let (mut carried, mut end) = (remainder, end);
        for block in start / BLOCK_SLOTS..=last / BLOCK_SLOTS {
            let begin = block * BLOCK_SLOTS;
            let home = self.wrapped(block);
            let to = (last - begin).min(63) as u32;
            let runends = self.metadata(home).runends;
            let from = start.saturating_sub(begin) as u32;
            self.set_runends(home, put_in(runends, from, to, end));
            end = runends >> 63;
            if place < begin + BLOCK_SLOTS {
                let leaving = if to == 63 {
                    self.remainder(begin + 63)
                } else {
                    0
                };
                let from = place.saturating_sub(begin) as u32;
                let at = self.remainders_at(home);
                self.fields.put_in(&mut self.bytes[at..], from, to, carried);
                carried = leaving;
            }
        }
    }

    /// The reverse: `last` becomes empty.
    #[inline(always)]
    fn close_gap(&mut self, start: u64, place: u64, last: u64) {
        for block in start / BLOCK_SLOTS..=last / BLOCK_SLOTS {
            let begin = block * BLOCK_SLOTS;
            let home = self.wrapped(block);
            let to = (last - begin).min(63) as u32;
            let goes_on = last >= begin + BLOCK_SLOTS;
            let next = if goes_on {
                self.metadata(self.wrapped(block + 1)).runends & 1
            } else {
                0
            };
            let runends = self.metadata(home).runends;
            let from = start.saturating_sub(begin) as u32;
            self.set_runends(home, take_out(runends, from, to, next));
            if place < begin + BLOCK_SLOTS {
                let next = if goes_on {
                    self.remainder(begin + BLOCK_SLOTS)
                } else {
                    0
                };
                let from = place.saturating_sub(begin) as u32;
                let at = self.remainders_at(home);
                self.fields.take_out(&mut self.bytes[at..], from, to, next);
            }
        }
    }

    /// One more slot of each block after `home`, up to `last`, belongs to an earlier one.
    #[inline(always)]
    fn raise_offsets(&mut self, home: u64, last: u64) {
        for block in home + 1..=last {
            let block = self.wrapped(block);
            if let Some(offset) = self.offset_byte(block) {
                *offset = offset.saturating_add(1);
            }
        }
    }

    /// One slot less of each.
    #[inline(always)]
    fn lower_offsets<S: Select>(&mut self, home: u64, last: u64) {
        let mut saturated = false;
        for block in home + 1..=last {
            let block = self.wrapped(block);
            if let Some(offset) = self.offset_byte(block) {
                if u64::from(*offset) == SATURATED {
                    saturated = true;
                } else {
                    *offset = offset.saturating_sub(1);
                }
            }
        }
        if saturated {
            self.recompute_offsets::<S>(home, last);
        }
    }

    /// Those that stand at 255 may now be that or less. In one go, so that a long cluster costs no more than its length.
    #[cold]
    #[inline(never)]
    fn recompute_offsets<S: Select>(&mut self, home: u64, last: u64) {
        let mut before = None;
        for block in home + 1..=last {
            let wrapped = self.wrapped(block);
            let byte = self.metadata(wrapped).offset;
            let offset = match before {
                _ if byte < SATURATED => byte,
                Some(before) => self.next_offset::<S>(block - 1, before),
                None => self.offset::<S>(wrapped, byte),
            };
            if let Some(byte) = self.offset_byte(wrapped) {
                *byte = offset.min(SATURATED) as u8;
            }
            before = Some(offset);
        }
    }
}
