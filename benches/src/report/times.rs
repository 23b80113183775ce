//! The advisor's table of times, from records.
//!
//! For our filters, plain and keyed, and the exact structures of the advisor: the time of each
//! workload over random 64-bit keys, for every number of keys and rate or size in the records. If
//! two records have the same cell, the faster one counts, as among the rounds of one record.

use crate::error::BenchError;
use crate::record::{Info, Records, Role, Row, State, Workload};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Contenders that are not filters: exact structures that the advisor recommends, and its measures
/// of memory.
const OTHERS: [&str; 3] = ["ribbon-map", "std-hashset", "line-reads"];

const COLUMNS: [Workload; 5] =
    [Workload::Build, Workload::Query0, Workload::Query50, Workload::Query100, Workload::Remove];

/// The path of the table below the workspace.
pub fn path(root: &Path) -> PathBuf {
    root.join("crates/amq-advisor/src/times.csv")
}

/// A table for each machine, separated by empty lines. The advisor uses the first.
pub fn tables(machines: &[Vec<Records>], root: &Path) -> Result<String, BenchError> {
    let tables = machines.iter().map(|records| table(records, root));
    Ok(tables.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

/// A machine's table. It names the folders of the records relative to the workspace.
fn table(records: &[Records], root: &Path) -> Result<String, BenchError> {
    let (mut date, mut processor, mut names) = (String::new(), String::new(), String::new());
    for record in records {
        date = record.run()?.map_or(date, |run| run.date);
        processor = record.machine()?.map_or(processor, |machine| machine.cpu);
        let folder = record.folder();
        names += &format!(" {}", folder.strip_prefix(root).unwrap_or(folder).display());
    }
    let mut text = format!(
        "# Nanoseconds an operation, written by `amq-bench times` from the records named below. Do \
         not edit.\n# date: {date}\n# processor: {processor}\n# records:{names}\n# hash_ns_per_byte: \
         {:.2}\n# keyed_ns_per_byte: {:.2}\n# insert_p99_9_ns_and_keys: {}\n\
         contender,keys,rate,bytes,build,query0,query50,query100,remove\n",
        ns_per_byte("hash-only", records)?,
        ns_per_byte("keyed-blocked-bloom", records)?,
        tails(records)?
    );
    let ours = ours(records)?;
    let filters = ours.iter().filter(|info| matches!(info.role, Role::Filter | Role::Keyed));
    for contender in filters.map(|info| info.name.as_str()).chain(OTHERS) {
        for (keys, rate, bytes, times) in cells(&rows(contender, true, records)?) {
            let cells = times.map(|ns| ns.map_or_else(String::new, |ns| format!("{ns:.2}")));
            let _ = writeln!(text, "{contender},{keys},{rate:.4e},{bytes},{}", cells.join(","));
        }
    }
    Ok(text)
}

/// Our contenders, by their names in the first record.
fn ours(records: &[Records]) -> Result<Vec<Info>, BenchError> {
    let run = records.first().map(Records::run).transpose()?.flatten();
    let all = run.map(|run| run.contender).unwrap_or_default();
    Ok(all.into_iter().filter(|info| info.ours && !info.many_sets).collect())
}

/// The 99.9th percentile of insert times for each filter of fixed size that is filled key by key:
/// of the largest one measured, at its planned load or above, with the number of keys it was
/// planned for. Filters that grow have none, since they pause more rarely and for longer. The exact
/// set counts at stops between which it did not grow.
fn tails(records: &[Records]) -> Result<String, BenchError> {
    let mut tails = Vec::new();
    let ours = ours(records)?;
    let filters = ours.iter().filter(|info| info.role == Role::Filter);
    for contender in filters.map(|info| info.name.as_str()).chain(["std-hashset"]) {
        let (mut largest, mut tail, mut held) = ((None, 0), None, None);
        for row in rows(contender, false, records)? {
            let had_room = std::mem::replace(&mut held, row.held_bytes) == held;
            let (is_fixed, planned) = match row.workload == Workload::Grow {
                true => (had_room && contender == "std-hashset", Some(row.keys)),
                // At most a twentieth of the slots is free.
                false => (row.load.is_none_or(|load| load < 0.951), row.planned_keys),
            };
            if is_fixed && row.ns_p99_9.is_some() && (planned, row.keys) > largest {
                (largest, tail) = ((planned, row.keys), row.ns_p99_9.zip(planned));
            }
        }
        tails.extend(tail.map(|(ns, keys)| format!("{contender} {ns:.0} {keys}")));
    }
    Ok(tails.join(", "))
}

/// The time to hash one more byte of a key: strings have 40 bytes on average, integers 8.
fn ns_per_byte(contender: &str, records: &[Records]) -> Result<f64, BenchError> {
    let mut rows = rows(contender, true, records)?;
    rows.retain(|row| row.workload == Workload::Query50 && row.asked_bits.is_none());
    let time = |set: &str| {
        let of_set = rows.iter().filter(|row| row.key_set == set && row.keys == 100_000);
        of_set.filter_map(|row| row.ns).reduce(f64::min)
    };
    Ok(time("strings").zip(time("random-u64")).map_or(0.0, |(long, short)| long - short) / 32.0)
}

/// The cells of all records: of whole filters, or of scenarios.
fn rows(contender: &str, whole: bool, records: &[Records]) -> Result<Vec<Row>, BenchError> {
    let mut all = Vec::new();
    for record in records {
        all.extend(record.rows(contender)?);
    }
    all.retain(|row| row.state == State::Measured && row.planned_keys.is_none() == whole);
    Ok(all)
}

/// Number of keys, rate, bytes, and a time for each column.
type Cell = (u64, f64, u64, [Option<f64>; 5]);

/// The cells with times, by keys and descending rate. Two sizes may have the same rate.
fn cells(rows: &[Row]) -> Vec<Cell> {
    let usual = || rows.iter().filter(|row| row.key_set == "random-u64");
    let asked = |row: &Row| format!("{} {:?} {:?}", row.keys, row.asked_fpr, row.asked_bits);
    let verified = usual().filter(|row| row.workload == Workload::Verify);
    let size = |row: &Row| (row.predicted_fpr.unwrap_or(0.0), row.held_bytes.unwrap_or(0));
    let sizes: BTreeMap<String, (f64, u64)> = verified.map(|row| (asked(row), size(row))).collect();
    let mut found: BTreeMap<(u64, String), Cell> = BTreeMap::new();
    for row in usual() {
        let (rate, bytes) = sizes.get(&asked(row)).copied().unwrap_or_default();
        let Some(at) = COLUMNS.iter().position(|column| *column == row.workload) else { continue };
        let cell = (row.keys, rate, bytes, [None; 5]);
        let cell = found.entry((row.keys, format!("{rate:.4e}"))).or_insert(cell);
        cell.3[at] = cell.3[at].into_iter().chain(row.ns).reduce(f64::min);
    }
    let mut cells: Vec<Cell> = found.into_values().collect();
    // Small numbers of keys are verified, not timed.
    cells.retain(|(.., times)| times.iter().any(Option::is_some));
    cells.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    cells
}

#[test]
fn the_committed_table_is_the_fit_of_the_records_that_it_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let committed = std::fs::read_to_string(path(root)).unwrap();
    let lines = committed.lines().filter_map(|line| line.strip_prefix("# records: "));
    let record = |name: &str| Records::newest(&root.join(name), None).unwrap();
    let machines: Vec<Vec<_>> = lines.map(|line| line.split(' ').map(record).collect()).collect();
    assert_eq!(tables(&machines, root).unwrap(), committed);
}
