//! Plain text for the terminal. (The renderer draws the report's tables.)

use crate::construction;
use crate::contender::Contender;
use crate::lock;
use crate::record::{Row, Trial};
use crate::registry;
use crate::suite::Suite;
use std::fmt::Write;
use std::time::Duration;

/// What `list` prints.
pub fn contenders() -> String {
    let mut text = String::new();
    let lines: Vec<[String; 4]> = registry::ALL
        .iter()
        .map(|contender| line(*contender))
        .collect();
    let head = ["contender", "family", "can", "version"].map(str::to_owned);
    text.push_str(&columns(&[&[head], lines.as_slice()].concat()));
    text.push('\n');
    for contender in registry::ALL {
        let info = contender.info();
        let _ = writeln!(text, "{}: {}", info.name, info.analysis);
    }
    let _ = writeln!(
        text,
        "{}: not a contender, but a name for --only: how many more slots than keys a standard ribbon needs.",
        construction::NAME
    );
    text.push_str("\nSuites (key set, keys, asked rates; courses at 1 %):\n");
    for suite in [Suite::Smoke, Suite::Quick, Suite::Full] {
        let _ = writeln!(text, "{suite}");
        for group in suite.groups(None) {
            let rates: Vec<String> = group
                .rates
                .iter()
                .map(|rate| format!("{rate:.4}"))
                .collect();
            let _ = writeln!(
                text,
                "  {:<11} {:>9}  {}",
                group.key_set.name(),
                group.keys,
                rates.join(", ")
            );
        }
        for track in suite.courses() {
            let _ = writeln!(text, "  {}", track.title());
        }
        for line in suite.lines() {
            let _ = writeln!(text, "  {}", line.title());
        }
    }
    text
}

fn line(contender: &dyn Contender) -> [String; 4] {
    let info = contender.info();
    let abilities: Vec<String> = info
        .abilities
        .iter()
        .map(|ability| format!("{ability:?}").to_lowercase())
        .collect();
    [
        info.name.to_owned(),
        format!(
            "{:?}{}",
            info.family,
            if info.ours { " (ours)" } else { "" }
        )
        .to_lowercase(),
        abilities.join(" "),
        lock::versions(info.packages),
    ]
}

/// What `verify` prints about contenders; nothing if there are none.
pub fn verified(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let head = [
        "contender",
        "what",
        "keys",
        "asked",
        "bits/key",
        "peak bits/key",
        "measured",
        "predicted",
        "seeds",
        "verdict",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    for row in rows {
        let per_key = |bytes: Option<u64>| {
            optional(bytes, |bytes| {
                format!("{:.3}", bytes as f64 * 8.0 / row.keys as f64)
            })
        };
        let measured = row
            .false_positives
            .zip(row.absent_queries)
            .map(|(hits, queries)| hits as f64 / queries as f64);
        let rate = |rate: Option<f64>| optional(rate, |rate| format!("{:.4} %", rate * 100.0));
        lines.push([
            row.contender.clone(),
            format!("{:?}", row.workload).to_lowercase(),
            format!("{} {}", row.keys, row.key_set),
            optional(row.asked_fpr, |rate| format!("{:.4} %", rate * 100.0)),
            per_key(row.held_bytes),
            per_key(row.peak_build_bytes),
            rate(measured),
            rate(row.predicted_fpr),
            optional(row.seeds, |seeds| seeds.to_string()),
            match (row.error.is_empty(), row.fpr_agrees) {
                (false, _) => "ERROR",
                (true, _) if row.refused_at.is_some() => "refuses so many",
                (true, Some(false)) => "rate is not the formula's",
                (true, Some(true)) => "good",
                (true, None) => "good, no formula",
            }
            .to_owned(),
        ]);
    }
    columns(&lines)
}

/// What `verify` prints about the ribbon systems; nothing if there are none.
pub fn tried(trials: &[Trial]) -> String {
    if trials.is_empty() {
        return String::new();
    }
    let head = ["row bits", "keys", "slots", "seeds", "solved", "verdict"];
    let mut lines = vec![head.map(str::to_owned)];
    lines.extend(trials.iter().map(|trial| {
        let counts = [trial.seeds, trial.solved];
        let [seeds, solved] = counts.map(|count| optional(count, |count| count.to_string()));
        let verdict = if trial.error.is_empty() {
            "good"
        } else {
            "ERROR"
        };
        [
            trial.row_bits.to_string(),
            trial.keys.to_string(),
            trial.slots.to_string(),
            seeds,
            solved,
            verdict.to_owned(),
        ]
    }));
    format!("\n{}", columns(&lines))
}

/// One line about a system with an error.
pub fn failed_trial(trial: &Trial) -> String {
    format!(
        "{}, {} keys in {} slots, rows of {} bits: {}",
        construction::NAME,
        trial.keys,
        trial.slots,
        trial.row_bits,
        trial.error
    )
}

/// One line about an error row.
pub fn failure(row: &Row) -> String {
    let rate = optional(row.asked_fpr, |rate| format!(" at {rate:.4}"));
    format!(
        "{}, {} {} keys{rate}, {:?}: {}",
        row.contender, row.keys, row.key_set, row.workload, row.error
    )
}

/// `1 min 20 s`.
pub fn minutes(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=59 => format!("{} s", seconds.max(1)),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

fn optional<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

/// Lines with aligned columns; the last column is left ragged.
fn columns<const N: usize>(lines: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for line in lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for line in lines {
        let padded = line
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
