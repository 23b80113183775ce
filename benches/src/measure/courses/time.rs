//! The timing of a course: contender and reference walk through the script side by side.

use super::Lane;
use super::check::End;
use super::runner::Runner;
use super::script::{Act, Check};
use crate::contenders::Planned;
use crate::keys::Keys;
use crate::measure::race::{REMOVER, holds_sample, order_of_reference, reference};
use crate::measure::verify::{Failure, all_of, same_hits};

/// Operations that contender and reference do in turn.
const CHUNK: usize = 1 << 13;

impl Lane<'_> {
    /// One pass; the first (round 0) warms up and times single inserts instead. A failure takes the
    /// place of all that was found.
    pub(super) fn time(&mut self, round: u64) {
        let outcome = self.pass(round);
        if let (Err(failure), Some(first)) = (outcome, self.stops.first_mut()) {
            first.end = Some(End::Failed(failure));
        }
    }

    fn pass(&mut self, round: u64) -> Result<(), Failure> {
        let Self { contender, order, script, stops, .. } = self;
        let room = script.legs.iter().map(|leg| leg.holds.len()).max().unwrap_or(1);
        let beside = order_of_reference(Planned::Room(room), order.seed);
        let (mut other, other_ns) = Runner::begin(reference(REMOVER)?, script.first, beside)?;
        let (mut own, own_ns) = Runner::begin(*contender, script.first, *order)?;
        let (mut sums, mut operations) = ([0.0; 2], 0);
        for (leg, stop) in script.legs.iter().zip(stops) {
            if stop.end.is_some() {
                break;
            }
            let all = leg.act.operations(script.first);
            let mut done = 0;
            match &leg.act {
                Act::Begin => (done, sums) = (all as u64, [other_ns, own_ns]),
                Act::Insert(keys) if round == 0 => {
                    other.act(&leg.act, 0..all)?;
                    (done, stop.tail) = own.tail(keys)?;
                }
                act => {
                    let step = if matches!(act, Act::Merge(_)) { all } else { CHUNK };
                    for start in (0..all).step_by(step.max(1)) {
                        let part = start..all.min(start + step);
                        let (_, other_ns) = other.act(act, part.clone())?;
                        let (some, own_ns) = own.act(act, part)?;
                        sums = [sums[0] + other_ns, sums[1] + own_ns];
                        done += some;
                    }
                }
            }
            match stop.hits {
                Some(want) => same_hits("timed", done, want, order.seed)?,
                None => all_of("inserted", done, all, order.seed)?,
            }
            if leg.check != Check::Passage {
                holds_sample(&*own.filter, Keys::U64(&leg.holds), "course")?;
            }
            operations += all;
            if leg.check == Check::Part {
                continue;
            }
            if leg.check != Check::Passage && round > 0 {
                stop.times.push(sums, operations);
                stop.operations += operations as u64;
            }
            (sums, operations) = ([0.0; 2], 0);
        }
        Ok(())
    }
}
