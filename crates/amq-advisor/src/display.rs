//! An answer as text for people: a table of the first choices, why the first is first, and the most
//! important notes.

use crate::numbers::{Bytes, Rate};
use crate::{Answer, Choice, Structure};
use core::cmp::Ordering::Equal;
use core::fmt;

/// The most rows of the table, and the fewest where notes that may change a decision need the room.
const ROWS: (usize, usize) = (5, 2);

/// The most words of an answer, each cell of the table counted. Below it stands a command of up to
/// 20.
const WORDS: usize = 100;

/// Words that are left to short notes once a longer one that may change a decision did not fit.
const LEFT: usize = 12;

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let best = self.best();
        // What a plain filter is, its documentation says; how others are made of filters, this.
        let is_known = matches!(best.structure, Structure::Filter(_));
        let what = if is_known { "" } else { best.what.as_str() };
        let first = format!("{} {}", what, best.reason);
        let first = format!("{}: {}", best.structure.id(), first.trim());
        let (most, fewest) = ROWS;
        let words = |text: &str| text.split_whitespace().count();
        let notes = self.notes.iter().take(self.deciding);
        // Each begins with a dash.
        let notes: usize = notes.map(|note| words(note) + 1).sum();
        let lines = |rows: usize| table(&self.rows(rows), self);
        let fits = |rows: &usize| words(&lines(*rows)) + words(&first) + notes <= WORDS;
        let table = lines((fewest..=most).rev().find(fits).unwrap_or(fewest));
        writeln!(f, "{table}\n{first}")?;
        let mut left = WORDS.saturating_sub(words(&table) + words(&first));
        for (index, note) in self.notes.iter().enumerate() {
            // A long note gives way to a shorter one, but never to one that decides nothing.
            match left.checked_sub(words(note) + 1) {
                Some(less) => {
                    writeln!(f, " -  {note}")?;
                    left = less;
                }
                None if index < self.deciding => left = left.min(LEFT),
                None => {}
            }
        }
        Ok(())
    }
}

impl Answer {
    /// The first choices, of which the last gives way to the fastest.
    fn rows(&self, most: usize) -> Vec<&Choice> {
        let mut rows: Vec<&Choice> = self.choices.iter().take(most).collect();
        let timed = self.choices.iter().filter(|choice| choice.cost_ns.is_some());
        let fastest = timed.min_by(|a, b| a.cost_ns.partial_cmp(&b.cost_ns).unwrap_or(Equal));
        if let Some(fastest) = fastest.filter(|it| rows.iter().all(|row| row.cost_ns > it.cost_ns))
        {
            rows.pop();
            rows.push(fastest);
        }
        rows
    }
}

/// The choices, with a head; columns stand two spaces apart.
fn table(choices: &[&Choice], answer: &Answer) -> String {
    let head = ["bits/key", "size", "rate", "insert ns", "query ns", "total ns"].map(String::from);
    let corner = if answer.threads > 1 { "one thread's times" } else { "" };
    // Totals differ from the times beside them where an error has a cost.
    let columns = if answer.without_ns.is_some() { 6 } else { 5 };
    let head = (String::from(corner), head);
    let rows = choices.iter().map(|choice| (choice.structure.id(), cells(choice)));
    let rows: Vec<(String, [String; 6])> = core::iter::once(head).chain(rows).collect();
    let first = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let width = |column: usize| rows.iter().map(|(_, cells)| cells[column].len()).max();
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
    let line = |(name, cells): &(String, [String; 6])| {
        let cells = cells.iter().zip(&widths).map(|(cell, &width)| format!("  {cell:>width$}"));
        let line = format!("{name:first$}{}", cells.collect::<String>());
        String::from(line.trim_end()) + "\n"
    };
    rows.iter().map(line).collect()
}

fn cells(choice: &Choice) -> [String; 6] {
    let ns = |time| nanoseconds(time, choice.reckoned);
    [
        format!("{:.2}", choice.bits_per_key),
        Bytes(choice.bytes).to_string(),
        choice.rate().map_or_else(|| "-".into(), |rate| Rate(rate).to_string()),
        ns(choice.insert_ns),
        ns(choice.query_ns),
        ns(choice.cost_ns),
    ]
}

/// With a mark if they are extrapolated, or a dash if nobody has measured them.
fn nanoseconds(time: Option<f64>, reckoned: bool) -> String {
    let mark = if reckoned { "~" } else { "" };
    match time {
        None => "-".into(),
        Some(ns) if ns < 99.5 => format!("{mark}{ns:.1}"),
        Some(ns) if ns < 1e6 => format!("{mark}{ns:.0}"),
        Some(ns) => format!("{mark}{ns:.2e}"),
    }
}
