//! The 99.9th percentile of single queries and inserts.

use super::Found;
use super::data::{Data, Entry, Of, ranked};
use super::number::two;
use super::table::Table;
use crate::record::Workload;

/// Scenarios that time single inserts. The first one in which a filter takes part is shown.
const INSERTS: [(Workload, &str); 3] = [
    (Workload::LoadInsert, "in a table 90 % full"),
    (Workload::Grow, "as it grows"),
    (Workload::Overfill, "past its plan"),
];

pub(super) fn tails(data: &Data) -> Found {
    let insert = |entry: &Entry<'_>| {
        INSERTS.into_iter().find_map(|(scenario, when)| {
            let rows = data.entry(entry.name(), Of::Scenario(scenario))?.rows;
            let is_meant = |load: Option<f64>| load.is_none_or(|load| (load - 0.9).abs() < 0.01);
            let tails = rows.iter().filter(|row| is_meant(row.load)).filter_map(|row| row.ns_p99_9);
            Some((tails.reduce(f64::max)?, when))
        })
    };
    let tail = |entry: &Entry<'_>| entry.row(Workload::Query50)?.ns_p99_9;
    let all = ranked(data.entries(data.main()), tail);
    let [(least, low), .., (most, high)] = &all[..] else { return None };
    let finding = format!(
        "Of single queries one in a thousand exceeds {} ns in {}, {} ns in {}.",
        two(*low),
        least.name(),
        two(*high),
        most.name()
    );
    let table = Table::of(&all)
        .word("contender", |(of, _)| of.name())
        .word("inserts measured", |(of, _)| insert(of).map_or("", |(_, when)| when))
        .number("mean query", |(of, _)| Some(two(of.ns(Workload::Query50)?)))
        .number("99.9 % of queries below", |(_, tail)| Some(two(*tail)))
        .number("99.9 % of inserts below", |(of, _)| Some(two(insert(of)?.0)));
    Some((finding, table.html("ns. Single operations include about 20 ns for reading the clock.")))
}
