//! The output of the commands. (The report has its own tables.)

use crate::contenders;
use crate::measure::Plan;
use crate::record::{Row, State, Suite};
use crate::scenarios;
use crate::scenarios::keys::KeySet;
use clap::ValueEnum;
use indicatif::HumanDuration;
use std::fmt::Write;

/// Prints what a run will do, and for how long.
pub(super) fn what_comes(plan: &Plan) {
    eprintln!(
        "{} contenders, {} sets of keys, {} scenarios; suite {}, {} rounds: about {}.",
        plan.contenders.len(),
        plan.datasets.len(),
        plan.scenarios.len(),
        plan.options.suite,
        plan.options.rounds,
        HumanDuration(plan.estimate())
    );
    what_is_left_out(plan);
}

/// Prints what is left out: lines of a key file, and scenarios.
pub(super) fn what_is_left_out(plan: &Plan) {
    for spec in &plan.datasets {
        let (keys, name) = (spec.keys, spec.key_set.name());
        if let KeySet::File(file) = &spec.key_set {
            let distinct = file.source.distinct.unwrap_or(0);
            eprintln!(
                "{name}: {distinct} distinct keys (repeats left out: {}, empty lines: {}); {keys} \
                 of the shuffled first half are present, the other half is absent.",
                file.source.duplicates, file.source.empty_lines
            );
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
        eprintln!("ERROR {}: {}", row.subject(), row.why);
        good &= !contenders::named(&row.contender).is_some_and(|contender| contender.info.ours);
    }
    good
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
