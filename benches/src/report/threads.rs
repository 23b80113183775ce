//! What threads gain by sharing a filter.

use super::prelude::*;
use std::collections::BTreeSet;

/// The courses, and what threads do on them.
const COURSES: [(&str, &str); 2] = [("threads_insert", "insert"), ("threads_query", "query")];

fn row<'a>(entry: &Entry<'a>, threads: u64) -> Option<&'a Row> {
    entry.rows.iter().copied().find(|row| row.threads == Some(threads) && row.ns.is_some())
}

pub(super) fn threads(data: &Data) -> Found {
    if data.machine.as_ref().is_some_and(|machine| machine.cores == 1) {
        let none = "Not measured: this machine runs one thread at a time.";
        return Some((none.to_owned(), Vec::new()));
    }
    let (mut tables, mut found, mut what) = (Vec::new(), None, String::new());
    for (course, deed) in COURSES {
        let entries = data.entries(Of::Course(course));
        what = keys(entries.first()?.keys());
        let rows = entries.iter().flat_map(|entry| &entry.rows);
        let counts: BTreeSet<u64> = rows.filter_map(|row| row.threads).collect();
        let most = *counts.last()?;
        // How many times as fast all threads are as one.
        let gain = |(entry, ns): &Ranked<'_>| Some(row(entry, 1)?.ns? / ns);
        let all = ranked(entries, |entry| row(entry, most)?.ns);
        let of_all = || all.iter().filter_map(gain);
        let [least, best] = [of_all().reduce(f64::min)?, of_all().reduce(f64::max)?];
        found = found.or(Some(format!(
            "{most} threads that share a filter {deed} {least:.1} to {best:.1} times as fast as one."
        )));
        let mut table = Table::of(&all).word(deed, |(entry, _)| entry.name());
        for threads in counts {
            table = table.number(&format!("by {threads}"), |(entry, _)| {
                let row = row(entry, threads)?;
                Some(two(row.ns?) + if row.unstable == Some(true) { "?" } else { "" })
            });
        }
        let gain = |of: &Ranked<'_>| Some(format!("{:.2}", gain(of)?));
        tables.push(table.number(&format!("gain of {most}"), gain).table);
    }
    let caption = data.say("threads", &[&what, &asked(data.rate())]);
    Some((found?, vec![Block::Tables(Text::from(caption), tables)]))
}
