//! What happens to filters on their way: filling, growing, overfilling, replacing, merging,
//! removing.

use super::cost::growth;
use super::curves::{Ranking, SIZE};
use super::data::{Data, Entry};
use super::doc::{Block, Figure, Found, Section, Text};
use super::front::series;
use super::number::{digits, keys, list, percent, two};
use super::plot::{Line, Mark, Plot, Series};
use crate::record::{Row, State, Workload};
use anyhow::Result;

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Result<Vec<Section>> {
    let of = Section::new;
    let (churn, merge) = (data.course(Workload::Churn), data.course(Workload::Merge));
    let all = data.main_entries(data.rate());
    Ok(vec![
        of("load", "Inserting into a fuller and fuller table", load(data)?),
        of("growth", "Growing a hundredfold", grow(data)?),
        of("overfill", "Past the plan", overfill(data)?),
        of(
            "churn",
            "Replacing keys in a nearly full filter",
            timed(&churn, Workload::Churn, "replacing a key"),
        ),
        of("merge", "Merging", timed(&merge, Workload::Merge, "taking in a key of the other")),
        of("removal", "Removing", timed(&all, Workload::Remove, "taking a key out")),
    ])
}

/// Whether all marks lie within 3 % of each other.
fn is_alike(a: &[Mark], b: &[Mark]) -> bool {
    let near = |(a, b): (&Mark, &Mark)| match (a.y, b.y) {
        (Some(y), Some(other)) => a.x == b.x && (y / other - 1.0).abs() < 0.03,
        _ => false,
    };
    a.len() == b.len() && a.iter().zip(b).all(near)
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
    all.retain(|series| series.marks.iter().filter(|mark| mark.y.is_some()).count() > 1);
    all.sort_by_key(|series| series.is_hollow);
    // Lines that cannot be told apart are drawn once.
    let mut told: Vec<(Series, usize)> = Vec::new();
    for series in all {
        let is_alike = |(other, _): &&mut (Series, usize)| is_alike(&other.marks, &series.marks);
        match told.iter_mut().find(is_alike) {
            Some((_, alike)) => *alike += 1,
            None => told.push((series, 0)),
        }
    }
    for (series, alike) in told.iter_mut().filter(|(_, alike)| *alike > 0) {
        series.name += &format!(" and {alike} alike");
    }
    let mut all: Vec<Series> = told.into_iter().map(|(series, _)| series).collect();
    all.truncate(5);
    all
}

fn figure(
    slug: &'static str,
    (x, y): ((&str, bool), (&str, bool)),
    all: Vec<Series>,
    caption: &str,
) -> Result<Option<Figure>> {
    Plot::new(x, y, all).map(|plot| plot.figure(slug, caption, SIZE)).transpose()
}

/// The last y over the first of the series that rises most.
fn steepest(all: &[Series]) -> Option<(&str, f64)> {
    let rise = |series: &Series| {
        let mut ys = series.marks.iter().filter_map(|mark| mark.y);
        let (first, last) = (ys.next()?, ys.next_back()?);
        Some(last / first)
    };
    let all = all.iter().filter_map(|series| Some((series.name.as_str(), rise(series)?)));
    all.max_by(|a, b| a.1.total_cmp(&b.1))
}

fn load(data: &Data) -> Result<Found> {
    let inserts = data.course(Workload::LoadInsert);
    let mean = lines(&inserts, |row| row.load.zip(row.ns));
    let tail = lines(&inserts, |row| row.load.zip(row.ns_p99_9));
    let Some((name, rise)) = steepest(&mean) else {
        return Ok(None);
    };
    let found = format!(
        "From the emptiest to the fullest table an insert into {name} becomes {} times slower, the most of all.",
        two(rise)
    );
    let late = steepest(&tail).map_or_else(String::new, |(name, rise)| {
        format!(
            "One insert in a thousand takes longer than this; in {name} it rises most, {} times.",
            two(rise)
        )
    });
    let x = ("load: keys over slots", false);
    let figures = [
        figure("insert-by-load", (x, ("ns per insert (log)", true)), mean, &found)?,
        figure("tail-by-load", (x, ("ns, 99.9th percentile (log)", true)), tail, &late)?,
    ];
    Ok(Some((found, vec![Block::Figures(figures.into_iter().flatten().collect())])))
}

