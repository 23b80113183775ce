//! What happens to filters on their way: filling, growing, overfilling, replacing, merging,
//! removing.

use super::cost::growth;
use super::curves::{lines, ranked, rises};
use super::data::{Data, Entry};
use super::doc::{Block, Found, Text};
use super::number::{digits, keys, list, percent, two};
use super::plot::{Mark, Plot, Series, figures};
use crate::record::{Row, State, Workload};

/// A line a contender over the rows of a course; five, for they have many points.
fn over(entries: &[Entry<'_>], point: impl Fn(&Row) -> Option<(f64, f64)>) -> Vec<Series> {
    let mark = |row: &&Row| match row.state {
        State::Failed => Some(Mark { x: row.load?, y: None, bar: None }),
        _ => point(row).map(|(x, y)| Mark::at(x, y)),
    };
    let marks = |entry: &Entry<'_>| entry.rows().iter().filter_map(mark).collect();
    lines(5, entries.iter().map(|entry| (entry.facts, marks(entry))))
}

pub(super) fn load(data: &Data) -> Found {
    let inserts = data.course(Workload::LoadInsert);
    let by_load = |slug, what: &str, y, ns: fn(&Row) -> Option<f64>| {
        let all = over(&inserts, |row| row.load.zip(ns(row)));
        let [_, (Series { name, .. }, most)] = rises(&all)?;
        let found = format!(
            "{what} rises most in {name}: {} times from the emptiest to the fullest table.",
            two(most)
        );
        Plot::new(slug, found, ["load: keys over slots", y], all)
    };
    let (mean, tail) = ("The time of an insert", "The time that one insert in a thousand exceeds");
    figures([
        by_load("insert-by-load", mean, "ns per insert (log)", |row| row.ns),
        by_load("tail-by-load", tail, "ns, 99.9th percentile (log)", |row| row.ns_p99_9),
    ])
}

pub(super) fn grow(data: &Data) -> Found {
    let entries = data.course(Workload::Grow);
    let bits = over(&entries, |row| Some((row.keys as f64, row.bits_per_key()?)));
    let ns = over(&entries, |row| Some((row.keys as f64, row.ns?)));
    let kept: Vec<Entry<'_>> =
        entries.iter().filter(|entry| entry.keeps(data.rate())).cloned().collect();
    let head = ["contender", "mean bits", "least", "most"];
    let cells = |entry: &Entry<'_>| {
        let (mean, low, high) = growth(data, entry.name())?;
        Some((mean, [mean, low, high].map(|bits| digits(bits, 3))))
    };
    let (found, table) = ranked(&kept, head, cells, |[name, mean, ..], _| {
        format!(
            "{name} is the smallest that keeps its rate: {mean} bits a key on average as it grows."
        )
    })?;
    let late = "An insert on the way, growth included.".to_owned();
    let (found, mut blocks) = figures([
        Plot::new("grow-bits", found, ["keys (log)", "bits per key (log)"], bits),
        Plot::new("grow-ns", late, ["keys (log)", "ns per insert (log)"], ns),
    ])?;
    blocks.extend(table);
    Some((found, blocks))
}

pub(super) fn overfill(data: &Data) -> Found {
    let entries = data.course(Workload::Overfill);
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
    let such = entries.iter().filter(|entry| entry.rows().iter().any(|row| is_such(row)));
    let names: Vec<&str> = such.map(Entry::name).collect();
    (!names.is_empty()).then(|| list(&names))
}

/// The times of a workload, and what is left of the filters.
pub(super) fn timed(data: &Data, workload: Workload, what: &str) -> Found {
    let entries = match workload {
        Workload::Remove => data.main_entries(data.rate()),
        course => data.course(course),
    };
    let head = ["contender", "ns", "bits per key", "rate after"];
    let or = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let cells = |entry: &Entry<'_>| {
        let row = entry.row(workload)?;
        let bits = row.bits_per_key().map(|bits| digits(bits, 3));
        Some((row.ns?, [two(row.ns?), or(bits), or(row.fpr().map(percent))]))
    };
    let keys = keys(entries.first()?.keys());
    let (found, mut blocks) = ranked(&entries, head, cells, |[name, ns, ..], [last, most, ..]| {
        format!("With {keys} keys, {what} takes {ns} ns in {name} and {most} in {last}.")
    })?;
    let failed = who(&entries, |row| row.workload == workload && row.state == State::Failed);
    blocks.extend(failed.map(|failed| Block::Para(Text::from(format!("Failed: {failed}.")))));
    Some((found, blocks))
}
