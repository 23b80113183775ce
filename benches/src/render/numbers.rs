//! The number table: every heat with its intervals, ties, unstable cells and errors.

use super::data::{Data, Heat};
use super::document::{Block, Span, Spans, Table};
use super::entry::{Entry, Time};
use super::number::{asked, digits, grouped, percent, three};
use super::ties::{Standing, standings};
use crate::contender::Role;
use crate::record::Workload;

/// The timed columns, with their heads.
pub(super) const TIMED: [(Workload, &str); 5] = [
    (Workload::Build, "build"),
    (Workload::Query0, "query, 0 %"),
    (Workload::Query50, "query, 50 %"),
    (Workload::Query100, "query, 100 %"),
    (Workload::Batch50, "batch, 50 %"),
];

/// Space within this share is a tie: it is what whole blocks and words make of one size.
pub(super) const SPACE_TIE: f64 = 0.005;

/// The tables, the main size open and the others to be opened, and what the signs in them mean.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let tie = data.noise().map_or_else(
        || "the noise floor was not measured, so that no tie is marked".to_owned(),
        |noise| format!("= is within the noise floor ({}) of it", percent(noise)),
    );
    let mut blocks = vec![Block::Para(Spans::from(format!(
        "Times are nanoseconds per key; percentages of queries are the share that is for present keys. Bold is the best of its column among filters and sets, {tie} (for space: within {}); ± is the median absolute deviation; ? marks rounds that scatter by more than \
         {} of their median; ERROR is a cell that failed, with its reason below. Bits are those held, by a counting allocator.",
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
    let times: Vec<Vec<Standing>> = TIMED
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
        for ((workload, _), column) in TIMED.iter().zip(&times) {
            cells.push(match (entry.failure(*workload), entry.time(*workload)) {
                (Some(_), _) => Spans::default().strong("ERROR"),
                (None, Some(time)) => timed(time, standing(column)),
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
    head.extend(TIMED.map(|(_, head)| head.to_owned()));
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
    let mut failures: Vec<(&str, &str)> = Vec::new();
    for entry in &heat.entries {
        for row in entry.rows.iter().filter(|row| !row.error.is_empty()) {
            let reason = row.error.trim_start_matches(crate::heat::NOT_TIMED);
            if !failures.contains(&(entry.name(), reason)) {
                failures.push((entry.name(), reason));
            }
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
    let mut spans = Spans::from("All rows, with counts in place of rates: ");
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
    spans = spans.text("; beside them ");
    spans.0.push(Span::Record("machine.toml".to_owned()));
    spans = spans.text(" and ");
    spans.0.push(Span::Record("run.toml".to_owned()));
    Block::Para(spans.text("."))
}

fn rate(entry: &Entry<'_>) -> Spans {
    let Some(rate) = entry.rate() else {
        return dash();
    };
    let decimals = |rate: f64| percent(rate).trim_end_matches(" %").to_owned();
    let mean = if rate.mean == 0.0 {
        "0 %".to_owned()
    } else {
        percent(rate.mean)
    };
    let mut spans =
        Spans::from(mean).aside(format!(" ({}–{})", decimals(rate.low), decimals(rate.high)));
    if entry.agrees() == Some(false) {
        spans = spans.strong(" ≠ formula");
    }
    spans
}

fn timed(time: Time, standing: Standing) -> Spans {
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

fn dash() -> Spans {
    Spans::from("–")
}
