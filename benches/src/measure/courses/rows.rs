//! The rows of a course.

use super::check::Stop;
use super::script::{Check, Leg};
use super::{Lane, Track, Walked};
use crate::measure::estimate::Times;
use crate::measure::race::{REMOVER, Timed};
use crate::record::{Cell, Row, State};
use std::collections::BTreeMap;

/// The timed passes of a row.
#[derive(Clone, Default, Debug)]
pub(super) struct Sums {
    /// Its rounds.
    pub times: Times,
    /// Operations of all of them.
    pub operations: u64,
    /// Hits in the pass that is going on.
    pub hits: u64,
    /// The tail of single inserts.
    pub tail: Option<f64>,
}

/// The rows of all contenders; a single one of a contender that failed altogether.
pub(super) fn rows(track: &dyn Track, lanes: Vec<Lane<'_>>) -> Vec<Timed> {
    let levels = levels(&lanes);
    let mut rows = Vec::new();
    for lane in &lanes {
        let info = lane.contender.info();
        match &lane.walked {
            Err(failure) => {
                let workload = track.workloads()[0];
                rows.push(Timed {
                    row: failure.mark(Row::new(info.name, &lane.cell, workload)),
                    times: Times::default(),
                });
            }
            Ok(walked) => rows.extend(of_contender(lane, walked, &levels)),
        }
    }
    rows
}

/// The reference's good time in each leg, by what is done and how far the filter is filled: scripts
/// differ between contenders, so legs are compared by workload and order.
type Levels = BTreeMap<(String, usize), Option<f64>>;

fn key(walked: &Walked<'_>, place: usize) -> (String, usize) {
    let workload = walked.script.legs[place].workload;
    let before = walked.script.legs[..place].iter();
    let same = before.filter(|leg| leg.workload == workload);
    (workload.to_string(), same.count())
}

fn levels(lanes: &[Lane<'_>]) -> Levels {
    let mut all: BTreeMap<(String, usize), Vec<&Times>> = BTreeMap::new();
    for walked in lanes.iter().filter_map(|lane| lane.walked.as_ref().ok()) {
        for (place, sums) in walked.times.iter().enumerate() {
            all.entry(key(walked, place)).or_default().push(&sums.times);
        }
    }
    let level = |(key, times)| (key, Times::level::<'_>(times));
    all.into_iter().map(level).collect()
}

fn of_contender(lane: &Lane<'_>, walked: &Walked<'_>, levels: &Levels) -> Vec<Timed> {
    let legs = &walked.script.legs;
    let mut rows = Vec::new();
    for (place, (leg, stop)) in legs.iter().zip(&walked.stops).enumerate() {
        // The last leg of a row tells what it found; the first has the times.
        let goes_on = legs[place + 1..].iter().any(|later| leg.shares(later));
        if stop.is_good() && (leg.check == Check::Passage || goes_on) {
            continue;
        }
        let first = legs.iter().position(|other| leg.shares(other));
        let first = first.unwrap_or(place);
        let sums = &walked.times[first];
        let mut row = facts(lane, leg, stop);
        if row.state == State::Measured {
            let level = levels.get(&key(walked, first)).copied().flatten();
            sums.times.write(level, REMOVER, sums.operations, &mut row);
            row.ns_p99_9 = sums.tail;
            row.hits = stop.hits;
        }
        let times = sums.times.clone();
        rows.push(Timed { row, times });
    }
    rows
}

/// What was found at a stop.
fn facts(lane: &Lane<'_>, leg: &Leg<'_>, stop: &Stop) -> Row {
    let info = lane.contender.info();
    let keys = stop.refused_at.unwrap_or(leg.keys as u64);
    let cell =
        Cell { keys: if leg.load.is_some() { keys } else { leg.keys as u64 }, ..lane.cell.clone() };
    let mut row = Row::new(info.name, &cell, leg.workload);
    // A refusal comes earlier than the stop.
    let refused = |load: f64| cell.keys as f64 / (leg.keys as f64 / load).round();
    row.load = match stop.refused_at {
        None => leg.load,
        Some(_) => leg.load.map(refused),
    };
    if let Some(failure) = &stop.failure {
        return failure.mark(row);
    }
    if let Some(held) = stop.refused_at {
        row.refused_at = Some(held);
        return row.without(State::Refused, "");
    }
    match leg.check {
        Check::Rate | Check::Target => match stop.tally.judged(info.ours) {
            Ok(answers) => answers.write(&mut row),
            Err(failure) => return failure.mark(row),
        },
        Check::Passage | Check::Present => {}
    }
    stop.facts.write_space(&mut row);
    row
}
