//! Time against space: which filters does no other beat in both?

use super::panels;
use crate::record::Workload;
use crate::render::axis::Axis;
use crate::render::chart::{Chart, Labels, Point, Series, Stroke};
use crate::render::data::Data;
use crate::render::entry::Entry;
use crate::render::number::{asked, grouped, list, three};
use crate::render::style::Ink;

/// One chart a panel.
pub(super) fn charts(data: &Data) -> Result<Vec<Chart>, String> {
    let missing = || "Query time against overhead: no filter has both.".to_owned();
    let (set, keys) = data.main_set().zip(data.main_size()).ok_or_else(missing)?;
    let rate = data.main_rate();
    let entries = data.answering(set, keys, rate);
    let of = |entry: &Entry<'_>| Some((entry.overhead()?, entry.median(Workload::Query50)?));
    let mut all: Vec<((f64, f64), &str)> = entries
        .iter()
        .filter_map(|entry| Some((of(entry)?, entry.name())))
        .collect();
    if all.len() < 2 {
        return Err(missing());
    }
    all.sort_by(|(a, _), (b, _)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut front: Vec<((f64, f64), &str)> = Vec::new();
    for &(at, name) in &all {
        if front.last().is_none_or(|(last, _)| at.1 < last.1) {
            front.push((at, name));
        }
    }
    let ends = entries.iter().filter(|entry| of(entry).is_some());
    let ends = ends
        .filter_map(Entry::overhead_range)
        .flat_map(|(low, high)| [low, high]);
    // From one to six times the bound, most near it; names stand right of the marks.
    let (low, high) = all
        .iter()
        .map(|(at, _)| at.0)
        .chain(ends)
        .fold((1.0f64, 2.0f64), |(low, high), x| (low.min(x), high.max(x)));
    let x = Axis::log_between(
        "bits per key, as a multiple of the bound log2(1/rate)",
        low / 1.05,
        high * 1.5,
    );
    let y = Axis::log(
        "ns per query, half of the keys present",
        all.iter().map(|(at, _)| at.1),
    );
    let steps = front.iter().enumerate().flat_map(|(index, &((x, y), _))| {
        let before = index.checked_sub(1).map(|before| (x, front[before].0.1));
        before.into_iter().chain([(x, y)])
    });
    let line = Series::line(Ink::Muted, Stroke::Bound, steps.collect());
    let names: Vec<String> = front
        .iter()
        .filter_map(|((_, time), name)| {
            let overhead = entries
                .iter()
                .find(|entry| entry.name() == *name)?
                .best_overhead()?;
            Some(format!(
                "{name} ({overhead:.2} times the bound, {} ns)",
                three(*time)
            ))
        })
        .collect();
    let caption = format!(
        "On the front (dashed), which nothing beats in both size and speed: {}. {} keys{}; lower \
         left is better. Exact sets are not on this scale.",
        list(&names),
        grouped(keys),
        rate.map_or_else(String::new, |rate| format!(
            ", filters that keep {}",
            asked(rate)
        )),
    );
    let charts = panels(data).into_iter().map(|panel| {
        let mut series = vec![line.clone()];
        series.extend(panel.filters.iter().filter_map(|facts| {
            let entry = entries.iter().find(|entry| entry.name() == facts.name)?;
            let (overhead, time) = of(entry)?;
            let spread = entry.time(Workload::Query50)?.mad;
            let point = Point {
                across: entry.overhead_range(),
                along: Some((time - spread, time + spread)),
                ..Point::at(overhead, time)
            };
            Some(Series::of(facts).scattered(vec![point]))
        }));
        Chart {
            slug: format!("time-by-overhead{}", panel.slug),
            title: format!("Time against space{}", panel.title),
            caption: caption.clone(),
            x: x.clone(),
            y: y.clone(),
            bands: Vec::new(),
            series,
            labels: Labels::Beside,
            note: None,
            height: 360,
        }
    });
    Ok(charts.filter(|chart| chart.series.len() > 1).collect())
}
