//! One file in several sizes: filters truncated without their keys, and for comparison a series of
//! Bloom filters.

use super::Found;
use super::data::{Data, Entry, Of};
use super::html::figure;
use super::number::{asked, digits, keys, list, plain};
use super::plot::{Mark, Plot, Series};
use super::table::Table;
use crate::record::{Role, Row, Workload};
use maud::html;

/// Feldera's modular Bloom filter has one module per factor of ten in the rate. Its crate is not
/// published, so its points follow from the formula in its documentation.
const MODULES: &str = "Feldera's modules";

/// The bits per key of a Bloom filter at a rate; the modules together are as good as one filter.
fn modules(rate: f64) -> f64 {
    -rate.log2() * std::f64::consts::LOG2_E
}

fn at<'a>(entry: &Entry<'a>, rate: f64) -> Option<&'a Row> {
    entry.measured().find(|row| row.asked_fpr == Some(rate))
}

pub(super) fn ladder(data: &Data) -> Found {
    let mut all = data.entries(Of::Scenario(Workload::Truncate));
    all.retain(|of| of.info.role == Role::Filter && !of.is_wrong);
    let rows = || all.iter().flat_map(Entry::measured);
    let mut rates: Vec<f64> = rows().filter_map(|row| row.asked_fpr).collect();
    rates.sort_by(|a, b| b.total_cmp(a));
    rates.dedup();
    let bits = |of: &Entry<'_>, rate| at(of, rate)?.bits_per_key();
    let least = |rate: f64| {
        let all = all.iter().filter_map(|of| Some((of.name(), bits(of, rate)?)));
        all.min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let (name, _) = rates.first().and_then(|rate| least(*rate))?;
    let smallest = all.iter().find(|of| of.name() == name)?;
    let sizes = |of: &dyn Fn(f64) -> Option<f64>| {
        list(&rates.iter().filter_map(|rate| Some(digits(of(*rate)?, 3))).collect::<Vec<_>>())
    };
    let names = list(&rates.iter().map(|rate| asked(*rate)).collect::<Vec<_>>());
    let finding = format!(
        "One filter at {names}: {name} in {} bits per key, a ladder of Bloom filters in {}.",
        sizes(&|rate| bits(smallest, rate)),
        sizes(&|rate| Some(modules(rate)))
    );
    let mark = |row: &Row| {
        let (x, y) = row.bits_per_key().zip(row.fpr())?;
        Some(Mark { x, y: Some(y), bar: row.fpr_low.zip(row.fpr_high) })
    };
    let series =
        |of: &Entry<'_>| Series::of(of.info, of.measured().rev().filter_map(mark).collect());
    let mut lines: Vec<Series> = all.iter().map(|of| series(of).joined()).collect();
    let line = |of: fn(f64) -> f64| rates.iter().map(|rate| (of(*rate), *rate)).collect();
    lines.push(Series::guide("least possible", line(|rate| -rate.log2())));
    lines.push(Series::guide(MODULES, line(modules)));
    let caption = format!(
        "Each filter of {} keys was built once, for 0.001 %, and truncated to each rate without them. \
         Marks are measured, with 95 % intervals. Dashed: the bound, and Feldera's modular Bloom \
         filter by its formula, since its crate is not published.",
        keys(rows().next()?.keys)
    );
    let axes = ["bits per key", "false-positive rate (log)"];
    let mut plot = Plot::new("ladder", caption, axes, lines)?;
    // Names are at the lower ends.
    plot.y.range.0 /= 4.0;
    plot.y.show = |rate| format!("{} %", plain(rate * 100.0));
    let mut table = Table::of(&rates).word("rate asked for", |rate| asked(*rate));
    for of in &all {
        table = table.number(of.name(), |rate| Some(digits(bits(of, *rate)?, 3)));
    }
    table = table
        .number(MODULES, |rate| Some(digits(modules(*rate), 3)))
        .number("least possible", |rate| Some(digits(-rate.log2(), 3)));
    for of in &all {
        let head = format!("{}, ns per key", of.name());
        table = table.number(&head, |rate| super::numbers::time(at(of, *rate)?));
    }
    let about = "Bits per key at each rate, and what truncating to it takes.";
    Some((finding, html! { div.figures { (figure(&plot).ok()?) } (table.html(about)) }))
}
