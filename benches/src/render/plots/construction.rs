//! Construction success against overhead: how many more slots than keys a standard ribbon needs.

use super::places;
use crate::contender::Family;
use crate::record::Trial;
use crate::render::axis::Axis;
use crate::render::chart::{Chart, Labels, Point, Series, Stroke};
use crate::render::construction::{ENOUGH, Share, exactly, is_built, overhead};
use crate::render::data::{Data, Line};
use crate::render::number::{grouped, list};
use crate::render::style::{Ink, look};

/// One chart per number of keys, one line per row width.
pub(super) fn charts(data: &Data) -> Result<Vec<Chart>, String> {
    let mut lines = data.lines();
    lines.sort_by_key(|line| line.keys);
    let all: Vec<Series> = lines.iter().flat_map(|line| series(line, &[])).collect();
    if all.is_empty() {
        return Err("Construction success against overhead: not measured.".to_owned());
    }
    let most = places(&all).map(|at| at.0).fold(0.0, f64::max);
    let x = "slots beyond the number of keys, as a share of the keys";
    let x = Axis::linear_between(x, -0.03 * most, 1.03 * most).in_percent();
    let y = "share of the seeds that leave room for all keys";
    let y = Axis::linear_between(y, -0.04, 1.05);
    let enough = ENOUGH.0 as f64 / ENOUGH.1 as f64;
    let groups = lines.chunk_by(|a, b| a.keys == b.keys);
    let chart = |group: &[Line<'_>]| {
        let path = vec![(x.low, enough), (x.high, enough)];
        let mut shown = vec![Series::line(Ink::Muted, Stroke::Bound, path)];
        shown.extend(group.iter().flat_map(|line| series(line, group)));
        let keys = group.first().map_or(0, |line| line.keys);
        let fewer: Vec<&Line<'_>> = (lines.iter())
            .filter(|line| line.keys == lines[0].keys && line.keys < keys)
            .collect();
        Chart {
            slug: format!("construction-{keys}"),
            title: format!(
                "Construction success against overhead: standard ribbon, {} keys, by bits of a row",
                grouped(keys)
            ),
            caption: caption(group, &fewer),
            x: x.clone(),
            y: y.clone(),
            bands: Vec::new(),
            series: shown,
            labels: Labels::Beside,
            // In the corner above the lines.
            note: Some((
                (x.low + 0.14 * (x.high - x.low), enough + 0.05),
                "nine of ten".to_owned(),
            )),
            height: 280,
        }
    };
    Ok(groups.map(chart).collect())
}

/// A line: its steps, with a hollow mark for the overhead that filters use. Its label stands where
/// no other line is near.
fn series(line: &Line<'_>, all: &[Line<'_>]) -> [Series; 2] {
    let point = |trial: &&Trial| match Share::of(trial) {
        Some(share) => Point {
            along: Some((share.low, share.high)),
            ..Point::at(overhead(trial), share.mean())
        },
        None => Point::failed(overhead(trial), f64::NAN),
    };
    let (_, mark, ..) = look(Family::Ribbon);
    let plain = Series {
        label: None,
        mark,
        ..Series::line(Ink::Family(Family::Ribbon), Stroke::Guide, Vec::new())
    };
    let (built, mut steps): (Vec<&Trial>, Vec<&Trial>) =
        line.trials.iter().partition(|trial| is_built(trial));
    let points = line.trials.iter().map(point).collect();
    // The label stands beside the first.
    steps.sort_by(|a, b| alone(b, line, all).total_cmp(&alone(a, line, all)));
    [
        Series {
            label: Some(format!("{} bits", line.row_bits)),
            path: plain.clone().joined(points).path,
            ..plain.clone().scattered(steps.iter().map(point).collect())
        },
        Series {
            hollow: true,
            ..plain.scattered(built.iter().map(point).collect())
        },
    ]
}

/// A step's distance from both ends of the axis and from other lines at the same overhead.
fn alone(trial: &Trial, line: &Line<'_>, all: &[Line<'_>]) -> f64 {
    let Some(share) = Share::of(trial).map(|share| share.mean()) else {
        return -1.0;
    };
    let others = all.iter().filter(|other| other.row_bits != line.row_bits);
    let there = others
        .flat_map(|other| &other.trials)
        .filter(|other| other.slots == trial.slots)
        .filter_map(|other| Some((Share::of(other)?.mean() - share).abs()));
    there.fold(share.min(1.0 - share), f64::min)
}

/// The overheads that nine seeds in ten need, per width, at this and at the fewest keys; and the
/// overheads that filters are built with.
fn caption(group: &[Line<'_>], fewest: &[&Line<'_>]) -> String {
    let mut text = String::new();
    for (place, line) in group.iter().enumerate() {
        let bits = line.row_bits;
        text.push_str(&match place {
            0 => format!(
                "With rows of {bits} bits and {} keys, {} more slots than keys suffice for nine \
                 seeds of ten{}",
                grouped(line.keys),
                needed(line),
                counted(line.enough())
            ),
            _ => format!(
                "; with rows of {bits} bits, {}{}",
                needed(line),
                counted(line.enough())
            ),
        });
    }
    text.push_str(". ");
    if let Some(line) = fewest.first() {
        let found: Vec<String> = fewest.iter().map(|line| needed(line)).collect();
        let keys = grouped(line.keys);
        text.push_str(&format!("With {keys} keys it was {}. ", list(&found)));
    }
    let built = group.iter().filter_map(|line| {
        let built = line.built()?;
        Some(exactly(overhead(built.0)) + &counted(Some(built)))
    });
    let built: Vec<String> = built.collect();
    if !built.is_empty() {
        text.push_str(&format!(
            "Hollow: what filters use for one such system, before rounding up to whole blocks, \
             {}. ",
            list(&built)
        ));
    }
    text + "Each mark is one number of slots, tried with its own seeds; bars are 95 % intervals. \
            Where a seed leaves no room, a filter takes the next; filters of many keys consist of \
            several systems."
}

fn needed(line: &Line<'_>) -> String {
    match line.enough() {
        Some((trial, _)) => exactly(overhead(trial)),
        None => format!("more than {}", exactly(line.last())),
    }
}

fn counted(found: Option<(&Trial, Share)>) -> String {
    found.map_or_else(String::new, |(_, share)| {
        format!(" ({} of {})", grouped(share.solved), grouped(share.seeds))
    })
}
