//! The rows of a course.

use super::Lane;
use super::check::{End, Stop, Walked};
use super::script::{Check, Leg};
use crate::measure::estimate::Times;
use crate::measure::race::{REMOVER, Timed};
use crate::record::{Row, State, Workload};

/// The rows of all contenders; a single one, of this workload, of one that failed altogether.
pub(super) fn rows(lanes: &[Lane<'_>], workload: Workload) -> Vec<Timed> {
    let of = |lane: &Lane<'_>, leg| Row::new(lane.contender.info().name, &lane.cell, leg);
    let mut rows = Vec::new();
    for lane in lanes {
        match &lane.walked {
            Ok(walked) => {
                let row = |leg: &Leg<'_>| of(lane, leg.workload);
                let level = |place| level(lanes, place);
                rows.extend(of_contender(walked, row, level));
            }
            Err(failure) => {
                let row = failure.mark(of(lane, workload));
                rows.push(Timed { row, times: Times::default() });
            }
        }
    }
    rows
}

/// The reference's good time in one leg, over all contenders.
fn level(lanes: &[Lane<'_>], place: usize) -> Option<f64> {
    let walked = lanes.iter().filter_map(|lane| lane.walked.as_ref().ok());
    Times::level(walked.filter_map(|walked| walked.stops.get(place)).map(|stop| &stop.times))
}

/// The rows of a contender, up to where its course ends.
fn of_contender(
    walked: &Walked<'_>,
    row: impl Fn(&Leg<'_>) -> Row,
    level: impl Fn(usize) -> Option<f64>,
) -> Vec<Timed> {
    let Walked { script, stops, .. } = walked;
    let mut rows = Vec::new();
    for (place, (leg, stop)) in script.legs.iter().zip(stops).enumerate() {
        let has_row = match &stop.end {
            None => !matches!(leg.check, Check::Passage | Check::Part),
            Some(end) => *end != End::Grew,
        };
        if has_row {
            let mut row = found(row(leg), script.slots, leg, stop);
            if row.state == State::Measured {
                stop.times.write(level(place), REMOVER, stop.operations, &mut row);
            }
            rows.push(Timed { row, times: stop.times.clone() });
        }
        if stop.end.is_some() {
            break;
        }
    }
    rows
}

/// What was found at a stop.
fn found(mut row: Row, slots: Option<u64>, leg: &Leg<'_>, stop: &Stop) -> Row {
    row.keys = leg.holds.len() as u64;
    if let (Some(End::Refused(held)), Some(_)) = (&stop.end, slots) {
        // It never came to the load of the stop.
        row.keys = *held;
    }
    row.load = slots.map(|slots| row.keys as f64 / slots as f64);
    match &stop.end {
        Some(End::Failed(failure)) => failure.mark(row),
        Some(End::Refused(held)) => {
            row.refused_at = Some(*held);
            row.without(State::Refused, "")
        }
        Some(End::Grew) | None => {
            stop.answers.write(&mut row);
            stop.space.write(&mut row);
            (row.hits, row.ns_p99_9) = (stop.hits, stop.tail);
            row
        }
    }
}
