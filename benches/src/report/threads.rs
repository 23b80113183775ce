//! The speedup of several threads on one filter.

use super::Found;
use super::data::{Data, Entry, Of, ranked};
use super::number::keys;
use super::numbers::time;
use super::table::Table;
use crate::record::{Row, Workload};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The scenarios, with their descriptions.
const SCENARIOS: [(Workload, &str); 2] =
    [(Workload::ThreadsInsert, "insert"), (Workload::ThreadsQuery, "query")];

fn row<'a>(entry: &Entry<'a>, threads: u64) -> Option<&'a Row> {
    entry.rows.iter().copied().find(|row| row.threads == Some(threads) && row.ns.is_some())
}

pub(super) fn threads(data: &Data) -> Found {
    let (mut tables, mut found) = (Vec::<Markup>::new(), Vec::new());
    for (scenario, deed) in SCENARIOS {
        let entries = data.entries(Of::Scenario(scenario));
        let many = keys(entries.first()?.rows.first()?.keys);
        let rows = entries.iter().flat_map(|entry| &entry.rows);
        let counts: BTreeSet<u64> = rows.filter_map(|row| row.threads).collect();
        let most = *counts.last()?;
        let all = ranked(entries, |entry| row(entry, most)?.ns);
        // The speedup of all threads over one.
        let gain = |of: &Entry<'_>| Some(row(of, 1)?.ns? / row(of, most)?.ns?);
        let (best, _) = all.first()?;
        found.push(format!(
            "{most} threads {deed} fastest in {}, {:.2} times as fast as one",
            best.name(),
            gain(best)?
        ));
        let mut table = Table::of(&all).word(deed, |(entry, _)| entry.name());
        for threads in counts {
            let head = format!("{threads} threads");
            table = table.number(&head, |(entry, _)| time(row(entry, threads)?));
        }
        table = table.number("gain", |(entry, _)| Some(format!("{:.2}", gain(entry)?)));
        tables.push(
            table.html(&format!("ns of wall time per key, {many} keys; gain over one thread.")),
        );
    }
    Some((found.join("; ") + ".", html! { @for table in &tables { (table) } }))
}
