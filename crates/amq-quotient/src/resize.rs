//! Growing, shrinking and merging: all the same, reading tables in order and writing another.
//!
//! A table of twice the slots with one bit less of remainder has the same fingerprints: the first bit of the remainder has become the last one of
//! the slot's number. So sizes that are a power of two apart are exact in both directions. Nothing else is: the stored bits of a hash do not tell where it would be in a
//! table of, say, three halves the size, and a guess would be a false negative.

use crate::stream::{Merged, Packed, pack};
use crate::{MAX_SLOTS, QuotientFilter, QuotientParams, ResizeError, theory};
use amq_core::{
    BuildError, DEFAULT_SEED, Filter, Full, Goal, MergeError, MergeFilter, PlanError, PlanFilter,
};

impl QuotientFilter {
    /// An empty filter with room for `initial` keys, or a thousand if that is more, that grows by itself, and meets `goal` when it has grown to hold `goal.items`.
    ///
    /// The rate that the goal asks for, or the size that it allows, is that of the grown filter; before, the rate is lower in proportion to the keys. Each time the table is
    /// full it is written anew with twice the slots, which takes as long as there are keys, and one bit less of remainder. Beyond the goal's items inserts
    /// are refused when the last table is full.
    ///
    /// ```
    /// use amq_quotient::{Filter, Goal, InsertFilter, QuotientFilter};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut seen = QuotientFilter::growing(Goal::fpr(1_000_000, 0.01), 1_000)?;
    /// let small = seen.size_in_bytes();
    /// for user in 0..100_000u64 {
    ///     seen.insert(&user)?;
    /// }
    /// assert!(seen.size_in_bytes() > 20 * small);
    /// assert!(seen.expected_fpr() < 0.001); // a tenth of the keys, a tenth of the rate
    /// # Ok(())
    /// # }
    /// ```
    pub fn growing(goal: Goal, initial: u64) -> Result<Self, BuildError> {
        Self::growing_with_seed(goal, initial, DEFAULT_SEED)
    }

    /// The same with a seed of one's own.
    pub fn growing_with_seed(goal: Goal, initial: u64, seed: u64) -> Result<Self, BuildError> {
        let growth = theory::plan_growing(goal, initial)?;
        let mut filter = Self::from_params(growth.first, goal.items, seed)?;
        filter.max_slots = growth.last.slots;
        Ok(filter)
    }

    /// Lets the filter grow by itself, by doubling, while it has at most `max_slots` slots. The present number forbids it.
    ///
    /// Each doubling takes one bit of the remainders, so there can be as many as there are bits; the rate stays in proportion to the keys.
    pub fn allow_growth(&mut self, max_slots: u64) -> Result<(), PlanError> {
        let QuotientParams {
            slots,
            remainder_bits,
        } = self.params();
        let most = u128::from(slots) << remainder_bits;
        let most = most.min(MAX_SLOTS.into()) as u64;
        PlanError::check_parameter("max_slots", max_slots, slots, most)?;
        self.max_slots = max_slots;
        Ok(())
    }

    /// What the number of slots may grow to; the present number if the filter does not grow by itself.
    pub const fn max_slots(&self) -> u64 {
        self.max_slots
    }

    /// Doubles the slots, at the cost of one bit of each remainder: it takes twice the keys, and the rate, which depends on both together, stays what it is
    /// until they come. On an error the filter is as it was.
    ///
    /// Needs the memory of both tables while it runs.
    pub fn grow(&mut self) -> Result<(), ResizeError> {
        let params = self.params();
        let doubled = params.doubled().ok_or(ResizeError::Grow { params })?;
        self.rewrite(doubled).map_err(no_memory)
    }

    /// Halves the slots, and gives the bit back to the remainders: the memory for keys that are no longer there. The rate stays what it is, and the
    /// filter what it was if there is an error: too many keys for half the slots, an odd number of slots, or no longer remainder.
    pub fn shrink(&mut self) -> Result<(), ResizeError> {
        let params = self.params();
        let halved = params.halved().ok_or(ResizeError::Shrink { params })?;
        let (items, max) = (self.len(), halved.max_items());
        if items > max {
            return Err(ResizeError::Items { items, max });
        }
        let growing = self.max_slots > params.slots;
        self.rewrite(halved).map_err(no_memory)?;
        if !growing {
            self.max_slots = halved.slots;
        }
        Ok(())
    }

