//! What happens to filters on their way: filling, growing, overfilling, replacing, merging,
//! removing.

use super::cost::growth;
use super::curves::{Ranking, ranking};
use super::data::{Data, Entry};
use super::doc::{Block, Found, Section, Text};
use super::front::series;
use super::number::{digits, keys, list, percent, two};
use super::plot::{Line, Mark, Plot, Series, figures};
use crate::record::{Row, State, Workload};

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Vec<Section> {
    let of = Section::new;
    let (churn, merge) = (data.course(Workload::Churn), data.course(Workload::Merge));
    let all = data.main_entries(data.rate());
    let churn = timed(&churn, Workload::Churn, "replacing a key");
    let merge = timed(&merge, Workload::Merge, "taking in a key of the other");
    let removal = timed(&all, Workload::Remove, "taking a key out");
    vec![
        of("load", "Inserting into a fuller and fuller table", load(data)),
        of("growth", "Growing a hundredfold", grow(data)),
        of("overfill", "Past the plan", overfill(data)),
        of("churn", "Replacing keys in a nearly full filter", churn),
        of("merge", "Merging", merge),
        of("removal", "Removing", removal),
    ]
}

/// Whether all marks lie within 3 % of each other.
fn is_alike(a: &Series, b: &Series) -> bool {
    let near = |(a, b): (&Mark, &Mark)| match (a.y, b.y) {
        (Some(y), Some(other)) => a.x == b.x && (y / other - 1.0).abs() < 0.03,
        _ => false,
    };
    a.marks.len() == b.marks.len() && a.marks.iter().zip(&b.marks).all(near)
}

/// A line a contender over the rows of a course; at most five, ours first.
fn lines(entries: &[Entry<'_>], point: impl Fn(&Row) -> Option<(f64, f64)>) -> Vec<Series> {
    let of = |entry: &Entry<'_>| {
        let mark = |row: &&Row| match row.state {
            State::Failed => Some(Mark { x: row.load?, y: None, bar: None }),
            _ => point(row).map(|(x, y)| Mark::at(x, y)),
        };
        series(entry.facts, Line::Marks, entry.rows().iter().filter_map(mark).collect())
    };
    let mut all: Vec<Series> = entries.iter().map(of).collect();
    all.retain(|series| series.ends().is_some());
    all.sort_by_key(|series| series.is_hollow);
    // Lines that cannot be told apart are drawn once.
    let mut told: Vec<(Series, usize)> = Vec::new();
    for series in all {
        match told.iter_mut().find(|(other, _)| is_alike(other, &series)) {
            Some((_, alike)) => *alike += 1,
            None => told.push((series, 0)),
        }
    }
    let named = |(mut series, alike): (Series, usize)| {
        if alike > 0 {
            series.name += &format!(" and {alike} alike");
        }
        series
    };
    told.into_iter().take(5).map(named).collect()
}

/// Who rises most, and how many times.
fn steepest(all: &[Series]) -> Option<(&str, String)> {
    let rises = all.iter().filter_map(|series| Some((series.name.as_str(), series.rise()?)));
    let (name, most) = rises.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((name, two(most)))
}

fn load(data: &Data) -> Found {
    let inserts = data.course(Workload::LoadInsert);
    let mean = lines(&inserts, |row| row.load.zip(row.ns));
    let tail = lines(&inserts, |row| row.load.zip(row.ns_p99_9));
    let (name, rise) = steepest(&mean)?;
    let found = format!(
        "From the emptiest to the fullest table an insert into {name} becomes {rise} times slower, the most of all."
    );
    let late = steepest(&tail).map_or_else(String::new, |(name, rise)| {
        format!("One insert in a thousand takes longer than this; in {name} it rises most, {rise} times.")
    });
    let x = ("load: keys over slots", false);
    figures([
        ("insert-by-load", found, Plot::new(x, ("ns per insert (log)", true), mean)),
        ("tail-by-load", late, Plot::new(x, ("ns, 99.9th percentile (log)", true), tail)),
    ])
}

fn grow(data: &Data) -> Found {
    let entries = data.course(Workload::Grow);
    let bits = lines(&entries, |row| Some((row.keys as f64, row.bits_per_key()?)));
    let ns = lines(&entries, |row| Some((row.keys as f64, row.ns?)));
    let kept: Vec<Entry<'_>> =
        entries.iter().filter(|entry| entry.keeps(data.rate())).cloned().collect();
    let head = ["contender", "mean bits", "least", "most"];
    let Ranking { first: (name, mean), table, .. } = ranking(&kept, head, |entry| {
        let (mean, low, high) = growth(data, entry.name())?;
        Some((mean, [mean, low, high].map(|bits| digits(bits, 3))))
    })?;
    let found = format!(
        "{name} is the smallest that keeps its rate: {} bits a key on average as it grows.",
        digits(mean, 3)
    );
    let late = "An insert on the way, growth included.".to_owned();
    let x = ("keys (log)", true);
    let (found, mut blocks) = figures([
        ("grow-bits", found, Plot::new(x, ("bits per key (log)", true), bits)),
        ("grow-ns", late, Plot::new(x, ("ns per insert (log)", true), ns)),
    ])?;
    blocks.push(table);
    Some((found, blocks))
}

fn overfill(data: &Data) -> Found {
    let entries = data.course(Workload::Overfill);
    let share = |row: &Row| Some(row.keys as f64 / row.planned_keys? as f64);
    let all = lines(&entries, |row| share(row).zip(row.fpr().filter(|fpr| *fpr > 0.0)));
    let refuses = who(&entries, |row| row.state == State::Refused);
    let mut found: Vec<String> = Vec::new();
    found.extend(steepest(&all).map(|(name, rise)| {
        format!("Never full, but wrong {rise} times as often in the end: {name}")
    }));
    found.extend(refuses.map(|refuses| format!("{refuses} refuse keys past their plan")));
    if found.is_empty() {
        return None;
    }
    let found = found.join("; ") + ".";
    let x = ("keys over planned keys", false);
    figures([("rate-past-plan", found, Plot::new(x, ("false-positive rate (log)", true), all))])
}

/// Who has such a row.
fn who(entries: &[Entry<'_>], is_such: impl Fn(&Row) -> bool) -> Option<String> {
    let such = entries.iter().filter(|entry| entry.rows().iter().any(|row| is_such(row)));
    let names: Vec<&str> = such.map(Entry::name).collect();
    (!names.is_empty()).then(|| list(&names))
}

/// The times of a workload, and what is left of the filters.
fn timed(entries: &[Entry<'_>], workload: Workload, what: &str) -> Found {
    let head = ["contender", "ns", "bits per key", "rate after"];
    let or = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let Ranking { first, last, table } = ranking(entries, head, |entry| {
        let row = entry.row(workload)?;
        let bits = row.bits_per_key().map(|bits| digits(bits, 3));
        Some((row.ns?, [two(row.ns?), or(bits), or(row.fpr().map(percent))]))
    })?;
    let found = format!(
        "With {} keys, {what} takes {} ns in {} and {} in {}.",
        keys(entries.first()?.keys()),
        two(first.1),
        first.0,
        two(last.1),
        last.0
    );
    let failed = who(entries, |row| row.workload == workload && row.state == State::Failed);
    let failed = failed.map(|failed| Block::Para(Text::from(format!("Failed: {failed}."))));
    Some((found, [table].into_iter().chain(failed).collect()))
}
