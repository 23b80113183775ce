//! `diff`: which rows of two records differ by more than noise.

use crate::commands::tables::{self, optional, plain};
use crate::record::{Records, Row, Run};
use comfy_table::CellAlignment;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Counted instructions that differ by less than this share are those of other hash maps' seeds.
const INSTRUCTIONS: f64 = 0.01;
/// Peaks that differ by less are those of other threads' timing.
const PEAK: f64 = 0.01;

/// A record with its rows, each by its subject.
#[derive(Debug)]
pub(super) struct Side {
    run: Run,
    rows: BTreeMap<String, Row>,
}

/// A quantity of a row that moved.
#[derive(Clone, PartialEq, Debug)]
struct Move {
    subject: String,
    what: &'static str,
    old: String,
    new: String,
    /// The relative change of a number.
    change: Option<f64>,
}

impl Side {
    /// Reads a record; `None` if there is no finished run.
    pub(super) fn read(records: &Records) -> anyhow::Result<Option<Self>> {
        let Some(run) = records.run()? else {
            return Ok(None);
        };
        let mut rows = BTreeMap::new();
        for contender in &run.contender {
            let of = records.rows(&contender.name)?;
            rows.extend(of.into_iter().map(|row| (row.subject(), row)));
        }
        Ok(Some(Self { run, rows }))
    }
}

/// What `diff` prints, and whether any row moved.
pub(super) fn diff(old: &Side, new: &Side) -> (String, bool) {
    let mut text = String::new();
    // Writing to a string cannot fail.
    if let Some((option, before, now)) = old.run.options.difference(&new.run.options) {
        let _ = writeln!(
            text,
            "The first option that differs: {option} = {before}, then {now}."
        );
    }
    let floors = [&old.run, &new.run].map(|run| optional(run.noise_floor, percent));
    let _ = writeln!(
        text,
        "Noise floors: {} in OLD, {} in NEW.",
        floors[0], floors[1]
    );
    for (here, there, name) in [(old, new, "OLD"), (new, old, "NEW")] {
        let _ = write!(text, "{}", only_in(here, there, name));
    }
    let both = old.rows.values();
    let both = both.filter_map(|row| Some((row, new.rows.get(&row.subject())?)));
    let (mut compared, mut moves) = (0, Vec::new());
    for (before, now) in both {
        compared += 1;
        moves.extend(moved(before, now, &old.run, &new.run));
    }
    let _ = writeln!(text, "Rows in both: {compared}; moved: {}.", moves.len());
    if !moves.is_empty() {
        text += &drawn(&moves);
    }
    (text, !moves.is_empty())
}

/// The rows of one record that the other lacks: a line for each contender.
fn only_in(here: &Side, there: &Side, name: &str) -> String {
    let mut alone: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for (subject, row) in &here.rows {
        if !there.rows.contains_key(subject) {
            alone.entry(&row.contender).or_default().push(subject);
        }
    }
    let line = |(contender, subjects): (&str, Vec<&String>)| {
        let (count, first) = (subjects.len(), subjects[0]);
        format!("Only in {name}: {contender}, rows: {count}, the first: {first}\n")
    };
    alone.into_iter().map(line).collect()
}

/// What moved between two rows of one subject.
fn moved(old: &Row, new: &Row, old_run: &Run, new_run: &Run) -> Vec<Move> {
    let words = |what, old: String, new: String, change| Move {
        subject: String::new(),
        what,
        old,
        new,
        change,
    };
    let number = |what, [old, new]: [f64; 2], text: &dyn Fn(f64) -> String| {
        let change = (old != 0.0).then(|| new / old - 1.0);
        words(what, text(old), text(new), change)
    };
    let mut moves = Vec::new();
    if old.state != new.state {
        moves.push(words(
            "state",
            old.state.to_string(),
            new.state.to_string(),
            None,
        ));
    }
    let floor = |run: &Run| run.floor(old.workload).unwrap_or(0.0);
    let floor = floor(old_run).max(floor(new_run));
    if let Some((before, now)) = old.ns.zip(new.ns)
        && beyond(before, now, floor)
        && ratios_apart(old, new)
    {
        moves.push(number("ns", [before, now], &|ns| format!("{ns:.2}")));
    }
    if let Some((before, now)) = old.fpr().zip(new.fpr())
        && apart(interval_of_rate(old), interval_of_rate(new)) == Some(true)
    {
        moves.push(number("rate", [before, now], &|rate| {
            format!("{:.4} %", rate * 100.0)
        }));
    }
    let whole = |value: Option<u64>| value.map(|value| value as f64);
    for (what, before, now, share) in [
        ("bytes", whole(old.held_bytes), whole(new.held_bytes), 0.0),
        (
            "bytes said",
            whole(old.said_bytes),
            whole(new.said_bytes),
            0.0,
        ),
        (
            "peak bytes",
            whole(old.peak_build_bytes),
            whole(new.peak_build_bytes),
            PEAK,
        ),
        (
            "refused at",
            whole(old.refused_at),
            whole(new.refused_at),
            0.0,
        ),
        (
            "instructions",
            old.instructions,
            new.instructions,
            INSTRUCTIONS,
        ),
    ] {
        if let Some((before, now)) = before.zip(now)
            && beyond(before, now, share)
        {
            moves.push(number(what, [before, now], &|count| count.to_string()));
        }
    }
    for one in &mut moves {
        one.subject = new.subject();
    }
    moves
}

/// Whether two numbers differ by more than this share of the smaller.
fn beyond(old: f64, new: f64, share: f64) -> bool {
    (old - new).abs() > share * old.min(new)
}

