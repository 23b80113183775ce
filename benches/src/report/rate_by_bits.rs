//! Rates against bits per key: marks are measured, lines are theory.

use super::data::{Data, Entry, ranked};
use super::look::Look;
use super::number::{asked, digits, list, plain};
use super::plot::{Mark, Plot, Series};
use crate::record::{Family, Info, Point, Role, Row};
use std::collections::BTreeSet;

/// The most bits per key and the least rate that the plot shows.
const ENDS: (f64, f64) = (20.0, 1e-4);

pub(super) fn plot(data: &Data) -> Option<Plot> {
    let is_shown = |(bits, fpr): &(f64, f64)| *bits <= ENDS.0 && *fpr >= ENDS.1;
    let mark = |row: &Row| {
        let (x, y) = row.bits_per_key().zip(row.fpr()).filter(is_shown)?;
        Some(Mark { x, y: Some(y), bar: row.fpr_low.zip(row.fpr_high) })
    };
    let filters =
        data.compared().filter(|of| of.role == Role::Filter && of.family != Family::Exact);
    let (mut families, mut series, mut unnamed) = (BTreeSet::new(), Vec::new(), Vec::new());
    for info in filters {
        let of_page = |row: &&Row| row.contender == info.name && row.key_set == data.set;
        let rows = data.verified().filter(of_page);
        let rows = rows.filter(|row| row.keys == data.keys || row.asked_bits.is_some());
        let mut one = Series::of(info, rows.filter_map(mark).collect());
        if one.marks.is_empty() {
            continue;
        }
        // The first contender of a family, ours if there is one, has a name and a curve.
        if families.insert(Look::of(info.family).name) {
            one.line = curve(&data.curve(&info.name));
            one.line.retain(is_shown);
            series.push(one);
        } else {
            unnamed.push(info);
            series.push(one.named(""));
        }
    }
    series.first()?;
    series.push(Series::guide("least possible", vec![(1.0, 0.5), (-ENDS.1.log2(), ENDS.1)]));
    let axes = ["bits per key", "false-positive rate (log)"];
    let mut plot = Plot::new("rate-by-bits", caption(data), axes, series)?;
    plot.more = more(&unnamed);
    // Room below the lines for the names at their ends.
    (plot.x.range, plot.y.range) = ((0.0, ENDS.0), (ENDS.1 / 4.0, 0.7));
    plot.y.show = |rate| format!("{} %", plain(rate * 100.0));
    Some(plot)
}

/// A contender's curve, with steps if sizes come in steps.
fn curve(points: &[&Point]) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    for point in points {
        // Between two steps a filter has the rate of the lower one.
        if let (Some((_, fpr)), Some(_)) = (line.last().copied(), point.step) {
            line.push((point.bits_per_key, fpr));
        }
        line.push((point.bits_per_key, point.fpr));
    }
    line
}

/// The nearest to the bound, and the farthest.
fn caption(data: &Data) -> String {
    let mut all = ranked(data.entries(data.main()), Entry::overhead);
    all.retain(|(of, _)| of.is_filter() && !of.is_wrong);
    let bound = match &all[..] {
        [(near, least), .., (far, most)] => format!(
            "At {}, {} is nearest to the least possible ({least:.2} times it), {} farthest ({}). ",
            asked(data.rate()),
            near.name(),
            far.name(),
            digits(*most, 3)
        ),
        _ => String::new(),
    };
    format!(
        "Rates. {bound}Lines are theory, marks are measured; hollow marks are other authors' crates."
    )
}

/// The contenders whose marks have no name.
fn more(unnamed: &[&Info]) -> String {
    let names: Vec<&str> = unnamed.iter().map(|info| info.name.as_str()).collect();
    match &names[..] {
        [] => String::new(),
        names => format!("Marks without a name, in their family's colour: {}.", list(names)),
    }
}

#[test]
fn fingerprints_come_in_steps_and_bloom_filters_do_not() {
    let curve = |step| {
        let point = |bits_per_key, fpr| Point { bits_per_key, fpr, step, ..Point::default() };
        curve(&[&point(5.0, 0.2), &point(6.0, 0.1)])
    };
    assert_eq!(curve(Some(4)), [(5.0, 0.2), (6.0, 0.2), (6.0, 0.1)]);
    assert_eq!(curve(None), [(5.0, 0.2), (6.0, 0.1)]);
}
