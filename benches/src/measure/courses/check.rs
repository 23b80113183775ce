//! The checks along a course: filters of several seeds walk through the script.
//!
//! A refused key is no error, but the keys accepted before must still be found. A failure is
//! recorded at its stop and ends the course; earlier stops stay.

use super::rows::Sums;
use super::script::{Act, Check, Leg, Script};
use super::{Ground, Lane, Walked};
use crate::contenders::alloc::{Memory, counted};
use crate::contenders::{Built, Planned};
use crate::keys::Keys;
use crate::measure::verify::{
    Effort, Facts, Failure, Tally, build, build_counted, guarded, no_false_negative, seed_of,
    take_out, warm_up,
};
use std::borrow::Cow;

/// What was found after a leg.
#[derive(Clone, Default, Debug)]
pub(super) struct Stop {
    /// The answers of all seeds.
    pub tally: Tally,
    /// The space.
    pub facts: Facts,
    /// The hits of the queries, if it asks any.
    pub hits: Option<u64>,
    /// The keys held when one was refused.
    pub refused_at: Option<u64>,
    /// What went wrong.
    pub failure: Option<Failure>,
}

impl Stop {
    /// Whether it has numbers.
    pub(super) const fn is_good(&self) -> bool {
        self.failure.is_none() && self.refused_at.is_none()
    }
}

/// How a leg ended.
enum End {
    Reached,
    Refused(u64),
    /// Its slots, and so its load, have changed.
    Grew,
}

/// Takes filters of several seeds along a script, as far as all of them come.
pub(super) fn check<'a>(
    lane: &Lane<'_>,
    mut script: Script<'a>,
    ground: &Ground,
    effort: &Effort,
) -> Result<Walked<'a>, Failure> {
    let info = lane.contender.info();
    let mut stops = vec![Stop::default(); script.legs.len()];
    let order = lane.order(script.planned, ground.seed);
    warm_up(lane.contender, Keys::U64(&ground.present), &order);
    for filter in 0..effort.of(&info).min_seeds.max(1) {
        let seed = seed_of(ground.seed, filter);
        let mut walk = Walk::begin(lane, &script, ground, seed)?;
        let mut last = script.legs.len();
        for (place, (leg, stop)) in script.legs.iter().zip(&mut stops).enumerate() {
            match walk.go(leg, stop) {
                Ok(End::Reached) => continue,
                Ok(End::Refused(held)) => {
                    let least = stop.refused_at.map_or(held, |at| at.min(held));
                    stop.refused_at = Some(least);
                    last = place + 1;
                }
                Ok(End::Grew) => last = place,
                Err(failure) => {
                    stop.failure = Some(failure);
                    last = place + 1;
                }
            }
            break;
        }
        script.legs.truncate(last);
        stops.truncate(last);
    }
    for (leg, stop) in script.legs.iter().zip(&mut stops) {
        let judged = match leg.check {
            Check::Target if info.ours => stop.tally.not_above(super::RATE, leg.keys as u64),
            _ => Ok(()),
        };
        if let (Err(failure), None) = (judged, &stop.failure) {
            stop.failure = Some(failure);
        }
    }
    Ok(Walked { times: vec![Sums::default(); stops.len()], script, stops })
}

/// A filter on its way.
struct Walk<'a> {
    lane: &'a Lane<'a>,
    ground: &'a Ground,
    filter: Box<dyn Built>,
    slots: Option<u64>,
    grows: bool,
    weighs: bool,
    room: Planned,
    seed: u64,
    /// The bytes that it holds, and its peak so far.
    memory: Memory,
}

impl<'a> Walk<'a> {
    fn begin(
        lane: &'a Lane<'a>,
        script: &Script<'_>,
        ground: &'a Ground,
        seed: u64,
    ) -> Result<Self, Failure> {
        let order = lane.order(script.planned, seed);
        let first = Keys::U64(script.first);
        let (filter, memory) = build_counted(lane.contender, first, &order)?;
        Ok(Self {
            lane,
            ground,
            slots: filter.slots(),
            filter,
            grows: script.grows,
            weighs: script.weighs,
            room: script.planned,
            seed,
            memory,
        })
    }

