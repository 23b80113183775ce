//! Growing: the table is read in order, and one of twice the slots is written.
//!
//! Growth by less than doubling is left out. Where the slots grow by, say, a half, an entry's
//! fingerprint does not tell its home among them; and where a part of the slots doubles, that part
//! has half the load of the rest, so the rest is full no later.

use super::aging::{doubled, is_void};
use super::{COPIES, ExpandableQuotientFilter};
use crate::pack::{Packed, pack};
use crate::stream::Fingerprints;
use crate::theory::expandable as theory;
use crate::{ExpandableParams, MAX_COPIES, simd};
use amq_core::{BuildError, Full, Goal, KeyHash, Plan, PlanError};

impl ExpandableQuotientFilter {
    /// The plan of a filter that keeps the rate of the goal while it doubles this often, and may
    /// double as often as it keeps it. [`plan`](Self::plan) asks for 20 doublings, which is a
    /// million times the items of the goal.
    ///
    /// Every halving of the number of doublings saves about one bit a key. Where a hash has too few
    /// bits for so low a rate and so many doublings, the plan has fewer; its
    /// [`max_doublings`](ExpandableParams::max_doublings) says how many.
    ///
    /// ```
    /// use amq_quotient::{ExpandableQuotientFilter, Goal};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let goal = Goal::fpr(10_000, 0.01);
    /// // Good for 41 doublings. A 64-bit hash has the bits for 34 of a table of this size.
    /// let usual = ExpandableQuotientFilter::plan(goal)?.params;
    /// assert_eq!((usual.fingerprint_bits, usual.max_doublings), (11, 34));
    /// // At most a few hundred times the items.
    /// let few = ExpandableQuotientFilter::plan_doublings(goal, 8)?.params;
    /// assert_eq!((few.fingerprint_bits, few.max_doublings), (9, 8));
    /// # Ok(())
    /// # }
    /// ```
    pub fn plan_doublings(goal: Goal, doublings: u32) -> Result<Plan<ExpandableParams>, PlanError> {
        Ok(theory::plan_doublings(goal, doublings)?.within(goal.budget))
    }

    /// Lets the filter double until it has done so `max_doublings` times in all. The present number
    /// forbids it.
    ///
    /// [`theory::fpr`](crate::theory::expandable::fpr) tells the rate after more doublings than
    /// were planned for.
    pub fn allow_growth(&mut self, max_doublings: u32) -> Result<(), PlanError> {
        let params = self.params.max_doublings(max_doublings);
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// Doubles the slots, and shortens every fingerprint by a bit. On an error the filter is as it
    /// was.
    ///
    /// Inserts do this by themselves. Needs the memory of both tables while it runs, and time
    /// proportional to the slots.
    pub fn grow(&mut self) -> Result<(), Full> {
        let limit = self.params.max_doublings.into();
        let params = self.params.doubled().ok_or(Full::Limit { what: "doublings", limit })?;
        let bits = params.table().remainder_bits;
        let entries = Fingerprints::new(&self.table);
        // None is older than the table.
        let void = if self.params.doublings < params.fingerprint_bits {
            0
        } else {
            let void = entries.clone().filter(|&entry| is_void(entry, bits));
            void.count() as u64
        };
        let held = self.entries + void;
        if held >= params.max_entries() {
            // All entries are without bits. No inserts lead to that, since the last of them has all
            // its bits; but files do.
            return Err(Full::Table {
                len: self.len,
                capacity: self.header.capacity,
                load: self.entries as f64 / self.params.slots as f64,
            });
        }
        let written = if void == 0 {
            pack(params.table(), entries.map(|entry| entry << 1))
        } else {
            pack(params.table(), doubled(entries, bits, void))
        };
        let Packed { table, .. } = written.map_err(|error| Full::OutOfMemory {
            bytes: match error {
                BuildError::OutOfMemory { bytes } => bytes,
                _ => 0,
            },
        })?;
        self.table = table;
        self.params = params;
        self.entries = held;
        // The table tells twice as many fingerprints apart, and answers for the same hashes.
        self.answered *= 2;
        Ok(())
    }

    /// Makes room for one more key, this one, by growing if that is allowed.
    #[inline(always)]
    pub(super) fn make_room(&mut self, hash: KeyHash) -> Result<(), Full> {
        if self.entries < self.table.max_items {
            return Ok(());
        }
        self.grow_for(hash)
    }

    #[cold]
    #[inline(never)]
    fn grow_for(&mut self, hash: KeyHash) -> Result<(), Full> {
        // What is refused must not make it grow.
        if simd::count(&self.table, self.table.fingerprint(hash)) >= MAX_COPIES {
            return Err(COPIES);
        }
        self.grow()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::shell::Header;

    #[test]
    fn a_full_table_of_entries_without_bits_is_refused_another() {
        let params = ExpandableParams { doublings: 1, ..ExpandableParams::new(160, 1) };
        let entries = params.max_entries();
        let packed = pack(params.table(), (0..entries).map(|slot| slot << 2 | 0b10)).unwrap();
        let plan = Plan::new(params, entries);
        let mut filter = ExpandableQuotientFilter {
            header: Header::new(&plan, 0),
            params,
            table: packed.table,
            len: entries,
            entries,
            answered: 2 * entries,
        };
        filter.validate().unwrap();
        let before = filter.clone();
        let (len, load) = (entries, entries as f64 / 160.0);
        let capacity = entries;
        let full = Full::Table { len, capacity, load };
        assert_eq!(filter.insert_hash(KeyHash::new(u64::MAX)), Err(full));
        assert_eq!(filter.grow(), Err(full));
        assert!(filter == before);
        // With one key gone there is room for another.
        assert!(filter.remove_hash(KeyHash::new(0)));
        filter.insert_hash(KeyHash::new(0)).unwrap();
        filter.insert_hash(KeyHash::new(1)).unwrap();
        filter.validate().unwrap();
        assert_eq!((filter.params().doublings, filter.len()), (2, entries + 1));
    }
}
