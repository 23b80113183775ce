//! A contender that is broken in exactly one way, for the tests: each check must find its fault.

use super::verify::{Effort, Subject};
use crate::contenders::{Ability, Built, Contender, Family, Info, Order, dependent_hits};
use crate::keys::{KeySet, Keys, Made, Store};
use amq_core::{Budget, KeyHash, PredictedFpr};
use std::any::Any;
use std::cell::Cell as Shared;
use std::collections::HashSet;

/// What is wrong with a contender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Fault {
    Nothing,
    ForgetsAKey,
    LiesAboutItsSize,
    HasThreeTimesTheRate,
    HasAThirdOfTheRate,
    CountsOtherwiseInBatches,
    CountsOtherwiseInChains,
    ForgetsAfterAWhile,
    Refuses,
    Panics,
    RemovesNothing,
    RemovesEverything,
    DeniesWhatItRemoves,
    CannotChange,
    PanicsWhenChanged,
    RefusesFurtherKeys,
    RefusesAndForgets,
    DropsFurtherKeys,
    ErrsMoreThanAsked,
    ForgetsWhenHalfFull,
    GrowsWhenHalfFull,
    HasNoSlots,
    LosesOneInChurn,
    KeepsWhatIsReplaced,
    StopsReplacing,
    MergesAllButOne,
    MergesNothing,
    RefusesToMerge,
}

/// The slots of a broken filter: nearly full when it refuses further keys.
pub(super) const SLOTS: u64 = 1250;
/// One with room for this many keys refuses further ones.
const FULL: usize = 1200;

/// A small exact set that errs on purpose for one absent key in a hundred, plus one fault.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) fault: Fault,
    pub(super) ours: bool,
}

impl Broken {
    /// One that lives as long as a contender must.
    pub(super) fn lasting(fault: Fault, ours: bool) -> &'static Self {
        Box::leak(Box::new(Self { fault, ours }))
    }
}

impl Contender for Broken {
    fn info(&self) -> Info {
        Info {
            name: "broken",
            family: Family::Exact,
            ours: self.ours,
            abilities: &[Ability::Batch, Ability::Insert, Ability::Remove, Ability::Merge],
            ..Info::default()
        }
    }

    fn build(&self, keys: Keys<'_>, order: &Order) -> Result<Box<dyn Built>, String> {
        let Keys::U64(keys) = keys else {
            return Err("integers only".to_owned());
        };
        let mut held = keys.to_vec();
        match self.fault {
            Fault::Refuses => return Err("no".to_owned()),
            Fault::Panics => panic!("at {}", order.seed),
            Fault::ForgetsAKey if keys.len() > 1 => drop(held.pop()),
            _ => {}
        }
        held.sort_unstable();
        let (fault, seed) = (self.fault, order.seed);
        Ok(Box::new(BrokenFilter { held, fault, seed, asked: Shared::new(0), replaced: 0 }))
    }
}

struct BrokenFilter {
    /// Sorted.
    held: Vec<u64>,
    fault: Fault,
    seed: u64,
    asked: Shared<u64>,
    replaced: u64,
}

fn integers(keys: Keys<'_>) -> &[u64] {
    match keys {
        Keys::U64(keys) => keys,
        Keys::Bytes(_) => &[],
    }
}

impl BrokenFilter {
    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn holds(&self, key: u64) -> bool {
        self.asked.set(self.asked.get() + 1);
        let errs = match self.fault {
            Fault::ForgetsAfterAWhile if self.asked.get() > 5_000 => return false,
            Fault::HasThreeTimesTheRate | Fault::ErrsMoreThanAsked => 30,
            Fault::HasAThirdOfTheRate => 3,
            _ => 10,
        };
        self.held.binary_search(&key).is_ok() || KeyHash::of(&key, self.seed).get() % 1000 < errs
    }

    fn changes(&self) -> Option<()> {
        assert!(!self.is(Fault::PanicsWhenChanged), "changed");
        (!self.is(Fault::CannotChange)).then_some(())
    }

    fn add(&mut self, keys: &[u64]) {
        self.held.extend_from_slice(keys);
        self.held.sort_unstable();
    }

    fn forget(&mut self, gone: &[u64]) {
        let gone: HashSet<u64> = gone.iter().copied().collect();
        self.held.retain(|key| !gone.contains(key));
    }
}

