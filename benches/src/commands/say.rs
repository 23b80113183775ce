//! The output of the commands. (The report has its own tables.)

use crate::contenders;
use crate::measure::Plan;
use crate::record::{Row, State, Suite};
use crate::scenarios;
use crate::scenarios::keys::{KeySet, Source};
use clap::ValueEnum;
use indicatif::HumanDuration;
use std::fmt::Write;

/// Prints what a run will do, and for how long.
pub(super) fn what_comes(plan: &Plan) {
    eprintln!(
        "{}, {}, {}; suite {}, {}: about {}.",
        of(plan.contenders.len(), "contender"),
        of(plan.datasets.len(), "key set"),
        of(plan.scenarios.len(), "scenario"),
        plan.options.suite,
        of(plan.options.rounds as usize, "round"),
        HumanDuration(plan.estimate())
    );
    what_is_left_out(plan);
}

/// `1 key`, `2 keys`.
fn of(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Which lines of a key file a data set uses, and which it leaves out.
fn lines_used(name: &str, source: &Source, keys: usize, suite: Suite) -> String {
    let distinct = source.distinct.unwrap_or(0) as usize;
    // The shuffled first half has the keys that are inserted.
    let half = distinct / 2;
    let unused = match half.saturating_sub(keys) {
        0 => String::new(),
        unused => {
            let is_are = if unused == 1 { "is" } else { "are" };
            format!(
                " {} {is_are} not used, since the {suite} suite inserts {keys}.",
                of(unused, "further key")
            )
        }
    };
    format!(
        "{name}: {} (repeats left out: {}, empty lines: {}); {} inserted, {} queried as absent.{unused}",
        of(distinct, "distinct key"),
        source.duplicates,
        source.empty_lines,
        of(keys, "key"),
        of(distinct - half, "key"),
    )
}

/// Prints what is left out: lines of a key file, and scenarios.
pub(super) fn what_is_left_out(plan: &Plan) {
    for spec in &plan.datasets {
        let (keys, name) = (spec.keys, spec.key_set.name());
        if let KeySet::File(file) = &spec.key_set {
            eprintln!("{}", lines_used(name, &file.source, keys, plan.options.suite));
        }
    }
    if plan.options.has_own_keys() {
        eprintln!("Left out: the scenarios, which have keys of their own.");
    } else if plan.scenarios.len() < scenarios::ALL.len() {
        eprintln!("Left out: the scenarios of threads, since one core runs only one at a time.");
    }
}

/// Prints all failed rows. Returns whether our own filters passed; peers may fail.
pub(super) fn failures(found: &[Row]) -> bool {
    let mut good = true;
    // A cell that fails verification has untimed rows, too: one line is enough.
    for row in found.iter().filter(|row| row.state == State::Failed) {
        let is_ours = contenders::named(&row.contender).is_some_and(|known| known.info.ours);
        eprintln!("{}", failed(&row.subject(), &row.why, is_ours));
        good &= !is_ours;
    }
    good
}

/// A failed check: an error of ours, or a finding about another crate, which ends no run.
fn failed(subject: &str, why: &str, is_ours: bool) -> String {
    match is_ours {
        true => format!("ERROR in our own {subject}: {why}"),
        false => format!("Another crate failed a check, and gets no time there: {subject}: {why}"),
    }
}

/// The output of `verify`: a line per cell.
pub(super) fn verified(rows: &[Row]) -> String {
    let head = ["bits/key", "peak", "measured", "predicted", "verdict"].map(str::to_owned);
    let line = |row: &Row| {
        let some = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let bits = |bytes: Option<u64>| {
            some(bytes.map(|bytes| format!("{:.3}", bytes as f64 * 8.0 / row.keys as f64)))
        };
        let rate = |rate: Option<f64>| some(rate.map(|rate| format!("{:.4} %", rate * 100.0)));
        let verdict = match (row.state, row.fpr_agrees) {
            (State::Failed, _) => "ERROR",
            (State::Refused, _) => "refuses this many",
            (State::Untimed | State::Skipped, _) => "left out",
            (State::Measured, Some(false)) => "rate is not the formula's",
            (State::Measured, Some(true)) => "good",
            (State::Measured, None) => "good, no formula",
        };
        let [held, peak] = [row.held_bytes, row.peak_build_bytes].map(bits);
        let [measured, predicted] = [row.fpr(), row.predicted_fpr].map(rate);
        [held, peak, measured, predicted, format!("{}: {verdict}", row.subject())]
    };
    table([head].into_iter().chain(rows.iter().map(line)), [true, true, true, true, false])
}

/// Rows in columns, with numbers right-aligned.
pub(super) fn table<const COLUMNS: usize>(
    rows: impl Iterator<Item = [String; COLUMNS]>,
    is_number: [bool; COLUMNS],
) -> String {
    let rows: Vec<[String; COLUMNS]> = rows.collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..COLUMNS).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &[String; COLUMNS]| {
        let cells = row.iter().zip(&widths).zip(is_number);
        let cells = cells.map(|((cell, &width), is_number)| match is_number {
            true => format!(" {cell:>width$} "),
            false => format!(" {cell:<width$} "),
        });
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

pub(super) fn contenders() -> String {
    let mut text = "The contenders: name, family, abilities, version, what to expect\n".to_owned();
    for info in contenders::ALL.iter().map(|contender| contender.info) {
        let family = format!("{}{}", info.family, if info.ours { " (ours)" } else { "" });
        let abilities =
            info.abilities.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let version = info.measured_by("").version;
        let _ = writeln!(text, "\n{:<24}{family}; {abilities}; {version}", info.name);
        let _ = writeln!(text, "    {}", info.analysis);
    }
    let _ = writeln!(text, "\nSuites (key set, keys, asked rates or memory; scenarios at 1 %):");
    for suite in Suite::value_variants() {
        let _ = writeln!(text, "{suite}");
        let specs = suite.datasets().into_iter().map(|spec| {
            let targets = spec.targets.iter().map(|(target, _)| scenarios::words(*target));
            let targets = targets.collect::<Vec<_>>().join(", ");
            [spec.key_set.name().to_owned(), spec.keys.to_string(), targets]
        });
        text += &table(specs, [false, true, false]);
        for scenario in suite.scenarios() {
            let _ = writeln!(text, " {}", scenario.title());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_a_suite_does_not_take_are_counted() {
        let source = |distinct| Source { distinct: Some(distinct), duplicates: 3, empty_lines: 0 };
        let said = lines_used("f", &source(50_000), 1000, Suite::Smoke);
        let all = "f: 50000 distinct keys (repeats left out: 3, empty lines: 0); 1000 keys inserted, \
                   25000 keys queried as absent.";
        let unused = " 24000 further keys are not used, since the smoke suite inserts 1000.";
        assert_eq!(said, format!("{all}{unused}"));
        assert!(!lines_used("f", &source(2001), 1000, Suite::Smoke).contains("not used"));
        let one = lines_used("f", &source(2002), 1000, Suite::Smoke);
        assert!(one.contains(" 1 further key is not used"), "{one}");
    }

    #[test]
    fn a_failed_check_says_whose_it_is() {
        let ours = failed("bloom, 9 keys", "1 false negative", true);
        assert_eq!(ours, "ERROR in our own bloom, 9 keys: 1 false negative");
        let other = failed("theirs, 9 keys", "1 false negative", false);
        assert!(other.starts_with("Another crate failed a check") && !other.contains("ERROR"));
        assert_eq!([of(1, "key set"), of(2, "key set")], ["1 key set", "2 key sets"]);
    }
}
