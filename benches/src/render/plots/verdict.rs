//! The verdict: does the measured rate agree with the formula?

use super::{entries_of, places};
use crate::contender::Family;
use crate::render::axis::Axis;
use crate::render::chart::{Chart, Labels, Point, Series, Stroke};
use crate::render::data::Data;
use crate::render::entry::Entry;
use crate::render::number::three;
use crate::render::style::Ink;
use crate::run::ContenderFacts;

/// One chart, one row per filter.
pub(super) fn charts(data: &Data) -> Result<Vec<Chart>, String> {
    let filters: Vec<&ContenderFacts> = data
        .filters()
        .into_iter()
        .filter(|facts| facts.family != Family::Exact)
        .collect();
    let entries: Vec<(&ContenderFacts, Vec<Entry<'_>>)> = filters
        .into_iter()
        .map(|facts| {
            let sets = data.key_sets().into_iter();
            (
                facts,
                sets.flat_map(|set| entries_of(data, set, facts))
                    .collect::<Vec<_>>(),
            )
        })
        .filter(|(_, entries): &(_, Vec<_>)| {
            entries
                .iter()
                .any(|entry| entry.error().is_some() || ratio(entry).is_some())
        })
        .collect();
    if entries.is_empty() {
        return Err("Measured rate over the formula's: no rate was measured.".to_owned());
    }
    let names: Vec<String> = entries
        .iter()
        .map(|(facts, entries)| {
            let by_asked = entries
                .iter()
                .any(|entry| entry.error().is_none() && entry.predicted().is_none());
            format!("{}{}", facts.name, if by_asked { " *" } else { "" })
        })
        .collect();
    let rows = Axis::rows(&names);
    let mut series: Vec<Series> = entries
        .iter()
        .zip(&rows.ticks)
        .map(|((facts, entries), (row, _))| {
            let step = 0.72 / entries.len().max(1) as f64;
            let points = entries.iter().enumerate().map(|(index, entry)| {
                // The first cell is on top.
                let y = row + 0.36 - step * (index as f64 + 0.5);
                match ratio(entry) {
                    Some((mean, low, high)) => Point {
                        across: Some((low, high)),
                        ..Point::at(mean, y)
                    },
                    None => Point::failed(f64::NAN, y),
                }
            });
            Series::of(facts).scattered(points.collect())
        })
        .collect();
    let measured = series
        .iter()
        .flat_map(|series| &series.points)
        .filter(|point| !point.failed);
    let reach = measured
        .flat_map(|point| {
            point
                .across
                .map(|(low, high)| [1.0 - low, high - 1.0])
                .unwrap_or_default()
        })
        .fold(0.02, f64::max)
        .min(1.5);
    let x = Axis::linear_between(
        "measured rate / formula's rate",
        (1.0 - reach * 1.1).max(0.0),
        1.0 + reach * 1.1,
    );
    debug_assert!(places(&series).next().is_some());
    let one = vec![(1.0, rows.low), (1.0, rows.high)];
    series.insert(0, Series::line(Ink::Muted, Stroke::Bound, one));
    let height = 60 + 46 * names.len() as u32;
    Ok(vec![Chart {
        slug: "verdict".to_owned(),
        title: "The verdict: measured rate over the formula's".to_owned(),
        caption: caption(data, &entries),
        x,
        y: rows,
        bands: Vec::new(),
        series,
        labels: Labels::Axis,
        note: None,
        height,
    }])
}

/// The measured over the predicted rate (or the target rate without a formula), and its interval.
fn ratio(entry: &Entry<'_>) -> Option<(f64, f64, f64)> {
    let over = entry
        .predicted()
        .or(entry.asked())
        .filter(|&rate| rate > 0.0)?;
    let rate = entry.joint_rate()?;
    Some((rate.mean / over, rate.low / over, rate.high / over))
}

fn caption(data: &Data, entries: &[(&ContenderFacts, Vec<Entry<'_>>)]) -> String {
    let all = || entries.iter().flat_map(|(_, entries)| entries);
    let judged = all().filter(|entry| entry.agrees().is_some()).count();
    let good = all().filter(|entry| entry.agrees() == Some(true)).count();
    let failed = all().filter(|entry| entry.error().is_some()).count();
    let farthest = all()
        .filter_map(|entry| Some(((ratio(entry)?.0 - 1.0).abs(), ratio(entry)?.0, entry)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let farthest = farthest.map_or_else(String::new, |(_, ratio, entry)| {
        format!(
            " The farthest off is {} times the expected ({}, {} keys of {}).",
            three(ratio),
            entry.name(),
            crate::render::number::grouped(entry.keys()),
            entry.rows.first().map_or("", |row| row.key_set.as_str()),
        )
    });
    let failed = if failed == 0 {
        String::new()
    } else {
        format!(" Hollow crosses: {failed} cells that failed verification.")
    };
    let asterisk = if all().any(|entry| entry.error().is_none() && entry.predicted().is_none()) {
        " * No formula is known: measured over the rate asked for."
    } else {
        ""
    };
    format!(
        "{good} of {judged} cells agree with their exact formula within {} standard \
         deviations.{farthest}{failed} One mark per cell (key set, number of keys, rate). Bars \
         are 95 % intervals: that of the count and the spread of the few filters built, combined. \
         About one bar in twenty is expected to miss the line.{asterisk}",
        data.run.sigmas
    )
}
