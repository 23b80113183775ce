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
mod runner;
mod script;
mod time;

pub use script::{Act, Check, Leg, Script};

use super::heat::{Entrant, budget};
use super::race::Timed;
use super::verify::{Failure, build};
use crate::contenders::{Ability, Contender, Course, Order, Planned};
use crate::error::BenchError;
use crate::keys::{KeySet, Keys, Store};
use crate::progress::{Progress, nanoseconds};
use crate::record::{Cell, Row, Suite, Workload};
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
/// A table of a power of two has this load when it holds all planned keys, so that tables with and
/// without power-of-two sizes are compared at the same load.
const FULL: f64 = 0.95;

/// One course.
pub trait Track: fmt::Debug {
    /// Who takes part, and with how many keys.
    fn outline(&self) -> Outline;

    /// What is done to a filter with this many slots, if it has any.
    fn script<'a>(&self, keys: &'a Ground, slots: Option<u64>) -> Result<Script<'a>, Failure>;

    /// Its label in the progress bar.
    fn title(&self) -> String {
        let Outline { workloads, planned, .. } = self.outline();
        format!("{}, planned for {planned} keys", workloads[0])
    }
}

/// A course in outline.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// What it is, for contenders to say whether they take part.
    pub course: Course,
    /// What else they must be able to do.
    pub ability: Option<Ability>,
    /// Whether only contenders with [slots](crate::contenders::Built::slots) take part.
    pub needs_slots: bool,
    /// The workloads of its rows; the first is in the rows of every contender that takes part.
    pub workloads: &'static [Workload],
    /// The keys that a filter is planned for.
    pub planned: usize,
    /// The keys that it needs; a contender limited to fewer takes no part.
    pub keys: usize,
    /// Whether it takes so long that half of the rounds must do.
    pub is_long: bool,
}

impl Outline {
    fn rounds(&self, rounds: u64) -> u64 {
        if self.is_long { rounds.div_ceil(2) } else { rounds }
    }

    /// The estimated durations for one contender, in nanoseconds: of verification, and of a pass
    /// beside the reference.
    fn cost(&self, suite: Suite) -> (u64, u64) {
        let absent = suite.queries() / ABSENT_SHARE;
        let verify = nanoseconds(self.planned, 2 * (6 * self.keys + 10 * absent));
        (verify, nanoseconds(self.planned, 5 * self.keys))
    }
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
    pub fn new(keys: usize, setting: Setting) -> Result<Self, BenchError> {
        let Setting { suite, seed, .. } = setting;
        let made = KEY_SET.make(keys, suite.queries() / ABSENT_SHARE, seed)?;
        let integers = |store| match store {
            Store::U64(keys) => keys,
            Store::Bytes(_) => Vec::new(),
        };
        Ok(Self { present: integers(made.present), absent: integers(made.absent), seed })
    }

    /// Fails if a table of these slots needs more keys.
    fn suffices(&self, needed: usize, slots: u64) -> Result<(), Failure> {
        let keys = self.present.len();
        Failure::unless(needed <= keys, || {
            format!("has {slots} slots, too many for the {keys} keys of this course")
        })
    }
}

/// One contender on a course.
struct Lane<'a> {
    contender: &'static dyn Contender,
    cell: Cell,
    walked: Result<check::Walked<'a>, Failure>,
}

/// The contenders that take part, and their cells.
pub fn entrants(track: &dyn Track, contenders: &[&'static dyn Contender]) -> Vec<Entrant> {
    let Outline { course, ability, needs_slots, planned, keys, .. } = track.outline();
    let entry = |contender: &&'static dyn Contender| {
        let info = contender.info();
        let cell = Cell {
            key_set: KEY_SET.name().to_owned(),
            keys: planned as u64,
            planned_keys: Some(planned as u64),
            asked_fpr: info.takes_rate.then_some(RATE),
            asked_bits: None,
        };
        let takes_part = info.goes(course)
            && ability.is_none_or(|ability| info.can(ability))
            && info.max_keys >= keys as u64
            // A failure while probing is left for the course to report.
            && !(needs_slots && matches!(slots(*contender, &cell, 1, 0), Ok(None)));
        takes_part.then_some((*contender, cell))
    };
    contenders.iter().filter_map(entry).collect()
}

/// The slots of an empty filter for `room` keys.
fn slots(
    contender: &dyn Contender,
    cell: &Cell,
    room: usize,
    seed: u64,
) -> Result<Option<u64>, Failure> {
    let order = Order { planned: Planned::Room(room), budget: budget(cell), seed };
    Ok(build(contender, Keys::U64(&[]), &order)?.slots())
}

/// Whether a row belongs to this course.
pub fn owns(track: &dyn Track, row: &Row) -> bool {
    let Outline { workloads, planned, .. } = track.outline();
    row.planned_keys == Some(planned as u64) && workloads.contains(&row.workload)
}

/// Verifies all contenders, then times those that passed.
pub fn run(
    track: &dyn Track,
    entrants: Vec<Entrant>,
    setting: Setting,
    progress: &Progress,
) -> Result<Vec<Timed>, BenchError> {
    let (outline, title) = (track.outline(), track.title());
    progress.begin(&title);
    let ground = Ground::new(outline.keys, setting)?;
    let effort = setting.suite.effort(outline.keys);
    let (of_verifying, of_pass) = outline.cost(setting.suite);
    let mut lanes = Vec::new();
    for (contender, cell) in entrants {
        progress.now(&format!("{title}: verifying {}", contender.info().name));
        let walked = slots(contender, &cell, outline.planned, ground.seed)
            .and_then(|slots| track.script(&ground, slots))
            .and_then(|script| check::check(contender, &cell, script, &ground, &effort));
        lanes.push(Lane { contender, cell, walked });
        progress.did(of_verifying);
    }
    progress.now(&format!("{title}: timing"));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(setting.seed ^ ground.present.len() as u64);
    let rounds = outline.rounds(setting.rounds);
    // The first pass warms up, and times single inserts.
    for round in (0..=rounds).filter(|_| rounds > 0) {
        lanes.shuffle(&mut rng);
        for lane in &mut lanes {
            time::walk(lane, round);
            progress.did(of_pass);
        }
    }
    Ok(rows::rows(&lanes, outline.workloads[0]))
}

/// The estimated duration of a course.
pub fn estimate(
    track: &dyn Track,
    contenders: &[&'static dyn Contender],
    setting: Setting,
) -> Duration {
    let outline = track.outline();
    let (verify, pass) = outline.cost(setting.suite);
    let passes = outline.rounds(setting.rounds) + 1;
    Duration::from_nanos(verify + passes * pass) * entrants(track, contenders).len() as u32
}

#[cfg(test)]
mod tests;
