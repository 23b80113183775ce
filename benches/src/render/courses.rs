//! Results beyond a single number of keys: tables load by load, churn, merging.

use super::data::Data;
use super::document::{Block, Spans, Table};
use super::entry::{Rate, Time};
use super::number::{digits, grouped, three};
use super::numbers::{dash, rated, reasons, timed};
use super::ties::{Standing, standings};
use crate::record::{Row, Workload};
use crate::run::ContenderFacts;

/// The workloads of the table load by load.
const LOADS: [Workload; 3] = [
    Workload::LoadInsert,
    Workload::LoadQuery,
    Workload::LoadRemove,
];
const LOADED: &str = "Load by load: tables of slots, filled, queried and emptied again";

/// Courses with a row per contender, their titles, and the unit of their times.
const SINGLE: [(Workload, &str, &str); 2] = [
    (
        Workload::Churn,
        "Churn: keys replaced one at a time, in a filter that is 90 % full",
        "ns per replaced key",
    ),
    (
        Workload::Merge,
        "Merging: a filter of half the keys absorbs one of the other half",
        "ns per key taken in",
    ),
];

/// One collapsible table each.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let mut blocks: Vec<Block> = loads(data).into_iter().collect();
    let single = SINGLE.into_iter();
    blocks
        .extend(single.filter_map(|(workload, title, of)| self::single(data, workload, title, of)));
    blocks
}

/// The names of contenders with an error in these rows.
pub(super) fn failed(data: &Data) -> Vec<&str> {
    let workloads = LOADS
        .into_iter()
        .chain(SINGLE.map(|(workload, ..)| workload));
    let all = workloads.flat_map(|workload| data.beyond(workload));
    all.filter(|(_, rows)| rows.iter().any(|row| !row.error.is_empty()))
        .map(|(facts, _)| facts.name.as_str())
        .collect()
}

type Walk<'a> = (&'a ContenderFacts, Vec<&'a Row>);

fn loads(data: &Data) -> Option<Block> {
    let [up, asked, down] = LOADS.map(|workload| data.beyond(workload));
    let of = |walks: &[Walk<'_>], facts: &ContenderFacts, at: &Row| -> Option<Time> {
        let (_, rows) = walks.iter().find(|(other, _)| other.name == facts.name)?;
        let row = rows.iter().find(|row| row.keys == at.keys)?;
        Time::of(row).filter(|_| row.error.is_empty())
    };
    let mut rows = Vec::new();
    for (facts, stops) in &up {
        for row in stops {
            let mut cells = vec![
                Spans::default().code(&facts.name),
                row.load
                    .map_or_else(dash, |load| Spans::from(format!("{load:.3}"))),
                Spans::from(grouped(row.keys)),
            ];
            cells.extend(facts_of(row));
            let cell =
                |time: Option<Time>| time.map_or_else(dash, |time| timed(time, Standing::Behind));
            cells.push(cell(of(&up, facts, row)));
            cells.push(cell(of(&asked, facts, row)));
            cells.push(cell(of(&down, facts, row)));
            rows.push(cells);
        }
    }
    let head = [
        "contender",
        "load",
        "keys",
        "measured rate (95 %)",
        "formula",
        "insert",
        "query, 50 %",
        "remove",
    ];
    let about = "Nanoseconds per key. Inserts cover the keys since the load above; removals, \
                 those from the load below down to this one.";
    let walks = [up, asked, down].concat();
    details(LOADED, about, &head, rows, &walks)
}

fn single(data: &Data, workload: Workload, title: &str, of: &str) -> Option<Block> {
    let walks = data.beyond(workload);
    let all: Vec<(&ContenderFacts, &Row)> = walks
        .iter()
        .flat_map(|(facts, rows)| rows.iter().map(move |row| (*facts, *row)))
        .collect();
    let times: Vec<Option<f64>> = all.iter().map(|(_, row)| row.median_ns).collect();
    let standings = standings(&times, data.noise().unwrap_or(0.0));
    let row = |((facts, row), &standing): (&(&ContenderFacts, &Row), &Standing)| {
        let mut cells = vec![
            Spans::default().code(&facts.name),
            Spans::from(grouped(row.keys)),
            row.load
                .map_or_else(dash, |load| Spans::from(digits(load, 3))),
        ];
        cells.extend(facts_of(row));
        cells.push(Time::of(row).map_or_else(dash, |time| timed(time, standing)));
        cells
    };
    let rows = all.iter().zip(&standings).map(row).collect();
    let head = [
        "contender",
        "keys",
        "load of its slots",
        "measured rate (95 %)",
        "formula",
        of,
    ];
    let about = "The rate is that of the filter afterwards; every key then in it was found.";
    details(title, about, &head, rows, &walks)
}

/// Rate and formula; or why there are none.
fn facts_of(row: &Row) -> [Spans; 2] {
    if !row.error.is_empty() {
        return [Spans::default().strong("ERROR"), dash()];
    }
    if row.refused_at.is_some() {
        return [Spans::from("refuses"), dash()];
    }
    [
        Rate::of(row).map_or_else(dash, |rate| rated(rate, row.fpr_agrees)),
        row.predicted_fpr.map_or_else(dash, |rate| {
            Spans::from(format!("{} %", three(rate * 100.0)))
        }),
    ]
}

fn details(
    title: &str,
    about: &str,
    head: &[&str],
    rows: Vec<Vec<Spans>>,
    walks: &[Walk<'_>],
) -> Option<Block> {
    if rows.is_empty() {
        return None;
    }
    let all = walks.iter().flat_map(|(facts, rows)| {
        let name = facts.name.as_str();
        rows.iter().map(move |row| (name, *row))
    });
    let failures = reasons(all);
    let mut blocks = vec![
        Block::Para(Spans::from(about)),
        Block::Table(Table {
            caption: title.to_owned(),
            head: head.iter().map(|&head| head.to_owned()).collect(),
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
