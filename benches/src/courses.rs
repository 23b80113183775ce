//! Courses: what takes filters through many states, checked in each and timed from one to the next.
//!
//! Each is a [`Track`]: who runs on it, what is checked, what is timed. All of them are of random
//! integers, at one rate.

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
/// The rate that is asked for.
const RATE: f64 = 0.01;
/// There are several stops, and the rates are high: one in so many of a stream's keys is absent
/// enough.
const ABSENT_SHARE: usize = 4;

/// A contender that takes part, and the cell that its rows begin with.
pub type Entrant = (&'static dyn Contender, Cell);

/// What a run says of all its courses.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// How thoroughly.
    pub suite: Suite,
    /// The seed of keys, filters and order.
    pub seed: u64,
    /// Timed rounds; none to verify only.
    pub rounds: u64,
}

/// How long one contender takes, roughly, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// To be verified.
    pub verify: u64,
    /// For one timed pass.
    pub pass: u64,
}

/// One course.
pub trait Track: fmt::Debug {
    /// The workload by which its rows are known.
    fn workload(&self) -> Workload;

    /// Other workloads that it writes rows of.
    fn others(&self) -> &'static [Workload] {
        &[]
    }

    /// What it is called while it runs.
    fn title(&self) -> String;

    /// The keys that a filter is made for.
    fn planned(&self) -> usize;

    /// The keys that it needs; who is not to have so many doesn't take part.
    fn keys(&self) -> usize;

    /// Whether a contender takes part, beyond what [`Contender::goes`] says.
    fn takes(&self, _contender: &dyn Contender) -> bool {
        true
    }

    /// What one contender costs.
    fn cost(&self, suite: Suite) -> Cost;

    /// Verifies everybody, then times those who passed.
    fn run(&self, ground: &Ground, entrants: Vec<Entrant>, progress: &Progress) -> Vec<Row>;
}

/// Who takes part, and in which cell.
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

/// Whether everybody who takes part has rows of it.
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

/// Whether a row is of this course.
pub fn owns(track: &dyn Track, row: &Row) -> bool {
    row.workload == track.workload() || track.others().contains(&row.workload)
}

/// How long a course takes, roughly.
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

/// What a contender is verified with: the keys of the course, of which none is taken out
/// beforehand.
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

/// A filter for a single key that is not put in: to see what it is like.
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

/// How many keys are asked for in vain at each stop.
pub const fn absent(suite: Suite) -> usize {
    suite.queries() / ABSENT_SHARE
}

/// Short courses are gone over again, so that a pass has as many operations as one of a build.
fn repeats(operations: usize) -> usize {
    MIN_BUILD_OPERATIONS.div_ceil(operations.max(1))
}