impl Built for BrokenFilter {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.held.capacity() as u64 * 8 - u64::from(self.is(Fault::LiesAboutItsSize)))
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        let mean = if self.is(Fault::ErrsMoreThanAsked) { 0.03 } else { 0.01 };
        Some(PredictedFpr { mean, sd: 0.0 })
    }

    fn count_hits(&self, queries: Keys<'_>) -> u64 {
        integers(queries).iter().map(|&key| u64::from(self.holds(key))).sum()
    }

    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64> {
        Some(self.count_hits(queries) + u64::from(self.is(Fault::CountsOtherwiseInBatches)))
    }

    fn dependent(&self, queries: Keys<'_>) -> u64 {
        let more = self.is(Fault::CountsOtherwiseInChains);
        dependent_hits(&self.answers(queries)) + u64::from(more)
    }

    fn answers(&self, queries: Keys<'_>) -> Vec<bool> {
        integers(queries).iter().map(|&key| self.holds(key)).collect()
    }

    fn insert_more(&mut self, keys: Keys<'_>) -> Option<u64> {
        self.changes()?;
        let keys = integers(keys);
        let room = match self.fault {
            Fault::DropsFurtherKeys => return Some(keys.len() as u64),
            Fault::RefusesFurtherKeys | Fault::RefusesAndForgets => {
                FULL.saturating_sub(self.held.len())
            }
            _ => keys.len(),
        };
        let taken = &keys[..keys.len().min(room)];
        self.held.extend_from_slice(taken);
        if self.is(Fault::ForgetsWhenHalfFull) && self.held.len() as u64 > SLOTS / 2 {
            self.held.remove(0);
        }
        if self.is(Fault::RefusesAndForgets) && taken.len() < keys.len() {
            self.held.pop();
        }
        self.held.sort_unstable();
        Some(taken.len() as u64)
    }

    fn insert_each(&mut self, keys: Keys<'_>, times: &mut [u32]) -> Option<u64> {
        times.fill(1);
        self.insert_more(keys)
    }

    fn remove(&mut self, keys: Keys<'_>) -> Option<u64> {
        self.changes()?;
        let keys = integers(keys);
        match self.fault {
            Fault::RemovesNothing => {}
            Fault::RemovesEverything => self.held.clear(),
            _ => self.forget(keys),
        }
        Some(keys.len() as u64 - u64::from(self.is(Fault::DeniesWhatItRemoves)))
    }

    fn replace(&mut self, gone: Keys<'_>, new: Keys<'_>) -> Option<u64> {
        self.changes()?;
        let (gone, new) = (integers(gone), integers(new));
        let done = if self.is(Fault::StopsReplacing) { gone.len() / 2 } else { gone.len() };
        if !self.is(Fault::KeepsWhatIsReplaced) {
            self.add(&new[..done]);
            self.forget(&gone[..done]);
        }
        self.replaced += done as u64;
        if self.is(Fault::LosesOneInChurn) && self.replaced > 1000 {
            self.held.pop();
        }
        Some(done as u64)
    }

    fn merge(&mut self, other: &dyn Built) -> Option<Result<(), String>> {
        self.changes()?;
        let other: &Self = (other as &dyn Any).downcast_ref()?;
        let taken = match self.fault {
            Fault::RefusesToMerge => return Some(Err("no".to_owned())),
            Fault::MergesNothing => 0,
            Fault::MergesAllButOne => other.held.len() - 1,
            _ => other.held.len(),
        };
        self.add(&other.held[..taken]);
        Some(Ok(()))
    }

    fn slots(&self) -> Option<u64> {
        let grows = self.is(Fault::GrowsWhenHalfFull) && self.held.len() as u64 > SLOTS / 2;
        (!self.is(Fault::HasNoSlots)).then_some(if grows { 3 * SLOTS } else { SLOTS })
    }
}

/// How thoroughly broken contenders are checked.
pub(super) const EFFORT: Effort = Effort { min_seeds: 2, max_seeds: 20, false_positives: 1000.0 };

/// A thousand keys, and those to ask for besides.
pub(super) fn made() -> Made {
    KeySet::RandomU64.make(1000, 20_000, 5).unwrap()
}

/// The subject for a contender of integers. The first half of the keys is to be removed.
pub(super) fn subject(made: &Made) -> Subject<'_> {
    let (Store::U64(present), Store::U64(absent)) = (&made.present, &made.absent) else {
        panic!("integers are integers");
    };
    let (gone, kept) = present.split_at(present.len() / 2);
    Subject {
        present: Keys::U64(present),
        absent: Keys::U64(absent),
        gone: Keys::U64(gone),
        kept: Keys::U64(kept),
        budget: Some(Budget::Fpr(0.01)),
        seed: 1,
    }
}
