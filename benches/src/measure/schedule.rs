//! Timing in rounds that are spread over the whole run.
//!
//! A [`Schedule`] belongs to a group or a scenario. In each round, every [`TakesTurns`] has its
//! turn, in a new random order. A reference takes its turn like all others, so that times of
//! different days can be compared as ratios to it.

use super::estimate::Times;
use crate::contenders::Built;
use crate::record::Row;
use crate::scenarios::keys::Keys;
use crate::verify::Failure;
use indicatif::ProgressBar;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use std::fmt;

/// The reference of builds and queries: it is fast and steady, and reads one cache line per query.
pub const REFERENCE: &str = "blocked-bloom";
/// The rate of both references, whatever the contenders' target.
pub const REFERENCE_RATE: f64 = 0.01;
/// Two keys in this many are queried after each timed build, removal or step of a scenario.
const SAMPLE: usize = 64;

/// A contender that passed, or a reference.
pub trait TakesTurns: fmt::Debug + Send {
    /// Its turn in a round, with all of its timings.
    fn turn(&mut self, rng: &mut Xoshiro256PlusPlus);

    fn rows(&self) -> Vec<TimedRow>;
}

/// A row and the times behind it.
#[derive(Clone, Debug)]
pub struct TimedRow {
    pub row: Row,
    /// The step of a scenario; 0 in groups.
    pub step: usize,
    pub times: Times,
}

impl TimedRow {
    /// A row with these times written into it, if there are any.
    pub fn new(mut row: Row, step: usize, times: Times) -> Self {
        times.write(&mut row);
        Self { row, step, times }
    }

    /// Compares the row with the reference that was timed at the same task.
    fn beside(mut self, references: &[Self]) -> Self {
        let mark = |timed: &Self| (timed.row.workload, timed.step);
        if let Some(beside) = references.iter().find(|one| mark(one) == mark(&self)) {
            self.times.compare(&beside.row.contender, &beside.times, &mut self.row);
        }
        self
    }
}

/// Contenders over the same keys, and how often each has its turn.
#[derive(Debug)]
pub struct Schedule<'a> {
    pub facts: Vec<Row>,
    pub contenders: Vec<Box<dyn TakesTurns + 'a>>,
    pub references: Vec<Box<dyn TakesTurns + 'a>>,
    rounds: u64,
    /// The estimated nanoseconds of a turn.
    cost: u64,
    rng: Xoshiro256PlusPlus,
}

impl Schedule<'_> {
    pub fn new(rounds: u64, cost: u64, seed: u64) -> Self {
        let (facts, contenders, references) = Default::default();
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self { facts, contenders, references, rounds, cost, rng }
    }

    /// Whether it takes part in a round of `all`.
    const fn is_due(&self, round: u64, all: u64) -> bool {
        self.rounds * round / all < self.rounds * (round + 1) / all
    }

    fn round(&mut self, progress: &ProgressBar) {
        let contenders = self.contenders.iter_mut().map(|contender| (contender, self.cost));
        let references = self.references.iter_mut().map(|contender| (contender, 0));
        let mut order: Vec<_> = contenders.chain(references).collect();
        order.shuffle(&mut self.rng);
        for (contender, cost) in order {
            contender.turn(&mut self.rng);
            progress.inc(cost);
        }
    }

    pub fn rows(&self) -> Vec<TimedRow> {
        let facts = self.facts.iter().map(|row| TimedRow::new(row.clone(), 0, Times::default()));
        let timed = self.contenders.iter().flat_map(|contender| contender.rows());
        let references: Vec<_> =
            self.references.iter().flat_map(|contender| contender.rows()).collect();
        facts.chain(timed).map(|timed| timed.beside(&references)).collect()
    }
}

pub fn run(schedules: &mut [Schedule<'_>], progress: &ProgressBar) {
    let all = schedules.iter().map(|schedule| schedule.rounds).max().unwrap_or(0);
    for round in 0..all {
        progress.set_message(format!("timing, round {} of {all}", round + 1));
        for schedule in schedules.iter_mut().filter(|schedule| schedule.is_due(round, all)) {
            schedule.round(progress);
        }
    }
}

/// Queries some of the keys that must be present after a timed pass: the first and the last.
pub fn holds_sample(filter: &dyn Built, keys: Keys<'_>, pass: &'static str) -> Result<(), Failure> {
    let (all, some) = (keys.len(), keys.len().div_ceil(SAMPLE));
    let [first, last] = [keys.between(0, some), keys.between(all - some, all)];
    let (found, keys) = (filter.count_hits(first) + filter.count_hits(last), 2 * some as u64);
    Failure::unless(found == keys, || {
        format!("after a timed {pass} it finds {found} of {keys} sampled keys")
    })
}

#[test]
fn the_rounds_of_each_race_are_spread_over_those_of_all() {
    for (rounds, due) in [(5, &[0, 1, 2, 3, 4][..]), (3, &[1, 3, 4]), (1, &[4]), (0, &[])] {
        let schedule = Schedule::new(rounds, 0, 1);
        let rounds: Vec<u64> = (0..5).filter(|&round| schedule.is_due(round, 5)).collect();
        assert_eq!(rounds, due);
    }
}
