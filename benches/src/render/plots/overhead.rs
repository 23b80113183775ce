//! Distance from the bound: bits per key over log2(1/rate), against the rate.

use super::{entries_of, panels, places, theory};
use crate::render::axis::Axis;
use crate::render::chart::{Chart, Labels, Point, Series, Stroke};
use crate::render::data::Data;
use crate::render::number::{asked, list};
use crate::render::style::{Ink, look};
use crate::run::ContenderFacts;
use amq_core::numeric::overhead;

/// One chart a panel.
pub(super) fn charts(data: &Data) -> Result<Vec<Chart>, String> {
    let missing =
        || "Overhead against rate: needs filters measured at two rates or more.".to_owned();
    let (set, keys) = data.main_set().zip(data.main_size()).ok_or_else(missing)?;
    if data.rates(set, keys).len() < 2 {
        return Err(missing());
    }
    let panels = panels(data);
    let measured =
        |facts: &&ContenderFacts| Series::of(facts).scattered(points(data, set, keys, facts));
    let all: Vec<Series> = panels
        .iter()
        .flat_map(|panel| panel.filters.iter().map(measured))
        .collect();
    let x = Axis::log("false-positive rate", places(&all).map(|at| at.0)).in_percent();
    // Most lie between one and two times the bound, some at ten times.
    let most = places(&all).map(|at| at.1).fold(2.0, f64::max);
    let y = Axis::log_between(
        "bits per key, as a multiple of the bound log2(1/rate)",
        0.95,
        most * 1.1,
    );
    let bound = Series::line(Ink::Muted, Stroke::Bound, vec![(x.low, 1.0), (x.high, 1.0)]);
    let charts = panels.iter().map(|panel| {
        let mut series = vec![bound.clone()];
        series.extend(theory::curves(data, &panel.filters, |theory| {
            let path = theory::curve(theory, keys, 1.0, 40.0).into_iter();
            path.map(|(bits, rate)| (rate, overhead(bits, rate)))
                .collect()
        }));
        series.extend(
            panel
                .filters
                .iter()
                .map(measured)
                .filter(|series| !series.points.is_empty()),
        );
        Chart {
            slug: format!("overhead-by-rate{}", panel.slug),
            title: format!("How far from the bound{}", panel.title),
            caption: caption(data, set, keys, &panel.filters),
            x: x.clone(),
            y: y.clone(),
            bands: Vec::new(),
            series,
            labels: Labels::Column,
            note: None,
            height: 330,
        }
    });
    Ok(charts.collect())
}

fn points(data: &Data, set: &str, keys: u64, facts: &ContenderFacts) -> Vec<Point> {
    entries_of(data, set, facts)
        .iter()
        .filter(|entry| entry.keys() == keys)
        .filter_map(|entry| {
            if entry.error().is_some() {
                return Some(Point::failed(entry.asked()?, f64::NAN));
            }
            let rate = entry.joint_rate().filter(|rate| rate.low > 0.0)?;
            Some(Point {
                across: Some((rate.low, rate.high)),
                along: entry.overhead_range(),
                ..Point::at(rate.mean, entry.overhead()?)
            })
        })
        .collect()
}

/// Each family's overhead from the highest rate to the lowest.
fn caption(data: &Data, set: &str, keys: u64, filters: &[&ContenderFacts]) -> String {
    let mut found = Vec::new();
    let mut seen = Vec::new();
    for facts in filters.iter().filter(|facts| facts.takes_rate) {
        if seen.contains(&facts.family) {
            continue;
        }
        let entries = entries_of(data, set, facts);
        let of_size: Vec<_> = entries
            .iter()
            .filter(|entry| entry.keys() == keys)
            .collect();
        let ends = of_size.first().zip(of_size.last());
        let ends = ends.and_then(|(first, last)| {
            Some((
                first.asked()?,
                first.best_overhead()?,
                last.asked()?,
                last.best_overhead()?,
            ))
        });
        if let Some((high, at_high, low, at_low)) = ends {
            seen.push(facts.family);
            let (name, ..) = look(facts.family);
            found.push(format!(
                "{name} ({}) {at_high:.2} at {} and {at_low:.2} at {}",
                facts.name,
                asked(high),
                asked(low)
            ));
        }
    }
    let found = if found.is_empty() {
        String::new()
    } else {
        format!(
            "Size held, over the bound at the verified rate: {}. ",
            list(&found)
        )
    };
    format!(
        "{found}A level line is a family that pays for a lower rate in proportion to the bound; \
         one that rises to the left pays more and more. Dashed: the bound itself. Solid: theory."
    )
}
