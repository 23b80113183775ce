//! Inserting and removing a fingerprint: what moves, and how far.
//!
//! Both move by one slot everything from the run to the end of what is packed behind it: the
//! remainders from the fingerprint's own place on, the runends from the start of the run on. At the
//! start of the run goes in (or out) a 0 if the run has other entries, a 1 if this is its only one;
//! so the run's own runend needs no special case.

use crate::bits::{Select, from, put_in, take_out};
use crate::entry::Entry;
use crate::params::BLOCK_SLOTS;
use crate::search::Matches;
use crate::table::{Metadata, SATURATED, Table};
use alloc::vec::Vec;
use amq_core::KeyHash;
use amq_core::prefetch::DISTANCE;

/// What an insert found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Put {
    /// The fingerprint was not there.
    New,
    /// It was there; now there is another copy.
    Again,
    /// It is there too often already; nothing changed.
    Refused,
}

/// What a removal found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    /// The fingerprint was not there; nothing changed.
    Nothing,
    /// One copy is gone; others remain.
    Copy,
    /// The only copy is gone.
    Last {
        /// The number of fingerprints that it alone answered for.
        alone: u64,
    },
}

/// The first slot of a block, from `slot` on, past every run of an earlier block and of the `homes`
/// up to that slot; 64 if there is none.
#[inline(always)]
fn free_in<I: Select>(metadata: Metadata, homes: u64, slot: u32) -> u32 {
    // Runs of earlier blocks fill the whole block.
    if metadata.offset >= 64 {
        return 64;
    }
    let offset = metadata.offset as u32;
    // A run opens at its home and closes behind its end.
    let ends = (metadata.runends & from(offset)) << 1;
    I::first_balanced(homes, ends, slot.max(offset))
}

/// The first empty slot: every run with its home up to there is closed.
#[inline(always)]
fn empty_in<I: Select>(metadata: Metadata, slot: u32) -> u32 {
    free_in::<I>(metadata, metadata.occupieds, slot)
}

/// The first slot that is empty or starts a run at home: every run of an earlier home is closed.
#[inline(always)]
fn settled_in<I: Select>(metadata: Metadata, slot: u32) -> u32 {
    free_in::<I>(metadata, metadata.occupieds << 1, slot)
}

impl<E: Entry> Table<Vec<u8>, E> {
    /// Inserts a fingerprint. There must be an empty slot.
    ///
    /// First asks whether the home is empty: at low loads mostly yes, at high ones mostly no, so
    /// the branch is predicted well. After it, if all changes stay in one block, the only branch
    /// that depends on the key is the one that checks this: none on whether there is a run, or on
    /// where in it the remainder belongs.
    #[inline(always)]
    pub(crate) fn insert<I: Select>(&mut self, fingerprint: u64) -> Put {
        let (quotient, remainder) = self.split(fingerprint);
        let slot = (quotient % BLOCK_SLOTS) as u32;
        let near = self.near::<I>(quotient);
        let Metadata { occupieds, runends, .. } = near.metadata;
        let length = near.end.wrapping_sub(near.start);
        if (length | (near.start ^ slot) | u32::from(near.far)) == 0 {
            // No key is at home here, and no other run reaches here.
            let block = &mut self.bytes[near.here..];
            self.fields.set(block, slot, remainder);
            self.set_words(near.here, occupieds | 1 << slot, runends | 1 << slot);
            return Put::New;
        }
        let empty = empty_in::<I>(near.metadata, near.end % 64);
        if near.far | (near.end >= 64) | (empty == 64) | (length > self.fields.per_load) {
            return self.insert_far::<I>(fingerprint);
        }
        let window = self.window_from(near.here, near.start);
        let passed = self.fields.count_less(window, remainder, length);
        let differing = E::differing(&self.fields, window, remainder);
        let found = self.fields.any_zero(differing, length) == 1;
        let block = &mut self.bytes[near.here..];
        self.fields.put_in(block, near.start + passed, empty, remainder);
        let new_run = u64::from(length == 0);
        let runends = put_in(runends, near.start, empty, new_run);
        self.set_words(near.here, occupieds | 1 << slot, runends);
        if found { Put::Again } else { Put::New }
    }

