//! A filter on its way: what is done to it, whether it is checked or timed.

use super::script::Act;
use crate::contenders::alloc::{Memory, counted};
use crate::contenders::{Built, Contender, Order};
use crate::keys::Keys;
use crate::measure::clock::timed;
use crate::measure::estimate::quantile;
use crate::measure::verify::{Failure, able, all_of, build, build_counted, take_out};
use std::ops::Range;

/// The share of single inserts that take less time than the recorded one.
const TAIL: f64 = 0.999;
/// Fewer inserts have no such tail.
const MIN_TAIL: usize = 2_000;

/// A contender's filter.
pub(super) struct Runner {
    pub(super) contender: &'static dyn Contender,
    pub(super) order: Order,
    pub(super) filter: Box<dyn Built>,
    /// The bytes that it holds, and its peak so far.
    pub(super) memory: Memory,
}

impl Runner {
    /// Builds it of the first keys; with the time.
    pub(super) fn begin(
        contender: &'static dyn Contender,
        first: &[u64],
        order: Order,
    ) -> Result<(Self, f64), Failure> {
        let (built, ns) = timed(|| build_counted(contender, Keys::U64(first), &order));
        let (filter, memory) = built?;
        Ok((Self { contender, order, filter, memory }, ns))
    }

    /// Does a part of an act: how many keys were done or, of queries, hits; and the time. Only
    /// inserts may be fewer than all.
    pub(super) fn act(&mut self, act: &Act<'_>, part: Range<usize>) -> Result<(u64, f64), Failure> {
        let (filter, keys, seed) = (&mut *self.filter, part.len(), self.order.seed);
        let to_merge = match act {
            Act::Merge(other) => Some(build(self.contender, Keys::U64(other), &self.order)?),
            _ => None,
        };
        let work = || match act {
            Act::Begin => Ok(keys as u64),
            Act::Ask(queries) => Ok(filter.count_hits(Keys::U64(&queries[part]))),
            Act::Insert(new) => able("insert", || filter.insert_more(Keys::U64(&new[part]))),
            Act::Remove(gone) => {
                take_out(filter, Keys::U64(&gone[part]), seed).map(|()| keys as u64)
            }
            Act::Replace(gone, new) => {
                let [gone, new] = [&gone[part.clone()], &new[part]].map(Keys::U64);
                let done = able("replace", || filter.replace(gone, new))?;
                all_of("replaced", done, keys, seed).map(|()| done)
            }
            Act::Merge(_) => {
                let merged = able("merge", || filter.merge(to_merge.as_deref()?))?;
                let refused = |why| Failure::Wrong(format!("refused to merge: {why}"));
                merged.map(|()| keys as u64).map_err(refused)
            }
        };
        let ((done, ns), Memory { held, peak }) = counted(|| timed(work));
        self.memory.peak = self.memory.peak.max(self.memory.held + peak);
        self.memory.held += held;
        Ok((done?, ns))
    }

    /// Inserts keys one by one: how many it took, and the time that nearly all stay below, if there
    /// are enough of them.
    pub(super) fn tail(&mut self, keys: &[u64]) -> Result<(u64, Option<f64>), Failure> {
        let mut times = vec![0; keys.len()];
        let taken = able("insert", || self.filter.insert_each(Keys::U64(keys), &mut times))?;
        let times: Vec<f64> = times.into_iter().map(f64::from).collect();
        Ok((taken, quantile(&times, TAIL).filter(|_| times.len() >= MIN_TAIL)))
    }
}
