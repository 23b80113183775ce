//! Growing, shrinking and merging: tables are read in order, and another is written.
//!
//! A table of twice the slots and remainders one bit shorter has the same fingerprints: the first
//! bit of the remainder becomes the last bit of the quotient. So sizes a power of two apart are
//! exact in both directions. No others are: the stored bits of a hash do not tell its home among,
//! say, three halves of the slots, and a guess would be a false negative.

use crate::error::refusal;
use crate::pack::{Packed, pack};
use crate::stream::Merged;
use crate::theory;
use crate::{QuotientFilter, QuotientParams, ResizeError};
use amq_core::{BuildError, Goal, InsertError, MergeError, MergeFilter, Plan, PlanError};

impl QuotientFilter {
    /// The plan of a filter that starts with room for `initial` keys, or a thousand if that is
    /// more, and doubles by itself until it holds the keys of the goal.
    ///
    /// The budget is that of the grown filter; before, the rate is lower in proportion to the keys.
    /// When the table is full it is rewritten with twice the slots and remainders one bit shorter,
    /// in time proportional to the keys. When the last table is full, inserts are refused.
    ///
    /// ```
    /// use amq_quotient::{Goal, QuotientFilter};
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

    /// Lets the filter grow by itself while its slots are at most `max_slots`. The present number
    /// forbids growth.
    ///
    /// Each doubling takes one bit of the remainders, and the rate stays proportional to the keys.
    pub fn allow_growth(&mut self, max_slots: u64) -> Result<(), PlanError> {
        let params = self.params().with_max_slots(max_slots);
        params.check()?;
        self.table.params = params;
        Ok(())
    }

    /// Doubles the slots and takes one bit of each remainder. The filter then takes twice the keys;
    /// the rate stays the same until they come. On an error the filter is as it was.
    ///
    /// Needs the memory of both tables while it runs.
    pub fn grow(&mut self) -> Result<(), ResizeError> {
        let params = self.params();
        let doubled = params.doubled().ok_or(ResizeError::Grow { params })?;
        self.rewrite(doubled).map_err(no_memory)
    }

    /// Halves the slots and gives the bit back to each remainder: frees the memory of keys that are
    /// gone. The rate stays the same. On an error the filter is as it was.
    ///
    /// Unless it may grow again by itself, its [`capacity`](Self::capacity) falls to what the slots
    /// take; [`grow`](Self::grow) restores it.
    pub fn shrink(&mut self) -> Result<(), ResizeError> {
        let params = self.params();
        let halved = params.halved().ok_or(ResizeError::Shrink { params })?;
        let (keys, max) = (self.len, halved.max_keys());
        if keys > max {
            return Err(ResizeError::Keys { keys, max });
        }
        self.rewrite(halved).map_err(no_memory)
    }

    /// Shrinks as far as possible; returns whether it shrank. If the allocator refuses on the way,
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

    /// Writes the same contents to a table with the same fingerprints and other slots.
    fn rewrite(&mut self, params: QuotientParams) -> Result<(), BuildError> {
        let Packed { table, distinct } = pack(params, self.fingerprints())?;
        debug_assert_eq!(distinct, self.distinct);
        self.table = table;
        Ok(())
    }

    /// Grows until there is room for `keys`.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow_for(&mut self, keys: u64) -> Result<(), InsertError> {
        let params = self.params();
        let larger =
            params.size_for(keys).ok_or_else(|| refusal(params, self.len, self.capacity()))?;
        self.rewrite(larger).map_err(|error| InsertError::OutOfMemory { bytes: refused(error) })
    }

    /// The parameters of a table for both, or why there is none.
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
        ours.size_for(self.len.saturating_add(other.len)).ok_or_else(|| MergeError::Keys {
            ours: self.len,
            theirs: other.len,
            slots: ours.grown().slots,
        })
    }
}

/// The bytes that the allocator refused: with checked parameters, writing a table fails in no other
/// way.
const fn refused(error: BuildError) -> u64 {
    match error {
        BuildError::OutOfMemory { bytes } => bytes,
        _ => 0,
    }
}

const fn no_memory(error: BuildError) -> ResizeError {
    ResizeError::OutOfMemory { bytes: refused(error) }
}

impl MergeFilter for QuotientFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.merged_params(other).map(drop)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        let params = self.merged_params(other)?;
        if other.is_empty() {
            return Ok(());
        }
        // Theirs are a power of two times as many: ours are their leading bits.
        let apart = other.params().fingerprints() / self.params().fingerprints();
        let shift = apart.trailing_zeros();
        let theirs = other.fingerprints().map(|fingerprint| fingerprint >> shift);
        let merged = pack(params, Merged::new(self.fingerprints(), theirs));
        let Packed { table, distinct } = merged.map_err(|error| {
            MergeError::Insert(InsertError::OutOfMemory { bytes: refused(error) })
        })?;
        self.table = table;
        self.len += other.len;
        self.distinct = distinct;
        Ok(())
    }
}