fn grow(data: &Data) -> Result<Found> {
    let entries = data.course(Workload::Grow);
    let bits = lines(&entries, |row| Some((row.keys as f64, row.bits_per_key()?)));
    let ns = lines(&entries, |row| Some((row.keys as f64, row.ns?)));
    let head = ["contender", "mean bits", "least", "most"];
    let keep = entries.iter().filter(|entry| entry.keeps(data.rate())).cloned();
    let kept: Vec<Entry<'_>> = keep.collect();
    let ranking = Ranking::new(&kept, &head, |entry| {
        let (mean, low, high) = growth(data, entry.name())?;
        Some((mean, [mean, low, high].map(|bits| digits(bits, 3)).to_vec()))
    });
    let Some(ranking) = ranking else {
        return Ok(None);
    };
    let (name, mean) = ranking.first;
    let found = format!(
        "{name} is the smallest that keeps its rate: {} bits a key on average as it grows.",
        digits(mean, 3)
    );
    let x = ("keys (log)", true);
    let figures = [
        figure("grow-bits", (x, ("bits per key (log)", true)), bits, &found)?,
        figure(
            "grow-ns",
            (x, ("ns per insert (log)", true)),
            ns,
            "An insert on the way, growth included.",
        )?,
    ];
    let figures = Block::Figures(figures.into_iter().flatten().collect());
    Ok(ranking.found(found).map(|(found, table)| (found, [vec![figures], table].concat())))
}

fn overfill(data: &Data) -> Result<Found> {
    let entries = data.course(Workload::Overfill);
    let share = |row: &Row| Some(row.keys as f64 / row.planned_keys? as f64);
    let all = lines(&entries, |row| share(row).zip(row.fpr().filter(|fpr| *fpr > 0.0)));
    let refuses: Vec<&str> = entries
        .iter()
        .filter(|entry| entry.rows().iter().any(|row| row.state == State::Refused))
        .map(Entry::name)
        .collect();
    if entries.is_empty() {
        return Ok(None);
    }
    let decays = steepest(&all).map_or_else(String::new, |(name, rise)| {
        format!("Never full, but wrong {} times as often in the end: {name}", two(rise))
    });
    let refused = match refuses[..] {
        [] => String::new(),
        _ => format!("{} refuse keys past their plan", list(&refuses)),
    };
    let found = [decays, refused]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
        + ".";
    let axes = (("keys over planned keys", false), ("false-positive rate (log)", true));
    let picture = figure("rate-past-plan", axes, all, &found)?;
    Ok(Some((found, vec![Block::Figures(picture.into_iter().collect())])))
}

/// The times of a workload, and what is left of the filters.
fn timed(entries: &[Entry<'_>], workload: Workload, what: &str) -> Found {
    let head = ["contender", "ns", "bits per key", "rate after"];
    let or = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let ranking = Ranking::new(entries, &head, |entry| {
        let row = entry.row(workload)?;
        let bits = row.bits_per_key().map(|bits| digits(bits, 3));
        Some((row.ns?, vec![two(row.ns?), or(bits), or(row.fpr().map(percent))]))
    })?;
    let keys = keys(entries.first()?.keys());
    let (first, last) = (ranking.first, ranking.last);
    let found = format!(
        "With {keys} keys, {what} takes {} ns in {} and {} in {}.",
        two(first.1),
        first.0,
        two(last.1),
        last.0
    );
    let (found, mut blocks) = ranking.found(found)?;
    let failed = entries.iter().filter(|entry| {
        entry.rows().iter().any(|row| row.workload == workload && row.state == State::Failed)
    });
    let failed: Vec<&str> = failed.map(Entry::name).collect();
    if !failed.is_empty() {
        blocks.push(Block::Para(Text::from(format!("Failed: {}.", list(&failed)))));
    }
    Some((found, blocks))
}
