//! The advisor's table of times, from records.
//!
//! For filters of ours, plain and keyed, and what else the advisor reckons with: the time of each
//! workload over random 64-bit keys, for every number of keys and rate or size in the records. Of
//! two records of one cell the faster counts, as it does among the rounds of one.

use crate::error::BenchError;
use crate::record::{Info, Records, Role, Row, State, Workload};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Not filters, but what the advisor also answers with, and what it measures memory by.
const OTHERS: [&str; 3] = ["ribbon-map", "std-hashset", "line-reads"];

const COLUMNS: [Workload; 5] =
    [Workload::Build, Workload::Query0, Workload::Query50, Workload::Query100, Workload::Remove];

/// Where the table stands below the workspace.
pub fn path(root: &Path) -> PathBuf {
    root.join("crates/amq-advisor/src/times.csv")
}

/// A table for each machine, an empty line between them. The advisor reckons with the first.
pub fn tables(machines: &[Vec<Records>], root: &Path) -> Result<String, BenchError> {
    let tables = machines.iter().map(|records| table(records, root));
    Ok(tables.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

/// A machine's table; it names the records' folders as they stand below the workspace.
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

/// Our contenders, as the first record names them.
fn ours(records: &[Records]) -> Result<Vec<Info>, BenchError> {
    let run = records.first().map(Records::run).transpose()?.flatten();
    let all = run.map(|run| run.contender).unwrap_or_default();
    Ok(all.into_iter().filter(|info| info.ours && !info.many_sets).collect())
}

/// What one insert in a thousand exceeds, for each filter of fixed size that takes keys one by one:
/// where it is as full as planned or fuller, of the largest one measured, with the keys it was
/// planned for. What grows stops to grow more rarely than that, and for longer: it has none. The
/// exact set counts where it has had room for all keys since the stop before.
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
                // A twentieth is left free at the most; what was planned is never more.
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

/// What a byte more of a key costs to hash: strings have 40 on average, integers 8.
fn ns_per_byte(contender: &str, records: &[Records]) -> Result<f64, BenchError> {
    let mut rows = rows(contender, true, records)?;
    rows.retain(|row| row.workload == Workload::Query50 && row.asked_bits.is_none());
    let time = |set: &str| {
        let of_set = rows.iter().filter(|row| row.key_set == set && row.keys == 100_000);
        of_set.filter_map(|row| row.ns).reduce(f64::min)
    };
    Ok(time("strings").zip(time("random-u64")).map_or(0.0, |(long, short)| long - short) / 32.0)
}

/// What all records say: about whole filters, or scenarios.
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

/// The cells with times, by keys and falling rate. Two sizes may come to one rate.
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
    // Few keys are verified, not timed.
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