    /// Shrinks while it can; whether it did. Should the allocator refuse memory on the way, it stays as small as it has become.
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

    /// The same contents in a table with the same fingerprints and other slots.
    fn rewrite(&mut self, params: QuotientParams) -> Result<(), BuildError> {
        let Packed { table, distinct } = pack(params, self.fingerprints())?;
        debug_assert_eq!(distinct, self.distinct);
        self.table = table;
        self.max_slots = self.max_slots.max(params.slots);
        Ok(())
    }

    /// Grows by itself until there is room for so many keys.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow_for(&mut self, items: u64) -> Result<(), Full> {
        let params = self.params_for(items).ok_or_else(|| self.full())?;
        self.rewrite(params).map_err(|error| Full::OutOfMemory {
            bytes: refused(error),
        })
    }

    /// What the filter may be, from what it is to the largest that it grows to.
    fn sizes(&self) -> impl Iterator<Item = QuotientParams> + '_ {
        let larger = |params: &QuotientParams| {
            let doubled = params.doubled();
            doubled.filter(|params| params.slots <= self.max_slots)
        };
        core::iter::successors(Some(self.params()), larger)
    }

    /// The parameters with which the filter holds so many keys: its own, or those it grows to.
    fn params_for(&self, items: u64) -> Option<QuotientParams> {
        self.sizes().find(|params| params.max_items() >= items)
    }
}

/// The bytes that the allocator refused: nothing else stops a table of good parameters from being
/// written.
const fn refused(error: BuildError) -> u64 {
    match error {
        BuildError::OutOfMemory { bytes } => bytes,
        _ => 0,
    }
}

const fn no_memory(error: BuildError) -> ResizeError {
    ResizeError::OutOfMemory {
        bytes: refused(error),
    }
}

impl MergeFilter for QuotientFilter {
    /// They must have the same seed, slots of equal number or a power of two apart, and the other one no fewer fingerprints: what it knows less of a hash
    /// cannot be made up. (The other way round it can be merged.)
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.merged_params(other).map(|_| ())
    }

    /// Adds every copy that the other one holds. Reads both in order and writes a new table, so it needs the memory of one more; this one grows if it
    /// may and must.
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        let params = self.merged_params(other)?;
        if other.is_empty() {
            return Ok(());
        }
        // They are a power of two times as many as ours, and the place among fewer is that among more, divided.
        let apart = other.params().fingerprints() / self.params().fingerprints();
        let shift = apart.trailing_zeros();
        let theirs = other.fingerprints().map(|fingerprint| fingerprint >> shift);
        let merged = pack(params, Merged::new(self.fingerprints(), theirs));
        let Packed { table, distinct } = merged.map_err(|error| {
            MergeError::Full(Full::OutOfMemory {
                bytes: refused(error),
            })
        })?;
        self.table = table;
        self.len += other.len;
        self.distinct = distinct;
        Ok(())
    }
}

impl QuotientFilter {
    /// The parameters of a table for both; why there is none, if there is none.
    fn merged_params(&self, other: &Self) -> Result<QuotientParams, MergeError> {
        let (ours, theirs) = (self.params(), other.params());
        let (more, fewer) = (ours.slots.max(theirs.slots), ours.slots.min(theirs.slots));
        if more % fewer != 0 || !(more / fewer).is_power_of_two() {
            MergeError::check("slots", ours.slots, theirs.slots)?;
        }
        let (ours, theirs) = (ours.fingerprints(), theirs.fingerprints());
        if theirs < ours {
            return Err(MergeError::Fingerprints { ours, theirs });
        }
        MergeError::check_seeds(self.seed(), other.seed())?;
        self.params_for(self.len.saturating_add(other.len))
            .ok_or(MergeError::Items {
                ours: self.len,
                theirs: other.len,
                slots: self.sizes().fold(0, |_, params| params.slots),
            })
    }
}
