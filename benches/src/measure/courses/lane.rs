//! A contender on a course: filters of several seeds walk through the script and are checked at
//! each stop; then others walk through it again and again and are timed.
//!
//! A refused key is no error, but the keys accepted before must still be found. A failure is
//! recorded at its stop and ends the course; earlier stops stay.

use super::course::{FULL, RATE, Track, slots};
use super::runner::{End, Runner, Stop};
use super::script::{Act, Check, Script};
use crate::contenders::{Order, Planned};
use crate::keys::Keys;
use crate::measure::field::Subject;
use crate::measure::race::{Racer, Timed, holds_sample};
use crate::measure::verify::{Effort, Failure, all_of, warm_up};
use crate::record::{Row, State, Workload};
use rand::rngs::Xoshiro256PlusPlus;

/// Keys of a turn, at least: several passes through a short script, but not more than
/// `MOST_PASSES`.
const TURN: usize = 1 << 19;
const MOST_PASSES: usize = 4;

/// One contender, and what was found at each stop as far as it came.
#[derive(Debug)]
pub struct Lane<'a> {
    subject: Subject<'a>,
    workload: Workload,
    order: Order,
    script: Script<'a>,
    stops: Vec<Stop>,
    /// Whether single inserts are still to be timed.
    tails: bool,
    passes: usize,
}

impl<'a> Lane<'a> {
    fn new(track: &Track, subject: Subject<'a>, slots: Option<u64>) -> Result<Self, Failure> {
        let script = (track.course.script)(track, subject.ground(), slots)?;
        let workload = track.workload();
        let order = Order { planned: script.planned, ..subject.order(subject.seed) };
        let stops = vec![Stop::default(); script.legs.len()];
        let tails = script.legs.iter().any(|leg| matches!(leg.act, Act::Insert(_)));
        let passes = (TURN / track.keys.max(1)).clamp(1, MOST_PASSES);
        Ok(Self { subject, workload, order, script, stops, tails, passes })
    }

    /// Takes filters of several seeds along a track, as far as all of them come.
    pub fn checked(track: &Track, subject: Subject<'a>, effort: &Effort) -> Result<Self, Failure> {
        let (contender, ground) = (subject.contender, subject.ground());
        let slots = slots(contender, subject.budget, track.planned)?;
        let mut lane = Self::new(track, subject, slots)?;
        let (info, order) = (contender.info, lane.order);
        let (script, stops) = (&lane.script, &mut lane.stops);
        warm_up(&lane.subject);
        for seed in effort.seeds(info, order.seed).take(effort.min_seeds) {
            let (mut runner, _) = Runner::begin(contender, script.first, Order { seed, ..order })?;
            for (leg, stop) in script.legs.iter().zip(&mut *stops) {
                let end = runner.go(script, leg, ground.absent, stop);
                let end = end.unwrap_or_else(|failure| Some(End::Failed(failure)));
                stop.end = stop.end.take().into_iter().chain(end).min();
                if stop.end.is_some() {
                    break;
                }
            }
        }
        for (leg, stop) in script.legs.iter().zip(stops).filter(|(_, stop)| stop.end.is_none()) {
            let mut judged = stop.answers.judge(info.ours);
            if leg.check == Check::Target && info.ours {
                judged = judged.and_then(|()| stop.answers.not_above(RATE, leg.holds.len()));
            }
            stop.end = judged.err().map(End::Failed);
        }
        Ok(lane)
    }

    /// The filter that others are compared with on a track: it goes all the way.
    pub fn reference(track: &Track, subject: Subject<'a>) -> Option<Box<dyn Racer + 'a>> {
        let slots = (track.planned as f64 / FULL) as u64;
        let mut lane = Self::new(track, subject, Some(slots)).ok()?;
        let room = lane.script.legs.iter().map(|leg| leg.holds.len()).max()?;
        (lane.order.planned, lane.tails) = (Planned::Room(room), false);
        Some(Box::new(lane))
    }

    /// One pass, with its times; or those of single inserts.
    fn pass(&mut self, tails: bool) -> Result<(), Failure> {
        let Self { subject, order, script, stops, .. } = self;
        let (mut runner, ns) = Runner::begin(subject.contender, script.first, *order)?;
        let counts = script.planned == Planned::First;
        let (mut sum, mut operations) = if counts { (ns, script.first.len()) } else { (0.0, 0) };
        for (leg, stop) in script.legs.iter().zip(stops) {
            if stop.end.is_some() || leg.check == Check::Passage {
                break;
            }
            let all = leg.act.operations();
            let (done, ns) = match &leg.act {
                Act::Insert(keys) if tails => {
                    let (done, tail) = runner.tail(keys)?;
                    stop.tail = tail;
                    (done, 0.0)
                }
                act => runner.act(act)?,
            };
            all_of("inserted", done, all, order.seed)?;
            (sum, operations) = (sum + ns, operations + all);
            if leg.check == Check::Part {
                continue;
            }
            holds_sample(&*runner.filter, Keys::U64(&leg.holds), "course")?;
            if !tails {
                stop.times.push(sum, operations);
            }
            (sum, operations) = (0.0, 0);
        }
        Ok(())
    }
}

impl Racer for Lane<'_> {
    /// Some passes. Before the first, one that times single inserts.
    fn turn(&mut self, _: &mut Xoshiro256PlusPlus) {
        let singly = usize::from(self.tails);
        self.tails = false;
        for pass in 0..singly + self.passes {
            if let (Err(failure), Some(first)) = (self.pass(pass < singly), self.stops.first_mut())
            {
                // It takes the place of all that was found.
                *first = Stop { end: Some(End::Failed(failure)), ..Stop::default() };
            }
        }
    }

    fn rows(&self) -> Vec<Timed> {
        let (slots, mut rows) = (self.script.slots, Vec::new());
        for (place, (leg, stop)) in self.script.legs.iter().zip(&self.stops).enumerate() {
            let mut row = self.subject.row(self.workload);
            row.keys = match (&stop.end, slots) {
                // It never came to the load of the stop.
                (Some(End::Refused(held)), Some(_)) => *held,
                _ => leg.holds.len() as u64,
            };
            row.threads = leg.act.threads();
            row.load = slots.map(|slots| row.keys as f64 / slots as f64);
            row = match &stop.end {
                Some(End::Failed(failure)) => failure.mark(row, State::Failed),
                Some(End::Refused(held)) => {
                    Row { refused_at: Some(*held), ..row.without(State::Refused, "") }
                }
                Some(End::Grew) => break,
                None if leg.check < Check::Rate => continue,
                None => {
                    stop.answers.write(&mut row);
                    Row { ns_p99_9: stop.tail, ..row }
                }
            };
            rows.push(Timed::new(row, place, stop.times.clone()));
            if stop.end.is_some() {
                break;
            }
        }
        rows
    }
}