    /// One leg, and the checks at its stop.
    fn go(&mut self, leg: &Leg<'_>, stop: &mut Stop) -> Result<End, Failure> {
        match &leg.act {
            Act::Begin => {}
            Act::Insert(keys) => {
                let taken = self.insert(keys)?;
                if !self.grows && self.filter.slots() != self.slots {
                    return Ok(End::Grew);
                }
                let before = leg.holds.len() - keys.len();
                let held = before + taken;
                if taken < keys.len() {
                    let held = &leg.holds[..held];
                    no_false_negative(&*self.filter, Keys::U64(held), self.seed)?;
                    return Ok(End::Refused(held.len() as u64));
                }
            }
            Act::Remove(keys) => take_out(&mut *self.filter, Keys::U64(keys), self.seed)?,
            Act::Replace(gone, new) => replace(&mut *self.filter, gone, new, self.seed)?,
            Act::Merge(keys) => {
                let order = self.lane.order(self.room, self.seed);
                let other = build(self.lane.contender, Keys::U64(keys), &order)?;
                merge(&mut *self.filter, &*other)?;
            }
            Act::Ask(queries) => {
                let hits = count(&*self.filter, queries, self.seed)?;
                // The filter of the first seed is the one that is timed.
                stop.hits.get_or_insert(hits);
            }
        }
        self.look(leg, stop)?;
        Ok(End::Reached)
    }

    fn look(&mut self, leg: &Leg<'_>, stop: &mut Stop) -> Result<(), Failure> {
        let holds = Keys::U64(&leg.holds);
        if self.weighs {
            stop.facts.see(&*self.filter, self.memory, self.seed)?;
        }
        match leg.check {
            Check::Passage => {}
            Check::Present => no_false_negative(&*self.filter, holds, self.seed)?,
            Check::Rate | Check::Target => {
                // A removed key must be like any key never inserted.
                let absent = match &leg.act {
                    Act::Remove(gone) => Cow::Owned([gone, &*self.ground.absent].concat()),
                    _ => Cow::Borrowed(&self.ground.absent),
                };
                let absent = Keys::U64(&absent);
                stop.tally.take(&*self.filter, holds, absent, self.seed)?;
            }
        }
        Ok(())
    }

    /// Inserts keys and returns how many it took.
    fn insert(&mut self, keys: &[u64]) -> Result<usize, Failure> {
        let keys = Keys::U64(keys);
        let (taken, Memory { held, peak }) = counted(|| insert(&mut *self.filter, keys));
        self.memory.peak = self.memory.peak.max(self.memory.held + peak);
        self.memory.held += held;
        let taken = usize::try_from(taken?).unwrap_or(usize::MAX);
        Ok(taken.min(keys.len()))
    }
}

/// Inserts further keys and returns how many it took.
pub(super) fn insert(filter: &mut dyn Built, keys: Keys<'_>) -> Result<u64, Failure> {
    guarded(|| filter.insert_more(keys))?.ok_or(Failure::Unable { what: "insert" })
}

/// Replaces keys, all of them present.
pub(super) fn replace(
    filter: &mut dyn Built,
    gone: &[u64],
    new: &[u64],
    seed: u64,
) -> Result<(), Failure> {
    let done = guarded(|| filter.replace(Keys::U64(gone), Keys::U64(new)))?;
    let done = done.ok_or(Failure::Unable { what: "replace" })?;
    let keys = new.len() as u64;
    if done == keys {
        return Ok(());
    }
    Err(Failure::Short { did: "replaced", done, keys, seed })
}

/// Merges one filter into another.
pub(super) fn merge(into: &mut dyn Built, other: &dyn Built) -> Result<(), Failure> {
    guarded(|| into.merge(other))?.ok_or(Failure::Unable { what: "merge" })?.map_err(Failure::Merge)
}

/// The hits of these queries, compared with single answers.
fn count(filter: &dyn Built, queries: &[u64], seed: u64) -> Result<u64, Failure> {
    let queries = Keys::U64(queries);
    let answers = filter.answers(queries);
    let want: u64 = answers.iter().map(|&answer| u64::from(answer)).sum();
    let got = filter.count_hits(queries);
    if got == want {
        return Ok(got);
    }
    Err(Failure::Loops { which: "query", got, want, seed })
}
