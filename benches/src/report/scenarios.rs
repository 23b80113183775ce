//! Filters over time: filling up, growing, beyond their plan, in churn, merged, emptied.

use super::Found;
use super::data::{Data, Entry, Of, ranked};
use super::number::{digits, keys, list, percent, two};
use super::numbers::time;
use super::table::Table;
use crate::record::{Row, State, Workload};
use maud::html;
use std::collections::BTreeSet;

/// The loads of the table, in percent.
const LOADS: [u64; 5] = [10, 50, 80, 90, 95];

/// The row at a load, in percent.
fn at<'a>(entry: &Entry<'a>, load: u64) -> Option<&'a Row> {
    let is_at = |row: &&&Row| (row.load.unwrap_or(0.0) * 100.0 - load as f64).abs() < 0.5;
    entry.rows.iter().find(is_at).copied()
}

pub(super) fn load(data: &Data) -> Found {
    let entries = data.entries(Of::Scenario(Workload::LoadInsert));
    let all = ranked(entries, |entry| at(entry, 90)?.ns);
    let rise = |of: &Entry<'_>| Some(at(of, 90)?.ns? / at(of, 10)?.ns?);
    let steep = all.iter().filter_map(|(of, _)| Some((rise(of)?, of.name())));
    let (most, name) = steep.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let finding =
        format!("From 10 to 90 % full an insert slows down most in {name}: {} times.", two(most));
    let mut table = Table::of(&all).word("contender", |(of, _)| of.name());
    for load in LOADS {
        table = table.number(&format!("{load} % full"), |(of, _)| time(at(of, load)?));
    }
    table = table.number("slowest at 90 %", |(of, _)| Some(two(at(of, 90)?.ns_p99_9?)));
    let about = "ns per insert; the slowest: what one insert in a thousand exceeds.";
    Some((finding, table.html(about)))
}

pub(super) fn grow(data: &Data) -> Found {
    let all = ranked(data.entries(Of::Scenario(Workload::Grow)), |entry| Some(entry.growth()?.0));
    let kept = all.iter().find(|(of, _)| of.keeps(data.rate()) && !of.is_wrong);
    let (least, mean) = kept?;
    let finding = format!(
        "{} is the smallest that keeps its rate: {} bits per key on average.",
        least.name(),
        digits(*mean, 3)
    );
    let most = |of: &Entry<'_>| of.rows.iter().filter_map(|row| row.ns).reduce(f64::max);
    let table = Table::of(&all)
        .word("contender", |(of, _)| of.name())
        .word("keeps its rate", |(of, _)| if of.keeps(data.rate()) { "yes" } else { "no" })
        .number("mean bits", |(_, mean)| Some(digits(*mean, 3)))
        .number("least", |(of, _)| Some(digits(of.growth()?.1, 3)))
        .number("most", |(of, _)| Some(digits(of.growth()?.2, 3)))
        .number("rate at the end", |(of, _)| Some(percent(of.rows.last()?.fpr()?)))
        .number("slowest stretch, ns", |(of, _)| Some(two(most(of)?)));
    Some((
        finding,
        table.html("Planned for a hundredth of the keys, then filled with all of them."),
    ))
}

pub(super) fn overfill(data: &Data) -> Found {
    let all = data.entries(Of::Scenario(Workload::Overfill));
    let refused = |of: &Entry<'_>| {
        let row = of.rows.iter().find(|row| row.state == State::Refused)?;
        Some(row.refused_at? as f64 / row.planned_keys?.max(1) as f64)
    };
    let refuse: Vec<&str> =
        all.iter().filter(|of| refused(of).is_some()).map(Entry::name).collect();
    let rate = |of: &Entry<'_>, halves: u64| {
        let is_at =
            |row: &&&Row| row.planned_keys.is_some_and(|planned| row.keys * 2 == planned * halves);
        percent(of.rows.iter().find(is_at)?.fpr()?).into()
    };
    let finding = match list(&refuse) {
        names if names.is_empty() => "All take keys beyond their plan, and err more.".to_owned(),
        names => format!("These refuse keys before their rate decays: {names}."),
    };
    let mut table = Table::of(&all).word("contender", |of| of.name());
    for (head, halves) in [("as planned", 2), ("1.5 times", 3), ("2 times", 4), ("5 times", 10)] {
        table = table.number(head, |of| -> Option<String> { rate(of, halves) });
    }
    table = table.number("full at", |of| Some(format!("{:.2}", refused(of)?)));
    let about = "False-positive rate with more keys than planned; full at: times the planned keys.";
    (!all.is_empty()).then(|| (finding, table.html(about)))
}

pub(super) fn churn(data: &Data) -> Found {
    let about = "ns for a removal and an insert, in a filter filled to nine tenths.";
    timed(data, Of::Scenario(Workload::Churn), Workload::Churn, "Replacing a key", about)
}

pub(super) fn merge(data: &Data) -> Found {
    let about = "ns per key of the filter that is merged in. Keys: in both together.";
    timed(data, Of::Scenario(Workload::Merge), Workload::Merge, "Merging in a key", about)
}

pub(super) fn removal(data: &Data) -> Found {
    let about =
        "ns per key taken out. Rate after: the share of the removed half that is still found.";
    timed(data, data.main(), Workload::Remove, "Taking a key out", about)
}

/// The times of a workload, and the filters afterwards.
fn timed(data: &Data, of: Of<'_>, workload: Workload, what: &str, about: &str) -> Found {
    let entries = data.entries(of);
    let is_failed = |row: &&&Row| row.workload == workload && row.state == State::Failed;
    let failed = entries.iter().filter(|of| of.rows.iter().any(|row| is_failed(&row)));
    let failed: BTreeSet<&str> = failed.map(Entry::name).collect();
    let failed = list(&failed.into_iter().collect::<Vec<_>>());
    let all = ranked(entries, |entry| entry.ns(workload));
    let (best, ns) = all.first()?;
    let finding = format!("{what} is fastest in {}: {} ns.", best.name(), two(*ns));
    let table = Table::of(&all)
        .word("contender", |(of, _)| of.name())
        .number("ns", |(of, _)| time(of.row(workload)?))
        .number("keys", |(of, _)| Some(keys(of.row(workload)?.keys)))
        .number("rate after", |(of, _)| Some(percent(of.row(workload)?.fpr()?)));
    Some((
        finding,
        html! {
            (table.html(about))
            @if !failed.is_empty() { p { "Failed: " (failed) "." } }
        },
    ))
}
