//! Growing: reads the table in order, and writes one of twice the slots, with each entry a bit
//! shorter.
//!
//! An entry's home slot and value, as one number, are shifted by one bit. So the first bit of the
//! fingerprint becomes the last bit of the home slot, the tail gets another zero, and the order
//! stays. An entry with no bit left matches all keys of its slot, which are now in two slots: it is
//! written to both.
//!
//! A table cannot grow by less than doubling. With, say, half as many slots more, an entry's
//! fingerprint would not determine its new home; and if only a part of the slots doubled, that part
//! would have half the load of the rest, which would fill up no later.

use super::{COPIES, ExpandableQuotientFilter};
use crate::pack::pack;
use crate::stream::{Fingerprints, Merged};
use crate::theory::expandable as theory;
use crate::{ExpandableParams, MAX_COPIES, simd};
use amq_core::{Goal, InsertError, KeyHash, Plan, PlanError};

impl ExpandableQuotientFilter {
    /// The plan of a filter that keeps the goal's rate through this many doublings, and may double
    /// as long as it keeps it. [`plan`](Self::plan) asks for 20 doublings, which is a million times
    /// the keys of the goal.
    ///
    /// Halving the number of doublings saves about one bit per key. Where a hash has too few bits
    /// for the rate and the doublings, the plan has fewer doublings; its
    /// [`max_doublings`](ExpandableParams::max_doublings) says how many.
    ///
    /// ```
    /// use amq_quotient::{ExpandableQuotientFilter, Goal};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let goal = Goal::fpr(10_000, 0.01);
    /// // Good for 41 doublings. A 64-bit hash has the bits for 34 of a table of this size.
    /// let usual = ExpandableQuotientFilter::plan(goal)?.params;
    /// assert_eq!((usual.fingerprint_bits, usual.max_doublings), (11, 34));
    /// // At most a few hundred times the keys.
    /// let few = ExpandableQuotientFilter::plan_doublings(goal, 8)?.params;
    /// assert_eq!((few.fingerprint_bits, few.max_doublings), (9, 8));
    /// # Ok(())
    /// # }
    /// ```
    pub fn plan_doublings(goal: Goal, doublings: u32) -> Result<Plan<ExpandableParams>, PlanError> {
        Ok(theory::plan_doublings(goal, doublings)?.with_budget(goal.budget))
    }

