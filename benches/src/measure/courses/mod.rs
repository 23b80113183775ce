//! Courses take filters through many states, checked in each and timed from one to the next.
//!
//! A course says who takes part and what is done to a filter: a [`Track`] writes a [`Script`] for
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

use super::estimate::Times;
use super::heat::{Entrant, budget};
use super::race::Timed;
use super::verify::{Failure, build};
use crate::contenders::{Ability, Contender, Course, Order, Planned};
use crate::error::BenchError;
use crate::keys::{KeySet, Keys, Store};
use crate::progress::{Progress, nanoseconds};
use crate::record::{Cell, Row, Suite, Workload};
use check::Stop;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
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
#[derive(Clone, Copy, Debug)]
pub struct Track {
    /// What it is, for contenders to say whether they take part.
    pub course: Course,
    /// What they must be able to do.
    pub ability: Ability,
    /// The workloads of its rows; the first is in the rows of every contender that takes part.
    pub workloads: &'static [Workload],
    /// The keys that a filter is planned for.
    pub planned: usize,
    /// The keys that it needs; a contender limited to fewer takes no part.
    pub keys: usize,
    /// Whether it takes so long that half of the rounds must do.
    pub is_long: bool,
    /// What is done to a filter.
    pub script: Write,
}

/// Writes the script for a filter with this many slots, if it has any.
pub type Write = for<'a> fn(&Track, &'a Ground, Option<u64>) -> Result<Script<'a>, Failure>;

impl Track {
    /// Its label in the progress bar.
    pub fn title(&self) -> String {
        format!("{}, planned for {} keys", self.workloads[0], self.planned)
    }

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

/// One contender on a course, and what was found at each stop as far as it came.
struct Lane<'a> {
    contender: &'static dyn Contender,
    cell: Cell,
    order: Order,
    script: Script<'a>,
    stops: Vec<Stop>,
}

/// The contenders that take part, and their cells.
pub fn entrants(track: &Track, contenders: &[&'static dyn Contender]) -> Vec<Entrant> {
    let entry = |contender: &&'static dyn Contender| {
        let info = contender.info();
        let cell = Cell {
            key_set: KEY_SET.name().to_owned(),
            keys: track.planned as u64,
            planned_keys: Some(track.planned as u64),
            asked_fpr: info.takes_rate.then_some(RATE),
            asked_bits: None,
        };
        // A failure while probing is left for the course to report.
        let has_slots = || !matches!(slots(*contender, &cell, 1, 0), Ok(None));
        let takes_part = info.goes(track.course)
            && info.can(track.ability)
            && info.max_keys >= track.keys as u64
            && (track.course != Course::Load || has_slots());
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
pub fn owns(track: &Track, row: &Row) -> bool {
    row.planned_keys == Some(track.planned as u64) && track.workloads.contains(&row.workload)
}

/// Verifies all contenders, then times those that passed.
pub fn run(
    track: &Track,
    entrants: Vec<Entrant>,
    setting: Setting,
    progress: &Progress,
) -> Result<Vec<Timed>, BenchError> {
    let title = track.title();
    progress.begin(&title);
    let ground = Ground::new(track.keys, setting)?;
    let effort = setting.suite.effort(track.keys);
    let (of_verifying, of_pass) = track.cost(setting.suite);
    let (mut lanes, mut rows) = (Vec::new(), Vec::new());
    for (contender, cell) in entrants {
        let name = contender.info().name;
        progress.now(&format!("{title}: verifying {name}"));
        let lane = slots(contender, &cell, track.planned, ground.seed)
            .and_then(|slots| (track.script)(track, &ground, slots))
            .and_then(|script| Lane::checked(contender, &cell, script, &ground, &effort));
        match lane {
            Ok(lane) => lanes.push(lane),
            Err(failure) => {
                let row = failure.mark(Row::new(name, &cell, track.workloads[0]));
                rows.push(Timed { row, times: Times::default() });
            }
        }
        progress.did(of_verifying);
    }
    progress.now(&format!("{title}: timing"));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(setting.seed ^ ground.present.len() as u64);
    let rounds = track.rounds(setting.rounds);
    // The first pass warms up, and times single inserts.
    for round in (0..=rounds).filter(|_| rounds > 0) {
        lanes.shuffle(&mut rng);
        for lane in &mut lanes {
            lane.time(round);
            progress.did(of_pass);
        }
    }
    rows.extend(rows::rows(&lanes));
    Ok(rows)
}

/// The estimated duration of a course.
pub fn estimate(
    track: &Track,
    contenders: &[&'static dyn Contender],
    setting: Setting,
) -> Duration {
    let (verify, pass) = track.cost(setting.suite);
    let passes = track.rounds(setting.rounds) + 1;
    Duration::from_nanos(verify + passes * pass) * entrants(track, contenders).len() as u32
}

#[cfg(test)]
mod tests;
