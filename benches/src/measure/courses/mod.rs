//! Courses take filters through many states, checked in each and timed from one to the next.
//!
//! A course says who takes part and what is done to a filter: its [`Track`] makes a [`Script`] for
//! each contender. How a script is checked (`check`), timed beside the reference (`time`) and
//! written down (`rows`) is the same for all. So a new course is a file here, a line in
//! [`Suite::courses`] and a file that draws it. All use random integers, at one rate.

mod check;
pub mod churn;
pub mod fill;
pub mod load;
pub mod merge;
mod rows;
mod script;
mod time;

pub use script::{Act, Check, Leg, Script};

use super::heat::Entrant;
use super::race::Timed;
use super::verify::{Failure, build};
use crate::contenders::{Contender, Course, Info, Order, Planned};
use crate::error::BenchError;
use crate::keys::{KeySet, Keys, Store};
use crate::progress::{Progress, nanoseconds};
use crate::record::{Cell, Row, Suite, Workload};
use amq_core::Budget;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use std::fmt;
use std::time::Duration;

/// The keys.
const KEY_SET: KeySet = KeySet::RandomU64;
/// The target rate.
const RATE: f64 = 0.01;
/// There are several stops, and the rates are high: a stream's length over this is absent keys
/// enough.
const ABSENT_SHARE: usize = 4;

/// One course.
pub trait Track: fmt::Debug {
    /// What it is, for contenders to say whether they take part.
    fn course(&self) -> Course;

    /// The workloads of its rows; the first is in the rows of every contender that takes part.
    fn workloads(&self) -> &'static [Workload];

    /// Its label in the progress bar.
    fn title(&self) -> String;

    /// The keys that a filter is planned for.
    fn planned(&self) -> usize;

    /// The keys that it needs; a contender limited to fewer takes no part.
    fn keys(&self) -> usize;

    /// Whether only contenders with [slots](crate::contenders::Built::slots) take part.
    fn needs_slots(&self) -> bool {
        false
    }

    /// Whether a contender takes part, beyond what [`Info::goes`] says.
    fn takes(&self, _info: &Info) -> bool {
        true
    }

    /// Whether it takes so long that half of the rounds must do.
    fn is_long(&self) -> bool {
        false
    }

    /// What is done to a filter with this many slots, if it has any.
    fn script<'a>(&self, keys: &'a Ground, slots: Option<u64>) -> Result<Script<'a>, Failure>;
}

/// What a run decides for all its courses.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The suite.
    pub suite: Suite,
    /// The seed of keys, filters and order.
    pub seed: u64,
    /// Timed rounds; zero to verify only.
    pub rounds: u64,
}

/// The keys of a course.
#[derive(Debug)]
pub struct Ground {
    /// Keys to insert.
    pub present: Vec<u64>,
    /// Keys never inserted.
    pub absent: Vec<u64>,
    /// The seed of filters and streams.
    pub seed: u64,
}

impl Ground {
    /// Makes them.
    pub fn new(track: &dyn Track, setting: Setting) -> Result<Self, BenchError> {
        let absent = setting.suite.queries() / ABSENT_SHARE;
        let made = KEY_SET.make(track.keys(), absent, setting.seed)?;
        let integers = |store| match store {
            Store::U64(keys) => keys,
            Store::Bytes(_) => Vec::new(),
        };
        Ok(Self {
            present: integers(made.present),
            absent: integers(made.absent),
            seed: setting.seed,
        })
    }
}

/// One contender on a course.
struct Lane<'a> {
    contender: &'static dyn Contender,
    cell: Cell,
    budget: Option<Budget>,
    walked: Result<Walked<'a>, Failure>,
}

/// A script as far as a contender came, and what was found.
struct Walked<'a> {
    script: Script<'a>,
    stops: Vec<check::Stop>,
    /// Times by the row that they belong to.
    times: Vec<rows::Sums>,
}

impl Lane<'_> {
    fn order(&self, planned: Planned, seed: u64) -> Order {
        Order { planned, budget: self.budget, seed }
    }
}

