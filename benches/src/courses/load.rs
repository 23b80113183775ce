//! Speed against load: fills, queries and empties tables of slots, from one load to the next.
//!
//! The plan brings a table of a power of two to load 0.95 when it holds all planned keys, so that
//! tables with and without power-of-two sizes are compared at the same load.

use super::{Cost, Entrant, Ground, Track, absent, made_empty, repeats, subject};
use crate::contender::Contender;
use crate::keys::Keys;
use crate::progress::{Progress, nanoseconds};
use crate::record::{Cell, Row, Workload};
use crate::suite::Suite;
use crate::timing::{self, turns};
use crate::verify::beyond::more_keys;
use crate::verify::load::{Loads, Step, Steps, verify_load};
use crate::verify::{Failure, Subject};
use std::time::{Duration, Instant};

const STOPS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/// The planned load.
const FULL: f64 = 0.95;
/// No table is filled beyond this load: some scans along the table would take too long.
const LAST: f64 = 0.99;
/// Keys suffice for a table larger by this factor.
const SPARE: f64 = 1.2;
/// Each stop queries this part of a stream.
const QUERY_SHARE: usize = 8;

/// The course over tables of this many slots.
pub fn of_slots(slots: usize, suite: Suite) -> Loads {
    Loads {
        room: (slots as f64 * FULL) as usize,
        stops: STOPS.to_vec(),
        last: LAST,
        queries: suite.queries() / QUERY_SHARE,
    }
}

impl Track for Loads {
    fn workload(&self) -> Workload {
        Workload::LoadInsert
    }

    fn others(&self) -> &'static [Workload] {
        &[Workload::LoadQuery, Workload::LoadRemove]
    }

    fn title(&self) -> String {
        format!("load by load, planned for {} keys", self.room)
    }

    fn planned(&self) -> usize {
        self.room
    }

    fn keys(&self) -> usize {
        (self.room as f64 / FULL * SPARE) as usize
    }

    /// Contenders that have slots; a failure while probing is left for the course to report.
    fn takes(&self, contender: &dyn Contender) -> bool {
        match made_empty(contender) {
            Ok(filter) => filter.slots().is_some(),
            Err(failure) => failure != Failure::NoRoom,
        }
    }

    fn cost(&self, suite: Suite) -> Cost {
        let at_stops: usize = (self.stops.iter())
            .map(|stop| (self.room as f64 * stop) as usize + absent(suite))
            .sum();
        let queries = self.queries * self.stops.len();
        let pass = repeats(self.room) * (4 * self.room + queries);
        Cost {
            verify: nanoseconds(self.room, 2 * (2 * at_stops + 5 * self.room)),
            pass: nanoseconds(self.room, pass),
        }
    }

    fn run(&self, ground: &Ground, entrants: Vec<Entrant>, progress: &Progress) -> Vec<Row> {
        let setting = ground.setting;
        let views = [ground.made.present.view(), ground.made.absent.view()];
        let cost = self.cost(setting.suite);
        let mut lanes = Vec::new();
        for (contender, cell) in entrants {
            let name = contender.info().name;
            progress.now(&format!("{}: verifying {name}", self.title()));
            let subject = subject(&views, cell.asked_fpr, setting.seed);
            let steps = verify_load(contender, &subject, self, &setting.suite.effort());
            progress.did(cost.verify);
            lanes.push(Lane {
                contender,
                cell,
                subject,
                steps,
                passes: Ok(Vec::new()),
            });
        }
        progress.now(&format!("{}: timing", self.title()));
        turns(
            lanes.len(),
            setting.rounds,
            &mut ground.rng(),
            |place, round| {
                lanes[place].run(self, round);
                progress.did(cost.pass);
            },
        );
        lanes.into_iter().flat_map(|lane| lane.rows(self)).collect()
    }
}

/// One contender.
struct Lane<'a> {
    contender: &'static dyn Contender,
    cell: Cell,
    subject: Subject<'a>,
    steps: Result<Steps, Failure>,
    /// One pass per round, or what went wrong in one.
    passes: Result<Vec<Pass>, String>,
}

/// Nanoseconds per operation, one number per stop.
#[derive(Default)]
struct Pass {
    insert: Vec<f64>,
    query: Vec<f64>,
    remove: Vec<f64>,
}

