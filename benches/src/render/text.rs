//! The table for the terminal.

use super::data::{Data, Heat};
use super::number::{asked, digits, grouped, percent, three};
use super::numbers::{SPACE_TIE, timed_columns};
use super::ties::{Standing, standings};
use crate::contender::Role;
use std::fmt::Write;

/// The columns before the times.
const HEAD: [&str; 4] = ["contender", "bits/key", "rate", "formula"];

/// All heats.
pub(super) fn table(data: &Data) -> String {
    let mut text = String::new();
    for heat in data.all_heats() {
        let rate = heat
            .rate
            .map_or_else(String::new, |rate| format!(", asked for {}", asked(rate)));
        let _ = writeln!(
            text,
            "{} keys, {}{rate}",
            grouped(heat.keys),
            plain(heat.key_set)
        );
        text.push_str(&columns(&lines(data, &heat)));
        for entry in &heat.entries {
            if let Some(row) = entry.rows.iter().find(|row| !row.error.is_empty()) {
                let _ = writeln!(text, "ERROR {}: {}", plain(entry.name()), plain(&row.error));
            }
        }
        text.push('\n');
    }
    let noise = data.noise().map_or_else(
        || "the noise floor was not measured, so no tie is marked".to_owned(),
        |noise| format!("= within the noise floor ({}) of it", percent(noise)),
    );
    let _ = writeln!(
        text,
        "* best of its column; {noise}; ? unstable; times in nanoseconds per key."
    );
    text
}

fn lines(data: &Data, heat: &Heat<'_>) -> Vec<Vec<String>> {
    let judged = |index: usize| heat.entries[index].facts.role == Role::Filter;
    let column = |values: Vec<Option<f64>>, noise: f64| {
        let values: Vec<Option<f64>> = values
            .into_iter()
            .enumerate()
            .map(|(index, value)| value.filter(|_| judged(index)))
            .collect();
        standings(&values, noise)
    };
    let bits = column(
        heat.entries.iter().map(|entry| entry.bits()).collect(),
        SPACE_TIE,
    );
    let timed_columns = timed_columns(heat);
    let times: Vec<Vec<Standing>> = timed_columns
        .iter()
        .map(|(workload, _)| {
            let medians = heat
                .entries
                .iter()
                .map(|entry| entry.median(*workload))
                .collect();
            column(medians, data.noise().unwrap_or(0.0))
        })
        .collect();
    let heads = timed_columns.iter().map(|(_, head)| *head);
    let head: Vec<String> = HEAD.into_iter().chain(heads).map(str::to_owned).collect();
    let mut lines = vec![head];
    for (index, entry) in heat.entries.iter().enumerate() {
        let mut line = vec![plain(entry.name())];
        if entry.error().is_some() {
            line.extend(["ERROR", "-", "-"].map(str::to_owned));
        } else {
            line.push(
                entry
                    .bits()
                    .map_or_else(dash, |value| marked(digits(value, 4), bits[index])),
            );
            line.push(entry.rate().map_or_else(dash, |rate| percent(rate.mean)));
            line.push(entry.predicted().map_or_else(dash, percent));
        }
        for ((workload, _), standings) in timed_columns.iter().zip(&times) {
            line.push(match (entry.failure(*workload), entry.time(*workload)) {
                (Some(_), _) => "ERROR".to_owned(),
                (None, Some(time)) => {
                    let unstable = if time.unstable { "?" } else { "" };
                    marked(three(time.median), standings[index]) + unstable
                }
                (None, None) => dash(),
            });
        }
        lines.push(line);
    }
    lines
}

fn marked(text: String, standing: Standing) -> String {
    match standing {
        Standing::Best => format!("*{text}"),
        Standing::Tie => format!("={text}"),
        Standing::Behind => text,
    }
}

fn dash() -> String {
    "-".to_owned()
}

/// Names come from files: nothing in them may steer the terminal.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// The first column is left-aligned, numbers right-aligned.
fn columns(lines: &[Vec<String>]) -> String {
    let mut widths = vec![0; lines.first().map_or(0, Vec::len)];
    for line in lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for line in lines {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(text, "  {cell:<width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.push('\n');
    }
    text
}
