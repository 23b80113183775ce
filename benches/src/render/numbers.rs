//! The number tables: every heat with its intervals, ties, unstable cells and errors.

use super::data::{Data, Heat};
use super::document::{Block, Span, Spans, Table};
use super::entry::{Entry, Rate, Time};
use super::number::{asked, digits, grouped, percent, three};
use super::ties::{Standing, standings};
use super::{beyond, construction, courses};
use crate::construction::NAME;
use crate::contender::Role;
use crate::record::{Row, Workload};

/// The timed columns, with their heads.
const TIMED: [(Workload, &str); 6] = [
    (Workload::Build, "build"),
    (Workload::Query0, "query, 0 %"),
    (Workload::Query50, "query, 50 %"),
    (Workload::Query100, "query, 100 %"),
    (Workload::Batch50, "batch, 50 %"),
    (Workload::Remove, "remove"),
];

/// The timed columns of a heat: removal only if a contender removes.
pub(super) fn timed_columns(heat: &Heat<'_>) -> Vec<(Workload, &'static str)> {
    let shown = |(workload, _): &(Workload, _)| {
        *workload != Workload::Remove || heat.entries.iter().any(|entry| entry.has(*workload))
    };
    TIMED.into_iter().filter(shown).collect()
}

/// Sizes within this share are ties: rounding to whole blocks and words differs by this much.
pub(super) const SPACE_TIE: f64 = 0.005;

/// The tables, the main size open and the others collapsed, and the legend.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let tie = data.noise().map_or_else(
        || "the noise floor was not measured, so no tie is marked".to_owned(),
        |noise| format!("= is within the noise floor ({}) of it", percent(noise)),
    );
    let mut blocks = vec![Block::Para(Spans::from(format!(
        "Times are nanoseconds per key; the percentage of a query is the share of present keys. \
         Bold is the best of its column among filters and sets, {tie} (for space: within {}); ± \
         is the median absolute deviation; ? marks rounds that scatter by more than {} of their \
         median; ERROR is a cell that failed, with the reason below. Remove is the time to remove \
         half the keys of a full filter. Bits are those held, by a counting allocator.",
        asked(SPACE_TIE),
        asked(data.run.unstable_above)
    )))];
    let (main_set, main_size) = (data.main_set(), data.main_size());
    for set in data.key_sets() {
        for keys in data.sizes(set) {
            let tables = data
                .heats(set, keys)
                .into_iter()
                .flat_map(|heat| of_heat(data, &heat));
            let tables: Vec<Block> = tables.collect();
            if Some(set) == main_set && Some(keys) == main_size {
                blocks.splice(1..1, tables);
            } else {
                blocks.push(Block::Details {
                    summary: format!("{} keys, {set}", grouped(keys)),
                    blocks: tables,
                });
            }
        }
    }
    blocks.extend(beyond::blocks(data));
    blocks.extend(courses::blocks(data));
    blocks.extend(construction::blocks(data));
    blocks.push(files(data));
    blocks
}

/// One heat's table, and its failures in words.
fn of_heat(data: &Data, heat: &Heat<'_>) -> Vec<Block> {
    let judged: Vec<&Entry<'_>> = heat
        .entries
        .iter()
        .filter(|entry| entry.facts.role == Role::Filter)
        .collect();
    let noise = data.noise().unwrap_or(0.0);
    let column = |value: &dyn Fn(&Entry<'_>) -> Option<f64>, noise: f64| {
        let values: Vec<Option<f64>> = judged.iter().map(|entry| value(entry)).collect();
        standings(&values, noise)
    };
    let bits = column(&|entry| entry.bits(), SPACE_TIE);
    let timed_columns = timed_columns(heat);
    let times: Vec<Vec<Standing>> = timed_columns
        .iter()
        .map(|(workload, _)| column(&|entry| entry.median(*workload), noise))
        .collect();
    let row = |entry: &Entry<'_>| {
        let place = judged
            .iter()
            .position(|judged| judged.name() == entry.name());
        let standing = |column: &[Standing]| {
            place
                .and_then(|place| column.get(place).copied())
                .unwrap_or(Standing::Behind)
        };
        let mut cells = vec![Spans::default().code(entry.name())];
        if entry.error().is_some() {
            cells.push(Spans::default().strong("ERROR"));
            cells.extend(std::iter::repeat_n(Spans::from("–"), 3));
        } else {
            cells.push(
                entry
                    .bits()
                    .map_or_else(dash, |value| marked(digits(value, 4), standing(&bits))),
            );
            cells.push(
                entry
                    .best_overhead()
                    .map_or_else(dash, |value| Spans::from(digits(value, 4))),
            );
            cells.push(rate(entry));
            cells.push(entry.predicted().map_or_else(dash, |rate| {
                Spans::from(format!("{} %", digits(rate * 100.0, 4)))
            }));
        }
        for ((workload, _), column) in timed_columns.iter().zip(&times) {
            cells.push(match (entry.failure(*workload), entry.time(*workload)) {
                (Some(_), _) => Spans::default().strong("ERROR"),
                (None, Some(time)) => {
                    let cell = timed(time, standing(column));
                    let is_off = entry.agrees_after_removal() == Some(false);
                    if *workload == Workload::Remove && is_off {
                        cell.strong(" ≠ formula")
                    } else {
                        cell
                    }
                }
                (None, None) => dash(),
            });
        }
        cells
    };
    let rate = heat
        .rate
        .map_or_else(String::new, |rate| format!(", asked for {}", asked(rate)));
    let mut head: Vec<String> = [
        "contender",
        "bits/key",
        "× bound",
        "measured rate (95 %)",
        "formula",
    ]
    .map(str::to_owned)
    .to_vec();
    head.extend(timed_columns.iter().map(|(_, head)| (*head).to_owned()));
    let mut blocks = vec![Block::Table(Table {
        caption: format!("{} keys, {}{rate}", grouped(heat.keys), heat.key_set),
        head,
        words: 1,
        rows: heat.entries.iter().map(row).collect(),
    })];
    let failures = failures(heat);
    if !failures.is_empty() {
        blocks.push(Block::List(failures));
    }
    blocks
}

