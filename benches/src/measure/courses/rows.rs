//! The rows of a course.

use super::Lane;
use super::check::{End, Stop};
use super::script::{Check, Leg};
use crate::measure::estimate::Times;
use crate::measure::race::{REMOVER, Timed};
use crate::record::{Row, State};

/// The rows of all contenders.
pub(super) fn rows(lanes: &[Lane<'_>]) -> Vec<Timed> {
    let mut rows = Vec::new();
    for lane in lanes {
        for (place, (leg, stop)) in lane.script.legs.iter().zip(&lane.stops).enumerate() {
            let has_row = match &stop.end {
                None => !matches!(leg.check, Check::Passage | Check::Part),
                Some(end) => *end != End::Grew,
            };
            if has_row {
                let mut row = found(lane, leg, stop);
                let beside = lanes.iter().filter_map(|lane| lane.stops.get(place));
                // The reference's good time in this leg, over all contenders.
                let level = Times::level(beside.map(|stop| &stop.times));
                stop.times.write(level, REMOVER, stop.operations, &mut row);
                rows.push(Timed { row, times: stop.times.clone() });
            }
            if stop.end.is_some() {
                break;
            }
        }
    }
    rows
}

/// What was found at a stop.
fn found(lane: &Lane<'_>, leg: &Leg<'_>, stop: &Stop) -> Row {
    let slots = lane.script.slots;
    let mut row = Row::new(lane.contender.info().name, &lane.cell, leg.workload);
    row.keys = match (&stop.end, slots) {
        // It never came to the load of the stop.
        (Some(End::Refused(held)), Some(_)) => *held,
        _ => leg.holds.len() as u64,
    };
    row.load = slots.map(|slots| row.keys as f64 / slots as f64);
    match &stop.end {
        Some(End::Failed(failure)) => return failure.mark(row),
        Some(End::Refused(held)) => {
            row.refused_at = Some(*held);
            return row.without(State::Refused, "");
        }
        Some(End::Grew) | None => {}
    }
    stop.answers.write(&mut row);
    (row.hits, row.ns_p99_9) = (stop.hits, stop.tail);
    row
}