impl Lane<'_> {
    fn run(&mut self, loads: &Loads, round: u64) {
        let (Ok(steps), Ok(passes)) = (&self.steps, &mut self.passes) else {
            return;
        };
        match pass(self.contender, &self.subject, loads, steps) {
            Ok(_) if round == 0 => {}
            Ok(pass) => passes.push(pass),
            Err(reason) => self.passes = Err(reason),
        }
    }

    fn rows(self, loads: &Loads) -> Vec<Row> {
        let info = self.contender.info();
        let failed = |workload, reason: &str| Row::failed(info.name, &self.cell, workload, reason);
        let steps = match &self.steps {
            Ok(steps) => steps,
            Err(failure) => return vec![failed(Workload::LoadInsert, &failure.to_string())],
        };
        let passes = match &self.passes {
            Ok(passes) => passes,
            Err(reason) => return vec![failed(Workload::LoadInsert, reason)],
        };
        let mut rows = Vec::new();
        let repeats = repeats(loads.room) as u64;
        let mut before = 0;
        for (place, step) in steps.up.iter().enumerate() {
            let stretch = step.keys.saturating_sub(before) as u64 * repeats;
            let mut row = step.row(info.name, &self.cell, info.ours);
            let asked = Row {
                workload: Workload::LoadQuery,
                hits: Some(step.hits),
                ..unverified(&row)
            };
            timed(&mut row, passes, |pass| pass.insert.get(place), stretch);
            rows.push(row);
            if step.is_good() {
                let mut row = asked;
                let queries = loads.queries as u64 * repeats;
                timed(&mut row, passes, |pass| pass.query.get(place), queries);
                rows.extend(row.median_ns.is_some().then_some(row));
            }
            before = step.keys;
        }
        let top = steps.up.iter().rev().find(|step| step.is_good());
        let mut before = top.map_or(0, |step| step.keys);
        rows.extend((steps.refusal.iter()).map(|step| step.row(info.name, &self.cell, info.ours)));
        for (place, step) in steps.down.iter().enumerate() {
            let stretch = before.saturating_sub(step.keys) as u64 * repeats;
            let mut row = step.row(info.name, &self.cell, info.ours);
            timed(&mut row, passes, |pass| pass.remove.get(place), stretch);
            rows.push(row);
            before = step.keys;
        }
        rows
    }
}

/// The same cell, without facts.
fn unverified(row: &Row) -> Row {
    Row {
        load: row.load,
        error: row.error.clone(),
        ..Row::new(&row.contender, &row.cell(), row.workload)
    }
}

/// Writes times into a row, unless it is an error or a refusal.
fn timed(row: &mut Row, passes: &[Pass], of: impl Fn(&Pass) -> Option<&f64>, operations: u64) {
    if row.error.is_empty() && row.refused_at.is_none() {
        let times: Vec<f64> = passes.iter().filter_map(of).copied().collect();
        // Nothing to write without times.
        let _ = timing::write(&times, operations, row);
    }
}

/// One pass over the verified stops.
fn pass(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    loads: &Loads,
    steps: &Steps,
) -> Result<Pass, String> {
    let up: Vec<&Step> = steps.up.iter().take_while(|step| step.is_good()).collect();
    let down = steps.down.iter();
    let down: Vec<&Step> = down.take_while(|step| step.is_good()).collect();
    let mut sums = [
        vec![Duration::ZERO; up.len()],
        vec![Duration::ZERO; up.len()],
        vec![Duration::ZERO; down.len()],
    ];
    let repeats = repeats(loads.room);
    for _ in 0..repeats {
        let begun = loads.begin(contender, subject, subject.seed);
        let (mut filter, _) = begun.map_err(|failure| failure.to_string())?;
        let mut held = 0;
        for (place, step) in up.iter().enumerate() {
            let more = subject.present.between(held, step.keys);
            let start = Instant::now();
            let taken = more_keys(&mut *filter, more);
            sums[0][place] += start.elapsed();
            let taken = taken.map_err(|failure| failure.to_string())?;
            if taken != more.len() as u64 {
                let more = more.len();
                return Err(format!("a timed pass inserted {taken} of {more} keys"));
            }
            held = step.keys;
            let stream = loads.stream(subject, held);
            let start = Instant::now();
            let hits = filter.count_hits(Keys::U64(&stream));
            sums[1][place] += start.elapsed();
            if hits != step.hits {
                let want = step.hits;
                return Err(format!(
                    "the timed loop counted {hits} hits, but {want} were verified"
                ));
            }
        }
        let mut first = 0;
        for (place, step) in down.iter().enumerate() {
            let gone = subject.present.between(first, held - step.keys);
            first = held - step.keys;
            let start = Instant::now();
            let known = filter.remove(gone);
            sums[2][place] += start.elapsed();
            if known != Some(gone.len() as u64) {
                let gone = gone.len();
                return Err(format!("a timed pass removed {known:?} of {gone} keys"));
            }
            let kept = subject.present.between(first, held);
            timing::holds_sample(&*filter, kept, "removal")?;
        }
    }
    let each = |sum: &Duration, operations: usize| {
        sum.as_secs_f64() * 1e9 / (repeats * operations).max(1) as f64
    };
    let mut found = Pass::default();
    let mut before = 0;
    for (place, step) in up.iter().enumerate() {
        found.insert.push(each(&sums[0][place], step.keys - before));
        found.query.push(each(&sums[1][place], loads.queries));
        before = step.keys;
    }
    for (place, step) in down.iter().enumerate() {
        found.remove.push(each(&sums[2][place], before - step.keys));
        before = step.keys;
    }
    Ok(found)
}
