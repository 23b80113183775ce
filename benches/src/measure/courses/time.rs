//! The timing of a course: contender and reference walk through the script side by side.

use super::check::{insert, merge, replace};
use super::rows::Sums;
use super::script::{Act, Check, Leg};
use super::{Ground, Lane};
use crate::contenders::{Built, Contender, Order, Planned};
use crate::keys::Keys;
use crate::measure::clock::timed;
use crate::measure::estimate::quantile;
use crate::measure::race::{REMOVER, holds_sample, order_of_reference, reference};
use crate::measure::verify::{Failure, build, take_out};
use std::ops::Range;

/// Operations that contender and reference do in turn.
const CHUNK: usize = 1 << 13;
/// The share of single inserts that take less time than the recorded one.
const TAIL: f64 = 0.999;
/// Fewer inserts have no such tail.
const MIN_TAIL: usize = 2_000;

/// One pass; the first (round 0) warms up and times single inserts instead. A failure takes the
/// place of what was verified.
pub(super) fn walk(lane: &mut Lane<'_>, ground: &Ground, round: u64) {
    if let Err(failure) = pass(lane, ground, round) {
        lane.walked = Err(failure);
    }
}

fn pass(lane: &mut Lane<'_>, ground: &Ground, round: u64) -> Result<(), Failure> {
    let Ok(walked) = &mut lane.walked else {
        return Ok(());
    };
    let script = &walked.script;
    let room = script.legs.iter().map(|leg| leg.holds.len()).max();
    let room = Planned::Room(room.unwrap_or(1));
    let order = Order { planned: script.planned, budget: lane.budget, seed: ground.seed };
    let beside = order_of_reference(room, ground.seed);
    let (other, reference_ns) = begin(reference(REMOVER)?, script.first, &beside)?;
    let (filter, ns) = begin(lane.contender, script.first, &order)?;
    let mut pair = Pair {
        both: [
            Side { contender: reference(REMOVER)?, filter: other, order: beside },
            Side { contender: lane.contender, filter, order },
        ],
        seed: ground.seed,
    };
    let mut passed = vec![([0.0; 2], 0); script.legs.len()];
    for (place, (leg, stop)) in script.legs.iter().zip(&walked.stops).enumerate() {
        if !stop.is_good() {
            break;
        }
        let mut sums = [0.0; 2];
        match &leg.act {
            Act::Begin => sums = [reference_ns, ns],
            Act::Insert(keys) if round == 0 => {
                walked.times[place].tail = pair.tail(keys)?;
            }
            act => {
                let merged = matches!(act, Act::Merge(_));
                let all = act.operations(script.first);
                let step = if merged { all.max(1) } else { CHUNK };
                for start in (0..all).step_by(step) {
                    let ([reference_ns, ns], hits) =
                        pair.both(leg, start..(start + step).min(all))?;
                    sums = [sums[0] + reference_ns, sums[1] + ns];
                    walked.times[place].hits += hits;
                }
            }
        }
        if let (Act::Ask(_), Some(want)) = (&leg.act, stop.hits) {
            let got = std::mem::take(&mut walked.times[place].hits);
            if got != want {
                let seed = ground.seed;
                return Err(Failure::Loops { which: "timed", got, want, seed });
            }
        } else if leg.check != Check::Passage {
            holds_sample(&*pair.both[1].filter, Keys::U64(&leg.holds), "course")?;
        }
        let row = script.legs.iter().position(|other| leg.shares(other));
        let (row_sums, operations) = &mut passed[row.unwrap_or(place)];
        *row_sums = [row_sums[0] + sums[0], row_sums[1] + sums[1]];
        *operations += leg.act.operations(script.first);
    }
    if round > 0 {
        for (Sums { times, operations, .. }, (sums, done)) in walked.times.iter_mut().zip(passed) {
            if done > 0 {
                times.push(sums, done);
                *operations += done as u64;
            }
        }
    }
    Ok(())
}

fn begin(
    contender: &dyn Contender,
    first: &[u64],
    order: &Order,
) -> Result<(Box<dyn Built>, f64), Failure> {
    let (filter, ns) = timed(|| build(contender, Keys::U64(first), order));
    Ok((filter?, ns))
}

/// The reference's filter and the contender's.
struct Pair {
    both: [Side; 2],
    seed: u64,
}

struct Side {
    contender: &'static dyn Contender,
    filter: Box<dyn Built>,
    order: Order,
}

impl Pair {
    /// Both do a part of a leg; the times, and the contender's hits if it is asked.
    fn both(&mut self, leg: &Leg<'_>, part: Range<usize>) -> Result<([f64; 2], u64), Failure> {
        let seed = self.seed;
        let [reference, contender] = &mut self.both;
        let (_, reference_ns) = reference.act(&leg.act, part.clone(), seed)?;
        let (hits, ns) = contender.act(&leg.act, part, seed)?;
        Ok(([reference_ns, ns], hits))
    }

    /// Inserts keys one by one: the time that nearly all stay below, if there are enough of them.
    fn tail(&mut self, keys: &[u64]) -> Result<Option<f64>, Failure> {
        let [reference, contender] = &mut self.both;
        insert(&mut *reference.filter, Keys::U64(keys))?;
        let mut times = vec![0; keys.len()];
        let taken = contender.filter.insert_each(Keys::U64(keys), &mut times);
        all_of("inserted", taken, keys.len(), self.seed)?;
        let times: Vec<f64> = times.into_iter().map(f64::from).collect();
        Ok(quantile(&times, TAIL).filter(|_| times.len() >= MIN_TAIL))
    }
}

impl Side {
    fn act(&mut self, act: &Act<'_>, part: Range<usize>, seed: u64) -> Result<(u64, f64), Failure> {
        let filter = &mut *self.filter;
        Ok(match act {
            Act::Begin => (0, 0.0),
            Act::Insert(keys) => {
                let keys = &keys[part];
                let (taken, ns) = timed(|| insert(filter, Keys::U64(keys)));
                all_of("inserted", Some(taken?), keys.len(), seed)?;
                (0, ns)
            }
            Act::Remove(keys) => {
                let (done, ns) = timed(|| take_out(filter, Keys::U64(&keys[part]), seed));
                done?;
                (0, ns)
            }
            Act::Replace(gone, new) => {
                let (gone, new) = (&gone[part.clone()], &new[part]);
                let (done, ns) = timed(|| replace(filter, gone, new, seed));
                done?;
                (0, ns)
            }
            Act::Merge(keys) => {
                let other = build(self.contender, Keys::U64(keys), &self.order)?;
                let (done, ns) = timed(|| merge(filter, &*other));
                done?;
                (0, ns)
            }
            Act::Ask(queries) => timed(|| filter.count_hits(Keys::U64(&queries[part]))),
        })
    }
}

fn all_of(did: &'static str, done: Option<u64>, keys: usize, seed: u64) -> Result<(), Failure> {
    let (done, keys) = (done.ok_or(Failure::Unable { what: "insert" })?, keys as u64);
    if done == keys {
        return Ok(());
    }
    Err(Failure::Short { did, done, keys, seed })
}
