//! Speed against load: the cost of inserts, queries and removals as a table of slots fills up.

use super::{panels_of, places};
use crate::record::{Row, Workload};
use crate::render::axis::Axis;
use crate::render::chart::{Chart, Labels, Point, Series};
use crate::render::data::Data;
use crate::render::entry::Time;
use crate::render::number::{list, three};
use crate::run::ContenderFacts;

/// The variants: workload, file, title, axes.
struct Shown {
    workload: Workload,
    slug: &'static str,
    title: &'static str,
    x: &'static str,
    y: &'static str,
}

const SHOWN: [Shown; 3] = [
    Shown {
        workload: Workload::LoadInsert,
        slug: "insert-by-load",
        title: "Insert time against load",
        x: "load reached: keys over slots",
        y: "ns per insert",
    },
    Shown {
        workload: Workload::LoadQuery,
        slug: "query-by-load",
        title: "Query time against load",
        x: "load: keys over slots",
        y: "ns per query",
    },
    Shown {
        workload: Workload::LoadRemove,
        slug: "remove-by-load",
        title: "Removal time against load",
        x: "load left: keys over slots",
        y: "ns per removal",
    },
];

/// The loads at which tables are compared and have marks.
const TICKS: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];

type Walk<'a> = (&'a ContenderFacts, Vec<&'a Row>);

/// One chart per workload and panel.
pub(super) fn charts(data: &Data) -> Result<Vec<Chart>, String> {
    let mut charts = Vec::new();
    for shown in &SHOWN {
        let walks = data.beyond(shown.workload);
        let all: Vec<Series> = walks.iter().filter_map(series).collect();
        if all.is_empty() {
            continue;
        }
        let (drawn, failed): (Vec<&Walk<'_>>, Vec<&Walk<'_>>) =
            walks.iter().partition(|walk| series(walk).is_some());
        let ticks = TICKS.map(|load| (load, format!("{load:.1}"))).to_vec();
        let x = Axis::linear_between(shown.x, -0.02, 1.02).with_ticks(ticks);
        let y = Axis::log(shown.y, places(&all).map(|at| at.1));
        for panel in panels_of(drawn.iter().map(|walk| walk.0).collect()) {
            let is_of_panel = |walk: &&Walk<'_>| {
                let name = &walk.0.name;
                panel.filters.iter().any(|facts| facts.name == *name)
            };
            let of_panel: Vec<&Walk<'_>> = drawn.iter().copied().filter(is_of_panel).collect();
            let told = [of_panel.as_slice(), failed.as_slice()].concat();
            charts.push(Chart {
                slug: format!("{}{}", shown.slug, panel.slug),
                title: format!("{}{}", shown.title, panel.title),
                caption: caption(shown.workload, &told),
                x: x.clone(),
                y: y.clone(),
                bands: Vec::new(),
                series: of_panel.iter().copied().filter_map(series).collect(),
                labels: Labels::Column,
                note: None,
                height: 360,
            });
        }
    }
    if charts.is_empty() {
        return Err("Speed against load: no table of slots was measured.".to_owned());
    }
    Ok(charts)
}

/// A point per stop, a cross for a refusal or failure. `None` without any time.
fn series((facts, rows): &Walk<'_>) -> Option<Series> {
    let mut last = f64::NAN;
    let mut points = Vec::new();
    // Rising: on the way down, a failure comes last.
    for row in rows {
        let load = row.load?;
        if let Some(time) = time(row) {
            last = time.median;
            points.push(Point {
                along: Some((time.median - time.mad, time.median + time.mad)),
                ..Point::at(load, time.median)
            });
        } else if !row.error.is_empty() || row.refused_at.is_some() {
            points.push(Point::failed(load, last));
        }
    }
    let has_times = points.iter().any(|point| !point.failed);
    has_times.then(|| Series::of(facts).joined(points))
}

fn time(row: &Row) -> Option<Time> {
    Time::of(row).filter(|_| row.error.is_empty())
}

/// The times from the emptiest to the fullest table, and how each course ended.
fn caption(workload: Workload, walks: &[&Walk<'_>]) -> String {
    let mut found: Vec<(f64, String)> = Vec::new();
    let (mut refused, mut failed) = (Vec::new(), Vec::new());
    for (facts, rows) in walks {
        let timed = rows
            .iter()
            .filter_map(|row| Some((row.load.filter(|&load| load > 0.0)?, time(row)?.median)));
        let timed: Vec<(f64, f64)> = timed.collect();
        if let [(at_least, least), .., (at_most, most)] = timed[..] {
            let text = format!(
                "{} from {} ns at load {at_least:.2} to {} ns at {at_most:.2}",
                facts.name,
                three(least),
                three(most)
            );
            found.push((most, text));
        }
        for row in rows {
            let load = row.load.unwrap_or(f64::NAN);
            if !row.error.is_empty() {
                failed.push(format!("{} at {load:.3}", facts.name));
            } else if row.refused_at.is_some() {
                refused.push(format!("{} at {load:.3}", facts.name));
            }
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let found: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
    let mut text = String::new();
    if !found.is_empty() {
        text.push_str(&format!("Fastest when full first: {}. ", found.join("; ")));
    }
    if !refused.is_empty() {
        let refused = list(&refused);
        text.push_str(&format!(
            "Refused a key and kept all others (hollow crosses): {refused}. "
        ));
    }
    if !failed.is_empty() {
        text.push_str(&format!(
            "Rejected, for the reason given with the numbers (hollow crosses beside times): {}. ",
            list(&failed)
        ));
    }
    let what = match workload {
        Workload::LoadInsert => "Each time covers the keys since the stop before",
        Workload::LoadRemove => {
            "Oldest keys first; each time covers the keys since the fuller stop before, and those \
             left are all found"
        }
        _ => "Half of the queries are for present keys",
    };
    format!(
        "{text}{what}; every key inserted is found at every stop. The tables are sized for as \
         many keys as fill a power of two to 95 %. Bars are median absolute deviations."
    )
}
