//! Query time against the number of keys, and where tables outgrow the caches.

use super::{by_size, floor, panels, places};
use crate::contender::Family;
use crate::record::Workload;
use crate::render::axis::Axis;
use crate::render::chart::{Band, Chart, Labels, Point, Series, Stroke};
use crate::render::data::Data;
use crate::render::number::{asked, binary_bytes, grouped, list, three};
use crate::render::style::Ink;
use crate::run::ContenderFacts;

/// The variants: single queries, then batches.
const SHOWN: [(Workload, &str, &str); 2] = [
    (
        Workload::Query50,
        "query-by-size",
        "Query time against size, one query at a time",
    ),
    (
        Workload::Batch50,
        "batch-by-size",
        "Query time against size, in batches",
    ),
];

/// One chart per workload and panel.
pub(super) fn charts(data: &Data) -> Result<Vec<Chart>, String> {
    let set = data.main_set().unwrap_or_default();
    if data.sizes(set).len() < 2 {
        return Err("Query time against size: needs at least two numbers of keys.".to_owned());
    }
    let bands = bands(data);
    let mut charts = Vec::new();
    // The same axes for all, so that the charts can be compared side by side.
    let shown: Vec<Series> = SHOWN
        .iter()
        .flat_map(|(workload, ..)| every(data, *workload))
        .collect();
    let x = by_keys(data, set);
    let y = Axis::log("ns per query", places(&shown).map(|at| at.1));
    for (workload, slug, title) in SHOWN {
        for panel in panels(data) {
            let of_panel = |facts: &&ContenderFacts| series(data, facts, workload);
            let mut series: Vec<Series> = panel.filters.iter().filter_map(of_panel).collect();
            if series.is_empty() {
                continue;
            }
            let caption = caption(data, &panel.filters, workload, &bands);
            series.extend(reference(data, workload));
            charts.push(Chart {
                slug: format!("{slug}{}", panel.slug),
                title: format!("{title}{}", panel.title),
                caption,
                x: x.clone(),
                y: y.clone(),
                bands: bands
                    .iter()
                    .filter(|band| x.holds(band.low) || x.holds(band.high))
                    .cloned()
                    .collect(),
                series,
                labels: Labels::Column,
                note: None,
                height: 380,
            });
        }
    }
    if charts.is_empty() {
        return Err("Query time against size: no query was timed.".to_owned());
    }
    Ok(charts)
}

/// An axis of the measured numbers of keys.
pub(super) fn by_keys(data: &Data, set: &str) -> Axis {
    let sizes = data.sizes(set);
    let axis = Axis::log("keys", sizes.iter().map(|&keys| keys as f64));
    let ticks = sizes
        .iter()
        .map(|&keys| (keys as f64, crate::render::number::tick(keys as f64)));
    axis.with_ticks(ticks.collect())
}

/// A contender's times over all sizes; `None` if it was never timed.
pub(super) fn series(data: &Data, facts: &ContenderFacts, workload: Workload) -> Option<Series> {
    let point = |entry: &crate::render::entry::Entry<'_>| {
        let keys = entry.keys() as f64;
        if entry.failure(workload).is_some() {
            return Some(Point::failed(keys, f64::NAN));
        }
        let time = entry.time(workload)?;
        Some(Point {
            along: Some((time.median - time.mad, time.median + time.mad)),
            ..Point::at(keys, time.median)
        })
    };
    let points: Vec<Point> = by_size(data, facts).iter().filter_map(point).collect();
    (!points.is_empty()).then(|| Series::of(facts).joined(points))
}

/// All contenders' times, hashing alone included.
fn every(data: &Data, workload: Workload) -> Vec<Series> {
    let all = data.filters().into_iter().chain(floor(data));
    all.filter_map(|facts| series(data, facts, workload))
        .collect()
}

/// Hashing alone, as a reference line.
pub(super) fn reference(data: &Data, workload: Workload) -> Option<Series> {
    let mut series = series(data, floor(data)?, workload)?;
    series.stroke = Stroke::Bound;
    series.ink = Ink::Muted;
    Some(series)
}

