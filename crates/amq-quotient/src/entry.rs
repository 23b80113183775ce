//! The encoding of a fingerprint in a slot.
//!
//! A table stores numbers in sorted runs, and moves them without interpreting them. Only matching
//! does: an entry matches a key if it equals the key's remainder ([`FixedLength`]), or is a prefix
//! of it ([`VariableLength`]).

use crate::bits::{Broadword, lowest};
use crate::params::BLOCK_SLOTS;
use crate::table::SlotTable;
use amq_core::Bytes;
use amq_core::KeyHash;
use amq_core::index::index;
use core::fmt::Debug;

/// The positions of a quotient's run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Its first slot, or the one where it would start.
    pub(crate) start: u64,
    /// One past its last slot; `start` if there is no run.
    pub(crate) end: u64,
}

/// The entries of a run that match a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matches {
    pub(crate) copies: u64,
    /// The value of the longest match; zero if there is none.
    pub(crate) longest: u64,
}

/// The encoding of entries.
pub(crate) trait Entry: Copy + Eq + Debug {
    /// Whether entries may be shorter than the slot.
    const VARIABLE: bool;
    /// The most entries that may match one key; another one is refused.
    const MAX_COPIES: u64 = if Self::VARIABLE { crate::MAX_COPIES } else { u64::MAX };
    /// Bits that are set in every new entry, which has all bits of its fingerprint.
    const MARK: u64 = Self::VARIABLE as u64;
}

/// A remainder that fills the slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FixedLength;

impl Entry for FixedLength {
    const VARIABLE: bool = false;
}

/// A prefix of a fingerprint, and its age in unary: the bits of the prefix, a 1, then a zero for
/// each doubling since the entry was inserted. An entry whose bits are used up consists of the 1
/// and zeros, and matches every key of its slot. Zero is not an entry.
///
/// As a number, an entry lies in the middle of those it matches: prefixes that go on with 0 are
/// smaller, those that go on with 1 larger. So a sorted run stays sorted when doubling shifts all
/// its entries by one bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VariableLength;

impl Entry for VariableLength {
    const VARIABLE: bool = true;
}

/// The lowest 1 of an entry: among entries that match one key, the longest has the lowest. For a
/// [`VariableLength`] entry it is 2^age, the number of fingerprints it matches.
#[inline(always)]
pub(crate) const fn width(value: u64) -> u64 {
    lowest(value)
}

impl<B: Bytes, E: Entry> SlotTable<B, E> {
    /// The bits of a hash that the table keeps, and those set in every new entry. Monotone in the
    /// hash.
    #[inline(always)]
    pub(crate) fn fingerprint(&self, hash: KeyHash) -> u64 {
        index(hash.get(), self.fingerprints) | E::MARK
    }

    /// For each field of a load: zero if it matches the key with the value in the same field of
    /// `values`.
    #[inline(always)]
    pub(crate) fn differing(&self, window: u64, values: u64) -> u64 {
        if E::VARIABLE {
            self.fields.differing_before_tail(window, values)
        } else {
            window ^ values
        }
    }

    /// The field to remove for a key: the first of the longest matches. `found` has the highest bit
    /// of each matching field, at least one; returns one of these bits.
    #[inline(always)]
    pub(crate) fn longest(&self, window: u64, found: u64) -> u64 {
        let mut longest = lowest(found);
        if E::VARIABLE {
            let width = |field| width(self.fields.marked(window, field));
            let mut rest = found ^ longest;
            while rest != 0 {
                let other = lowest(rest);
                if width(other) < width(longest) {
                    longest = other;
                }
                rest ^= other;
            }
        }
        longest
    }

    /// The number of fingerprints lost if this entry is removed, the only one that matches its key.
    #[inline(always)]
    pub(crate) fn alone(&self, run: Run, value: u64) -> u64 {
        if !E::VARIABLE {
            return 1;
        }
        // No entry is longer than a new one, and in nineteen runs of twenty none refines an old
        // one.
        if width(value) == 1 || run.end - run.start == 1 {
            return width(value);
        }
        self.alone_among_others(run, value)
    }

    /// [`alone`](Self::alone), where longer entries may refine this one.
    #[cold]
    #[inline(never)]
    fn alone_among_others(&self, run: Run, value: u64) -> u64 {
        let width = width(value);
        let at = |value| self.place(run, value).0;
        let place = at(value);
        let lower = Run { start: at(value - width + 1), end: place };
        let after = value + width;
        let upper = Run {
            start: place + 1,
            end: if after > self.fields.mask() { run.end } else { at(after) },
        };
        let [lower, upper] = [lower, upper].map(|half| self.union(half, u64::BITS));
        width.saturating_sub(lower).saturating_sub(upper)
    }

    /// The number of fingerprints that the entries of a table match. Its runs are consistent and
    /// have this many `different` values. `None` if a value is not an entry.
    pub(crate) fn answered(&self, different: u64) -> Option<u64> {
        if !E::VARIABLE {
            return Some(different);
        }
        let mut end = self.offset::<Broadword>(0, self.metadata(0).offset);
        let mut answered = 0u64;
        for block in 0..self.blocks {
            let mut homes = self.metadata(block).occupieds;
            while homes != 0 {
                let home = block * BLOCK_SLOTS + u64::from(homes.trailing_zeros());
                homes &= homes - 1;
                let start = end.max(home);
                end = self.first_runend(start) + 1;
                if self.remainder(start) == 0 {
                    return None;
                }
                answered = answered.saturating_add(self.union(Run { start, end }, u64::BITS));
            }
        }
        Some(answered)
    }

    /// The number of fingerprints that match any of these entries of a run.
    ///
    /// The sets of any two entries are disjoint or nested. The values agree from bit `below` on.
    /// Each call halves their range, so the depth is at most a fingerprint's length; if the bytes
    /// change meanwhile, the result is arbitrary.
    fn union(&self, Run { start, end }: Run, below: u32) -> u64 {
        if start == end {
            return 0;
        }
        let first = self.remainder(start);
        if start + 1 == end {
            return width(first);
        }
        let last = self.remainder(end - 1);
        let differing = first ^ last;
        if differing < width(first) {
            // The first entry covers all others.
            return width(first);
        }
        // The common bits, then a 1, then zeros: the value between both halves.
        let bit = differing.ilog2();
        if bit >= below {
            return 0;
        }
        let half = 1 << bit;
        let (place, found) = self.place(Run { start, end }, last & !(half - 1));
        if found {
            return half;
        }
        let lower = self.union(Run { start, end: place }, bit);
        lower.saturating_add(self.union(Run { start: place, end }, bit))
    }
}
