//! The cost of building: time and memory against the number of keys.

use super::query::{by_keys, reference, series};
use super::{by_size, panels, places};
use crate::record::Workload;
use crate::render::axis::Axis;
use crate::render::chart::{Chart, Labels, Point, Series};
use crate::render::data::Data;
use crate::render::number::{asked, grouped, list, three};
use crate::run::ContenderFacts;

/// Time and memory, one chart a panel each.
pub(super) fn charts(data: &Data) -> Result<Vec<Chart>, String> {
    let set = data.main_set().unwrap_or_default();
    if data.sizes(set).len() < 2 {
        return Err(
            "Build time and memory against size: needs at least two numbers of keys.".to_owned(),
        );
    }
    let time = |facts: &ContenderFacts| series(data, facts, Workload::Build);
    let mut charts = of_kind(
        data,
        ("build-by-size", "Build time against size", "ns per key"),
        &time,
        reference(data, Workload::Build),
        |filters| {
            let found = ranked(data, filters, |facts, keys| {
                at(data, facts, keys, |entry| entry.median(Workload::Build))
            });
            format!(
                "{}From nothing to a filter of all keys, by the fastest way its interface offers, \
                 allocation included. Bars are median absolute deviations; thin lines only guide \
                 the eye.",
                sentence(data, &found, "ns")
            )
        },
    );
    let memory = |facts: &ContenderFacts| memory(data, facts);
    charts.extend(of_kind(
        data,
        (
            "build-memory-by-size",
            "Memory while building",
            "peak bits per key",
        ),
        &memory,
        None,
        |filters| {
            let found = ranked(data, filters, |facts, keys| {
                at(data, facts, keys, |entry| entry.peak_bits())
            });
            format!(
                "{}Peak memory while building, with the filter and without the keys, by a \
                 counting allocator. A filter that is filled key by key holds no more than \
                 itself; one built from all keys at once pays for that here.",
                sentence(data, &found, "bits")
            )
        },
    ));
    if charts.is_empty() {
        return Err("Build time and memory against size: nothing was built.".to_owned());
    }
    Ok(charts)
}

fn of_kind(
    data: &Data,
    (slug, title, unit): (&str, &str, &str),
    series: &dyn Fn(&ContenderFacts) -> Option<Series>,
    reference: Option<Series>,
    caption: impl Fn(&[&ContenderFacts]) -> String,
) -> Vec<Chart> {
    let set = data.main_set().unwrap_or_default();
    let all: Vec<Series> = data
        .filters()
        .into_iter()
        .filter_map(series)
        .chain(reference.clone())
        .collect();
    let y = Axis::log(unit, places(&all).map(|at| at.1));
    let chart = |panel: super::Panel<'_>| {
        let mut shown: Vec<Series> = panel
            .filters
            .iter()
            .filter_map(|facts| series(facts))
            .collect();
        if shown.is_empty() {
            return None;
        }
        shown.extend(reference.clone());
        Some(Chart {
            slug: format!("{slug}{}", panel.slug),
            title: format!("{title}{}", panel.title),
            caption: caption(&panel.filters),
            x: by_keys(data, set),
            y: y.clone(),
            bands: Vec::new(),
            series: shown,
            labels: Labels::Column,
            note: None,
            height: 360,
        })
    };
    panels(data).into_iter().filter_map(chart).collect()
}

fn memory(data: &Data, facts: &ContenderFacts) -> Option<Series> {
    let points: Vec<Point> = by_size(data, facts)
        .iter()
        .filter_map(|entry| {
            if entry.error().is_some() {
                return Some(Point::failed(entry.keys() as f64, f64::NAN));
            }
            Some(Point::at(entry.keys() as f64, entry.peak_bits()?))
        })
        .collect();
    (!points.is_empty()).then(|| Series::of(facts).joined(points))
}

fn at(
    data: &Data,
    facts: &ContenderFacts,
    keys: u64,
    value: impl Fn(&crate::render::entry::Entry<'_>) -> Option<f64>,
) -> Option<f64> {
    value(
        by_size(data, facts)
            .iter()
            .find(|entry| entry.keys() == keys)?,
    )
}

/// Values at the main size, rising, with their names.
fn ranked(
    data: &Data,
    filters: &[&ContenderFacts],
    value: impl Fn(&ContenderFacts, u64) -> Option<f64>,
) -> Vec<(f64, String)> {
    let keys = data.main_size().unwrap_or(0);
    let named = |facts: &&ContenderFacts| Some((value(facts, keys)?, facts.name.clone()));
    let mut found: Vec<(f64, String)> = filters.iter().filter_map(named).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    found
}

fn sentence(data: &Data, found: &[(f64, String)], unit: &str) -> String {
    if found.is_empty() {
        return String::new();
    }
    let found: Vec<String> = found
        .iter()
        .map(|(value, name)| format!("{name} {}", three(*value)))
        .collect();
    let rate = data
        .main_rate()
        .map_or_else(String::new, |rate| format!(", asked for {}", asked(rate)));
    format!(
        "At {} keys{rate}, in {unit} per key: {}. ",
        grouped(data.main_size().unwrap_or(0)),
        list(&found)
    )
}
