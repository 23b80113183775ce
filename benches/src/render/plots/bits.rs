//! The cost of a rate: false-positive rate against bits per key.

use super::{Panel, entries_of, panels, theory};
use crate::contender::Family;
use crate::render::axis::Axis;
use crate::render::chart::{Chart, Labels, Point, Series, Stroke};
use crate::render::data::Data;
use crate::render::number::{asked, grouped, three};
use crate::render::style::Ink;
use crate::run::ContenderFacts;

/// One chart a panel.
pub(super) fn charts(data: &Data) -> Result<Vec<Chart>, String> {
    let missing = || "Rate against bits per key: no rate was measured.".to_owned();
    let (set, keys) = data.main_set().zip(data.main_size()).ok_or_else(missing)?;
    let panels = panels(data);
    let all: Vec<(f64, f64)> = panels
        .iter()
        .flat_map(|panel| &panel.filters)
        .flat_map(|facts| points(data, set, keys, facts))
        .filter(|point| !point.failed)
        .map(|point| point.at)
        .collect();
    let most = all
        .iter()
        .map(|at| at.0)
        .reduce(f64::max)
        .ok_or_else(missing)?;
    let worst = all.iter().map(|at| at.1).fold(0.0, f64::max);
    let least = all.iter().map(|at| at.1).fold(1.0, f64::min);
    // There is nothing left of the bound, nor below the lowest measured rate.
    let low = least / 4.0;
    let x = Axis::log_between(
        "bits per key",
        (-(worst * 3.0).log2()).max(1.0).floor(),
        most * 1.15,
    );
    let y = Axis::log_between("false-positive rate", low, worst * 3.0).in_percent();
    let bound: Vec<(f64, f64)> = (0..=400)
        .map(|step| x.low + (x.high - x.low) * f64::from(step) / 400.0)
        .map(|bits| (bits, (-bits).exp2()))
        .filter(|at| at.1 >= low)
        .collect();
    let note = (low * y.high).sqrt();
    let chart = |panel: &Panel<'_>| {
        let mut series = vec![Series::line(Ink::Muted, Stroke::Bound, bound.clone())];
        series.extend(theory::curves(data, &panel.filters, |theory| {
            let mut path = theory::curve(theory, keys, x.low.max(1.0), x.high);
            path.retain(|at| at.1 >= low);
            path
        }));
        let measured = panel
            .filters
            .iter()
            .map(|facts| Series::of(facts).scattered(points(data, set, keys, facts)));
        series.extend(measured.filter(|series| !series.points.is_empty()));
        Chart {
            slug: format!("rate-by-bits{}", panel.slug),
            title: format!(
                "What a rate costs: false positives against space{}",
                panel.title
            ),
            caption: caption(data, set, keys, panel),
            x: x.clone(),
            y: y.clone(),
            bands: Vec::new(),
            series,
            labels: Labels::Column,
            note: Some((
                (-note.log2(), note),
                "bound: no filter is left of this".to_owned(),
            )),
            height: 400,
        }
    };
    Ok(panels.iter().map(chart).collect())
}

/// A contender's points at all measured rates; exact sets have none.
fn points(data: &Data, set: &str, keys: u64, facts: &ContenderFacts) -> Vec<Point> {
    entries_of(data, set, facts)
        .iter()
        .filter(|entry| entry.keys() == keys)
        .filter_map(|entry| {
            if entry.error().is_some() {
                return Some(Point::failed(f64::NAN, entry.asked().unwrap_or(f64::NAN)));
            }
            let rate = entry.joint_rate().filter(|rate| rate.mean > 0.0)?;
            Some(Point {
                along: Some((rate.low, rate.high)),
                ..Point::at(entry.bits()?, rate.mean)
            })
        })
        .collect()
}

fn caption(data: &Data, set: &str, keys: u64, panel: &Panel<'_>) -> String {
    let rate = data.main_rate();
    let mut costs: Vec<(f64, f64, &str)> = data
        .answering(set, keys, rate)
        .iter()
        .filter(|entry| {
            panel
                .filters
                .iter()
                .any(|facts| facts.name == entry.facts.name)
        })
        .filter_map(|entry| {
            let facts = panel
                .filters
                .iter()
                .find(|facts| facts.name == entry.facts.name)?;
            Some((entry.best_overhead()?, entry.bits()?, facts.name.as_str()))
        })
        .collect();
    costs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(b.2)));
    // Contenders with the same printed numbers are named together.
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (overhead, bits, name) in costs {
        let numbers = format!(
            "{} bits per key, {overhead:.2} times the bound",
            three(bits)
        );
        match groups.iter_mut().find(|(other, _)| *other == numbers) {
            Some((_, names)) => names.push(name),
            None => groups.push((numbers, vec![name])),
        }
    }
    let found: Vec<String> = groups
        .iter()
        .map(|(numbers, names)| format!("{} ({numbers})", names.join(", ")))
        .collect();
    let wanted = rate.map_or_else(
        || "at their own rate".to_owned(),
        |rate| format!("that keep {}", asked(rate)),
    );
    let found = if found.is_empty() {
        String::new()
    } else {
        format!(
            "Filters {wanted}, nearest to the bound first: {}. ",
            found.join("; ")
        )
    };
    format!(
        "{found}Marks are measured over {} keys ({set}), with 95 % intervals mostly smaller than \
         the mark; solid lines are theory, in the family's colour. Hollow marks are peers.{}",
        grouped(keys),
        if panel
            .filters
            .iter()
            .any(|facts| facts.family == Family::Exact)
        {
            " Exact sets have no false positives and are not on this scale."
        } else {
            ""
        }
    )
}