/// The contenders that take part, and their cells.
pub fn entrants(track: &dyn Track, contenders: &[&'static dyn Contender]) -> Vec<Entrant> {
    let entry = |contender: &&'static dyn Contender| {
        let info = contender.info();
        let takes_part = info.goes(track.course())
            && track.takes(&info)
            && info.max_keys >= track.keys() as u64
            // A failure while probing is left for the course to report.
            && !(track.needs_slots() && matches!(slots(*contender, &info, 1, 0), Ok(None)));
        let cell = Cell {
            key_set: KEY_SET.name().to_owned(),
            keys: track.planned() as u64,
            planned_keys: Some(track.planned() as u64),
            asked_fpr: info.takes_rate.then_some(RATE),
            asked_bits: None,
        };
        takes_part.then_some((*contender, cell))
    };
    contenders.iter().filter_map(entry).collect()
}

/// The slots of an empty filter for `room` keys.
fn slots(
    contender: &dyn Contender,
    info: &Info,
    room: usize,
    seed: u64,
) -> Result<Option<u64>, Failure> {
    let order = Order {
        planned: Planned::Room(room),
        budget: info.takes_rate.then_some(Budget::Fpr(RATE)),
        seed,
    };
    Ok(build(contender, Keys::U64(&[]), &order)?.slots())
}

/// Whether a row belongs to this course.
pub fn owns(track: &dyn Track, row: &Row) -> bool {
    let planned = row.planned_keys == Some(track.planned() as u64);
    planned && track.workloads().contains(&row.workload)
}

/// Verifies all contenders, then times those that passed.
pub fn run(
    track: &dyn Track,
    entrants: Vec<Entrant>,
    setting: Setting,
    progress: &Progress,
) -> Result<Vec<Timed>, BenchError> {
    progress.begin(&track.title());
    let ground = Ground::new(track, setting)?;
    let effort = setting.suite.effort(track.keys());
    let cost = cost(track, setting.suite);
    let mut lanes = Vec::new();
    for (contender, cell) in entrants {
        let info = contender.info();
        progress.now(&format!("{}: verifying {}", track.title(), info.name));
        let mut lane = Lane {
            contender,
            budget: cell.asked_fpr.map(Budget::Fpr),
            cell,
            walked: Err(Failure::NoSlots),
        };
        lane.walked = script_of(track, &lane, &ground)
            .and_then(|script| check::check(&lane, script, &ground, &effort));
        lanes.push(lane);
        progress.did(cost.0);
    }
    progress.now(&format!("{}: timing", track.title()));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(setting.seed ^ ground.present.len() as u64);
    // The first pass warms up, and times single inserts.
    let rounds = rounds(track, setting.rounds);
    for round in (0..=rounds).filter(|_| rounds > 0) {
        let mut order: Vec<usize> = (0..lanes.len()).collect();
        order.shuffle(&mut rng);
        for place in order {
            time::walk(&mut lanes[place], &ground, round);
            progress.did(cost.1);
        }
    }
    Ok(rows::rows(track, lanes))
}

fn script_of<'a>(
    track: &dyn Track,
    lane: &Lane<'_>,
    ground: &'a Ground,
) -> Result<Script<'a>, Failure> {
    let (contender, info) = (lane.contender, lane.contender.info());
    let slots = slots(contender, &info, track.planned(), ground.seed)?;
    track.script(ground, slots)
}

fn rounds(track: &dyn Track, rounds: u64) -> u64 {
    if track.is_long() { rounds.div_ceil(2) } else { rounds }
}

/// The estimated durations for one contender, in nanoseconds: of verification, and of a pass beside
/// the reference.
fn cost(track: &dyn Track, suite: Suite) -> (u64, u64) {
    let (keys, absent) = (track.keys(), suite.queries() / ABSENT_SHARE);
    let verify = nanoseconds(track.planned(), 2 * (6 * keys + 10 * absent));
    (verify, nanoseconds(track.planned(), 5 * keys))
}

/// The estimated duration of a course.
pub fn estimate(
    track: &dyn Track,
    contenders: &[&'static dyn Contender],
    setting: Setting,
) -> Duration {
    let (verify, pass) = cost(track, setting.suite);
    let passes = rounds(track, setting.rounds) + 1;
    Duration::from_nanos(verify + passes * pass) * entrants(track, contenders).len() as u32
}

#[cfg(test)]
mod tests;