/// Why cells of a heat have no numbers, each reason once.
pub(super) fn failures(heat: &Heat<'_>) -> Vec<Spans> {
    let entries = heat.entries.iter();
    reasons(entries.flat_map(|entry| entry.rows.iter().map(|row| (entry.name(), *row))))
}

/// Why rows have no numbers, each reason once.
pub(super) fn reasons<'a>(rows: impl Iterator<Item = (&'a str, &'a Row)>) -> Vec<Spans> {
    let mut failures: Vec<(&str, &str)> = Vec::new();
    for (name, row) in rows.filter(|(_, row)| !row.error.is_empty()) {
        let reason = row.error.trim_start_matches(crate::heat::NOT_TIMED);
        if !failures.contains(&(name, reason)) {
            failures.push((name, reason));
        }
    }
    let words = failures.into_iter();
    words
        .map(|(name, reason)| {
            Spans::default()
                .strong("ERROR ")
                .code(name)
                .text(format!(": {reason}"))
        })
        .collect()
}

fn files(data: &Data) -> Block {
    let mut spans = Spans::from("All rows, with counts instead of rates: ");
    for (index, facts) in data
        .filters()
        .into_iter()
        .chain(data.contenders().filter(|facts| facts.role != Role::Filter))
        .enumerate()
    {
        if index > 0 {
            spans = spans.text(", ");
        }
        spans.0.push(Span::Record(format!("{}.csv", facts.name)));
    }
    if !data.lines().is_empty() {
        spans = spans.text("; of the systems tried ");
        spans.0.push(Span::Record(format!("{NAME}.csv")));
    }
    spans = spans.text("; beside them ");
    spans.0.push(Span::Record("machine.toml".to_owned()));
    spans = spans.text(" and ");
    spans.0.push(Span::Record("run.toml".to_owned()));
    Block::Para(spans.text("."))
}

fn rate(entry: &Entry<'_>) -> Spans {
    entry
        .rate()
        .map_or_else(dash, |rate| rated(rate, entry.agrees()))
}

/// A rate with its interval, and whether it is the formula's.
pub(super) fn rated(rate: Rate, agrees: Option<bool>) -> Spans {
    let decimals = |rate: f64| percent(rate).trim_end_matches(" %").to_owned();
    let mean = if rate.mean == 0.0 {
        "0 %".to_owned()
    } else {
        percent(rate.mean)
    };
    let mut spans =
        Spans::from(mean).aside(format!(" ({}–{})", decimals(rate.low), decimals(rate.high)));
    if agrees == Some(false) {
        spans = spans.strong(" ≠ formula");
    }
    spans
}

pub(super) fn timed(time: Time, standing: Standing) -> Spans {
    let spans = marked(three(time.median), standing);
    let spans = spans.aside(format!(" ±{}", digits(time.mad, 2)));
    if time.unstable {
        spans.text(" ?")
    } else {
        spans
    }
}

fn marked(text: String, standing: Standing) -> Spans {
    match standing {
        Standing::Best => Spans::default().strong(text),
        Standing::Tie => Spans::from(format!("= {text}")),
        Standing::Behind => Spans::from(text),
    }
}

pub(super) fn dash() -> Spans {
    Spans::from("–")
}
