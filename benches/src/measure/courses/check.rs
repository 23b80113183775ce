//! The checks along a course: filters of several seeds walk through the script.
//!
//! A refused key is no error, but the keys accepted before must still be found. A failure is
//! recorded at its stop and ends the course; earlier stops stay.

use super::runner::Runner;
use super::script::{Act, Check, Leg, Script};
use super::{Ground, Lane, RATE};
use crate::contenders::{Contender, Order, Planned};
use crate::keys::Keys;
use crate::measure::estimate::Times;
use crate::measure::heat::budget;
use crate::measure::verify::{Answers, Effort, Failure, no_false_negative, same_hits, warm_up};
use crate::record::Cell;
use std::borrow::Cow;

/// What was found at the stop after a leg, and how long the leg took.
#[derive(Clone, Default, Debug)]
pub(super) struct Stop {
    /// The answers and the bytes of all seeds.
    pub(super) answers: Answers,
    /// The hits of the queries, if it asks any: those of the first seed, whose filter is timed.
    pub(super) hits: Option<u64>,
    /// Why the course ends here, if it does: of all seeds' reasons, the worst.
    pub(super) end: Option<End>,
    /// Its rounds.
    pub(super) times: Times,
    /// Operations of all of them.
    pub(super) operations: u64,
    /// The tail of single inserts.
    pub(super) tail: Option<f64>,
}

/// Why a course ends, worst first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum End {
    /// Something was wrong.
    Failed(Failure),
    /// It refused a key, holding this many.
    Refused(u64),
    /// Its slots, and so its load, have changed.
    Grew,
}

impl<'a> Lane<'a> {
    /// Takes filters of several seeds along a script, as far as all of them come.
    pub(super) fn checked(
        contender: &'static dyn Contender,
        cell: &Cell,
        script: Script<'a>,
        ground: &Ground,
        effort: &Effort,
    ) -> Result<Self, Failure> {
        let info = contender.info();
        let order = Order { planned: script.planned, budget: budget(cell), seed: ground.seed };
        let mut stops = vec![Stop::default(); script.legs.len()];
        warm_up(contender, Keys::U64(&ground.present), &order);
        for seed in effort.seeds(&info, ground.seed).take(effort.min_seeds) {
            let order = Order { seed, ..order };
            let (mut runner, _) = Runner::begin(contender, script.first, order)?;
            for (leg, stop) in script.legs.iter().zip(&mut stops) {
                let end = runner.go(&script, leg, &ground.absent, stop);
                let end = end.unwrap_or_else(|failure| Some(End::Failed(failure)));
                stop.end = stop.end.take().into_iter().chain(end).min();
                if stop.end.is_some() {
                    break;
                }
            }
        }
        for (leg, stop) in script.legs.iter().zip(&mut stops) {
            let mut judged = stop.answers.judge(info.ours);
            if leg.check == Check::Target && info.ours {
                judged = judged.and_then(|()| stop.answers.not_above(RATE, leg.holds.len()));
            }
            if stop.end.is_none() {
                stop.end = judged.err().map(End::Failed);
            }
        }
        Ok(Self { contender, cell: cell.clone(), order, script, stops })
    }
}

impl Runner {
    /// One leg, and the checks at its stop. Whether the course ends here, if nothing is wrong.
    fn go(
        &mut self,
        script: &Script<'_>,
        leg: &Leg<'_>,
        absent: &[u64],
        stop: &mut Stop,
    ) -> Result<Option<End>, Failure> {
        let all = leg.act.operations(script.first);
        let (done, _) = self.act(&leg.act, 0..all)?;
        let (filter, seed) = (&*self.filter, self.order.seed);
        match &leg.act {
            Act::Insert(_) if script.slots.is_some() && filter.slots() != script.slots => {
                return Ok(Some(End::Grew));
            }
            Act::Insert(_) if done < all as u64 => {
                let held = &leg.holds[..leg.holds.len() - all + done as usize];
                no_false_negative(filter, Keys::U64(held), seed)?;
                return Ok(Some(End::Refused(held.len() as u64)));
            }
            Act::Ask(queries) => {
                let answers = filter.answers(Keys::U64(queries));
                let want = answers.into_iter().map(u64::from).sum();
                same_hits("query", done, want, seed)?;
                stop.hits.get_or_insert(done);
            }
            _ => {}
        }
        if script.planned == Planned::First {
            stop.answers.see(filter, self.memory, seed)?;
        }
        let holds = Keys::U64(&leg.holds);
        match leg.check {
            Check::Passage => {}
            Check::Part | Check::Present => no_false_negative(filter, holds, seed)?,
            Check::Rate | Check::Target => {
                // A removed key must be like any key never inserted.
                let absent = match leg.act {
                    Act::Remove(gone) => Cow::Owned([gone, absent].concat()),
                    _ => Cow::Borrowed(absent),
                };
                stop.answers.take(filter, holds, Keys::U64(&absent), seed)?;
            }
        }
        Ok(None)
    }
}
