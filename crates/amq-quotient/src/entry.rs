//! How the bits of a slot represent a fingerprint.
//!
//! A table stores numbers in runs, each run sorted, and moves them without knowing what they mean.
//! It asks only which entries of a run answer for a key: those equal to its remainder
//! ([`FixedLength`]), or those that are a prefix of it ([`VariableLength`]).

use crate::bits::{Broadword, lowest};
use crate::fields::Fields;
use crate::params::BLOCK_SLOTS;
use crate::table::Table;
use amq_core::KeyHash;
use amq_core::index::index;
use core::fmt::Debug;

/// Positions of a quotient's run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Its first slot, or the one where it would start.
    pub(crate) start: u64,
    /// One past its last slot; `start` if there is no run.
    pub(crate) end: u64,
}

/// The entries of a run that answer for a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matches {
    pub(crate) copies: u64,
    /// The value of the longest of them; zero if there is none.
    pub(crate) longest: u64,
}

/// The meaning of the bits in a slot.
pub(crate) trait Entry: Copy + Eq + Debug {
    /// Bits that are set in the value of every new key.
    const MARK: u64;
    /// The most entries that may answer for one key; another one is refused.
    const MAX_COPIES: u64;

    /// For each field of a load: zero if it answers for the key with this value.
    fn differing(fields: &Fields, window: u64, value: u64) -> u64;

    /// The field to remove for a key: the first of the longest. In `found` the highest bit is set
    /// of each field of the load that answers for the key, at least one; returns one of these bits.
    fn longest(fields: &Fields, window: u64, found: u64) -> u64;

    /// The entries of the run that answer for the key. A count of two means two or more.
    fn found<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> Matches;

    /// How many fingerprints the table stops answering for if it loses this entry of the run, the
    /// only one that answers for its key.
    fn alone<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> u64;

    /// How many fingerprints the entries of a table answer for, whose runs are consistent and have
    /// this many `different` values; `None` if one of them is no entry.
    fn answered<S: AsRef<[u8]>>(table: &Table<S, Self>, different: u64) -> Option<u64>;
}

/// A fingerprint's remainder, in all bits of the slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FixedLength;

impl Entry for FixedLength {
    const MARK: u64 = 0;
    const MAX_COPIES: u64 = u64::MAX;

    #[inline(always)]
    fn differing(fields: &Fields, window: u64, value: u64) -> u64 {
        fields.differing(window, value)
    }

    #[inline(always)]
    fn longest(_: &Fields, _: u64, found: u64) -> u64 {
        lowest(found)
    }

    fn found<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> Matches {
        let (place, found) = table.place(run, value);
        let more = found && place + 1 < run.end && table.remainder(place + 1) == value;
        Matches { copies: u64::from(found) + u64::from(more), longest: value }
    }

    #[inline(always)]
    fn alone<S: AsRef<[u8]>>(_: &Table<S, Self>, _: Run, _: u64) -> u64 {
        1
    }

    fn answered<S: AsRef<[u8]>>(_: &Table<S, Self>, different: u64) -> Option<u64> {
        Some(different)
    }
}

/// A prefix of a fingerprint, and its age in unary: the bits of the prefix, a 1, then a zero for
/// each time that the table has doubled since the entry came. An entry whose bits are used up
/// consists of the 1 and zeros, and answers for every key of its slot. Zero is no entry.
///
/// As a number, an entry lies in the middle of those it answers for: prefixes that go on with 0
/// are smaller, prefixes that go on with 1 larger. So a run in rising order stays in rising order
/// when all of its entries are shifted by one bit, as they are when the table doubles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VariableLength;

impl Entry for VariableLength {
    // A new key has all bits of its fingerprint.
    const MARK: u64 = 1;
    const MAX_COPIES: u64 = crate::MAX_COPIES;

    #[inline(always)]
    fn differing(fields: &Fields, window: u64, value: u64) -> u64 {
        fields.differing_before_tail(window, value)
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

/// The lowest 1 of an entry: among entries that answer for one key, the longest has the lowest. For
/// a [`VariableLength`] entry it is 2^age, the number of fingerprints it answers for.
#[inline(always)]
pub(crate) const fn width(value: u64) -> u64 {
    lowest(value)
}

impl<S: AsRef<[u8]>, E: Entry> Table<S, E> {
    /// The bits of a hash that the table keeps: monotone in the hash. (With those that are set in
    /// every new entry.)
    #[inline(always)]
    pub(crate) fn fingerprint(&self, hash: KeyHash) -> u64 {
        index(hash.get(), self.fingerprints) | E::MARK
    }
}

impl<S: AsRef<[u8]>> Table<S, VariableLength> {
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
