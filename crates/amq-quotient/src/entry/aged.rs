//! Entries that are prefixes of fingerprints, with their age.

use super::{Entry, Matches, Run, width};
use crate::bits::{Broadword, lowest};
use crate::fields::Fields;
use crate::params::BLOCK_SLOTS;
use crate::table::Table;

/// A prefix of a fingerprint, and its age in unary: the bits of the prefix, a 1, then a zero for
/// each time that the table has doubled since the entry came. An entry whose bits are used up
/// consists of the 1 and zeros, and answers for every key of its slot. Zero is no entry.
///
/// As a number, an entry lies in the middle of those it answers for: prefixes that go on with 0
/// are smaller, prefixes that go on with 1 larger. So a run in rising order stays in rising order
/// when all of its entries are shifted by one bit, as they are when the table doubles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Aged;

impl Entry for Aged {
    // A new key has all bits of its fingerprint.
    const MARK: u64 = 1;
    const MAX_COPIES: u64 = crate::MAX_COPIES;

    #[inline(always)]
    fn differing(fields: &Fields, window: u64, value: u64) -> u64 {
        fields.differing_before_tail(window, value)
    }

    #[inline(always)]
    fn differs(field: u64, value: u64) -> u64 {
        (field ^ value) & !(field ^ field.wrapping_sub(1))
    }

    #[inline(always)]
    fn longest(fields: &Fields, window: u64, found: u64) -> u64 {
        let width = |field| width(fields.marked(window, field));
        let mut longest = lowest(found);
        let mut rest = found ^ longest;
        while rest != 0 {
            let other = lowest(rest);
            if width(other) < width(longest) {
                longest = other;
            }
            rest ^= other;
        }
        longest
    }

    #[inline(always)]
    fn is_in<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> bool {
        table.matches(run, value).copies > 0
    }

    #[inline(always)]
    fn found<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> Matches {
        table.matches(run, value)
    }

    #[inline(always)]
    fn alone<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> u64 {
        // No entry is longer than a new one, and in nineteen runs of twenty none lies inside an old
        // one.
        if width(value) == 1 || run.end - run.start == 1 {
            return width(value);
        }
        table.alone(run, value)
    }

    fn answered<S: AsRef<[u8]>>(table: &Table<S, Self>, _: u64) -> Option<u64> {
        let mut end = table.offset::<Broadword>(0, table.metadata(0).offset);
        let mut answered = 0;
        for block in 0..table.blocks {
            let mut homes = table.metadata(block).occupieds;
            while homes != 0 {
                let home = block * BLOCK_SLOTS + u64::from(homes.trailing_zeros());
                homes &= homes - 1;
                let start = end.max(home);
                end = table.first_runend(start) + 1;
                if table.remainder(start) == 0 {
                    return None;
                }
                answered += table.union(Run { start, end }, 1 << (table.fields.bits - 1));
            }
        }
        Some(answered)
    }
}

impl<S: AsRef<[u8]>> Table<S, Aged> {
    /// [`Entry::alone`], where other entries may lie inside this one.
    #[cold]
    #[inline(never)]
    fn alone(&self, run: Run, value: u64) -> u64 {
        let width = width(value);
        let at = |value| self.place(run, value).0;
        let place = at(value);
        let lower = Run { start: at(value - width + 1), end: place };
        let after = value + width;
        let upper = Run {
            start: place + 1,
            end: if after > self.fields.mask() { run.end } else { at(after) },
        };
        width - self.union(lower, value - width / 2) - self.union(upper, value + width / 2)
    }

    /// How many fingerprints these entries answer for together. All lie inside the one that would
    /// have the value `middle`, and are in rising order.
    ///
    /// Each call halves the range, so they are as deep as a fingerprint is long.
    fn union(&self, run: Run, middle: u64) -> u64 {
        let bit = width(middle);
        match run.end - run.start {
            0 => 0,
            1 => width(self.remainder(run.start)),
            _ => {
                let (place, there) = self.place(run, middle);
                if there || bit == 1 {
                    return bit;
                }
                let (start, end) = (run.start, run.end);
                let (lower, upper) = (Run { start, end: place }, Run { start: place, end });
                self.union(lower, middle - bit / 2) + self.union(upper, middle + bit / 2)
            }
        }
    }
}
