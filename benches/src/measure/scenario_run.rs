//! A contender in a scenario: filters of several seeds run the script and are checked at each stop;
//! then others run it repeatedly and are timed.
//!
//! A refused key is not an error, but the keys accepted before must still be found. A failure is
//! recorded at its stop and ends the scenario; earlier stops are kept.

use super::runner::{End, Runner, Stop};
use crate::contenders::{Order, Planned};
use crate::measure::schedule::{TakesTurns, TimedRow, holds_sample};
use crate::record::{Row, State, Workload};
use crate::scenarios::dataset::Subject;
use crate::scenarios::keys::Keys;
use crate::scenarios::scenario::{FULL, RATE, Scenario, slots};
use crate::scenarios::script::{Act, Check, Script};
use crate::verify::{Effort, Failure, all_of, warm_up};
use rand::rngs::Xoshiro256PlusPlus;

/// Keys of a turn, at least: several passes through a short script, but not more than
/// `MOST_PASSES`.
const TURN: usize = 1 << 19;
const MOST_PASSES: usize = 4;

/// One contender, and its results at each stop that it reached.
#[derive(Debug)]
pub struct ScenarioRun<'a> {
    subject: Subject<'a>,
    workload: Workload,
    order: Order,
    script: Script<'a>,
    stops: Vec<Stop>,
    /// Whether single inserts have not been timed yet.
    tails: bool,
    passes: usize,
}

impl<'a> ScenarioRun<'a> {
    fn new(scenario: &Scenario, subject: Subject<'a>, slots: Option<u64>) -> Result<Self, Failure> {
        let script = (scenario.kind.script)(scenario, subject.keys(), slots)?;
        let workload = scenario.workload();
        let order = Order { planned: script.planned, ..subject.order(subject.seed) };
        let stops = vec![Stop::default(); script.steps.len()];
        let tails = script.steps.iter().any(|step| matches!(step.act, Act::Insert(_)));
        let passes = (TURN / scenario.keys.max(1)).clamp(1, MOST_PASSES);
        Ok(Self { subject, workload, order, script, stops, tails, passes })
    }

    /// Runs filters of several seeds through a scenario, as far as all of them reach.
    pub fn checked(
        scenario: &Scenario,
        subject: Subject<'a>,
        effort: &Effort,
    ) -> Result<Self, Failure> {
        let (contender, keys) = (subject.contender, subject.keys());
        let slots = slots(contender, subject.budget, scenario.planned)?;
        let mut run = Self::new(scenario, subject, slots)?;
        let (info, order) = (contender.info, run.order);
        let (script, stops) = (&run.script, &mut run.stops);
        warm_up(&run.subject);
        for seed in effort.seeds(info, order.seed).take(effort.min_seeds) {
            let (mut runner, _) = Runner::begin(contender, script.first, Order { seed, ..order })?;
            for (step, stop) in script.steps.iter().zip(&mut *stops) {
                let end = runner.go(script, step, keys.absent, stop);
                let end = end.unwrap_or_else(|failure| Some(End::Failed(failure)));
                stop.end = stop.end.take().into_iter().chain(end).min();
                if stop.end.is_some() {
                    break;
                }
            }
        }
        for (step, stop) in script.steps.iter().zip(stops).filter(|(_, stop)| stop.end.is_none()) {
            let mut judged = stop.answers.judge(info.ours);
            if step.check == Check::Target && info.ours {
                judged = judged.and_then(|()| stop.answers.not_above(RATE, step.holds.len()));
            }
            stop.end = judged.err().map(End::Failed);
        }
        Ok(run)
    }

    /// The reference filter of a scenario, which reaches every stop.
    pub fn reference(
        scenario: &Scenario,
        subject: Subject<'a>,
    ) -> Option<Box<dyn TakesTurns + 'a>> {
        let slots = (scenario.planned as f64 / FULL) as u64;
        let mut run = Self::new(scenario, subject, Some(slots)).ok()?;
        let room = run.script.steps.iter().map(|step| step.holds.len()).max()?;
        (run.order.planned, run.tails) = (Planned::Room(room), false);
        Some(Box::new(run))
    }

    /// One pass, with its times; or those of single inserts.
    fn pass(&mut self, tails: bool) -> Result<(), Failure> {
        let Self { subject, order, script, stops, .. } = self;
        let (mut runner, ns) = Runner::begin(subject.contender, script.first, *order)?;
        let counts = script.planned == Planned::First;
        let (mut sum, mut operations) = if counts { (ns, script.first.len()) } else { (0.0, 0) };
        for (step, stop) in script.steps.iter().zip(stops) {
            if stop.end.is_some() || step.check == Check::Passage {
                break;
            }
            let all = step.act.operations();
            let (done, ns) = match &step.act {
                Act::Insert(keys) if tails => {
                    let (done, tail) = runner.tail(keys)?;
                    stop.tail = tail;
                    (done, 0.0)
                }
                act => runner.act(act)?,
            };
            all_of("inserted", done, all, order.seed)?;
            (sum, operations) = (sum + ns, operations + all);
            if step.check == Check::Part {
                continue;
            }
            holds_sample(&*runner.filter, Keys::U64(&step.holds), "scenario")?;
            if !tails {
                stop.times.push(sum, operations);
            }
            (sum, operations) = (0.0, 0);
        }
        Ok(())
    }
}

impl TakesTurns for ScenarioRun<'_> {
    /// Some passes. Before the first, one that times single inserts.
    fn turn(&mut self, _: &mut Xoshiro256PlusPlus) {
        let singly = usize::from(self.tails);
        self.tails = false;
        for pass in 0..singly + self.passes {
            if let (Err(failure), Some(first)) = (self.pass(pass < singly), self.stops.first_mut())
            {
                // It replaces the results.
                *first = Stop { end: Some(End::Failed(failure)), ..Stop::default() };
            }
        }
    }

    fn rows(&self) -> Vec<TimedRow> {
        let (slots, mut rows) = (self.script.slots, Vec::new());
        for (place, (step, stop)) in self.script.steps.iter().zip(&self.stops).enumerate() {
            let mut row = self.subject.row(self.workload);
            row.keys = match (&stop.end, slots) {
                // It did not reach the load of the stop.
                (Some(End::Refused(held)), Some(_)) => *held,
                _ => step.holds.len() as u64,
            };
            row.threads = step.act.threads();
            if let Act::Truncate(rate, _) = step.act {
                row.asked_fpr = Some(rate);
            }
            row.load = slots.map(|slots| row.keys as f64 / slots as f64);
            row = match &stop.end {
                Some(End::Failed(failure)) => failure.mark(row, State::Failed),
                Some(End::Refused(held)) => {
                    Row { refused_at: Some(*held), ..row.without(State::Refused, "") }
                }
                Some(End::Grew) => break,
                None if step.check < Check::Rate => continue,
                None => {
                    stop.answers.write(&mut row);
                    Row { ns_p99_9: stop.tail, ..row }
                }
            };
            rows.push(TimedRow::new(row, place, stop.times.clone()));
            if stop.end.is_some() {
                break;
            }
        }
        rows
    }
}
