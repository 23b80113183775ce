//! Contenders with exactly one fault each: every check must find its fault.

use crate::contenders::threads::Done;
use crate::contenders::{Ability, Built, Contender, Info, Task, dependent_hits};
use crate::scenarios::keys::{BenchKey, Keys};
use amq_core::{Budget, KeyHash, PredictedFpr};
use std::any::Any;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Fault {
    Nothing,
    NothingButGrows,
    ForgetsAKey,
    LiesAboutItsSize,
    HasThreeTimesTheRate,
    HasAThirdOfTheRate,
    CountsOtherwiseInBatches,
    CountsOtherwiseInChains,
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
    AnswersThreadsOtherwise,
}

/// The slots of a broken filter: nearly full when it refuses further keys.
pub(super) const SLOTS: u64 = 1250;
/// A filter planned for this many keys refuses further ones.
const FULL: usize = 1200;

/// A small exact set that errs on purpose for one absent key in a hundred, plus one fault.
pub(super) struct Broken {
    /// Sorted.
    held: Vec<u64>,
    fault: Fault,
    seed: u64,
    replaced: usize,
}

impl Broken {
    /// A contender of such filters, of which the first `sound` are sound. Leaked, since contenders
    /// are static.
    pub(super) fn lasting(fault: Fault, ours: bool, sound: usize) -> &'static Contender {
        let left = AtomicUsize::new(sound);
        let mut contender = Contender::new("broken", move |keys, order| {
            let sound = left.load(Relaxed);
            left.store(sound.saturating_sub(1), Relaxed);
            let fault = if sound > 0 { Fault::Nothing } else { fault };
            let mut held = u64::slice(keys).to_vec();
            match fault {
                Fault::Refuses => return Err("no".into()),
                Fault::Panics => panic!("at {}", order.seed),
                Fault::ForgetsAKey if held.len() > 1 => drop(held.pop()),
                _ => {}
            }
            held.sort_unstable();
            Ok(Box::new(Self { held, fault, seed: order.seed, replaced: 0 }))
        });
        let abilities: &[Ability] = match fault {
            Fault::NothingButGrows | Fault::ErrsMoreThanAsked => &[Ability::Insert, Ability::Grow],
            _ => &[
                Ability::Batch,
                Ability::Insert,
                Ability::Remove,
                Ability::Merge,
                Ability::Truncate,
            ],
        };
        let info = contender.info.clone();
        let abilities = [abilities, &[Ability::ConcurrentInsert]].concat();
        let info = Info { ours, abilities, bits_budget: true, jumps: true, ..info };
        contender.info = Box::leak(Box::new(info));
        Box::leak(Box::new(contender))
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn holds(&self, key: u64) -> bool {
        let errs = match self.fault {
            Fault::HasThreeTimesTheRate | Fault::ErrsMoreThanAsked => 30,
            Fault::HasAThirdOfTheRate => 3,
            _ => 10,
        };
        self.held.binary_search(&key).is_ok() || KeyHash::of(&key, self.seed).get() % 1000 < errs
    }

    /// Changes what it holds, if it can.
    fn change(&mut self, gone: &[u64], new: &[u64]) -> Option<u64> {
        assert!(!self.is(Fault::PanicsWhenChanged), "changed");
        let gone: HashSet<u64> = gone.iter().copied().collect();
        self.held.extend_from_slice(new);
        self.held.retain(|key| !gone.contains(key));
        self.held.sort_unstable();
        (!self.is(Fault::CannotChange)).then_some(new.len() as u64)
    }
}