/// Where tables outgrow each cache: from the number of keys at which the largest filter does to
/// that of the smallest.
fn bands(data: &Data) -> Vec<Band> {
    let filters = data
        .filters()
        .into_iter()
        .filter(|facts| facts.family != Family::Exact);
    let bits: Vec<f64> = filters
        .filter_map(|facts| by_size(data, facts).last()?.bits())
        .filter(|&bits| bits > 0.0)
        .collect();
    let Some((least, most)) = bits
        .iter()
        .copied()
        .reduce(f64::min)
        .zip(bits.iter().copied().reduce(f64::max))
    else {
        return Vec::new();
    };
    let machine = data.machine.iter().flat_map(|machine| &machine.cache);
    machine
        .filter(|cache| cache.kind != "Instruction")
        .map(|cache| Band {
            low: cache.bytes as f64 * 8.0 / most,
            high: cache.bytes as f64 * 8.0 / least,
            label: format!("L{} full", cache.level),
        })
        .collect()
}

fn caption(data: &Data, filters: &[&ContenderFacts], workload: Workload, bands: &[Band]) -> String {
    let mut found: Vec<(f64, String)> = filters
        .iter()
        .filter_map(|facts| {
            let entries = by_size(data, facts);
            let timed: Vec<_> = entries
                .iter()
                .filter_map(|entry| Some((entry.keys(), entry.median(workload)?)))
                .collect();
            let (&(_, first), &(most, last)) = timed.first().zip(timed.last())?;
            (most == data.sizes(data.main_set()?).last().copied()?).then(|| {
                (
                    last,
                    format!(
                        "{} {} ns ({} times)",
                        facts.name,
                        three(last),
                        three(last / first)
                    ),
                )
            })
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let found: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
    let sizes = data.sizes(data.main_set().unwrap_or_default());
    let most = sizes.last().copied().unwrap_or(0);
    let found = if found.is_empty() {
        String::new()
    } else {
        format!(
            "At {} keys, and in brackets as a multiple of the time at {} keys: {}. ",
            grouped(most),
            grouped(sizes.first().copied().unwrap_or(0)),
            list(&found)
        )
    };
    let (inside, outside): (Vec<&Band>, Vec<&Band>) = bands
        .iter()
        .partition(|band| band.low <= most as f64 * 1.18);
    let name = |band: &&Band| band.label.trim_end_matches(" full").to_owned();
    let mut caches = String::new();
    if !inside.is_empty() {
        caches.push_str(
            " Grey: where the filters' tables outgrow a cache, the largest filter's first.",
        );
    }
    if !outside.is_empty() {
        let sizes: Vec<String> = outside
            .iter()
            .map(|band| {
                let level = |cache: &&crate::machine::Cache| {
                    format!("L{} full", cache.level) == band.label && cache.kind != "Instruction"
                };
                let bytes = data
                    .machine
                    .iter()
                    .flat_map(|machine| &machine.cache)
                    .find(level)
                    .map_or(0, |cache| cache.bytes);
                format!(
                    "{} ({}, outgrown from about {} keys)",
                    name(band),
                    binary_bytes(bytes),
                    grouped(rounded(band.low))
                )
            })
            .collect();
        caches.push_str(&format!(
            " Beyond these sizes: {}. Exact sets, being larger, outgrow caches sooner.",
            list(&sizes)
        ));
    }
    let rate = data
        .main_rate()
        .map_or_else(String::new, |rate| format!("Asked for {}; ", asked(rate)));
    format!(
        "{found}{rate}half of the queries are for present keys, hashing included. Bars are median \
         absolute deviations; thin lines, dashed for peers, only guide the eye.{caches}"
    )
}

/// To two digits.
fn rounded(x: f64) -> u64 {
    let unit = 10f64.powf(x.log10().floor() - 1.0);
    ((x / unit).round() * unit) as u64
}
