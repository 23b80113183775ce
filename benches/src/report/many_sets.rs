//! Which of many sets may hold a key: query time against the number of sets.

use super::Found;
use super::data::{Data, Entry, Of};
use super::html::figure;
use super::number::{keys, two};
use super::numbers::time;
use super::plot::{Mark, Plot, Series};
use super::table::Table;
use crate::record::{Row, SET_KEYS, Workload};
use maud::html;
use std::collections::BTreeSet;

const FILTER: &str = "interleaved";
const LOOP: &str = "blocked-bloom-loop";
/// The lines: a contender, its workload, and the name of the line.
const LINES: [(&str, Workload, &str); 3] = [
    (FILTER, Workload::Query50, "interleaved"),
    (FILTER, Workload::Batch50, "in batches"),
    (LOOP, Workload::Query50, "loop over filters"),
];
const FLOOR: (&str, Workload, &str) = ("row-reads", Workload::Query50, "rows read at random");

pub(super) fn many_sets(data: &Data) -> Found {
    let all = data.run.contender.iter().find(|info| info.name == FILTER)?;
    let rows = data.all().filter(|row| row.contender == all.name);
    let sizes: Vec<u64> = rows.map(|row| row.keys).collect::<BTreeSet<_>>().into_iter().collect();
    let entry = |name: &str, size| data.entry(name, Of::Rate("random-u64", size, 0.01));
    let row = |(name, workload, _): (&str, Workload, _), size: u64| -> Option<&Row> {
        entry(name, size)?.row(workload)
    };
    let line = |of: (&'static str, Workload, &'static str)| {
        let info = data.run.contender.iter().find(|info| info.name == of.0)?;
        let mark = |size: &u64| Some(Mark::at((size / SET_KEYS) as f64, row(of, *size)?.ns?));
        let marks = sizes.iter().filter_map(mark).collect();
        Some(Series::of(info, marks).joined().named(of.2))
    };
    let mut lines: Vec<Series> = LINES.into_iter().filter_map(line).collect();
    let floor =
        sizes.iter().filter_map(|size| Some(((size / SET_KEYS) as f64, row(FLOOR, *size)?.ns?)));
    lines.push(Series::guide(FLOOR.2, floor.collect()));
    let most = *sizes.last()?;
    let [one, many, in_turn] = LINES.map(|of| row(of, most)?.ns);
    let finding = format!(
        "Of {} sets a key is looked up in {} ns one by one and {} ns in batches, by a loop over as many \
         filters in {} ns.",
        keys(most / SET_KEYS),
        two(one?),
        two(many?),
        two(in_turn?)
    );
    let caption = format!(
        "Half of the keys are in one of the sets, which have {SET_KEYS} keys each on average, and room \
         for half as many more at 1 %. The loop hashes a key once and asks a split-block filter for \
         each set. The dashed line reads rows as long as the filter's at random."
    );
    let axes = ["sets (log)", "ns per query (log)"];
    let plot = Plot::new("many-sets", caption, axes, lines)?;
    let mut table = Table::of(&sizes).word("sets", |size| keys(size / SET_KEYS));
    for of in LINES.into_iter().chain([FLOOR]) {
        table = table.number(of.2, |size| time(row(of, *size)?));
    }
    table = table.number("bits per key", |size| {
        Some(two(entry(FILTER, *size).as_ref().and_then(Entry::bits)?))
    });
    Some((
        finding,
        html! { div.figures { (figure(&plot).ok()?) } (table.html("ns per query, for all sets at once.")) },
    ))
}
