//! `diff`: which rows of two records differ by more than noise.

use super::say;
use crate::error::BenchError;
use crate::record::{Records, Row, Run, Workload};
use std::collections::BTreeMap;

/// Peaks of memory depend on the timing of threads, by up to this share.
const CHANCE: f64 = 0.01;

#[derive(Debug)]
pub(super) struct Side {
    run: Run,
    rows: BTreeMap<String, Row>,
}

/// The value that moved, before, now, and the change.
type Move = [String; 4];

impl Side {
    /// The noise floor of a workload's times, from its twins.
    fn floor(&self, workload: Workload) -> Result<f64, BenchError> {
        self.run.floor(workload).ok_or_else(|| BenchError::NoTwins { date: self.run.date.clone() })
    }

    pub(super) fn read(records: &Records) -> Result<Self, BenchError> {
        let path = records.folder().to_owned();
        let run = records.run()?.ok_or(BenchError::NoRecords { path })?;
        let mut rows = BTreeMap::new();
        for contender in &run.contender {
            let of = records.rows(&contender.name)?;
            rows.extend(of.into_iter().map(|row| (row.subject(), row)));
        }
        Ok(Self { run, rows })
    }
}

/// The output of `diff`, and whether any row moved. Fails without twins, which measure the noise.
pub(super) fn diff(old: &Side, new: &Side) -> Result<(String, bool), BenchError> {
    let mut text = String::new();
    if let Some([option, before, now]) = old.run.options.difference(&new.run.options) {
        text += &format!("An option that differs: {option} = {before}, then {now}.\n");
    }
    text += &(only_in(old, new, "OLD") + &only_in(new, old, "NEW"));
    let (mut both, mut lines) = (0, Vec::new());
    for (subject, before) in &old.rows {
        let Some(now) = new.rows.get(subject) else { continue };
        both += 1;
        let floor = match before.ns.and(now.ns) {
            None => 0.0,
            Some(_) => old.floor(now.workload)?.max(new.floor(now.workload)?),
        };
        let shown = if floor > 0.0 { format!("{:.1} %", floor * 100.0) } else { String::new() };
        for [what, before, now, change] in moved(before, now, floor) {
            let floor = if what == "ns" { shown.clone() } else { String::new() };
            lines.push([change, floor, what, before, now, subject.clone()]);
        }
    }
    text += &format!("Rows in both: {both}; moved: {}.\n", lines.len());
    let moved = !lines.is_empty();
    let head = ["change", "noise", "of", "old", "new", "row"].map(str::to_owned);
    let lines = moved.then_some(head).into_iter().chain(lines);
    Ok((text + &say::table(lines, [true, true, false, true, true, false]), moved))
}

/// The rows of only one record: a line per contender.
fn only_in(here: &Side, there: &Side, name: &str) -> String {
    let alone = here.rows.iter().filter(|(subject, _)| !there.rows.contains_key(*subject));
    let alone: Vec<_> = alone.map(|(subject, row)| (&row.contender, subject)).collect();
    // Subjects begin with the contender's name, so its rows are adjacent.
    let line = |rows: &[(&String, &String)]| {
        let ((contender, first), count) = (rows[0], rows.len());
        format!("Only in {name}: {contender}, rows: {count}, the first: {first}\n")
    };
    alone.chunk_by(|a, b| a.0 == b.0).map(line).collect()
}

/// The values that moved between two rows of one subject, given the noise floor of their times.
fn moved(old: &Row, new: &Row, floor: f64) -> Vec<Move> {
    let number = |of: fn(&Row) -> Option<f64>| of(old).zip(of(new));
    let count = |of: fn(&Row) -> Option<u64>| {
        of(old).zip(of(new)).map(|(old, new)| (old as f64, new as f64))
    };
    // Without ratios to the same reference, the floor alone decides.
    let ratio = |row: &Row| row.ratio_low.zip(row.ratio_high);
    let slower = old.reference != new.reference || apart(ratio(old), ratio(new)).unwrap_or(true);
    let rate = |row: &Row| row.fpr_low.zip(row.fpr_high);
    let rates = apart(rate(old), rate(new)).unwrap_or(false);
    let mut moves = Vec::new();
    if old.state != new.state {
        let [before, now] = [old, new].map(|row| row.state.to_string());
        moves.push(["state".to_owned(), before, now, String::new()]);
    }
    for (what, digits, values, share, also) in [
        ("ns", 2, number(|row| row.ns), floor, slower),
        ("rate", 6, number(Row::fpr), 0.0, rates),
        ("bytes", 0, count(|row| row.held_bytes), 0.0, true),
        ("bytes said", 0, count(|row| row.said_bytes), 0.0, true),
        ("peak bytes", 0, count(|row| row.peak_build_bytes), CHANCE, true),
        ("refused at", 0, count(|row| row.refused_at), 0.0, true),
    ] {
        let is_beyond = |(old, new): &(f64, f64)| (old - new).abs() > share * old.min(*new);
        if let Some((old, new)) = values.filter(|values| also && is_beyond(values)) {
            let [before, now] = [old, new].map(|value| format!("{value:.digits$}"));
            let change = format!("{:+.1} %", (new / old - 1.0) * 100.0);
            moves.push([what.to_owned(), before, now, change]);
        }
    }
    moves
}

fn apart(one: Option<(f64, f64)>, other: Option<(f64, f64)>) -> Option<bool> {
    let ((low, high), (from, to)) = one.zip(other)?;
    Some(high < from || to < low)
}
