//! Query time against the share of present keys.

use super::{floor, panels, places};
use crate::record::Workload;
use crate::render::axis::Axis;
use crate::render::chart::{Chart, Labels, Point, Series, Stroke};
use crate::render::data::Data;
use crate::render::entry::Entry;
use crate::render::number::{asked, grouped, list, three};
use crate::render::style::Ink;
use crate::run::ContenderFacts;

const SHARES: [(Workload, f64); 3] = [
    (Workload::Query0, 0.0),
    (Workload::Query50, 50.0),
    (Workload::Query100, 100.0),
];

/// One chart a panel.
pub(super) fn charts(data: &Data) -> Result<Vec<Chart>, String> {
    let all: Vec<Series> = data
        .filters()
        .into_iter()
        .chain(floor(data))
        .filter_map(|facts| series(data, facts))
        .collect();
    if all.is_empty() {
        return Err("Query time against the share of present keys: no query was timed.".to_owned());
    }
    let ticks = SHARES
        .iter()
        .map(|(_, share)| (*share, format!("{share:.0} %")))
        .collect();
    let x = Axis::linear_between("share of queries that are for present keys", -6.0, 106.0)
        .with_ticks(ticks);
    let y = Axis::log("ns per query", places(&all).map(|at| at.1));
    let chart = |panel: &super::Panel<'_>| {
        let mut shown: Vec<Series> = panel
            .filters
            .iter()
            .filter_map(|facts| series(data, facts))
            .collect();
        let reference = floor(data).and_then(|facts| series(data, facts));
        shown.extend(reference.map(|series| Series {
            stroke: Stroke::Bound,
            ink: Ink::Muted,
            ..series
        }));
        Chart {
            slug: format!("query-by-share{}", panel.slug),
            title: format!(
                "Query time against the share of present keys{}",
                panel.title
            ),
            caption: caption(data, &panel.filters),
            x: x.clone(),
            y: y.clone(),
            bands: Vec::new(),
            series: shown,
            labels: Labels::Column,
            note: None,
            height: 360,
        }
    };
    Ok(panels(data)
        .iter()
        .map(chart)
        .filter(|chart| !chart.series.is_empty())
        .collect())
}

/// The contender's entry at the main size and rate.
fn entry<'a>(data: &'a Data, facts: &ContenderFacts) -> Option<Entry<'a>> {
    let size = data.main_size()?;
    super::by_size(data, facts)
        .into_iter()
        .find(|entry| entry.keys() == size)
}

fn series(data: &Data, facts: &ContenderFacts) -> Option<Series> {
    let entry = entry(data, facts)?;
    let points: Vec<Point> = SHARES
        .iter()
        .filter_map(|&(workload, share)| {
            if entry.failure(workload).is_some() {
                return Some(Point::failed(share, f64::NAN));
            }
            let time = entry.time(workload)?;
            Some(Point {
                along: Some((time.median - time.mad, time.median + time.mad)),
                ..Point::at(share, time.median)
            })
        })
        .collect();
    (!points.is_empty()).then(|| Series::of(facts).joined(points))
}

/// Who depends on the share: the slowest time over the fastest.
fn caption(data: &Data, filters: &[&ContenderFacts]) -> String {
    let tie = 1.0 + data.noise().unwrap_or(0.0);
    let (mut level, mut uneven) = (Vec::new(), Vec::new());
    for facts in filters {
        let Some(entry) = entry(data, facts) else {
            continue;
        };
        let mut times: Vec<(f64, f64)> = SHARES
            .iter()
            .filter_map(|&(workload, share)| Some((entry.median(workload)?, share)))
            .collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let [(least, at_least), .., (most, at_most)] = times[..] {
            if most <= least * tie {
                level.push(facts.name.clone());
            } else {
                uneven.push(format!(
                    "{} ({} ns at {at_least:.0} %, {} ns at {at_most:.0} %)",
                    facts.name,
                    three(least),
                    three(most)
                ));
            }
        }
    }
    let mut found = String::new();
    if !level.is_empty() {
        found.push_str(&format!(
            "Independent of the share, within the noise: {}. ",
            list(&level)
        ));
    }
    if !uneven.is_empty() {
        found.push_str(&format!("Different: {}. ", list(&uneven)));
    }
    let rate = data
        .main_rate()
        .map_or_else(String::new, |rate| format!(", asked for {}", asked(rate)));
    format!(
        "{found}{} keys{rate}; present and absent keys in random order, so that at 50 % the \
         processor cannot predict the answer.",
        grouped(data.main_size().unwrap_or(0))
    )
}
