//! Filters filled beyond their plan, in numbers.

use super::data::Data;
use super::document::{Block, Spans, Table};
use super::entry::{Rate, Time, bits_of};
use super::number::{asked, digits, grouped, three};
use super::numbers::{dash, rated, reasons, timed};
use super::ties::Standing;
use crate::record::{Row, Workload};

/// Both courses and their titles.
const WAYS: [(Workload, &str); 2] = [
    (
        Workload::Grow,
        "Growing: filters built for a hundredth of the keys they end up with",
    ),
    (
        Workload::Overfill,
        "Overfilled: filters that do not grow, given more keys than planned",
    ),
];

/// One collapsible table each.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let ways = WAYS.into_iter();
    ways.filter_map(|(workload, title)| table(data, workload, title))
        .collect()
}

/// The names of contenders with an error in these rows.
pub(super) fn failed(data: &Data) -> Vec<&str> {
    let all = WAYS
        .into_iter()
        .flat_map(|(workload, _)| data.beyond(workload));
    all.filter(|(_, rows)| rows.iter().any(|row| !row.error.is_empty()))
        .map(|(facts, _)| facts.name.as_str())
        .collect()
}

fn table(data: &Data, workload: Workload, title: &str) -> Option<Block> {
    let all = data.beyond(workload);
    let mut rows = Vec::new();
    for (facts, stops) in &all {
        rows.extend(stops.iter().map(|row| line(&facts.name, row)));
    }
    if rows.is_empty() {
        return None;
    }
    let head = [
        "contender",
        "keys",
        "planned for",
        "asked for",
        "bits/key",
        "measured rate (95 %)",
        "formula",
        "ns per insert",
    ];
    let failures = all.iter().flat_map(|(facts, stops)| {
        let name = facts.name.as_str();
        stops.iter().map(move |row| (name, *row))
    });
    let failures = reasons(failures);
    let mut blocks = vec![
        Block::Para(Spans::from(
            "Insert times cover the keys since the row above; the first row includes building the \
             filter.",
        )),
        Block::Table(Table {
            caption: title.to_owned(),
            head: head.map(str::to_owned).to_vec(),
            words: 1,
            rows,
        }),
    ];
    if !failures.is_empty() {
        blocks.push(Block::List(failures));
    }
    Some(Block::Details {
        summary: title.to_owned(),
        blocks,
    })
}

fn line(name: &str, row: &Row) -> Vec<Spans> {
    let mut cells = vec![
        Spans::default().code(name),
        Spans::from(grouped(row.keys)),
        row.planned_keys
            .map_or_else(dash, |keys| Spans::from(grouped(keys))),
        row.asked_fpr
            .map_or_else(dash, |rate| Spans::from(asked(rate))),
    ];
    if !row.error.is_empty() {
        cells.push(Spans::default().strong("ERROR"));
        cells.extend(std::iter::repeat_n(dash(), 3));
        return cells;
    }
    if let Some(held) = row.refused_at {
        cells.push(dash());
        cells.push(Spans::from(format!(
            "refuses when it has {}",
            grouped(held)
        )));
        cells.extend(std::iter::repeat_n(dash(), 2));
        return cells;
    }
    cells.extend([
        bits_of(row).map_or_else(dash, |bits| Spans::from(digits(bits, 4))),
        Rate::of(row).map_or_else(dash, |rate| rated(rate, row.fpr_agrees)),
        row.predicted_fpr.map_or_else(dash, |rate| {
            Spans::from(format!("{} %", three(rate * 100.0)))
        }),
        Time::of(row).map_or_else(dash, |time| timed(time, Standing::Behind)),
    ]);
    cells
}
