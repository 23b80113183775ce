//! Courses take filters through many states, checked in each and timed from one to the next.
//!
//! Each is a [`Track`]: who takes part, what is checked, what is timed. All use random integers, at
//! one rate.

pub mod beyond;
pub mod churn;
pub mod load;
pub mod merge;
mod single;

use crate::contender::{Built, Contender};
use crate::error::BenchError;
use crate::keys::{Keys, View};
use crate::keysets::{KeySet, Made};
use crate::progress::Progress;
use crate::record::{Cell, Row, Workload};
use crate::suite::Suite;
use crate::timing::MIN_BUILD_OPERATIONS;
use crate::verify::{Failure, Subject, with_room};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use std::fmt;
use std::time::Duration;

/// The keys.
const KEY_SET: KeySet = KeySet::RandomU64;
/// The target rate.
const RATE: f64 = 0.01;
/// There are several stops, and the rates are high: a stream's length over this is absent keys
/// enough.
const ABSENT_SHARE: usize = 4;

/// A contender that takes part, and the template of its rows.
pub type Entrant = (&'static dyn Contender, Cell);

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

/// The estimated duration for one contender, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// For verification.
    pub verify: u64,
    /// For one timed pass.
    pub pass: u64,
}

/// One course.
pub trait Track: fmt::Debug {
    /// The workload that identifies its rows.
    fn workload(&self) -> Workload;

    /// Other workloads that it writes rows for.
    fn others(&self) -> &'static [Workload] {
        &[]
    }

    /// Its label in the progress bar.
    fn title(&self) -> String;

    /// The keys that a filter is planned for.
    fn planned(&self) -> usize;

    /// The keys that it needs; a contender limited to fewer takes no part.
    fn keys(&self) -> usize;

    /// Whether a contender takes part, beyond what [`Contender::goes`] says.
    fn takes(&self, _contender: &dyn Contender) -> bool {
        true
    }

    /// The cost of one contender.
    fn cost(&self, suite: Suite) -> Cost;

    /// Verifies all contenders, then times those that passed.
    fn run(&self, ground: &Ground, entrants: Vec<Entrant>, progress: &Progress) -> Vec<Row>;
}

/// The contenders that take part, and their cells.
pub fn entrants(track: &dyn Track, contenders: &[&'static dyn Contender]) -> Vec<Entrant> {
    let entry = |contender: &&'static dyn Contender| {
        let info = contender.info();
        let takes_part = contender.goes(track.workload())
            && info.max_keys >= track.keys() as u64
            && track.takes(*contender);
        let cell = Cell {
            key_set: KEY_SET.name().to_owned(),
            keys: track.planned() as u64,
            planned_keys: Some(track.planned() as u64),
            asked_fpr: info.takes_rate.then_some(RATE),
        };
        takes_part.then_some((*contender, cell))
    };
    contenders.iter().filter_map(entry).collect()
}

/// Whether every contender that takes part has rows of this course.
pub fn is_done(
    track: &dyn Track,
    contenders: &[&'static dyn Contender],
    rows_of: impl Fn(&str) -> Vec<Row>,
) -> bool {
    entrants(track, contenders).iter().all(|(contender, _)| {
        let rows = rows_of(contender.info().name);
        rows.iter().any(|row| row.workload == track.workload())
    })
}

/// Whether a row belongs to this course.
pub fn owns(track: &dyn Track, row: &Row) -> bool {
    row.workload == track.workload() || track.others().contains(&row.workload)
}

/// The estimated duration of a course.
pub fn estimate(
    track: &dyn Track,
    contenders: &[&'static dyn Contender],
    setting: Setting,
) -> Duration {
    let cost = track.cost(setting.suite);
    let one = Duration::from_nanos(cost.verify + (setting.rounds + 1) * cost.pass);
    one * entrants(track, contenders).len() as u32
}

/// The keys of a course.
#[derive(Debug)]
pub struct Ground {
    made: Made,
    setting: Setting,
}

impl Ground {
    /// Makes them.
    pub fn new(track: &dyn Track, setting: Setting) -> Result<Self, BenchError> {
        let made = KEY_SET.make(track.keys(), absent(setting.suite), setting.seed)?;
        Ok(Self { made, setting })
    }

    /// Draws the order of the rounds.
    fn rng(&self) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.setting.seed ^ self.made.present.len() as u64)
    }
}

/// Runs a course.
pub fn run(
    track: &dyn Track,
    entrants: Vec<Entrant>,
    setting: Setting,
    progress: &Progress,
) -> Result<Vec<Row>, BenchError> {
    progress.begin(&track.title());
    let ground = Ground::new(track, setting)?;
    Ok(track.run(&ground, entrants, progress))
}

/// The subject for a contender: the keys of the course, with none to remove.
fn subject<'a>(views: &'a [View<'_>; 2], asked_fpr: Option<f64>, seed: u64) -> Subject<'a> {
    Subject {
        present: views[0].keys(),
        absent: views[1].keys(),
        gone: Keys::U64(&[]),
        kept: Keys::U64(&[]),
        asked_fpr,
        seed,
    }
}

/// An empty filter for a single key, to probe the contender.
fn made_empty(contender: &dyn Contender) -> Result<Box<dyn Built>, Failure> {
    let views = [View::U64(&[]), View::U64(&[])];
    let asked_fpr = contender.info().takes_rate.then_some(RATE);
    with_room(
        contender,
        1,
        Keys::U64(&[]),
        &subject(&views, asked_fpr, 0),
        0,
    )
}

/// How many absent keys are queried at each stop.
pub const fn absent(suite: Suite) -> usize {
    suite.queries() / ABSENT_SHARE
}

/// Short courses are repeated, so that a pass has as many operations as one of a build.
fn repeats(operations: usize) -> usize {
    MIN_BUILD_OPERATIONS.div_ceil(operations.max(1))
}
