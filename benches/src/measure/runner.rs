//! A filter in a scenario, checked or timed.

use crate::contenders::alloc::{Memory, counted};
use crate::contenders::{Built, Contender, Order, Planned, Task};
use crate::measure::estimate::{Times, tail, timed};
use crate::scenarios::keys::Keys;
use crate::scenarios::script::{Act, Check, Script, Step};
use crate::verify::{
    Answers, Failure, able, all_of, build, build_counted, no_false_negative, same_hits,
};
use amq_core::Budget;

/// The results at the stop after a step, and the step's time.
#[derive(Clone, Default, Debug)]
pub(super) struct Stop {
    /// The answers and the bytes of all seeds.
    pub(super) answers: Answers,
    /// Why the scenario ends here, if it does: the worst reason of all seeds.
    pub(super) end: Option<End>,
    pub(super) times: Times,
    pub(super) tail: Option<f64>,
}

/// Why a scenario ends, worst first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum End {
    Failed(Failure),
    /// It refused a key, holding this many.
    Refused(u64),
    /// Its slots, and so its load, have changed.
    Grew,
}

pub(super) struct Runner {
    contender: &'static Contender,
    order: Order,
    pub(super) filter: Box<dyn Built>,
    /// The bytes held, and the peak so far.
    memory: Memory,
}

impl Runner {
    /// Builds it from the first keys; returns the time, too.
    pub(super) fn begin(
        contender: &'static Contender,
        first: &[u64],
        order: Order,
    ) -> Result<(Self, f64), Failure> {
        let (built, ns) = timed(|| build_counted(contender, Keys::U64(first), &order));
        let (filter, memory) = built?;
        Ok((Self { contender, order, filter, memory }, ns))
    }

    /// Performs an act; returns the number of operations, and the time. Only inserts may be
    /// incomplete.
    pub(super) fn act(&mut self, act: &Act<'_>) -> Result<(u64, f64), Failure> {
        let to_merge = match act {
            Act::Merge(other) => Some(build(self.contender, Keys::U64(other), &self.order)?),
            Act::Threads(Task::Insert, ..) => {
                self.filter = build(self.contender, Keys::U64(&[]), &self.order)?;
                None
            }
            _ => None,
        };
        let (filter, seed) = (&mut *self.filter, self.order.seed);
        let mut of_threads = None;
        let work = || match act {
            Act::Insert(new) => able("insert", || filter.insert_more(Keys::U64(new))),
            Act::Replace(gone, new) => {
                let done = able("replace", || filter.replace(Keys::U64(gone), Keys::U64(new)))?;
                all_of("replaced", done, new.len(), seed).map(|()| done)
            }
            Act::Merge(other) => {
                let merged = able("merge", || filter.merge(to_merge.as_deref()?))?;
                let refused = |why| Failure::Wrong(format!("refused to merge: {why}"));
                merged.map(|()| other.len() as u64).map_err(refused)
            }
            Act::Truncate(rate, keys) => {
                let cut = able("truncate", || filter.truncate(Budget::Fpr(*rate)))?;
                cut.map(|()| *keys as u64)
                    .map_err(|why| Failure::Wrong(format!("refused to truncate: {why}")))
            }
            Act::Threads(task, threads, keys) => {
                let keys = Keys::U64(keys);
                let work = || filter.by_threads(*task, keys, *threads);
                let (done, ns) = able("work with threads", work)?;
                of_threads = Some(ns);
                match task {
                    Task::Insert => all_of("inserted", done, keys.len(), seed)?,
                    Task::Ask => {
                        let of_one = filter.count_hits(keys);
                        same_hits(&format!("{threads}-thread"), done, of_one, seed)?;
                    }
                }
                Ok(keys.len() as u64)
            }
        };
        let ((done, ns), Memory { held, peak }) = counted(|| timed(work));
        self.memory.peak = self.memory.peak.max(self.memory.held + peak);
        self.memory.held += held;
        Ok((done?, of_threads.unwrap_or(ns)))
    }

    /// Inserts keys one by one; returns how many it accepted, and the 99.9th percentile of the
    /// times, if there are enough.
    pub(super) fn tail(&mut self, keys: &[u64]) -> Result<(u64, Option<f64>), Failure> {
        let mut times = vec![0; keys.len()];
        let taken = able("insert", || self.filter.insert_each(Keys::U64(keys), &mut times))?;
        Ok((taken, tail(&times)))
    }

    /// Performs a step and the checks at its stop. Returns whether the scenario ends here.
    pub(super) fn go(
        &mut self,
        script: &Script<'_>,
        step: &Step<'_>,
        absent: &[u64],
        stop: &mut Stop,
    ) -> Result<Option<End>, Failure> {
        let all = step.act.operations();
        let (done, _) = self.act(&step.act)?;
        let (filter, seed) = (&*self.filter, self.order.seed);
        if matches!(step.act, Act::Insert(_)) {
            if script.slots.is_some() && filter.slots() != script.slots {
                return Ok(Some(End::Grew));
            }
            if done < all as u64 {
                let held = &step.holds[..step.holds.len() - all + done as usize];
                no_false_negative(filter, Keys::U64(held), seed)?;
                return Ok(Some(End::Refused(held.len() as u64)));
            }
        }
        if !matches!(script.planned, Planned::Room(_)) {
            stop.answers.see(filter, self.memory, seed)?;
        }
        let (holds, absent) = (Keys::U64(&step.holds), Keys::U64(absent));
        match step.check {
            Check::Passage => {}
            Check::Part => no_false_negative(filter, holds, seed)?,
            Check::Rate | Check::Target => stop.answers.take(filter, holds, absent, seed)?,
        }
        Ok(None)
    }
}
