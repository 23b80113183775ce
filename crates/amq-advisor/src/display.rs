//! Displays an answer: a table of the first choices, the reason for the first, and the most
//! important notes.

use crate::numbers::{Bytes, Rate};
use crate::{Answer, Choice, Structure};
use core::cmp::Ordering::Equal;
use core::fmt;

/// The most rows of the table, and the fewest when decisive notes need the room.
const ROWS: (usize, usize) = (5, 2);

/// The most words of an answer, counting table cells. A command of up to 20 words follows it.
const WORDS: usize = 100;

/// Words reserved for short notes once a longer, decisive one did not fit.
const LEFT: usize = 14;

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let best = self.best();
        // Describe only structures made of filters; plain filters have their documentation.
        let is_known = matches!(best.structure, Structure::Filter(_));
        let what = if is_known { "" } else { best.what.as_str() };
        let first = format!("{} {}", what, best.reason);
        let first = format!("{}: {}", best.structure.id(), first.trim());
        let (most, fewest) = ROWS;
        let words = |text: &str| text.split_whitespace().count();
        let notes = self.notes.iter().take(self.deciding);
        // The dash counts as a word.
        let notes: usize = notes.map(|note| words(note) + 1).sum();
        let lines = |rows: usize| table(&self.rows(rows), self);
        let fits = |rows: &usize| words(&lines(*rows)) + words(&first) + notes <= WORDS;
        let table = lines((fewest..=most).rev().find(fits).unwrap_or(fewest));
        writeln!(f, "{table}\n{first}")?;
        let mut left = WORDS.saturating_sub(words(&table) + words(&first));
        for (index, note) in self.notes.iter().enumerate() {
            // A note that does not fit may be replaced by a shorter one, but a decisive note never
            // by one that is not.
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
    /// The first choices; the last row is replaced by the fastest choice.
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

/// A table of the choices, with a header and two spaces between columns.
fn table(choices: &[&Choice], answer: &Answer) -> String {
    let head = ["bits/key", "size", "rate", "insert ns", "query ns", "total ns"].map(String::from);
    let corner = if answer.threads > 1 { "one thread's times" } else { "" };
    // Totals differ from the other times only if false positives have a cost.
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

/// Formats nanoseconds, marked if extrapolated; a dash if not measured.
fn nanoseconds(time: Option<f64>, reckoned: bool) -> String {
    let mark = if reckoned { "~" } else { "" };
    match time {
        None => "-".into(),
        Some(ns) if ns < 99.5 => format!("{mark}{ns:.1}"),
        Some(ns) if ns < 1e6 => format!("{mark}{ns:.0}"),
        Some(ns) => format!("{mark}{ns:.2e}"),
    }
}
