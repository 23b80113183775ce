//! Searches a table for runs, and runs for remainders.

use crate::bits::{Select, below, from};
use crate::entry::{Entry, Matches, Run, width};
use crate::params::BLOCK_SLOTS;
use crate::table::{Metadata, SATURATED, SlotTable};
use amq_core::Bytes;
use amq_core::KeyHash;
use amq_core::internal::step;
use amq_core::prefetch::DISTANCE;

/// A run as seen from its quotient's block and the next block's runends. Slots are counted from the
/// first of the quotient's block, and may run past its last.
#[derive(Clone, Copy)]
pub(crate) struct Near {
    /// Where the block starts in memory.
    pub(crate) here: usize,
    pub(crate) metadata: Metadata,
    /// The run's first slot, or the one where it would start.
    pub(crate) start: u32,
    /// One past its last slot; `start` if there is no run.
    pub(crate) end: u32,
    /// The run is beyond this view; `start` and `end` are meaningless.
    pub(crate) far: bool,
}

impl Near {
    /// The run of this quotient by positions, unless it is far.
    #[inline(always)]
    pub(crate) const fn run(&self, quotient: u64) -> Run {
        let begin = quotient / BLOCK_SLOTS * BLOCK_SLOTS;
        Run { start: begin + self.start as u64, end: begin + self.end as u64 }
    }
}

impl<B: Bytes, E: Entry> SlotTable<B, E> {
    /// The position of the runend with `rank` others before it, counted from `position`. Goes round
    /// the table once; without such a runend, which a consistent table has, it is the last slot of
    /// that round.
    pub(crate) fn nth_runend<I: Select>(&self, position: u64, rank: u32) -> u64 {
        let first = position / BLOCK_SLOTS;
        let mut home = self.wrapped(first);
        let mut word = self.runends(home) & from((position % BLOCK_SLOTS) as u32);
        let mut rank = rank;
        for block in first..=first + self.blocks {
            step(1);
            let end = I::select(word, rank.min(63));
            if end < 64 {
                return block * BLOCK_SLOTS + u64::from(end);
            }
            rank -= word.count_ones();
            home = self.wrapped(home + 1);
            word = self.runends(home);
        }
        (first + self.blocks) * BLOCK_SLOTS + 63
    }

    /// The end of the first run, without select.
    #[inline(always)]
    pub(crate) fn first_runend(&self, position: u64) -> u64 {
        let first = position / BLOCK_SLOTS;
        let mut mask = from((position % BLOCK_SLOTS) as u32);
        for block in first..=first + self.blocks {
            let ends = self.runends(self.wrapped(block)) & mask;
            if ends != 0 {
                return block * BLOCK_SLOTS + u64::from(ends.trailing_zeros());
            }
            mask = u64::MAX;
        }
        (first + self.blocks) * BLOCK_SLOTS + 63
    }

    /// A block's offset, however large: the number of slots, from the block's first, that belong to
    /// runs of earlier blocks. `byte` is the block's own offset byte.
    #[inline(always)]
    pub(crate) fn offset<I: Select>(&self, block: u64, byte: u64) -> u64 {
        if byte < SATURATED { byte } else { self.recomputed_offset::<I>(block) }
    }

    /// Works forward from the nearest earlier block whose byte is not saturated.
    #[cold]
    #[inline(never)]
    fn recomputed_offset<I: Select>(&self, block: u64) -> u64 {
        let (mut home, mut back) = (block, 0);
        let mut offset = SATURATED;
        // Ends early in a consistent table: runs cannot saturate every block, as there are no more
        // keys than slots.
        while back < self.blocks && offset >= SATURATED {
            back += 1;
            home = if home == 0 { self.blocks } else { home } - 1;
            offset = self.metadata(home).offset;
        }
        for _ in 0..back {
            offset = self.next_offset::<I>(home, offset);
            if offset >= self.places() {
                // Inconsistent. Continuing could search the whole table again for each block.
                return self.places();
            }
            home = self.wrapped(home + 1);
        }
        offset
    }

