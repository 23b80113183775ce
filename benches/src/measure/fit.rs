//! The advisor's table of times, fitted from records.
//!
//! For each filter of ours, the map and the exact set: the time of each workload over random 64-bit
//! keys, for every number of keys and every rate or size in the records. Where two records have the
//! same cell, the faster time counts, as it does among the rounds of one.

use crate::contenders;
use crate::error::BenchError;
use crate::record::{Records, Role, Row, State, Workload};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Not filters, but what the advisor also answers with.
const OTHERS: [&str; 2] = ["ribbon-map", "std-hashset"];

const COLUMNS: [Workload; 5] =
    [Workload::Build, Workload::Query0, Workload::Query50, Workload::Query100, Workload::Remove];

/// Bytes of the harness' strings on average, and of its integers.
const STRING_BYTES: [f64; 2] = [40.0, 8.0];

/// Where the table stands below the workspace.
pub fn path(root: &Path) -> PathBuf {
    root.join("crates/amq-advisor/src/times.csv")
}

/// The table; with each record the name of its folder below the workspace.
pub fn table(records: &[(Records, String)]) -> Result<String, BenchError> {
    let (mut date, mut processor) = (String::new(), String::new());
    for (record, _) in records {
        date = record.run()?.map_or(date, |run| run.date);
        processor = record.machine()?.map_or(processor, |machine| machine.cpu);
    }
    let names: Vec<&str> = records.iter().map(|(_, name)| name.as_str()).collect();
    let mut text = format!(
        "# Nanoseconds an operation, written by `amq-bench fit` from the records named below. Do \
         not edit.\n# date: {date}\n# processor: {processor}\n# records: {}\n# hash_ns_per_byte: \
         {:.2}\n# insert_p99_9_ns: {}\n\
         contender,keys,rate,build,query0,query50,query100,remove\n",
        names.join(" "),
        hash_ns_per_byte(records)?,
        tails(records)?
    );
    for contender in filters().chain(OTHERS) {
        for (keys, rate, times) in cells(&rows(contender, records)?) {
            let cells = times.map(|ns| ns.map_or_else(String::new, |ns| format!("{ns:.2}")));
            let _ = writeln!(text, "{contender},{keys},{rate:.4e},{}", cells.join(","));
        }
    }
    Ok(text)
}

/// The names of our filters.
fn filters() -> impl Iterator<Item = &'static str> {
    let ours = contenders::ALL.iter().map(|contender| contender.info);
    let ours = ours.filter(|info| info.ours && info.role == Role::Filter);
    ours.map(|info| info.name.as_str())
}

/// What one insert in a thousand exceeds, for each filter of fixed size that takes keys one by one:
/// where it is as full as planned or fuller, of the largest one measured, with the keys it was
/// planned for. What grows stops to grow more rarely than that, and for longer: it has none.
fn tails(records: &[(Records, String)]) -> Result<String, BenchError> {
    let grow = Workload::course("grow");
    let mut tails = Vec::new();
    for contender in filters() {
        let (mut largest, mut tail) = ((0, 0), None);
        for (record, _) in records {
            for row in record.rows(contender)? {
                // A twentieth is left free at the most; what was planned is never more.
                let is_course = row.planned_keys.is_some() && row.workload != grow;
                let is_full = is_course && row.load.is_none_or(|load| load < 0.951);
                let size = (row.planned_keys.unwrap_or(0), row.keys);
                if row.ns_p99_9.is_some() && is_full && size > largest {
                    (largest, tail) = (size, row.ns_p99_9);
                }
            }
        }
        tails.extend(tail.map(|ns| format!("{contender} {ns:.0} {}", largest.0)));
    }
    Ok(tails.join(", "))
}

/// What a byte more of a key costs to hash.
fn hash_ns_per_byte(records: &[(Records, String)]) -> Result<f64, BenchError> {
    let rows = rows("hash-only", records)?;
    let time = |set: &str| {
        let of_set = rows.iter().filter(|row| row.key_set == set && row.keys == 100_000);
        let asked = of_set.filter(|row| row.workload == Workload::Query50);
        asked.filter_map(|row| row.ns).reduce(f64::min)
    };
    let rise = time("strings").zip(time("random-u64")).map(|(long, short)| long - short);
    Ok(rise.unwrap_or(0.0) / (STRING_BYTES[0] - STRING_BYTES[1]))
}

/// What all records say about whole filters.
fn rows(contender: &str, records: &[(Records, String)]) -> Result<Vec<Row>, BenchError> {
    let mut all = Vec::new();
    for (record, _) in records {
        all.extend(record.rows(contender)?);
    }
    all.retain(|row| row.state == State::Measured && row.planned_keys.is_none());
    Ok(all)
}

/// Number of keys, rate, and a time for each column.
type Cell = (u64, f64, [Option<f64>; 5]);

/// The cells with times, by keys and falling rate. Two sizes may come to one rate.
fn cells(rows: &[Row]) -> Vec<Cell> {
    let usual = |row: &&Row| row.key_set == "random-u64";
    let asked = |row: &Row| format!("{} {:?} {:?}", row.keys, row.asked_fpr, row.asked_bits);
    let verified = rows.iter().filter(usual).filter(|row| row.workload == Workload::Verify);
    let rates: BTreeMap<String, f64> =
        verified.map(|row| (asked(row), row.predicted_fpr.unwrap_or(0.0))).collect();
    let mut found: BTreeMap<(u64, String), Cell> = BTreeMap::new();
    for row in rows.iter().filter(usual) {
        let rate = rates.get(&asked(row)).copied().unwrap_or(0.0);
        let Some(at) = COLUMNS.iter().position(|column| *column == row.workload) else { continue };
        let cell =
            found.entry((row.keys, format!("{rate:.4e}"))).or_insert((row.keys, rate, [None; 5]));
        cell.2[at] = cell.2[at].into_iter().chain(row.ns).reduce(f64::min);
    }
    let mut cells: Vec<Cell> = found.into_values().collect();
    // Few keys are verified, not timed.
    cells.retain(|(.., times)| times.iter().any(Option::is_some));
    cells.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    cells
}

#[test]
fn the_committed_table_is_the_fit_of_the_records_that_it_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let committed = std::fs::read_to_string(path(root)).unwrap();
    let line = committed.lines().find_map(|line| line.strip_prefix("# records: ")).unwrap();
    let record = |name: &str| (Records::newest(&root.join(name), None).unwrap(), name.to_owned());
    let records: Vec<_> = line.split(' ').map(record).collect();
    assert_eq!(table(&records).unwrap(), committed);
}
