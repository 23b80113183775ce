//! Plain text for the terminal. (The report has its own tables.)

use crate::contenders::{self, Info};
use crate::measure::{construction, suite};
use crate::record::{ContenderFacts, Row, State, Suite, Trial};
use comfy_table::{Table, presets};
use serde::Serialize;
use std::fmt::Write;

/// What `list` prints.
pub(super) fn contenders() -> String {
    let mut table = plain(["contender", "family", "can", "version"]);
    let infos: Vec<Info> = contenders::ALL.iter().map(|contender| contender.info()).collect();
    table.add_rows(infos.iter().map(line));
    let mut text = text(&table) + "\n";
    // Writing to a string cannot fail.
    for info in infos {
        let _ = writeln!(text, "{}: {}", info.name, info.analysis);
    }
    let _ = writeln!(
        text,
        "{}: not a contender, but a name for --only: how many more slots than keys a standard \
         ribbon needs.\n\nSuites (key set, keys, asked rates or memory; courses at 1 %):",
        construction::NAME
    );
    for suite in [Suite::Smoke, Suite::Quick, Suite::Full] {
        let _ = writeln!(text, "{suite}");
        for group in suite.groups(None) {
            let targets = group.targets.iter().map(|(target, _)| suite::words(*target));
            let targets = targets.collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "  {:<11} {:>9}  {targets}", group.key_set.name(), group.keys);
        }
        let courses = suite.courses().into_iter().map(|track| track.title());
        for title in courses.chain(suite.lines().iter().map(|line| line.title())) {
            let _ = writeln!(text, "  {title}");
        }
    }
    text
}

fn line(info: &Info) -> [String; 4] {
    let abilities = info.abilities.iter().map(word).collect::<Vec<_>>().join(" ");
    let family = word(&info.family) + if info.ours { " (ours)" } else { "" };
    [info.name.to_owned(), family, abilities, ContenderFacts::new(info, "").version]
}

/// As the records spell it.
fn word(value: &impl Serialize) -> String {
    let value = toml::Value::try_from(value).ok();
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What `verify` prints about contenders; nothing if there are none.
pub(super) fn verified(rows: &[Row]) -> String {
    let head = "contender|what|keys|asked|bits/key|peak bits/key|measured|predicted|seeds|verdict";
    let mut table = plain(head.split('|'));
    for row in rows {
        let bits = |bytes: Option<u64>| {
            optional(bytes, |bytes| format!("{:.3}", bytes as f64 * 8.0 / row.keys as f64))
        };
        let rate = |rate: Option<f64>| optional(rate, |rate| format!("{:.4} %", rate * 100.0));
        let budget = row.asked_bits.map(|bits| format!("{bits} bits/key"));
        let verdict = match (row.state, row.fpr_agrees) {
            (State::Failed, _) => "ERROR",
            (State::Refused, _) => "refuses so many",
            (State::Untimed | State::Skipped, _) => "left out",
            (State::Measured, Some(false)) => "rate is not the formula's",
            (State::Measured, Some(true)) => "good",
            (State::Measured, None) => "good, no formula",
        };
        table.add_row([
            row.contender.clone(),
            row.workload.to_string(),
            format!("{} {}", row.keys, row.key_set),
            budget.unwrap_or_else(|| rate(row.asked_fpr)),
            bits(row.held_bytes),
            bits(row.peak_build_bytes),
            rate(row.fpr()),
            rate(row.predicted_fpr),
            optional(row.seeds, |seeds| seeds.to_string()),
            verdict.to_owned(),
        ]);
    }
    text(&table)
}

/// What `verify` prints about the ribbon systems; nothing if there are none.
pub(super) fn tried(trials: &[Trial]) -> String {
    let mut table = plain(["row bits", "keys", "slots", "seeds", "solved", "verdict"]);
    for trial in trials {
        let numbers = [trial.row_bits, trial.keys, trial.slots].map(Some);
        let counts = numbers.into_iter().chain([trial.seeds, trial.solved]);
        let verdict = if trial.why.is_empty() { "good" } else { "ERROR" };
        let cells = counts.map(|count| optional(count, |count| count.to_string()));
        table.add_row(cells.chain([verdict.to_owned()]));
    }
    text(&table)
}

/// A table without lines, as wide as it must be.
pub(super) fn plain(head: impl Into<comfy_table::Row>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(head);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
}

/// The table's lines, without blanks at their ends; nothing if there are none below the head.
pub(super) fn text(table: &Table) -> String {
    if table.is_empty() { String::new() } else { table.trim_fmt() + "\n" }
}

/// A hyphen where there is nothing.
pub(super) fn optional<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}
