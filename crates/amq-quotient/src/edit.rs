//! Inserts and removes fingerprints.
//!
//! Nearly always, the run lies in its home block and fits one load. Then only the first free slot
//! after it remains to be found. If that is in the same block, the block alone is changed; if not,
//! [`shift`](crate::shift) continues from block to block.

use crate::bits::{Select, put_in, take_out};
use crate::entry::{Entry, Matches};
use crate::params::BLOCK_SLOTS;
use crate::shift::{Span, empty_in, settled_in};
use crate::table::{Metadata, SlotTable};
use amq_core::Table;
use amq_core::prefetch::DISTANCE;
use amq_core::{Inserted, KeyHash};

/// The result of a removal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Removed {
    /// The fingerprint was not there; nothing changed.
    Nothing,
    /// One copy was removed; others remain.
    Copy,
    /// The only copy was removed.
    Last {
        /// The number of fingerprints that no other entry matches.
        alone: u64,
    },
}

impl<E: Entry> SlotTable<Table, E> {
    /// Inserts a fingerprint. There must be an empty slot. `None`: there are [`Entry::MAX_COPIES`]
    /// of it already, and nothing changed.
    ///
    /// First checks whether the home is empty: usually it is at low loads, and is not at high ones,
    /// so the branch is predicted well. After it, if all changes stay in one block, only the checks
    /// for that branch on the key: not the existence of a run, nor the place in it.
    #[inline(always)]
    pub(crate) fn insert<I: Select>(&mut self, fingerprint: u64) -> Option<Inserted> {
        let (quotient, remainder) = self.split(fingerprint);
        let (home, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let near = self.near::<I>(quotient);
        let mut metadata = near.metadata;
        let length = near.end.wrapping_sub(near.start);
        if (length | (near.start ^ slot) | u32::from(near.far)) == 0 {
            // No key has its home here, and no other run reaches here.
            self.fields.set(&mut self.bytes[near.here..], slot, remainder);
            self.set_words(near.here, metadata.occupieds | 1 << slot, metadata.runends | 1 << slot);
            return Some(Inserted::New);
        }
        if near.far | (near.end > 64) | (length > self.fields.per_load) {
            return self.insert_far::<I>(fingerprint);
        }
        let empty = empty_in::<I>(metadata, near.end.into());
        let window = self.fields.window(&self.bytes, near.here, near.start);
        let place = near.start + self.fields.count_less(window, remainder, length);
        let differing = self.differing(window, self.fields.in_each(remainder));
        let found = self.fields.any_zero(differing, length) == 1;
        metadata.occupieds |= 1 << slot;
        if empty < 64 {
            let block = &mut self.bytes[near.here..];
            self.fields.put_in(block, place, empty, remainder);
            let new_run = u64::from(length == 0);
            let runends = put_in(metadata.runends, near.start, empty, new_run);
            self.set_words(near.here, metadata.occupieds, runends);
        } else {
            self.make_room::<I>(home, metadata, Span::near(&near, place), empty, remainder);
        }
        Some(Inserted::from_change(!found))
    }

    /// Inserts into a run of any place and length.
    #[cold]
    #[inline(never)]
    fn insert_far<I: Select>(&mut self, fingerprint: u64) -> Option<Inserted> {
        let (quotient, remainder) = self.split(fingerprint);
        let (home, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let run = self.run::<I>(quotient);
        if run.end - run.start >= E::MAX_COPIES
            && self.matches(run, remainder).copies >= E::MAX_COPIES
        {
            return None;
        }
        let found = self.is_in(run, remainder);
        let span = Span::of(run, self.place(run, remainder).0, home);
        let mut metadata = self.metadata(home);
        let empty = empty_in::<I>(metadata, span.end);
        metadata.occupieds |= 1 << slot;
        self.make_room::<I>(home, metadata, span, empty, remainder);
        Some(Inserted::from_change(!found))
    }

    /// Removes one copy of a fingerprint.
    ///
    /// Like [`insert`](Self::insert), with one more branch for whether the fingerprint is there.
    #[inline(always)]
    pub(crate) fn remove<I: Select>(&mut self, fingerprint: u64) -> Removed {
        let (quotient, remainder) = self.split(fingerprint);
        let (home, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let near = self.near::<I>(quotient);
        let mut metadata = near.metadata;
        let length = near.end.wrapping_sub(near.start);
        if ((length ^ 1) | (near.start ^ slot) | u32::from(near.far)) == 0 {
            // A single entry at home: it has displaced nothing.
            let window = self.fields.window(&self.bytes, near.here, slot);
            if self.differing(window, remainder) & self.fields.mask() != 0 {
                return Removed::Nothing;
            }
            let alone = self.alone(near.run(quotient), window & self.fields.mask());
            let Metadata { occupieds, runends, .. } = metadata;
            self.fields.set(&mut self.bytes[near.here..], slot, 0);
            self.set_words(near.here, occupieds & !(1 << slot), runends & !(1 << slot));
            return Removed::Last { alone };
        }
        if near.far | (near.end > 64) | (length > self.fields.per_load) {
            return self.remove_far::<I>(fingerprint);
        }
        let window = self.fields.window(&self.bytes, near.here, near.start);
        let differing = self.differing(window, self.fields.in_each(remainder));
        let found = self.fields.zeros(differing, length);
        if found == 0 {
            return Removed::Nothing;
        }
        let longest = self.longest(window, found);
        let removed = if found & (found - 1) == 0 {
            let value = self.fields.marked(window, longest);
            Removed::Last { alone: self.alone(near.run(quotient), value) }
        } else {
            Removed::Copy
        };
        let place = near.start + self.fields.count_before(longest);
        let settled = settled_in::<I>(metadata, near.end.into());
        metadata.occupieds &= !(u64::from(length == 1) << slot);
        if settled < 64 {
            let last = settled - 1;
            self.fields.take_out(&mut self.bytes[near.here..], place, last);
            let runends = take_out(metadata.runends, near.start, last, 0);
            self.set_words(near.here, metadata.occupieds, runends);
        } else {
            self.close_gap::<I>(home, metadata, Span::near(&near, place), settled);
        }
        removed
    }

    /// Removes from a run of any place and length.
    #[cold]
    #[inline(never)]
    fn remove_far<I: Select>(&mut self, fingerprint: u64) -> Removed {
        let (quotient, remainder) = self.split(fingerprint);
        let (home, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let run = self.run::<I>(quotient);
        let Matches { copies, longest } = self.matches(run, remainder);
        let removed = match copies {
            0 => return Removed::Nothing,
            1 => Removed::Last { alone: self.alone(run, longest) },
            _ => Removed::Copy,
        };
        let span = Span::of(run, self.place(run, longest).0, home);
        let mut metadata = self.metadata(home);
        let settled = settled_in::<I>(metadata, span.end);
        metadata.occupieds &= !(u64::from(run.end - run.start == 1) << slot);
        self.close_gap::<I>(home, metadata, span, settled);
        removed
    }

    /// Inserts hashes until the table is full or one is refused. Returns how many were inserted,
    /// and how many of these were new. Has its own loop for the same reason as
    /// [`contains_each`](Self::contains_each).
    #[inline(always)]
    pub(crate) fn insert_each<I: Select>(&mut self, hashes: &[KeyHash]) -> (usize, u64) {
        let room = usize::try_from(self.max_keys - self.entries).unwrap_or(usize::MAX);
        let hashes = &hashes[..hashes.len().min(room)];
        let (mut done, mut new) = (0, 0);
        for &hash in hashes.iter().take(DISTANCE) {
            self.prefetch(self.fingerprint(hash));
        }
        for (i, &hash) in hashes.iter().enumerate() {
            if let Some(&later) = hashes.get(i + DISTANCE) {
                self.prefetch(self.fingerprint(later));
            }
            let Some(inserted) = self.insert::<I>(self.fingerprint(hash)) else { break };
            done += 1;
            new += u64::from(inserted.is_new());
        }
        self.entries += done as u64;
        self.distinct += new;
        (done, new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QuotientParams;
    use crate::bits::Broadword;
    use crate::entry::{FixedLength, VariableLength, width};
    use crate::stream::Fingerprints;
    use alloc::collections::BTreeMap;
    use amq_core::index::remix;
    use std::vec::Vec;

    /// Checks the structure; the load may be anything.
    fn check(table: &SlotTable<Table, FixedLength>, map: &BTreeMap<u64, u64>) {
        let contents = table.contents::<Broadword>().unwrap();
        assert_eq!(contents.keys, map.values().sum::<u64>());
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
            let mut table = SlotTable::new(params).unwrap();
            let mut map = BTreeMap::new();
            let places = table.places();
            let pick = |i: u64| remix(i, 6) % params.fingerprints() / crowding;
            for i in 0..places {
                let fingerprint = pick(i);
                let copies = map.entry(fingerprint).or_insert(0u64);
                let inserted = table.insert::<Broadword>(fingerprint);
                assert_eq!(inserted, Some(Inserted::from_change(*copies == 0)));
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
                let removed = table.remove::<Broadword>(fingerprint);
                let copies = map.remove(&fingerprint).unwrap_or(0);
                if copies > 1 {
                    map.insert(fingerprint, copies - 1);
                }
                assert_eq!(removed == Removed::Last { alone: 1 }, copies == 1);
                check(&table, &map);
            }
            assert!(table.bytes.iter().all(|&byte| byte == 0));
        }
    }

    /// The fingerprints that match an entry.
    fn answers(entry: u64) -> core::ops::Range<u64> {
        let width = width(entry);
        (entry - width) / 2..(entry + width) / 2
    }

    #[test]
    fn the_longest_entry_goes_first_with_its_share() {
        for (slots, bits, crowding) in [(64u64, 4u32, 1), (64, 6, 40), (200, 3, 1), (200, 7, 70)] {
            let params = QuotientParams::new(slots, bits);
            let mut table = SlotTable::<_, VariableLength>::new(params).unwrap();
            let mut entries: Vec<u64> = Vec::new();
            let all = params.fingerprints() / 2;
            let answered = |entries: &[u64]| {
                let found = (0..all).filter(|f| entries.iter().any(|&e| answers(e).contains(f)));
                found.count() as u64
            };
            let mut refused = 0;
            for step in 0..700 {
                // The last steps mostly remove.
                let filling = step < 500 && remix(step, 1) % 5 > 1;
                let fingerprint = remix(step, 2) % all / crowding;
                if filling && (entries.len() as u64) + 1 < table.places() {
                    let age = remix(step, 3) % u64::from(bits);
                    let entry = (fingerprint << 1 | 1) >> age << age | 1 << age;
                    match table.insert::<Broadword>(entry) {
                        None => refused += 1,
                        Some(_) => entries.push(entry),
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
                    let removed = table.remove::<Broadword>(key << 1 | 1);
                    let expected = match (longest, alone) {
                        (None, _) => Removed::Nothing,
                        (Some(_), 0) => Removed::Copy,
                        (Some(_), alone) => Removed::Last { alone },
                    };
                    assert_eq!(removed, expected, "step {step}, {params:?}");
                }
                let contents = table.contents::<Broadword>().unwrap();
                assert_eq!(contents.keys, entries.len() as u64);
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