    /// The offset of the block after `block`, whose own is `offset`.
    pub(crate) fn next_offset<I: Select>(&self, block: u64, offset: u64) -> u64 {
        let runs = self.metadata(block).occupieds.count_ones();
        let begin = block * BLOCK_SLOTS;
        let end = match runs {
            0 => begin + offset,
            _ => self.nth_runend::<I>(begin + offset, runs - 1) + 1,
        };
        end.saturating_sub(begin + BLOCK_SLOTS)
    }

    /// The run of a quotient.
    #[inline(always)]
    pub(crate) fn run<I: Select>(&self, quotient: u64) -> Run {
        let near = self.near::<I>(quotient);
        if near.far {
            return self.far_run::<I>(quotient);
        }
        near.run(quotient)
    }

    /// The run of a quotient if it ends within 64 slots of its block's offset, as nearly all do:
    /// found without a branch.
    #[inline(always)]
    pub(crate) fn near<I: Select>(&self, quotient: u64) -> Near {
        let (block, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let here = self.block_at(block);
        self.prefetch_remainder(here, slot);
        let metadata = self.metadata_from(here);
        let skipped = (metadata.offset % 64) as u32;
        let next = self.runends_from(self.after(here));
        let ends = (metadata.runends >> skipped) | (next << 1 << (63 - skipped));
        let runs = (metadata.occupieds & below(slot)).count_ones();
        // As if the runs of earlier blocks ended just before the offset. 64 if too few end.
        let free = I::nth_one((ends << 1) | 1, runs).trailing_zeros();
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

    /// The run of a quotient, at any distance.
    #[cold]
    #[inline(never)]
    fn far_run<I: Select>(&self, quotient: u64) -> Run {
        let (block, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let metadata = self.metadata(block);
        let begin = block * BLOCK_SLOTS + self.offset::<I>(block, metadata.offset);
        let runs = (metadata.occupieds & below(slot)).count_ones();
        let free = match runs {
            0 => begin,
            _ => self.nth_runend::<I>(begin, runs - 1) + 1,
        };
        let start = free.max(quotient);
        let occupied = metadata.occupieds >> slot & 1 == 1;
        let end = if occupied { self.nth_runend::<I>(start, 0) + 1 } else { start };
        Run { start, end }
    }

    /// Whether a fingerprint is in the table.
    ///
    /// Nineteen times in twenty, even at the highest load, the run ends within 64 slots of its
    /// block's offset, stays in one block, and fits one load. Then the only branch that depends on
    /// the key is the one that checks this.
    #[inline(always)]
    pub(crate) fn contains<I: Select>(&self, fingerprint: u64) -> bool {
        let (quotient, remainder) = self.split(fingerprint);
        let (block, slot) = (quotient / BLOCK_SLOTS, (quotient % BLOCK_SLOTS) as u32);
        let here = self.block_at(block);
        self.prefetch_remainder(here, slot);
        let after = self.after(here);
        let Metadata { occupieds, runends, offset } = self.metadata_from(here);
        // 64 runends, from the offset on.
        let skipped = (offset % 64) as u32;
        let ends = (runends >> skipped) | (self.runends_from(after) << 1 << (63 - skipped));
        let occupied = (occupieds >> slot) as u32 & 1;
        let runs = (occupieds & below(slot)).count_ones() + occupied;
        let end = I::nth_one(ends, runs.wrapping_sub(1) % 64);
        let before = ends & end.wrapping_sub(1);
        let start = (skipped + 64 - before.leading_zeros()).max(slot);
        // 64 or more if there is none.
        let end = end.trailing_zeros();
        let last = skipped + end;
        let length = last.wrapping_sub(start).wrapping_add(1);
        // Does not branch on whether there is a run: for absent keys that is random, and would be
        // mispredicted two times in five. Without a run, this finds the one before, which is hardly
        // ever out of reach either, and a length of zero or less.
        let far = ((start ^ last) | end | offset as u32) >> 6;
        let long = self.fields.per_load.wrapping_sub(length) >> 31;
        if far | long != 0 {
            return self.contains_anyhow::<I>(fingerprint);
        }
        let home = if start < 64 { here } else { after };
        let window = self.fields.window(self.bytes(), home, start % 64);
        let differing = self.differing(window, self.fields.in_each(remainder));
        self.fields.any_zero(differing, length) & occupied == 1
    }

    /// Searches a run of any place and length.
    #[cold]
    #[inline(never)]
    fn contains_anyhow<I: Select>(&self, fingerprint: u64) -> bool {
        let (quotient, remainder) = self.split(fingerprint);
        let run = self.far_run::<I>(quotient);
        self.is_in(run, remainder)
    }

    /// Whether an entry of a run matches a remainder.
    pub(crate) fn is_in(&self, run: Run, remainder: u64) -> bool {
        let values = self.fields.in_each(remainder);
        let mut position = run.start;
        while position < run.end {
            let count = self.at_once(position, run.end);
            let differing = self.differing(self.window(position), values);
            if self.fields.bits == 0 || self.fields.any_zero(differing, count) == 1 {
                return true;
            }
            position += u64::from(count);
        }
        false
    }

    /// Answers for each hash; the slices are equally long.
    ///
    /// Has its own loop: closures passed to [`amq_core::prefetch::ahead`] would not be compiled
    /// with the instructions of `I`.
    #[inline(always)]
    pub(crate) fn contains_each<I: Select>(&self, hashes: &[KeyHash], answers: &mut [bool]) {
        for &hash in hashes.iter().take(DISTANCE) {
            self.prefetch(self.fingerprint(hash));
        }
        for (i, (&hash, answer)) in hashes.iter().zip(answers).enumerate() {
            if let Some(&later) = hashes.get(i + DISTANCE) {
                self.prefetch(self.fingerprint(later));
            }
            *answer = self.contains::<I>(self.fingerprint(hash));
        }
    }

    /// The first position in a run whose remainder is not less than `remainder`, or the run's end;
    /// and whether they are equal.
    #[inline(always)]
    pub(crate) fn place(&self, run: Run, remainder: u64) -> (u64, bool) {
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

    /// The number of entries that match a fingerprint.
    #[inline(always)]
    pub(crate) fn count<I: Select>(&self, fingerprint: u64) -> u64 {
        let (quotient, remainder) = self.split(fingerprint);
        self.matches(self.run::<I>(quotient), remainder).copies
    }

    /// The entries of a run that match a remainder.
    #[inline(always)]
    pub(crate) fn matches(&self, run: Run, remainder: u64) -> Matches {
        let (mut copies, mut longest) = (0, 0);
        if self.fields.bits == 0 {
            return Matches { copies: run.end - run.start, longest };
        }
        let mut position = run.start;
        while position < run.end {
            let count = self.at_once(position, run.end);
            let window = self.window(position);
            let differing = self.differing(window, self.fields.in_each(remainder));
            let found = self.fields.zeros(differing, count);
            if found != 0 {
                copies += u64::from(found.count_ones());
                let here = self.fields.marked(window, self.longest(window, found));
                if longest == 0 || width(here) < width(longest) {
                    longest = here;
                }
            }
            position += u64::from(count);
        }
        Matches { copies, longest }
    }

    /// The number of remainders that one load compares, from a position up to the end of the run or
    /// the block. At least one, so that every loop over a run ends even if remainders have no bits.
    #[inline(always)]
    fn at_once(&self, position: u64, end: u64) -> u32 {
        let in_block = BLOCK_SLOTS - position % BLOCK_SLOTS;
        (end - position).min(in_block).min(u64::from(self.fields.per_load.max(1))) as u32
    }
}
