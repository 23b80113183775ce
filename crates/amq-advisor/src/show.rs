//! An answer as text for people. The table fits a terminal of 80 columns; sentences have a line
//! each, however long.

use crate::numbers::{Bytes, Rate};
use crate::{Answer, Choice, Rejection};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// The default width of a terminal.
const WIDTH: usize = 80;

/// Choices that have sentences, not only a line of the table.
const EXPLAINED: usize = 5;

/// The columns of numbers, each with a head of two lines.
const HEADS: [[&str; 7]; 2] = [
    ["bits/", "size", "RAM to", "rate", "insert,", "query,", "total,"],
    ["key", "", "build", "", "ns", "ns", "ns"],
];

/// The choices as a table, a sentence for each, what fell out and why, and what else to know.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        table(f, &self.choices)?;
        writeln!(f)?;
        for (index, choice) in self.choices.iter().enumerate().take(EXPLAINED) {
            let said = format!("{} {}", choice.what, choice.reason);
            writeln!(f, "{:>2}  {}: {}", index + 1, choice.structure.id(), said.trim_start())?;
        }
        if !self.rejections.is_empty() {
            writeln!(f, "\nNot considered:")?;
        }
        let mut left: Vec<&Rejection> = self.rejections.iter().collect();
        while let Some(reason) = left.first().map(|first| &first.reason) {
            let is_same = |it: &&&Rejection| it.reason == *reason;
            let same: Vec<String> =
                left.iter().filter(is_same).map(|it| it.structure.id().to_string()).collect();
            writeln!(f, " -  {}: {reason}", same.join(", "))?;
            left.retain(|it| it.reason != *reason);
        }
        writeln!(f, "\nTo know:")?;
        self.notes.iter().try_for_each(|note| writeln!(f, " -  {note}"))
    }
}

/// Columns stand two spaces apart, or one where they would not fit.
fn table(f: &mut fmt::Formatter<'_>, choices: &[Choice]) -> fmt::Result {
    // Only ribbons take more while they are built.
    let more = choices.iter().any(|choice| choice.build_bytes != choice.bytes);
    let kept = |cells: [String; 7]| -> Vec<String> {
        let cells = cells.into_iter().enumerate().filter(|(column, _)| more || *column != 2);
        cells.map(|(_, cell)| cell).collect()
    };
    let heads = HEADS.map(|head| (String::new(), kept(head.map(String::from))));
    let rows = choices.iter().enumerate().map(|(index, choice)| {
        (format!("{:>2}  {}", index + 1, choice.structure.id()), kept(cells(choice)))
    });
    let rows: Vec<(String, Vec<String>)> = heads.into_iter().chain(rows).collect();
    let first = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let width = |column: usize| rows.iter().map(|(_, cells)| cells[column].len()).max();
    let widths: Vec<usize> = (0..rows[0].1.len()).filter_map(width).collect();
    let wide = first + widths.iter().map(|width| width + 2).sum::<usize>();
    let apart = if wide <= WIDTH { 2 } else { 1 };
    for (name, cells) in &rows {
        let mut line = format!("{name:first$}");
        for (cell, width) in cells.iter().zip(&widths) {
            line += &format!("{:apart$}{cell:>width$}", "");
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

fn cells(choice: &Choice) -> [String; 7] {
    let ns = |time| nanoseconds(time, choice.reckoned);
    [
        format!("{:.2}", choice.bits_per_key),
        Bytes(choice.bytes).to_string(),
        Bytes(choice.build_bytes).to_string(),
        choice.rate().map_or_else(|| "-".into(), |rate| Rate(rate).to_string()),
        ns(choice.insert_ns),
        ns(choice.query_ns),
        ns(choice.cost_ns),
    ]
}

/// With a mark if they are reckoned, or a dash if nobody has measured them.
fn nanoseconds(time: Option<f64>, reckoned: bool) -> String {
    let mark = if reckoned { "~" } else { "" };
    match time {
        None => "-".into(),
        Some(ns) if ns < 99.5 => format!("{mark}{ns:.1}"),
        Some(ns) if ns < 1e6 => format!("{mark}{ns:.0}"),
        Some(ns) => format!("{mark}{ns:.2e}"),
    }
}
