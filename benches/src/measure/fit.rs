//! The cost model of the facade's advisor: a table of times, fitted from a record.
//!
//! For each filter of ours, and the exact set: the time of each workload over random 64-bit keys at
//! 1 %, for every number of keys in the record; and, where the record has 0.1 % too, by how much
//! the time rises per bit of `log2(1 / rate)`.

use crate::contenders;
use crate::error::BenchError;
use crate::record::{Records, Role, Row, State, Workload};
use std::path::{Path, PathBuf};

/// Not ours, but what a filter is measured against.
const EXACT_SET: &str = "std-hashset";

const COLUMNS: [Workload; 5] =
    [Workload::Build, Workload::Query0, Workload::Query50, Workload::Query100, Workload::Remove];

/// The rates: of the points, and the one that the slope is taken to.
const RATES: [f64; 2] = [0.01, 0.001];

/// Where the table stands below the workspace.
pub fn path(root: &Path) -> PathBuf {
    root.join("crates/amq-advisor/src/cost/record.rs")
}

/// The table as source text; `name` is the record's folder below the workspace.
pub fn table(records: &Records, name: &str) -> Result<String, BenchError> {
    let mut text = format!(
        "//! Written by `amq-bench fit` from the record named below. Do not edit.\n\n\
         use super::figures::{{Figures, NAN}};\n\n\
         /// Where the figures come from.\n\
         pub(super) const SOURCE: &str = \"{name}\";\n\n\
         /// For each contender of the harness its figures, for a growing number of random 64-bit\n\
         /// keys at a rate of 1 %.\n\
         #[rustfmt::skip]\n\
         pub(super) const FIGURES: &[Figures] = &[\n"
    );
    let ours = contenders::ALL.iter().map(|contender| contender.info);
    let ours = ours.filter(|info| info.ours && info.role == Role::Filter);
    for name in ours.map(|info| info.name.as_str()).chain([EXACT_SET]) {
        text.extend(figures(name, &records.rows(name)?));
    }
    text.push_str("];\n");
    Ok(text)
}

fn figures(contender: &str, rows: &[Row]) -> Option<String> {
    let facts = of_filters(rows, RATES[0]).filter(|row| row.workload == Workload::Verify);
    let mut points: Vec<(u64, u64, [f64; 5])> = facts
        .filter_map(|row| {
            let times = COLUMNS.map(|column| time(rows, row.keys, RATES[0], column));
            Some((row.keys, row.held_bytes?, times))
        })
        // Few keys are verified, not timed.
        .filter(|(.., times)| times.iter().any(|time| time.is_finite()))
        .collect();
    points.sort_unstable_by_key(|point| point.0);
    let bits = (RATES[0] / RATES[1]).log2();
    let slope = |column| {
        let rise = |&(keys, ..): &(u64, u64, [f64; 5])| {
            let [at, below] = RATES.map(|rate| time(rows, keys, rate, column));
            let rise = (below - at) / bits;
            rise.is_finite().then_some(rise.max(0.0))
        };
        points.iter().rev().find_map(rise).unwrap_or(0.0)
    };
    let line = |(_, bytes, times): &(u64, u64, [f64; 5])| {
        format!("            ({bytes}, {}),\n", array(*times))
    };
    let (lines, slopes) = (points.iter().map(line).collect::<String>(), array(COLUMNS.map(slope)));
    (!points.is_empty()).then(|| {
        format!(
            "    Figures {{\n        contender: \"{contender}\",\n        points: &[\n{lines}        \
             ],\n        per_bit: {slopes},\n    }},\n"
        )
    })
}

/// The rows about a whole filter of random keys at a rate, or at none where there is no choice.
fn of_filters(rows: &[Row], fpr: f64) -> impl Iterator<Item = &Row> {
    rows.iter().filter(move |row| {
        row.key_set == "random-u64"
            && row.state == State::Measured
            && row.planned_keys.is_none()
            && row.asked_bits.is_none()
            && row.asked_fpr.is_none_or(|asked| asked == fpr)
    })
}

/// The time of a workload; NaN if there is none.
fn time(rows: &[Row], keys: u64, fpr: f64, workload: Workload) -> f64 {
    let mut rows = of_filters(rows, fpr);
    let row = rows.find(|row| row.keys == keys && row.workload == workload);
    row.and_then(|row| row.ns).unwrap_or(f64::NAN)
}

fn array(times: [f64; 5]) -> String {
    let cells = times.map(|ns| if ns.is_nan() { "NAN".to_owned() } else { format!("{ns:.1}") });
    format!("[{}]", cells.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_committed_table_is_the_fit_of_the_record_that_it_names() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let committed = fs::read_to_string(path(root)).unwrap();
        let name = committed.split('"').nth(1).unwrap();
        let records = Records::newest(&root.join(name), None).unwrap();
        assert_eq!(table(&records, name).unwrap(), committed);
    }
}