impl Built for Broken {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.held.capacity() as u64 * 8 - u64::from(self.is(Fault::LiesAboutItsSize)))
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        let mean = if self.is(Fault::ErrsMoreThanAsked) { 0.03 } else { 0.01 };
        Some(PredictedFpr { mean, sd: 0.0 })
    }

    fn count_hits(&self, queries: Keys<'_>) -> u64 {
        u64::slice(queries).iter().map(|&key| u64::from(self.holds(key))).sum()
    }

    fn ask_each(&self, _: Keys<'_>, times: &mut [u32]) {
        times.fill(1);
    }

    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64> {
        Some(self.count_hits(queries) + u64::from(self.is(Fault::CountsOtherwiseInBatches)))
    }

    fn dependent(&self, queries: Keys<'_>) -> u64 {
        dependent_hits(&self.answers(queries)) + u64::from(self.is(Fault::CountsOtherwiseInChains))
    }

    fn answers(&self, queries: Keys<'_>) -> Vec<bool> {
        u64::slice(queries).iter().map(|&key| self.holds(key)).collect()
    }

    fn insert_more(&mut self, keys: Keys<'_>) -> Option<u64> {
        let (keys, held) = (u64::slice(keys), self.held.len());
        let taken = match self.fault {
            Fault::DropsFurtherKeys => return Some(keys.len() as u64),
            Fault::RefusesFurtherKeys | Fault::RefusesAndForgets => {
                &keys[..keys.len().min(FULL.saturating_sub(held))]
            }
            _ => keys,
        };
        let forgets = match self.fault {
            Fault::ForgetsWhenHalfFull => held + keys.len() > SLOTS as usize / 2,
            Fault::RefusesAndForgets => taken.len() < keys.len(),
            _ => false,
        };
        let gone: Vec<u64> = self.held.first().copied().filter(|_| forgets).into_iter().collect();
        self.change(&gone, taken)
    }

    fn insert_each(&mut self, keys: Keys<'_>, times: &mut [u32]) -> Option<u64> {
        times.fill(1);
        self.insert_more(keys)
    }

    fn by_threads(&mut self, task: Task, keys: Keys<'_>, _: usize) -> Option<Done> {
        let wrong = u64::from(self.is(Fault::AnswersThreadsOtherwise));
        Some(match task {
            Task::Insert => (self.insert_more(keys)?, 1.0),
            Task::Ask => (self.count_hits(keys) - wrong, 1.0),
        })
    }

    fn remove(&mut self, keys: Keys<'_>) -> Option<u64> {
        let keys = u64::slice(keys);
        let gone = match self.fault {
            Fault::RemovesNothing => Vec::new(),
            Fault::RemovesEverything => self.held.clone(),
            _ => keys.to_vec(),
        };
        self.change(&gone, &[])?;
        Some(keys.len() as u64 - u64::from(self.is(Fault::DeniesWhatItRemoves)))
    }

    fn replace(&mut self, gone: Keys<'_>, new: Keys<'_>) -> Option<u64> {
        let (gone, new) = (u64::slice(gone), u64::slice(new));
        let done = if self.is(Fault::StopsReplacing) { gone.len() / 2 } else { gone.len() };
        let keeps = self.is(Fault::KeepsWhatIsReplaced);
        let all = if keeps { 0..0 } else { 0..done };
        let held = self.held.len();
        self.change(&gone[all.clone()], &new[all])?;
        // Removing an absent key does not count as a replacement.
        let done = done - (self.held.len() - held);
        self.replaced += done;
        if self.is(Fault::LosesOneInChurn) && self.replaced > 1000 {
            self.held.pop();
        }
        Some(done as u64)
    }

    fn merge(&mut self, other: &dyn Built) -> Option<Result<(), String>> {
        let other: &Self = (other as &dyn Any).downcast_ref()?;
        let taken = match self.fault {
            Fault::RefusesToMerge => return Some(Err("no".to_owned())),
            Fault::MergesNothing => 0,
            Fault::MergesAllButOne => other.held.len() - 1,
            _ => other.held.len(),
        };
        self.change(&[], &other.held[..taken]).map(|_| Ok(()))
    }

    fn truncate(&mut self, _: Budget) -> Option<Result<(), String>> {
        let refuses = self.is(Fault::RefusesToMerge);
        self.change(&[], &[]).map(|_| if refuses { Err("no".to_owned()) } else { Ok(()) })
    }

    fn slots(&self) -> Option<u64> {
        let grows = self.is(Fault::GrowsWhenHalfFull) && self.held.len() as u64 > SLOTS / 2;
        (!self.is(Fault::HasNoSlots)).then_some(if grows { 3 * SLOTS } else { SLOTS })
    }
}
