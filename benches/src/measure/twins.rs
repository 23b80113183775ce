//! The noise: how far a contender entered twice differs from itself.

use super::estimate::{ESTIMATES, Estimate, quantile};
use crate::contenders;
use crate::error::BenchError;
use crate::record::{Noise, Records, Rounds, Row, Workload};
use std::collections::{BTreeMap, BTreeSet};

/// Each twin and the contender that it repeats.
fn twins() -> impl Iterator<Item = (&'static str, &'static str)> {
    let infos = contenders::ALL.iter().map(|contender| contender.info());
    infos.filter_map(|info| Some((info.name, info.twin_of?)))
}

/// The relative difference of two times.
fn difference(a: f64, b: f64) -> f64 {
    (a - b).abs() / a.min(b)
}

/// Half of the differences, and nine in ten, are at most these.
fn floors(differences: &[f64]) -> Option<(f64, f64)> {
    Some((quantile(differences, 0.5)?, quantile(differences, 0.9)?))
}

/// The noise of each workload, and of all together.
pub fn noise<'a>(rows: impl Fn(&str) -> &'a [Row]) -> (Vec<Noise>, Option<f64>, Option<f64>) {
    let mut by_workload: BTreeMap<Workload, Vec<f64>> = BTreeMap::new();
    let cell = |row: &Row| (row.cell(), row.workload, row.load);
    for (twin, first) in twins() {
        for row in rows(twin) {
            let other = rows(first).iter().find(|other| cell(row) == cell(other));
            if let (Some(a), Some(b)) = (row.ns, other.and_then(|other| other.ns)) {
                by_workload.entry(row.workload).or_default().push(difference(a, b));
            }
        }
    }
    let noise = by_workload.iter().filter_map(|(&workload, found)| {
        let (median, floor) = floors(found)?;
        Some(Noise { workload, pairs: found.len() as u64, median, floor })
    });
    let all = by_workload.values().flatten().copied().collect::<Vec<_>>();
    let (median, floor) = floors(&all).unzip();
    (noise.collect(), median, floor)
}

/// What the differences between twins of a record would be with each estimate: half of the cells
/// and nine in ten stay below these, in percent.
pub fn table(records: &Records) -> Result<String, BenchError> {
    let cell = |rounds: &Rounds| Rounds {
        contender: String::new(),
        ns: Vec::new(),
        reference_ns: Vec::new(),
        ..rounds.clone()
    };
    let mut pairs = Vec::new();
    for (twin, first) in twins() {
        let theirs = records.rounds(first)?;
        for rounds in records.rounds(twin)? {
            let other = theirs.iter().find(|other| cell(other) == cell(&rounds));
            pairs.extend(other.map(|other| [other.clone(), rounds]));
        }
    }
    let line = |name: &str, is_in: &dyn Fn(Workload) -> bool| {
        let pairs: Vec<_> = pairs.iter().filter(|[rounds, _]| is_in(rounds.workload)).collect();
        let of = |estimate: Estimate| {
            let differences = pairs.iter().filter_map(|pair| {
                let [a, b] = pair.each_ref().map(|one| estimate(&one.ns, &one.reference_ns));
                Some(difference(a?, b?))
            });
            let (half, most) = floors(&differences.collect::<Vec<_>>()).unwrap_or_default();
            format!("  {:5.2} {:6.2}", 100.0 * half, 100.0 * most)
        };
        format!(
            "{name:14} {:5}{}\n",
            pairs.len(),
            ESTIMATES.map(|(_, estimate)| of(estimate)).concat()
        )
    };
    let workloads: BTreeSet<Workload> = pairs.iter().map(|[rounds, _]| rounds.workload).collect();
    let names = ESTIMATES.map(|(name, _)| name).join("; ");
    let mut text =
        format!("workload       cells  half and nine in ten below, in percent: {names}\n");
    for workload in workloads {
        text += &line(&workload.to_string(), &|other| other == workload);
    }
    Ok(text + &line("all", &|_| true))
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
    fn stored_rounds_tell_what_other_estimates_would_say() {
        let dir = tempfile::tempdir().unwrap();
        let records = Records::of_day(dir.path(), "m", "2000-01-01");
        for (name, ns) in [("bloom", [10.0, 10.0, 30.0]), ("bloom-twin", [10.0, 11.0, 11.0])] {
            let rounds = Rounds::of(&row(name, 5, 1.0), &ns, &[1.0; 3]);
            records.write_rounds(name, &[rounds]).unwrap();
        }
        let text = table(&records).unwrap();
        // The medians differ by a tenth, the fastest not at all.
        let all = "all                1   0.00   0.00   0.00   0.00  10.00  10.00  10.00  10.00\n";
        assert!(text.ends_with(all), "{text}");
    }
}