    /// Lets the filter double until it has done so `max_doublings` times in total. The present
    /// number forbids further doublings.
    ///
    /// [`theory::fpr`](crate::theory::expandable::fpr) tells the rate after more doublings than
    /// were planned for.
    pub fn allow_growth(&mut self, max_doublings: u32) -> Result<(), PlanError> {
        let params = self.params.with_max_doublings(max_doublings);
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// Doubles the slots, and shortens every fingerprint by a bit. On an error the filter is as it
    /// was.
    ///
    /// Inserts do this by themselves. Needs the memory of both tables while it runs, and time
    /// proportional to the slots. At least an eighth of the new table is free.
    ///
    /// Refused with [`InsertError::UsedUp`] if entries whose bits are used up take more than three
    /// quarters of the room. That happens only to filters from older files, which allow more
    /// doublings than [`ExpandableParams::most_doublings`].
    pub fn grow(&mut self) -> Result<(), InsertError> {
        let limit = self.params.max_doublings.into();
        let params =
            self.params.doubled().ok_or(InsertError::Limit { what: "doublings", limit })?;
        let bits = params.table().remainder_bits;
        let entries = Fingerprints::new(&self.table);
        // No entry is older than the table.
        let void = if self.params.doublings < params.fingerprint_bits {
            0
        } else {
            let void = entries.clone().filter(|&entry| is_void(entry, bits));
            void.count() as u64
        };
        // With parameters accepted today, inserts and removals never lead here. Older files may.
        if self.params.is_used_up(void) {
            return Err(InsertError::UsedUp { entries: void, of: self.params.max_entries() });
        }
        let held = self.entries() + void;
        let written = if void == 0 {
            pack(params.table(), held, entries.map(|entry| entry << 1))
        } else {
            pack(params.table(), held, doubled(entries, bits, void))
        };
        let bytes = params.bytes();
        let mut table = written.map_err(|_| InsertError::OutOfMemory { bytes })?;
        // The table distinguishes twice as many fingerprints, and matches the same hashes.
        table.distinct = 2 * self.table.distinct;
        // Every entry with bits is a key. A file may claim fewer keys; once the bits are used up,
        // those keys could not be told from leftovers.
        self.len = self.len.max(self.entries() - void);
        self.table = table;
        self.params = params;
        Ok(())
    }

    /// Makes room for this key, by growing if that is allowed.
    #[inline(always)]
    pub(super) fn make_room(&mut self, hash: KeyHash) -> Result<(), InsertError> {
        if self.table.entries < self.table.max_keys {
            return Ok(());
        }
        self.grow_for(hash)
    }

    #[cold]
    #[inline(never)]
    fn grow_for(&mut self, hash: KeyHash) -> Result<(), InsertError> {
        // A key that will be refused must not make the table grow.
        if simd::count(&self.table, self.table.fingerprint(hash)) >= MAX_COPIES {
            return Err(COPIES);
        }
        self.grow()
    }
}

/// The entries of the table of twice the slots, in order, from those of a table with `bits` bits a
/// slot, of which `void` have no bit of a fingerprint left.
fn doubled(
    entries: impl Iterator<Item = u64> + Clone,
    bits: u32,
    void: u64,
) -> impl Iterator<Item = u64> + Clone {
    let shorter = entries.clone().filter(move |&entry| !is_void(entry, bits));
    // Stops testing entries after the last of them.
    let void = usize::try_from(void).unwrap_or(usize::MAX);
    let void = entries.filter(move |&entry| is_void(entry, bits)).take(void);
    // In slot s of the old table, and so in slots 2s and 2s + 1 of the new one.
    let lower = void.map(move |entry| ((entry >> bits) << (bits + 1)) | void_value(bits));
    let upper = lower.clone().map(move |entry| entry + (1 << bits));
    Merged::new(shorter.map(|entry| entry << 1), Merged::new(lower, upper))
}

/// The value of an entry without a bit of a fingerprint.
const fn void_value(bits: u32) -> u64 {
    1 << (bits - 1)
}

/// Whether an entry has no bit of its fingerprint left.
pub(super) const fn is_void(entry: u64, bits: u32) -> bool {
    entry & ((1 << bits) - 1) == void_value(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::InsertFilter;
    use amq_core::internal::Header;
    use std::vec::Vec;

    /// A table whose entries are all used up: two bits, a 1 and a 0, in each slot.
    fn used_up(entries: u64) -> ExpandableQuotientFilter {
        let params = ExpandableParams { doublings: 1, ..ExpandableParams::new(160, 1) };
        let used_up = (0..entries).map(|slot| slot << 2 | 0b10);
        let mut table = pack(params.table(), entries, used_up).unwrap();
        table.distinct = 2 * entries;
        let header = Header::new(&Plan::new(params, entries), 0);
        let filter = ExpandableQuotientFilter { header, params, table, len: entries };
        filter.validate().unwrap();
        filter
    }

    #[test]
    fn a_table_of_entries_without_bits_is_refused_another() {
        let of = ExpandableParams::new(160, 1).max_entries();
        for entries in [of * 3 / 4 + 1, of] {
            let mut filter = used_up(entries);
            let before = filter.clone();
            assert_eq!(filter.grow(), Err(InsertError::UsedUp { entries, of }));
            let mut keys = (0..).map(|i: u64| KeyHash::of(&i, 0));
            let full = keys.find_map(|hash| filter.insert_hash(hash).err());
            assert_eq!(full, Some(InsertError::UsedUp { entries, of }));
            assert!(filter.params() == before.params() && filter.entries() == of);
            filter.validate().unwrap();
        }
        // With one fewer, the next table has room.
        let mut filter = used_up(of * 3 / 4);
        filter.grow().unwrap();
        filter.validate().unwrap();
        assert_eq!((filter.entries(), filter.params().max_entries()), (of * 3 / 4 * 2, 2 * of));
    }

    #[test]
    fn entries_without_bits_go_to_both_halves_and_the_order_stays() {
        // Three bits a slot. Values: 011 is 0 and 110 is 1, of two bits each; 010 and 110 have one
        // bit; 100 has none.
        let entries: Vec<u64> = [
            (0, 0b010),
            (0, 0b011),
            (0, 0b100),
            (0, 0b100),
            (0, 0b110),
            (1, 0b001),
            (3, 0b100),
            (3, 0b101),
            (7, 0b100),
        ]
        .map(|(slot, value)| slot << 3 | value)
        .to_vec();
        let void = entries.iter().filter(|&&entry| is_void(entry, 3)).count();
        assert_eq!(void, 4);
        let next: Vec<(u64, u64)> = doubled(entries.iter().copied(), 3, void as u64)
            .map(|entry| (entry >> 3, entry & 7))
            .collect();
        assert!(next.is_sorted());
        let expected = [
            (0, 0b100),
            (0, 0b100),
            (0, 0b100),
            (0, 0b110),
            (1, 0b100),
            (1, 0b100),
            (1, 0b100),
            (2, 0b010),
            (6, 0b100),
            (7, 0b010),
            (7, 0b100),
            (14, 0b100),
            (15, 0b100),
        ];
        assert_eq!(next, expected);
    }
}