/// Whether the paired ratios' intervals are disjoint; without comparable ones, nothing says that
/// they are not.
fn ratios_apart(old: &Row, new: &Row) -> bool {
    let interval = |row: &Row| row.ratio_low.zip(row.ratio_high);
    let same = old.reference == new.reference;
    let apart = apart(interval(old), interval(new)).filter(|_| same);
    apart.unwrap_or(true)
}

fn interval_of_rate(row: &Row) -> Option<(f64, f64)> {
    row.fpr_low.zip(row.fpr_high)
}

fn apart(one: Option<(f64, f64)>, other: Option<(f64, f64)>) -> Option<bool> {
    let ((low, high), (from, to)) = one.zip(other)?;
    Some(high < from || to < low)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn drawn(moves: &[Move]) -> String {
    let mut table = plain(&["row", "what", "old", "new", "change"]);
    for of in moves {
        let change = optional(of.change, |change| format!("{:+.1} %", change * 100.0));
        let cells = [&of.subject, of.what, &of.old, &of.new, &change];
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    tables::text(&table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cell, Options, State, Suite, Workload};
    use std::path::Path;

    fn run(floor: f64) -> Run {
        let options = Options::new(Suite::Smoke, 3, 1, None, Path::new("."));
        Run {
            noise_floor: Some(floor),
            ..Run::new("", options, Vec::new())
        }
    }

    fn row() -> Row {
        let cell = Cell {
            key_set: "random-u64".to_owned(),
            keys: 1000,
            asked_fpr: Some(0.01),
            ..Cell::default()
        };
        Row {
            ns: Some(10.0),
            reference: Some("bloom".to_owned()),
            ratio_low: Some(0.9),
            ratio_high: Some(1.1),
            false_positives: Some(100),
            absent_queries: Some(10_000),
            fpr_low: Some(0.008),
            fpr_high: Some(0.012),
            held_bytes: Some(1200),
            peak_build_bytes: Some(2000),
            instructions: Some(50.0),
            ..Row::new("cuckoo", &cell, Workload::Query50)
        }
    }

    fn side(rows: &[Row], floor: f64) -> Side {
        let rows = rows.iter().map(|row| (row.subject(), row.clone()));
        Side {
            run: run(floor),
            rows: rows.collect(),
        }
    }

    /// What moved, after this change of the row, between runs with floors of 5 and 2 %.
    fn moved_by(change: impl FnOnce(&mut Row)) -> Vec<&'static str> {
        let mut new = row();
        change(&mut new);
        let moves = moved(&row(), &new, &run(0.05), &run(0.02));
        moves.iter().map(|one| one.what).collect()
    }

    #[test]
    fn a_time_moves_beyond_both_floors_and_both_intervals_either_way() {
        let ratio = |low, high| {
            move |row: &mut Row| (row.ratio_low, row.ratio_high) = (Some(low), Some(high))
        };
        for (ns, interval, moves) in [
            (10.4, (1.2, 1.3), false),
            (10.6, (1.2, 1.3), true),
            (10.6, (1.0, 1.3), false),
            (9.6, (0.7, 0.8), false),
            (9.4, (0.7, 0.8), true),
            (9.4, (0.7, 0.9), false),
        ] {
            let found = moved_by(|row| {
                row.ns = Some(ns);
                ratio(interval.0, interval.1)(row);
            });
            assert_eq!(found == ["ns"], moves, "{ns} {interval:?}: {found:?}");
        }
        // Ratios to another reference say nothing, and neither does a missing interval.
        let other = |row: &mut Row| (row.ns, row.reference) = (Some(10.6), None);
        assert_eq!(moved_by(other), ["ns"]);
    }

    #[test]
    fn rates_move_beyond_their_intervals_and_counts_at_once() {
        let rate = |low, high| {
            move |row: &mut Row| {
                row.false_positives = Some(130);
                (row.fpr_low, row.fpr_high) = (Some(low), Some(high));
            }
        };
        assert_eq!(moved_by(rate(0.0119, 0.015)), [""; 0]);
        assert_eq!(moved_by(rate(0.0121, 0.015)), ["rate"]);
        assert_eq!(moved_by(|row| row.held_bytes = Some(1201)), ["bytes"]);
        assert_eq!(moved_by(|row| row.peak_build_bytes = Some(2019)), [""; 0]);
        assert_eq!(
            moved_by(|row| row.peak_build_bytes = Some(1979)),
            ["peak bytes"]
        );
        assert_eq!(moved_by(|row| row.instructions = Some(50.4)), [""; 0]);
        assert_eq!(
            moved_by(|row| row.instructions = Some(49.4)),
            ["instructions"]
        );
        assert_eq!(moved_by(|row| row.state = State::Failed), ["state"]);
    }

    #[test]
    fn it_names_what_moved_and_what_only_one_side_has() {
        let (same, mut slower, mut other) = (row(), row(), row());
        (other.keys, slower.ns) = (7, Some(20.0));
        (slower.ratio_low, slower.ratio_high) = (Some(2.0), Some(2.1));
        let old = side(&[same, other], 0.05);
        let (text, any) = diff(&old, &side(&[slower], 0.02));
        assert!(any);
        for part in [
            "Only in OLD: cuckoo, rows: 1, the first: cuckoo, 7 random-u64 keys at 0.01, query50",
            "Rows in both: 1; moved: 1.",
            "10.00",
            "20.00",
            "+100.0 %",
            "5.0 % in OLD, 2.0 % in NEW",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let (text, any) = diff(&old, &old);
        assert!(
            !any && text.contains("Rows in both: 2; moved: 0."),
            "{text}"
        );
        assert!(!text.contains("Only in"), "{text}");
    }
}
