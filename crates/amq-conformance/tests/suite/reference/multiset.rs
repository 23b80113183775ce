//! A multiset of fingerprints in a hash map: a cuckoo or quotient filter without its table.
//!
//! A fingerprint is the hash scaled to a universe of U, 2^r per slot. The rate is the occupied
//! share of U, `1 - (1 - 1/U)^n` in the mean.

use super::{Fault, has, theory};
use amq_core::index::index;
use amq_core::{
    Budget, BuildError, ClearFilter, Count, CountFilter, EmptyFilter, Filter, FilterKind, Goal,
    InsertError, InsertFilter, Inserted, KeyHash, MergeError, MergeFilter, Plan, PlanError,
    PlanFilter, PredictedFpr, RemoveFilter, Target,
};
use std::collections::HashMap;
use std::fmt;

/// The most copies of one fingerprint, as in a cuckoo filter.
const COPIES: u64 = 8;

/// A multiset with the [`Fault`] of the thread.
#[derive(Clone, PartialEq)]
pub(crate) struct Multiset {
    copies: HashMap<u64, u64>,
    params: Params,
    seed: u64,
    capacity: u64,
    len: u64,
    holes: u64,
    refused: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Params {
    slots: u64,
    remainder: u32,
}

impl fmt::Debug for Multiset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Multiset")
            .field("params", &self.params)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl Params {
    /// Every remainder length that leaves the universe within 64 bits.
    fn all(keys: u64) -> impl Iterator<Item = Self> {
        let slots = keys.saturating_add(keys / 20);
        (0..slots.leading_zeros()).map(move |remainder| Self { slots, remainder })
    }

    fn universe(self) -> u64 {
        self.slots << self.remainder
    }

    fn bytes(self) -> u64 {
        (self.slots as f64 * f64::from(self.remainder + 3) / 8.0).ceil() as u64
    }
}

impl Multiset {
    fn fingerprint(&self, hash: KeyHash) -> u64 {
        index(hash.get(), self.params.universe())
    }

    fn full(&self) -> InsertError {
        InsertError::Table {
            len: self.len,
            capacity: self.capacity,
            load: self.len as f64 / self.params.slots as f64,
        }
    }
}

impl Filter for Multiset {
    fn kind(&self) -> FilterKind {
        FilterKind::Cuckoo
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        self.params.bytes()
    }

    fn expected_fpr(&self) -> f64 {
        self.copies.len() as f64 / self.params.universe() as f64
    }

    fn load_factor(&self) -> f64 {
        self.len as f64 / self.params.slots as f64
    }

    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.copies.contains_key(&self.fingerprint(hash))
    }
}

impl InsertFilter for Multiset {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        let fingerprint = self.fingerprint(hash);
        let copies = self.copies.get(&fingerprint).copied().unwrap_or(0);
        let inserted = Inserted::from_change(copies == 0);
        let early = u64::from(has(Fault::RefusesTooEarly)) * (self.capacity / 10 + 1);
        let room = self.params.slots.saturating_sub(self.holes + early);
        if copies == COPIES || self.len >= room {
            if has(Fault::DropsTheKeyWhenFull) {
                return Ok(inserted);
            }
            let other = self.copies.keys().next().copied();
            if let (Some(other), true) = (other, has(Fault::DropsAnotherWhenFull)) {
                self.copies.remove(&other);
                self.copies.insert(fingerprint, copies + 1);
                return Ok(inserted);
            }
            if has(Fault::RefusesButCounts) {
                self.len += 1;
            }
            if !has(Fault::RefusesOnlyOnce) || !self.refused {
                // The flag that an error was returned is no part of the set; only the faulty filter
                // sets it.
                self.refused = has(Fault::RefusesOnlyOnce);
                return Err(if copies == COPIES {
                    InsertError::Copies { copies }
                } else {
                    self.full()
                });
            }
        }
        self.len += 1;
        if !(has(Fault::SkipsTwins) && copies > 0) {
            self.copies.insert(fingerprint, copies + 1);
        }
        Ok(inserted)
    }

    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        match self.contains_hash(hash) {
            true if has(Fault::UniqueStoresCopies) => {
                self.insert_hash(hash)?;
                Ok(Inserted::MaybePresent)
            }
            true => Ok(Inserted::MaybePresent),
            false if has(Fault::UniqueStoresNothing) => Ok(Inserted::New),
            false => self.insert_hash(hash),
        }
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, amq_core::BatchInsertError> {
        let before = self.clone();
        let mut new = 0;
        for (done, &hash) in (0..).zip(hashes) {
            match self.insert_hash(hash) {
                Ok(inserted) => new += u64::from(inserted.is_new()),
                Err(full) => {
                    if has(Fault::BatchUndoneWhenFull) {
                        *self = before;
                    }
                    return Err(amq_core::BatchInsertError { done, error: full });
                }
            }
        }
        Ok(new)
    }
}

impl ClearFilter for Multiset {
    fn clear(&mut self) {
        self.copies.clear();
        (self.len, self.holes, self.refused) = (0, 0, false);
    }
}

