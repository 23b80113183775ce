//! The noise: the differences between contenders and their twins.

use super::estimate::quantile;
use crate::contenders;
use crate::record::{Noise, Row, Workload};
use std::collections::BTreeMap;

/// The median and the 90th percentile of the differences.
fn floors(differences: &[f64]) -> Option<(f64, f64)> {
    Some((quantile(differences, 0.5)?, quantile(differences, 0.9)?))
}

pub fn noise<'a>(rows: impl Fn(&str) -> &'a [Row]) -> (Vec<Noise>, Option<f64>, Option<f64>) {
    let mut by_workload: BTreeMap<Workload, Vec<f64>> = BTreeMap::new();
    let cell = |row: &Row| (row.cell(), row.workload, row.load);
    let infos = contenders::ALL.iter().map(|contender| contender.info);
    for (twin, first) in infos.filter_map(|info| Some((&info.name, info.twin_of.as_ref()?))) {
        for row in rows(twin) {
            let other = rows(first).iter().find(|other| cell(row) == cell(other));
            if let (Some(a), Some(b)) = (row.ns, other.and_then(|other| other.ns)) {
                by_workload.entry(row.workload).or_default().push((a - b).abs() / a.min(b));
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

#[test]
fn twins_differ_by_the_share_of_the_faster() {
    use crate::record::Cell;
    let rows = |more: u64| -> Vec<Row> {
        let cells = (1..=10).map(|keys| Cell { keys, ..Cell::default() });
        let ns = |keys| Some((100 + more * keys) as f64);
        let row = |cell: Cell| Row { ns: ns(cell.keys), ..Row::new("", &cell, Workload::Query50) };
        cells.map(row).collect()
    };
    let (first, twin) = (rows(0), rows(1));
    let (noise, median, floor) = noise(|name| match name {
        "bloom" => &first,
        "bloom-twin" => &twin,
        _ => &[],
    });
    assert_eq!((median, floor), (Some(0.05), Some(0.09)));
    assert_eq!((noise.len(), noise[0].pairs, noise[0].floor), (1, 10, 0.09));
}
