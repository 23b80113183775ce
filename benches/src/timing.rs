//! The clock: contenders take turns, in an order shuffled for each round.
//!
//! A shared machine's speed drifts. Taking turns spreads the drift over all contenders, so the
//! medians over the rounds are comparable even though none is the machine's true speed.

use crate::contender::{Built, Contender, Role};
use crate::keys::Keys;
use crate::progress::Progress;
use crate::record::{Cell, Row, Workload};
use crate::stats::Summary;
use crate::verify::{self, Removal, Subject};
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use std::time::{Duration, Instant};

/// The timed workloads.
pub const TIMED: [Workload; 6] = [
    Workload::Build,
    Workload::Query0,
    Workload::Query50,
    Workload::Query100,
    Workload::Batch50,
    Workload::Remove,
];

/// Small filters are built repeatedly, until a pass has at least this many inserts.
pub const MIN_BUILD_OPERATIONS: usize = 1 << 18;

/// One in this many keys is queried after each timed build or removal.
const SAMPLE: usize = 16;

/// Every contender's query streams: 0, 50 and 100 % present keys.
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a> {
    /// 0 % present.
    pub none: Keys<'a>,
    /// 50 % present.
    pub half: Keys<'a>,
    /// 100 % present.
    pub all: Keys<'a>,
}

/// The hits each stream must have, from the verified answers.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// With 0 % present.
    pub none: u64,
    /// With 50 % present.
    pub half: u64,
    /// With 100 % present.
    pub all: u64,
}

/// A verified contender, ready to be timed.
#[derive(Debug)]
pub struct Entrant {
    /// The contender.
    pub contender: &'static dyn Contender,
    /// The subject of its rows.
    pub cell: Cell,
    /// The keys it is built from.
    pub asked_fpr: Option<f64>,
    /// The filter to query.
    pub filter: Box<dyn Built>,
    /// The hits it must have; `None` for the floor, which finds nothing but must give the same sum
    /// each time.
    pub expected: Option<Expected>,
    /// How many queries of each stream it answers.
    pub queries: usize,
    /// The facts after half of the keys are removed; `None` if it cannot remove, or failed at it.
    pub removal: Option<Removal>,
}

/// One contender's passes over one workload.
struct Lane {
    entrant: usize,
    workload: Workload,
    /// Nanoseconds per operation, one number per round; or what went wrong.
    rounds: Result<Vec<f64>, String>,
    operations: u64,
    hits: Option<u64>,
}

/// The result of one pass.
struct Pass {
    time: Duration,
    operations: u64,
    hits: Option<u64>,
}

/// All lanes take turns, in an order shuffled for each round. Round 0 is not timed: it warms up
/// caches, branch predictors and the allocator. With no rounds there is no warm-up either.
pub fn turns(
    lanes: usize,
    rounds: u64,
    rng: &mut Xoshiro256PlusPlus,
    mut turn: impl FnMut(usize, u64),
) {
    for round in (0..=rounds).filter(|_| rounds > 0) {
        let mut order: Vec<usize> = (0..lanes).collect();
        order.shuffle(rng);
        for place in order {
            turn(place, round);
        }
    }
}

/// Times all entrants and returns their rows.
pub fn race(
    entrants: &[Entrant],
    queries: &Queries<'_>,
    subject: &Subject<'_>,
    rounds: u64,
    rng: &mut Xoshiro256PlusPlus,
    progress: &Progress,
) -> Vec<Row> {
    let mut lanes: Vec<Lane> = entrants
        .iter()
        .enumerate()
        .flat_map(|(place, entrant)| {
            let offered =
                |workload: &Workload| *workload != Workload::Remove || entrant.removal.is_some();
            TIMED.into_iter().filter(offered).map(move |workload| Lane {
                entrant: place,
                workload,
                rounds: Ok(Vec::new()),
                operations: 0,
                hits: None,
            })
        })
        .collect();
    turns(lanes.len(), rounds, rng, |place, round| {
        let lane = &mut lanes[place];
        let entrant = &entrants[lane.entrant];
        run(lane, entrant, queries, subject, round);
        progress.did_pass(lane.workload, subject.present.len(), entrant.queries);
    });
    lanes
        .into_iter()
        .filter_map(|lane| row(&entrants[lane.entrant], lane))
        .collect()
}

fn run(
    lane: &mut Lane,
    entrant: &Entrant,
    queries: &Queries<'_>,
    subject: &Subject<'_>,
    round: u64,
) {
    let Ok(times) = &mut lane.rounds else {
        return;
    };
    let pass = match lane.workload {
        Workload::Build => build(entrant, subject),
        Workload::Remove => remove(entrant, subject),
        _ => query(lane.workload, entrant, queries),
    };
    match pass {
        // This contender has no such workload.
        Ok(None) => {}
        Ok(Some(pass)) => {
            if round > 0 && lane.hits != pass.hits {
                lane.rounds = Err(format!(
                    "counted {:?} hits, and {:?} before",
                    pass.hits, lane.hits
                ));
                return;
            }
            (lane.operations, lane.hits) = (pass.operations, pass.hits);
            if round > 0 {
                times.push(pass.time.as_secs_f64() * 1e9 / pass.operations.max(1) as f64);
            }
        }
        Err(error) => lane.rounds = Err(error),
    }
}

