//! The noise: how far a contender entered twice differs from itself.

use super::estimate::{Estimator, quantile};
use crate::contenders;
use crate::error::BenchError;
use crate::record::{Noise, Records, Rounds, Row, Workload};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Each twin and the contender that it repeats.
fn twins() -> Vec<(&'static str, &'static str)> {
    let infos = contenders::ALL.iter().map(|contender| contender.info());
    infos.filter_map(|info| Some((info.name, info.twin_of?))).collect()
}

/// The relative difference of two times.
fn difference(a: f64, b: f64) -> f64 {
    (a - b).abs() / a.min(b)
}

/// The noise of each workload, and of all together.
pub fn noise<'a>(rows: impl Fn(&str) -> &'a [Row]) -> (Vec<Noise>, Option<f64>, Option<f64>) {
    let mut by_workload: BTreeMap<Workload, Vec<f64>> = BTreeMap::new();
    for (twin, first) in twins() {
        for row in rows(twin) {
            let other = rows(first).iter().find(|other| same(row, other));
            if let (Some(a), Some(b)) = (row.ns, other.and_then(|other| other.ns)) {
                by_workload.entry(row.workload).or_default().push(difference(a, b));
            }
        }
    }
    let all: Vec<f64> = by_workload.values().flatten().copied().collect();
    let of = |(&workload, found): (&Workload, &Vec<f64>)| {
        Some(Noise {
            workload,
            pairs: found.len() as u64,
            median: quantile(found, 0.5)?,
            floor: quantile(found, 0.9)?,
        })
    };
    let noise = by_workload.iter().filter_map(of).collect();
    (noise, quantile(&all, 0.5), quantile(&all, 0.9))
}

fn same(row: &Row, other: &Row) -> bool {
    (row.cell(), row.workload, row.load) == (other.cell(), other.workload, other.load)
}

/// What the differences between twins of a record would be with each estimator: half of the cells
/// and nine in ten stay below these, in percent.
pub fn table(records: &Records) -> Result<String, BenchError> {
    let mut differences: BTreeMap<(Workload, usize), Vec<f64>> = BTreeMap::new();
    for (twin, first) in twins() {
        let (ours, theirs) = (records.rounds(twin)?, records.rounds(first)?);
        for rounds in &ours {
            let is_same = |other: &&Rounds| {
                let mut other = (*other).clone();
                other.contender.clone_from(&rounds.contender);
                (other.ns, other.reference_ns) = (rounds.ns.clone(), rounds.reference_ns.clone());
                other == *rounds
            };
            let Some(other) = theirs.iter().find(is_same) else {
                continue;
            };
            for (place, estimator) in Estimator::ALL.into_iter().enumerate() {
                let of = |rounds: &Rounds| estimator.ratio(&rounds.ns, &rounds.reference_ns);
                if let (Some(a), Some(b)) = (of(rounds), of(other)) {
                    let found = differences.entry((rounds.workload, place)).or_default();
                    found.push(difference(a, b));
                }
            }
        }
    }
    let mut text = "workload       cells  half and nine in ten below, in percent: ".to_owned();
    text += &Estimator::ALL.map(|estimator| estimator.to_string()).join("; ");
    text.push('\n');
    let mut all = vec![Vec::new(); Estimator::ALL.len()];
    let workloads: Vec<Workload> = differences.keys().map(|(workload, _)| *workload).collect();
    let mut line = |name: &str, of: &dyn Fn(usize) -> Vec<f64>| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{name:14} {:5}", of(0).len());
        for place in 0..Estimator::ALL.len() {
            let at = |share| 100.0 * quantile(&of(place), share).unwrap_or(f64::NAN);
            let _ = write!(text, "  {:5.2} {:6.2}", at(0.5), at(0.9));
        }
        text.push('\n');
    };
    for (place, workload) in workloads.iter().enumerate() {
        if workloads[..place].contains(workload) {
            continue;
        }
        let of = |place| differences.get(&(*workload, place)).cloned().unwrap_or_default();
        line(&workload.to_string(), &of);
    }
    for ((_, place), found) in differences {
        all[place].extend(found);
    }
    line("all", &|place| all[place].clone());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Cell;

    fn row(contender: &str, keys: u64, ns: f64) -> Row {
        let cell = Cell { keys, ..Cell::default() };
        Row { ns: Some(ns), ..Row::new(contender, &cell, Workload::Query50) }
    }

    #[test]
    fn twins_differ_by_the_share_of_the_faster() {
        let first: Vec<Row> = (1..=10).map(|keys| row("bloom", keys, 100.0)).collect();
        let of = |keys: u64| row("bloom-twin", keys, 100.0 + keys as f64);
        let twin: Vec<Row> = (1..=10).map(of).collect();
        let (noise, median, floor) = noise(|name| match name {
            "bloom" => &first,
            "bloom-twin" => &twin,
            _ => &[],
        });
        assert_eq!((median, floor), (Some(0.05), Some(0.09)));
        assert_eq!((noise.len(), noise[0].pairs, noise[0].floor), (1, 10, 0.09));
    }

    #[test]
    fn stored_rounds_tell_what_other_estimators_would_say() {
        let dir = tempfile::tempdir().unwrap();
        let records = Records::of_day(dir.path(), "m", "2000-01-01");
        for (name, ns) in [("bloom", [10.0, 10.0, 30.0]), ("bloom-twin", [10.0, 11.0, 11.0])] {
            let rounds = Rounds::of(&row(name, 5, 1.0), &ns, &[1.0; 3]);
            records.write_rounds(name, &[rounds]).unwrap();
        }
        let text = table(&records).unwrap();
        let all = text.lines().last().unwrap();
        // Medians differ by a tenth, minima not at all.
        assert!(all.contains(" 10.00  10.00") && all.contains("  0.00   0.00"), "{text}");
    }
}