    /// The same, wherever the run and the next empty slot are.
    #[cold]
    #[inline(never)]
    fn insert_far<I: Select>(&mut self, fingerprint: u64) -> Put {
        let (quotient, remainder) = self.split(fingerprint);
        let (block, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let run = self.run::<I>(quotient);
        if run.end - run.start >= E::MAX_COPIES
            && self.matches(run, remainder).copies >= E::MAX_COPIES
        {
            return Put::Refused;
        }
        let place = self.place(run, remainder).0;
        let found = E::is_in(self, run, remainder);
        let empty = self.first_position(run.end, empty_in::<I>);
        let occupieds = self.metadata(block).occupieds | 1 << slot;
        self.set_occupieds(block, occupieds);
        self.make_room(run.start, place, empty, remainder, u64::from(run.is_empty()));
        self.raise_offsets(block, empty / BLOCK_SLOTS);
        if found { Put::Again } else { Put::New }
    }

    /// Removes one copy of a fingerprint.
    ///
    /// Like [`insert`](Self::insert), with one more branch for whether the fingerprint is there.
    #[inline(always)]
    pub(crate) fn remove<I: Select>(&mut self, fingerprint: u64) -> Taken {
        let (quotient, remainder) = self.split(fingerprint);
        let slot = (quotient % BLOCK_SLOTS) as u32;
        let near = self.near::<I>(quotient);
        let Metadata { occupieds, runends, .. } = near.metadata;
        let length = near.end.wrapping_sub(near.start);
        if ((length ^ 1) | (near.start ^ slot) | u32::from(near.far)) == 0 {
            // A single entry at home: it has pushed nothing on.
            let window = self.window_from(near.here, slot);
            let value = window & self.fields.mask();
            if E::differs(value, remainder) != 0 {
                return Taken::Nothing;
            }
            let alone = E::alone(self, near.run(quotient), value);
            self.fields.set(&mut self.bytes[near.here..], slot, 0);
            self.set_words(near.here, occupieds & !(1 << slot), runends & !(1 << slot));
            return Taken::Last { alone };
        }
        let settled = settled_in::<I>(near.metadata, near.end % 64);
        if near.far | (near.end >= 64) | (settled == 64) | (length > self.fields.per_load) {
            return self.remove_far::<I>(fingerprint);
        }
        let window = self.window_from(near.here, near.start);
        let differing = E::differing(&self.fields, window, remainder);
        let found = self.fields.zeros(differing, length);
        if found == 0 {
            return Taken::Nothing;
        }
        let longest = E::longest(&self.fields, window, found, remainder);
        let taken = if found & (found - 1) == 0 {
            let alone = E::alone(self, near.run(quotient), longest);
            Taken::Last { alone }
        } else {
            Taken::Copy
        };
        let passed = self.fields.count_less(window, longest, length);
        let last = settled - 1;
        let block = &mut self.bytes[near.here..];
        self.fields.take_out(block, near.start + passed, last);
        let runends = take_out(runends, near.start, last, 0);
        let gone = u64::from(length == 1) << slot;
        self.set_words(near.here, occupieds & !gone, runends);
        taken
    }

    /// The same, wherever the run is and however far entries must move.
    #[cold]
    #[inline(never)]
    fn remove_far<I: Select>(&mut self, fingerprint: u64) -> Taken {
        let (quotient, remainder) = self.split(fingerprint);
        let (block, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let run = self.run::<I>(quotient);
        let Matches { copies, longest } = E::found(self, run, remainder);
        let taken = match copies {
            0 => return Taken::Nothing,
            1 => Taken::Last { alone: E::alone(self, run, longest) },
            _ => Taken::Copy,
        };
        let place = self.place(run, longest).0;
        // From here on everything is at home or empty.
        let last = self.first_position(run.end, settled_in::<I>) - 1;
        let gone = u64::from(run.end - run.start == 1) << slot;
        let occupieds = self.metadata(block).occupieds & !gone;
        self.set_occupieds(block, occupieds);
        self.close_gap(run.start, place, last);
        self.lower_offsets::<I>(block, last / BLOCK_SLOTS);
        taken
    }

    /// Inserts each hash, up to the first that is refused; returns how many are in, and how many of
    /// these were new. There must be as many empty slots. It has a loop of its own for the same
    /// reason as [`contains_each`](Self::contains_each).
    #[inline(always)]
    pub(crate) fn insert_each<I: Select>(&mut self, hashes: &[KeyHash]) -> (u64, u64) {
        let (mut done, mut new) = (0, 0);
        for &hash in hashes.iter().take(DISTANCE) {
            self.prefetch(hash);
        }
        for (i, &hash) in hashes.iter().enumerate() {
            if let Some(&later) = hashes.get(i + DISTANCE) {
                self.prefetch(later);
            }
            let put = self.insert::<I>(self.fingerprint(hash));
            if put == Put::Refused {
                break;
            }
            done += 1;
            new += u64::from(put == Put::New);
        }
        (done, new)
    }

    /// The first position from `position`, the end of a run, that is free in the sense of
    /// `in_block`. If the table has an empty slot, one round finds it.
    #[inline(always)]
    fn first_position(&self, position: u64, in_block: impl Fn(Metadata, u32) -> u32) -> u64 {
        let first = position / BLOCK_SLOTS;
        let mut slot = (position % BLOCK_SLOTS) as u32;
        let mut home = self.wrapped(first);
        for block in first..=first + self.blocks {
            let free = in_block(self.metadata(home), slot);
            if free < 64 {
                return block * BLOCK_SLOTS + u64::from(free);
            }
            (slot, home) = (0, self.wrapped(home + 1));
        }
        // The table is full: a validated one is not.
        position
    }

    /// Moves everything up to `last`, which is empty, one slot on: the remainders from `place`,
    /// where `remainder` goes in, and the runends from `start`, where the bit `end` goes in.
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
                let leaving = if to == 63 { self.remainder(begin + 63) } else { 0 };
                let from = place.saturating_sub(begin) as u32;
                let at = self.block_at(home);
                self.fields.put_in(&mut self.bytes[at..], from, to, carried);
                carried = leaving;
            }
        }
    }

    /// The reverse of [`make_room`](Self::make_room): `last` becomes empty.
    #[inline(always)]
    fn close_gap(&mut self, start: u64, place: u64, last: u64) {
        for block in start / BLOCK_SLOTS..=last / BLOCK_SLOTS {
            let begin = block * BLOCK_SLOTS;
            let home = self.wrapped(block);
            let to = (last - begin).min(63) as u32;
            let goes_on = last >= begin + BLOCK_SLOTS;
            let next = if goes_on { self.metadata(self.wrapped(block + 1)).runends & 1 } else { 0 };
            let runends = self.metadata(home).runends;
            let from = start.saturating_sub(begin) as u32;
            self.set_runends(home, take_out(runends, from, to, next));
            if place < begin + BLOCK_SLOTS {
                let next = if goes_on { self.remainder(begin + BLOCK_SLOTS) } else { 0 };
                let from = place.saturating_sub(begin) as u32;
                let at = self.block_at(home);
                let remainders = &mut self.bytes[at..];
                self.fields.take_out(remainders, from, to);
                if goes_on {
                    self.fields.set(remainders, 63, next);
                }
            }
        }
    }

    /// Adds one to the offset of each block after `home`, up to `last`.
    #[inline(always)]
    fn raise_offsets(&mut self, home: u64, last: u64) {
        for block in home + 1..=last {
            let block = self.wrapped(block);
            if let Some(offset) = self.offset_byte(block) {
                *offset = offset.saturating_add(1);
            }
        }
    }

    /// Takes one from each of these offsets.
    #[inline(always)]
    fn lower_offsets<I: Select>(&mut self, home: u64, last: u64) {
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
            self.recompute_offsets::<I>(home, last);
        }
    }

    /// Recomputes saturated offsets, which may have fallen below 255. In one pass, so that a long
    /// cluster costs no more than its length.
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
            if let Some(byte) = self.offset_byte(wrapped) {
                *byte = offset.min(SATURATED) as u8;
            }
            before = Some(offset);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QuotientParams;
    use crate::bits::Broadword;
    use crate::entry::{Aged, width};
    use crate::stream::Fingerprints;
    use alloc::collections::BTreeMap;
    use amq_core::index::remix;

    /// The structure is right; any load will do.
    fn check(table: &Table, map: &BTreeMap<u64, u64>) {
        let contents = table.walk::<Broadword>().unwrap();
        assert_eq!(contents.items, map.values().sum::<u64>());
        assert_eq!(contents.distinct, map.len() as u64);
    }

    #[test]
    fn a_table_works_up_to_its_last_slot() {
        for (slots, remainder_bits, crowding) in [
            (64u64, 4u32, 1),
            (64, 3, 9),
            (200, 5, 1),
            (200, 6, 40),
            (512, 7, 1),
            (512, 0, 1),
            (512, 7, 200),
        ] {
            let params = QuotientParams::new(slots, remainder_bits);
            let mut table = Table::new(params).unwrap();
            let mut map = BTreeMap::new();
            let places = table.places();
            let pick = |i: u64| remix(i, 6) % params.fingerprints() / crowding;
            for i in 0..places {
                let fingerprint = pick(i);
                let copies = map.entry(fingerprint).or_insert(0u64);
                let put = table.insert::<Broadword>(fingerprint);
                assert_eq!(put == Put::New, *copies == 0);
                *copies += 1;
                check(&table, &map);
            }
            // Every slot is in use.
            for fingerprint in 0..params.fingerprints() {
                let there = map.contains_key(&fingerprint);
                assert_eq!(table.contains::<Broadword>(fingerprint), there);
            }
            for i in 0..places {
                let fingerprint = pick(i);
                let taken = table.remove::<Broadword>(fingerprint);
                let copies = map.remove(&fingerprint).unwrap_or(0);
                if copies > 1 {
                    map.insert(fingerprint, copies - 1);
                }
                assert_eq!(taken == Taken::Last { alone: 1 }, copies == 1);
                check(&table, &map);
            }
            assert!(table.bytes.iter().all(|&byte| byte == 0));
        }
    }
    /// The fingerprints that an entry answers for, of those with this many bits beside the home.
    fn answers(entry: u64) -> core::ops::Range<u64> {
        let width = width(entry);
        (entry - width) / 2..(entry + width) / 2
    }

    #[test]
    fn the_longest_entry_goes_first_and_what_it_alone_answered_for_is_told() {
        for (slots, bits, crowding) in [(64u64, 4u32, 1), (64, 6, 40), (200, 3, 1), (200, 7, 70)] {
            let params = QuotientParams::new(slots, bits);
            let mut table = Table::<_, Aged>::new(params).unwrap();
            let mut entries: Vec<u64> = Vec::new();
            let all = params.fingerprints() / 2;
            let answered = |entries: &[u64]| {
                let found = (0..all).filter(|f| entries.iter().any(|&e| answers(e).contains(f)));
                found.count() as u64
            };
            let mut refused = 0;
            for step in 0..700 {
                // At the end everything goes.
                let filling = step < 500 && remix(step, 1) % 5 > 1;
                let fingerprint = remix(step, 2) % all / crowding;
                if filling && (entries.len() as u64) + 1 < table.places() {
                    let age = remix(step, 3) % u64::from(bits);
                    let entry = (fingerprint << 1 | 1) >> age << age | 1 << age;
                    match table.insert::<Broadword>(entry) {
                        Put::Refused => refused += 1,
                        _ => entries.push(entry),
                    }
                } else {
                    let key = match entries.get(step as usize % entries.len().max(1)) {
                        Some(&entry) if step % 3 > 0 => answers(entry).start,
                        _ => fingerprint,
                    };
                    let matching = entries.iter().filter(|&&e| answers(e).contains(&key));
                    let longest = matching.min_by_key(|&&e| width(e)).copied();
                    let before = answered(&entries);
                    if let Some(longest) = longest {
                        let at = entries.iter().position(|&e| e == longest).unwrap();
                        entries.swap_remove(at);
                    }
                    let alone = before - answered(&entries);
                    let taken = table.remove::<Broadword>(key << 1 | 1);
                    let expected = match (longest, alone) {
                        (None, _) => Taken::Nothing,
                        (Some(_), 0) => Taken::Copy,
                        (Some(_), alone) => Taken::Last { alone },
                    };
                    assert_eq!(taken, expected, "step {step}, {params:?}");
                }
                let contents = table.walk::<Broadword>().unwrap();
                assert_eq!(contents.items, entries.len() as u64);
                assert_eq!(contents.distinct, answered(&entries), "step {step}");
                let key = remix(step, 4) % all;
                let copies = entries.iter().filter(|&&e| answers(e).contains(&key)).count();
                assert_eq!(table.count::<Broadword>(key << 1 | 1), copies as u64);
                assert_eq!(table.contains::<Broadword>(key << 1 | 1), copies > 0);
            }
            assert_eq!(refused, 0);
            entries.sort_unstable();
            assert!(Fingerprints::new(&table).eq(entries));
        }
    }
}