fn query(
    workload: Workload,
    entrant: &Entrant,
    queries: &Queries<'_>,
) -> Result<Option<Pass>, String> {
    let expected = entrant.expected;
    let (keys, want) = match workload {
        Workload::Query0 => (queries.none, expected.map(|expected| expected.none)),
        Workload::Query100 => (queries.all, expected.map(|expected| expected.all)),
        _ => (queries.half, expected.map(|expected| expected.half)),
    };
    let keys = keys.first(entrant.queries);
    let start = Instant::now();
    let hits = match workload {
        Workload::Batch50 => entrant.filter.count_hits_batch(keys),
        _ => Some(entrant.filter.count_hits(keys)),
    };
    let time = start.elapsed();
    let Some(hits) = hits else {
        return Ok(None);
    };
    if let Some(want) = want
        && want != hits
    {
        return Err(format!(
            "the timed loop counted {hits} hits, but {want} were verified"
        ));
    }
    Ok(Some(Pass {
        time,
        operations: keys.len() as u64,
        hits: Some(hits),
    }))
}

fn build(entrant: &Entrant, subject: &Subject<'_>) -> Result<Option<Pass>, String> {
    let subject = Subject {
        asked_fpr: entrant.asked_fpr,
        ..*subject
    };
    let keys = subject.present.len();
    let times = MIN_BUILD_OPERATIONS.div_ceil(keys.max(1));
    let mut time = Duration::ZERO;
    for _ in 0..times {
        let start = Instant::now();
        let filter = verify::build(entrant.contender, &subject, subject.seed);
        time += start.elapsed();
        let filter = filter.map_err(|failure| failure.to_string())?;
        // Checks that the timed build worked. (Dropping the filter is not timed.)
        if entrant.expected.is_some() {
            holds_sample(&*filter, subject.present, "build")?;
        }
    }
    Ok(Some(Pass {
        time,
        operations: (times * keys) as u64,
        hits: None,
    }))
}

/// Removes half of the keys from filters built for this; building is not timed.
fn remove(entrant: &Entrant, subject: &Subject<'_>) -> Result<Option<Pass>, String> {
    let subject = Subject {
        asked_fpr: entrant.asked_fpr,
        ..*subject
    };
    let times = MIN_BUILD_OPERATIONS.div_ceil(subject.present.len().max(1));
    let gone = subject.gone.len();
    let mut time = Duration::ZERO;
    for _ in 0..times {
        let mut filter = verify::build(entrant.contender, &subject, subject.seed)
            .map_err(|failure| failure.to_string())?;
        let start = Instant::now();
        let known = filter.remove(subject.gone);
        time += start.elapsed();
        if known != Some(gone as u64) {
            return Err(format!("a timed pass removed {known:?} of {gone} keys"));
        }
        holds_sample(&*filter, subject.kept, "removal")?;
    }
    Ok(Some(Pass {
        time,
        operations: (times * gone) as u64,
        hits: None,
    }))
}

/// Queries some of the keys that must be present after a timed pass.
pub fn holds_sample(filter: &dyn Built, keys: Keys<'_>, pass: &str) -> Result<(), String> {
    let sample = keys.first(keys.len().div_ceil(SAMPLE));
    let found = filter.count_hits(sample);
    if found == sample.len() as u64 {
        return Ok(());
    }
    Err(format!(
        "after a timed {pass} it finds {found} of the first {} keys",
        sample.len()
    ))
}

/// The row of a lane; `None` without such a workload.
fn row(entrant: &Entrant, lane: Lane) -> Option<Row> {
    let info = entrant.contender.info();
    let times = match lane.rounds {
        Ok(times) => times,
        Err(error) => return Some(Row::failed(info.name, &entrant.cell, lane.workload, &error)),
    };
    let mut row = Row::new(info.name, &entrant.cell, lane.workload);
    write(&times, lane.operations, &mut row)?;
    // The floor's "hits" are a sum of hashes.
    row.hits = lane.hits.filter(|_| info.role != Role::Floor);
    if let (Workload::Remove, Some(removal)) = (lane.workload, &entrant.removal) {
        removal.write(&mut row);
    }
    Some(row)
}

/// Writes times of `operations` operations each into a row; does nothing without times.
pub fn write(times: &[f64], operations: u64, row: &mut Row) -> Option<()> {
    let summary = Summary::of(times)?;
    row.operations = Some(operations);
    row.rounds = Some(times.len() as u64);
    row.median_ns = Some(summary.median);
    row.mad_ns = Some(summary.mad);
    row.min_ns = Some(summary.min);
    row.unstable = Some(summary.unstable());
    Some(())
}