impl RemoveFilter for Multiset {
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let fingerprint = self.fingerprint(hash);
        let Some(copies) = self.copies.get_mut(&fingerprint) else {
            if has(Fault::RemoveOfAbsentCounts) {
                self.len = self.len.saturating_sub(1);
            }
            return false;
        };
        *copies -= 1;
        if *copies == 0 || has(Fault::RemovesEveryCopy) {
            self.copies.remove(&fingerprint);
        }
        self.len -= 1;
        self.holes += u64::from(has(Fault::HoleNeverFilled));
        !has(Fault::RemoveSaysNo)
    }
}

impl CountFilter for Multiset {
    fn count_hash(&self, hash: KeyHash) -> Count {
        let mut copies = self.copies.get(&self.fingerprint(hash)).copied().unwrap_or(0);
        if has(Fault::CountsToOne) {
            copies = copies.min(1);
        }
        if has(Fault::CountsOneMore) && copies > 0 {
            copies += 1;
        }
        Count::up_to(copies, COPIES)
    }
}

impl Multiset {
    fn planned(goal: Goal) -> Result<Plan<Params>, PlanError> {
        let goal = goal.checked()?;
        let rate = |params: &Params| Self::predicted_fpr(params, goal.keys).mean;
        let mut params = Params::all(goal.keys);
        let best = match goal.budget {
            Budget::Fpr(fpr) => params.find(|params| rate(params) <= fpr),
            _ => params.filter(|params| params.bytes() <= goal.max_bits() / 8).last(),
        };
        let Some(params) = best else {
            return Err(match (goal.budget, Params::all(goal.keys).next()) {
                (Budget::Fpr(fpr), _) => PlanError::FprUnreachable {
                    fpr,
                    lowest: Params::all(goal.keys).last().map_or(1.0, |params| rate(&params)),
                    keys: goal.keys,
                },
                (_, Some(least)) => {
                    PlanError::Bytes { bytes: goal.max_bits() / 8, min: least.bytes() }
                }
                (_, None) => PlanError::Keys { keys: goal.keys, min: 1, max: u64::MAX / 21 * 10 },
            });
        };
        Self::plan_params(params, goal.keys)
    }
}

impl PlanFilter for Multiset {
    type Params = Params;

    fn plan(goal: Goal) -> Result<Plan<Params>, PlanError> {
        goal.plan_by(Self::planned)
    }

    fn plan_params(params: Params, keys: u64) -> Result<Plan<Params>, PlanError> {
        Ok(Plan::new(params, keys)
            .with_bytes(params.bytes())
            .with_expected_fpr(Self::predicted_fpr(&params, keys).mean))
    }

    fn predicted_fpr(params: &Params, keys: u64) -> PredictedFpr {
        let (mean, variance) = theory::fill(params.universe() as f64, keys as f64);
        PredictedFpr { mean, sd: variance.sqrt() }
    }

    fn params(&self) -> Params {
        self.params
    }
}

impl EmptyFilter for Multiset {
    fn empty(target: impl Into<Target<Params>>, seed: u64) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        if plan.bytes > 1 << 40 {
            return Err(BuildError::OutOfMemory { bytes: plan.bytes });
        }
        Ok(Self {
            copies: HashMap::new(),
            params: plan.params,
            seed,
            capacity: plan.keys,
            len: 0,
            holes: 0,
            refused: false,
        })
    }
}

impl MergeFilter for Multiset {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.merged(other).map(drop)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        *self = self.merged(other)?;
        Ok(())
    }
}

impl Multiset {
    /// The union. A fingerprint of a larger universe loses its last bits, if that universe is a
    /// power of two times this one.
    fn merged(&self, other: &Self) -> Result<Self, MergeError> {
        let (ours, theirs) = (self.params, other.params);
        let (more, fewer) = (ours.slots.max(theirs.slots), ours.slots.min(theirs.slots));
        if more % fewer != 0 || !(more / fewer).is_power_of_two() {
            MergeError::check("slots", ours.slots, theirs.slots)?;
        }
        // The fault accepts fingerprints with too few bits, and the shift saturates at none.
        let apart = (more / fewer).trailing_zeros();
        let saturates = has(Fault::MergeSaturates)
            && ours.remainder == 0
            && theirs.slots < ours.slots
            && theirs.remainder < apart;
        if theirs.universe() < ours.universe() && !saturates {
            return Err(MergeError::Fingerprints {
                ours: ours.universe(),
                theirs: theirs.universe(),
            });
        }
        MergeError::check_seeds(self.seed, other.seed)?;
        if self.len + other.len > ours.slots {
            return Err(MergeError::Keys { ours: self.len, theirs: other.len, slots: ours.slots });
        }
        let shift = (theirs.universe() / ours.universe()).max(1).trailing_zeros();
        let mut sum = self.clone();
        for (fingerprint, theirs) in &other.copies {
            let copies = sum.copies.entry(fingerprint >> shift).or_default();
            *copies += theirs;
            if *copies > COPIES {
                return Err(MergeError::Insert(InsertError::Copies { copies: *copies }));
            }
        }
        sum.len += other.len;
        Ok(sum)
    }
}
