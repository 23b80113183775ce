//! What happens to filters on their way: filling, growing, overfilling, replacing, merging,
//! removing.

use super::curves::{lines, rises};
use super::data::{Data, Of};
use super::doc::{Block, Found, Table, Text};
use super::entry::{Entry, ranked};
use super::number::{digits, keys, list, percent, two};
use super::plot::{Mark, Plot, Series, figures};
use crate::record::{Row, State, Workload};

/// A line a contender over the rows of a course; five, for they have many points.
fn over(entries: &[Entry<'_>], point: impl Fn(&Row) -> Option<(f64, f64)>) -> Vec<Series> {
    let mark = |row: &&Row| match row.state {
        State::Failed => Some(Mark { x: row.load?, y: None, bar: None }),
        _ => point(row).map(|(x, y)| Mark::at(x, y)),
    };
    let marks = |entry: &Entry<'_>| entry.rows.iter().filter_map(mark).collect();
    lines(5, entries.iter().map(|entry| (entry.facts, marks(entry))))
}

pub(super) fn load(data: &Data) -> Found {
    let inserts = data.entries(Of::Course(Workload::LoadInsert));
    let by_load = |slug, what: &str, y, ns: fn(&Row) -> Option<f64>| {
        let all = over(&inserts, |row| row.load.zip(ns(row)));
        let [_, (Series { name, .. }, most)] = rises(&all)?;
        let times = format!("{} times from the emptiest to the fullest table", two(most));
        let found = format!("{what} rises most in {name}: {times}.");
        Plot::new(slug, found, ["load: keys over slots", y], all)
    };
    let (mean, tail) = ("The time of an insert", "The time that one insert in a thousand exceeds");
    figures([
        by_load("insert-by-load", mean, "ns per insert (log)", |row| row.ns),
        by_load("tail-by-load", tail, "ns, 99.9th percentile (log)", |row| row.ns_p99_9),
    ])
}

pub(super) fn grow(data: &Data) -> Found {
    let mut entries = data.entries(Of::Course(Workload::Grow));
    let bits = over(&entries, |row| Some((row.keys as f64, row.bits_per_key()?)));
    let ns = over(&entries, |row| Some((row.keys as f64, row.ns?)));
    entries.retain(|entry| entry.keeps(data.rate()));
    let all = ranked(entries, |entry| Some(entry.growth()?.0));
    let (least, mean) = all.first()?;
    let found = format!(
        "{} is the smallest that keeps its rate: {} bits a key on average as it grows.",
        least.name(),
        digits(*mean, 3)
    );
    let late = "An insert on the way, growth included.".to_owned();
    let (found, mut blocks) = figures([
        Plot::new("grow-bits", found, ["keys (log)", "bits per key (log)"], bits),
        Plot::new("grow-ns", late, ["keys (log)", "ns per insert (log)"], ns),
    ])?;
    let table = Table::of(&all)
        .word("contender", |(entry, _)| entry.name())
        .number("mean bits", |(_, mean)| Some(digits(*mean, 3)))
        .number("least", |(entry, _)| Some(digits(entry.growth()?.1, 3)))
        .number("most", |(entry, _)| Some(digits(entry.growth()?.2, 3)));
    blocks.push(table.block(""));
    Some((found, blocks))
}

pub(super) fn overfill(data: &Data) -> Found {
    let entries = data.entries(Of::Course(Workload::Overfill));
    let share = |row: &Row| Some(row.keys as f64 / row.planned_keys? as f64);
    let all = over(&entries, |row| share(row).zip(row.fpr().filter(|fpr| *fpr > 0.0)));
    let refuses = who(&entries, |row| row.state == State::Refused);
    let decays = rises(&all).map(|[_, (Series { name, .. }, most)]| {
        format!("Never full, but wrong {} times as often in the end: {name}", two(most))
    });
    let refuses = refuses.map(|refuses| format!("{refuses} refuse keys past their plan"));
    let found = [decays, refuses].into_iter().flatten().reduce(|a, b| format!("{a}; {b}"))?;
    let axes = ["keys over planned keys", "false-positive rate (log)"];
    figures([Plot::new("rate-past-plan", found + ".", axes, all)])
}

/// Who has such a row.
fn who(entries: &[Entry<'_>], is_such: impl Fn(&Row) -> bool) -> Option<String> {
    let such = entries.iter().filter(|entry| entry.rows.iter().any(|row| is_such(row)));
    let names: Vec<&str> = such.map(Entry::name).collect();
    (!names.is_empty()).then(|| list(&names))
}

/// The times of a workload, and what is left of the filters.
pub(super) fn timed(data: &Data, workload: Workload, what: &str) -> Found {
    let entries = match workload {
        Workload::Remove => data.entries(data.main()),
        course => data.entries(Of::Course(course)),
    };
    let keys = keys(entries.first()?.keys());
    let failed = who(&entries, |row| row.workload == workload && row.state == State::Failed);
    let all = ranked(entries, |entry| entry.ns(workload));
    let ((first, least), (last, most)) = all.first().zip(all.last())?;
    let [least, most] = [least, most].map(|ns| two(*ns));
    let (first, last) = (first.name(), last.name());
    let found = format!("With {keys} keys, {what} takes {least} ns in {first} and {most} in {last}.");
    let table = Table::of(&all)
        .word("contender", |(entry, _)| entry.name())
        .number("ns", |(_, ns)| Some(two(*ns)))
        .number("bits per key", |(entry, _)| Some(digits(entry.row(workload)?.bits_per_key()?, 3)))
        .number("rate after", |(entry, _)| Some(percent(entry.row(workload)?.fpr()?)));
    let mut blocks = vec![table.block("")];
    blocks.extend(failed.map(|failed| Block::Text(Text::from(format!("Failed: {failed}.")))));
    Some((found, blocks))
}
