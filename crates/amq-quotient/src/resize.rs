//! Growing, shrinking and merging: reads tables in order, and writes a new one.
//!
//! A table of twice the slots and remainders one bit shorter has the same fingerprints: the first
//! bit of the remainder becomes the last bit of the quotient. So sizes a power of two apart are
//! exact in both directions. No others are: the stored bits of a hash do not determine its home
//! among, say, three halves of the slots, and a guess would be a false negative.

use crate::error::refusal;
use crate::pack::pack;
use crate::stream::{Fingerprints, Merged};
use crate::{QuotientFilter, QuotientParams, ResizeError, theory};
use amq_core::{Filter, Goal, InsertError, MergeError, MergeFilter, Plan, PlanError};

impl QuotientFilter {
    /// The plan of a filter that starts with room for `initial` keys, or a thousand if that is
    /// more, and doubles by itself until it holds the keys of the goal.
    ///
    /// The budget applies to the grown filter; until then the rate is lower, in proportion to the
    /// keys. When the table is full it is rewritten with twice the slots and remainders one bit
    /// shorter, in time proportional to the keys. When the last table is full, inserts are refused.
    ///
    /// ```
    /// use amq_quotient::{Filter, Goal, QuotientFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let plan = QuotientFilter::plan_growing(Goal::fpr(1_000_000, 0.01), 1_000)?;
    /// let mut seen = QuotientFilter::new(plan)?;
    /// let small = seen.size_in_bytes();
    /// for user in 0..100_000u64 {
    ///     seen.insert(&user)?;
    /// }
    /// assert!(seen.size_in_bytes() > 20 * small);
    /// assert!(seen.expected_fpr() < 0.001); // a tenth of the keys, a tenth of the rate
    /// # Ok(())
    /// # }
    /// ```
    pub fn plan_growing(goal: Goal, initial: u64) -> Result<Plan<QuotientParams>, PlanError> {
        theory::plan_growing(goal, initial)
    }

    /// Adds every copy that `other` holds. All or nothing.
    ///
    /// Both need the same seed, and numbers of slots that are equal or a power of two apart.
    /// `other` needs at least as many fingerprints, since missing bits of a hash cannot be
    /// restored. (If it has fewer, merge this one into it.) Reads both tables in order and writes a
    /// new one, which needs memory for one more table. Grows this filter if necessary and allowed.
    ///
    /// ```
    /// use amq_quotient::{Goal, QuotientFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut ours = QuotientFilter::new(Goal::fpr(1000, 0.01))?;
    /// let mut theirs = ours.clone();
    /// ours.insert("one")?;
    /// theirs.insert("two")?;
    /// ours.merge(&theirs)?;
    /// assert!(ours.contains("one") && ours.contains("two"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        let params = self.merged_params(other)?;
        if other.is_empty() {
            return Ok(());
        }
        // `other` has a power of two times as many fingerprints: ours are their leading bits.
        let shift = (other.table.fingerprints / self.table.fingerprints).trailing_zeros();
        let theirs = Fingerprints::new(&other.table).map(|fingerprint| fingerprint >> shift);
        let both = Merged::new(Fingerprints::new(&self.table), theirs);
        self.table = pack(params, self.len() + other.len(), both)
            .map_err(|_| MergeError::Insert(InsertError::OutOfMemory { bytes: params.bytes() }))?;
        Ok(())
    }

    /// Lets the filter grow by itself up to `max_slots` slots. The present number forbids growth.
    ///
    /// Each doubling takes one bit of the remainders, and the rate stays proportional to the keys.
    pub fn allow_growth(&mut self, max_slots: u64) -> Result<(), PlanError> {
        let params = self.params().with_max_slots(max_slots);
        params.check()?;
        self.table.params = params;
        Ok(())
    }

    /// Doubles the slots and takes one bit of each remainder. The filter then holds twice the keys;
    /// its rate rises only as they are inserted. On an error the filter is as it was.
    ///
    /// Needs the memory of both tables while it runs.
    pub fn grow(&mut self) -> Result<(), ResizeError> {
        let params = self.params();
        let doubled = params.doubled().ok_or(ResizeError::Grow { params })?;
        self.rewrite(doubled).map_err(|bytes| ResizeError::OutOfMemory { bytes })
    }

    /// Halves the slots and returns the bit to each remainder: frees the memory of removed keys.
    /// The rate stays the same. On an error the filter is as it was.
    ///
    /// Unless it may grow again by itself, its [`capacity`](Filter::capacity) falls to the most
    /// keys that the slots hold; [`grow`](Self::grow) restores it.
    pub fn shrink(&mut self) -> Result<(), ResizeError> {
        let params = self.params();
        let halved = params.halved().ok_or(ResizeError::Shrink { params })?;
        let (keys, max) = (self.len(), halved.max_keys());
        if keys > max {
            return Err(ResizeError::Keys { keys, max });
        }
        self.rewrite(halved).map_err(|bytes| ResizeError::OutOfMemory { bytes })
    }

    /// Shrinks as far as possible; returns whether it shrank. If an allocation fails on the way,
    /// the filter stays as small as it has become.
    pub fn shrink_to_fit(&mut self) -> Result<bool, ResizeError> {
        let mut shrunk = false;
        loop {
            match self.shrink() {
                Ok(()) => shrunk = true,
                Err(error @ ResizeError::OutOfMemory { .. }) => return Err(error),
                Err(_) => return Ok(shrunk),
            }
        }
    }

    /// Writes the same contents to a table with the same fingerprints and other slots. The error is
    /// the number of bytes that the allocator refused.
    fn rewrite(&mut self, params: QuotientParams) -> Result<(), u64> {
        let fingerprints = Fingerprints::new(&self.table);
        let table = pack(params, self.len(), fingerprints).map_err(|_| params.bytes())?;
        debug_assert_eq!(table.distinct, self.table.distinct);
        self.table = table;
        Ok(())
    }

    /// Grows until there is room for another key.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow_for_a_key(&mut self) -> Result<(), InsertError> {
        let (params, keys) = (self.params(), self.len().saturating_add(1));
        let larger =
            params.size_for(keys).ok_or_else(|| refusal(params, self.len(), self.capacity()))?;
        self.rewrite(larger).map_err(|bytes| InsertError::OutOfMemory { bytes })
    }

    /// The parameters of a table for both filters, or why they cannot be merged.
    fn merged_params(&self, other: &Self) -> Result<QuotientParams, MergeError> {
        let (ours, theirs) = (self.params(), other.params());
        let (more, fewer) = (ours.slots.max(theirs.slots), ours.slots.min(theirs.slots));
        if more % fewer != 0 || !(more / fewer).is_power_of_two() {
            MergeError::check("slots", ours.slots, theirs.slots)?;
        }
        let fingerprints = theirs.fingerprints();
        if fingerprints < ours.fingerprints() {
            return Err(MergeError::Fingerprints {
                ours: ours.fingerprints(),
                theirs: fingerprints,
            });
        }
        self.header.check_seeds(&other.header)?;
        ours.size_for(self.len().saturating_add(other.len())).ok_or_else(|| MergeError::Keys {
            ours: self.len(),
            theirs: other.len(),
            slots: ours.grown().slots,
        })
    }
}

impl MergeFilter for QuotientFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.merged_params(other).map(drop)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        Self::merge(self, other)
    }
}
