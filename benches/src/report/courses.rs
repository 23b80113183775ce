//! What happens to filters on their way: filling, growing, overfilling, replacing, merging,
//! removing.

use super::answer::growth;
use super::curves::SIZE;
use super::data::{Data, Entry};
use super::doc::{Block, Figure, Found, Section, Table, Text};
use super::front::series;
use super::number::{digits, keys, list, percent, two};
use super::plot::{Line, Mark, Plot, Series};
use crate::record::{Row, State, Workload};
use anyhow::Result;

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Result<Vec<Section>> {
    let of = Section::new;
    Ok(vec![
        of(
            "load",
            "Inserting into a fuller and fuller table",
            load(data)?,
        ),
        of("growth", "Growing a hundredfold", grow(data)?),
        of("overfill", "Past the plan", overfill(data)?),
        of(
            "churn",
            "Replacing keys in a nearly full filter",
            churn(data),
        ),
        of(
            "merge",
            "Merging",
            timed(data, Workload::Merge, "taking in a key of the other"),
        ),
        of("removal", "Removing", removal(data)),
    ])
}

/// A line a contender over the rows of a course; at most six, ours first.
fn lines(entries: &[Entry<'_>], point: impl Fn(&Row) -> Option<(f64, f64)>) -> Vec<Series> {
    let of = |entry: &Entry<'_>| {
        let mark = |row: &&Row| match row.state {
            State::Failed => Some(Mark {
                x: row.load?,
                y: None,
                bar: None,
            }),
            _ => point(row).map(|(x, y)| Mark::at(x, y)),
        };
        series(
            entry.facts,
            Line::Marks,
            entry.rows().iter().filter_map(mark).collect(),
        )
    };
    let mut all: Vec<Series> = entries.iter().map(of).collect();
    all.retain(|series| series.marks.iter().filter(|mark| mark.y.is_some()).count() > 1);
    all.sort_by_key(|series| series.is_hollow);
    all.truncate(6);
    all
}

fn figure(
    slug: &'static str,
    x: (&str, bool),
    y: (&str, bool),
    all: Vec<Series>,
    caption: &str,
) -> Result<Option<Figure>> {
    let Some(plot) = Plot::new(x, y, all) else {
        return Ok(None);
    };
    Ok(Some(Figure {
        slug,
        alt: format!("{} against {} for {}.", y.0, x.0, plot.legend().join(", ")),
        caption: Text::from(caption),
        svg: plot.draw(SIZE)?,
        narrow: None,
    }))
}

/// The last y over the first of the series that rises most.
fn steepest(all: &[Series]) -> Option<(&str, f64)> {
    let rise = |series: &Series| {
        let mut ys = series.marks.iter().filter_map(|mark| mark.y);
        let (first, last) = (ys.next()?, ys.next_back()?);
        Some(last / first)
    };
    let all = all
        .iter()
        .filter_map(|series| Some((series.name.as_str(), rise(series)?)));
    all.max_by(|a, b| a.1.total_cmp(&b.1))
}

fn load(data: &Data) -> Result<Found> {
    let (inserts, queries) = (
        data.course(Workload::LoadInsert),
        data.course(Workload::LoadQuery),
    );
    let mean = lines(&inserts, |row| row.load.zip(row.ns));
    let tail = lines(&inserts, |row| row.load.zip(row.ns_p99_9));
    let asked = lines(&queries, |row| row.load.zip(row.ns));
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
    let steady = steepest(&asked).map_or_else(String::new, |(name, rise)| {
        format!(
            "A query of {name} rises most with the load: {} times.",
            two(rise)
        )
    });
    let x = ("load: keys over slots", false);
    let figures = [
        figure(
            "insert-by-load",
            x,
            ("ns per insert (log)", true),
            mean,
            &found,
        )?,
        figure(
            "tail-by-load",
            x,
            ("ns, 99.9th percentile (log)", true),
            tail,
            &late,
        )?,
        figure(
            "query-by-load",
            x,
            ("ns per query (log)", true),
            asked,
            &steady,
        )?,
    ];
    Ok(Some((
        found,
        vec![Block::Figures(figures.into_iter().flatten().collect())],
    )))
}

fn grow(data: &Data) -> Result<Found> {
    let entries = data.course(Workload::Grow);
    let bits = lines(&entries, |row| Some((row.keys as f64, row.bits_per_key()?)));
    let rate = lines(&entries, |row| Some((row.keys as f64, row.fpr()?)));
    let ns = lines(&entries, |row| Some((row.keys as f64, row.ns?)));
    let mut means: Vec<_> = entries
        .iter()
        .filter_map(|entry| Some((entry.name(), growth(data, entry.name())?)))
        .collect();
    means.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let Some((name, (mean, low, high))) = means.first().copied() else {
        return Ok(None);
    };
    let found = format!(
        "{name} is smallest: {} bits a key on average, between {} and {} as its size jumps.",
        digits(mean, 3),
        digits(low, 3),
        digits(high, 3)
    );
    let x = ("keys (log)", true);
    let figures = [
        figure("grow-bits", x, ("bits per key (log)", true), bits, &found)?,
        figure(
            "grow-ns",
            x,
            ("ns per insert (log)", true),
            ns,
            "What an insert costs on the way, growth included.",
        )?,
        figure(
            "grow-rate",
            x,
            ("false-positive rate (log)", true),
            rate,
            "The rate of all stages together.",
        )?,
    ];
    let row = |(name, (mean, low, high)): &(&str, (f64, f64, f64))| {
        let numbers = [*mean, *low, *high].map(|bits| digits(bits, 3));
        std::iter::once((*name).to_owned())
            .chain(numbers)
            .map(Text::from)
            .collect()
    };
    let head = ["contender", "mean bits", "least", "most"];
    let table = Table::new(
        "Bits per key over the growth, without the first stage.",
        &head,
        1,
        means.iter().map(row).collect(),
    );
    let figures = figures.into_iter().flatten().collect();
    Ok(Some((
        found,
        vec![Block::Figures(figures), Block::Table(table)],
    )))
}

fn overfill(data: &Data) -> Result<Found> {
    let entries = data.course(Workload::Overfill);
    let share = |row: &Row| Some(row.keys as f64 / row.planned_keys? as f64);
    let all = lines(&entries, |row| {
        share(row).zip(row.fpr().filter(|fpr| *fpr > 0.0))
    });
    let refuses: Vec<&str> = entries
        .iter()
        .filter(|entry| entry.rows().iter().any(|row| row.state == State::Refused))
        .map(Entry::name)
        .collect();
    if entries.is_empty() {
        return Ok(None);
    }
    let decays = steepest(&all).map_or_else(String::new, |(name, rise)| {
        format!(
            "{name} never refuses, and errs {} times as often in the end",
            two(rise)
        )
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
    let picture = figure(
        "rate-past-plan",
        ("keys over planned keys", false),
        ("false-positive rate (log)", true),
        all,
        &found,
    )?;
    Ok(Some((
        found,
        vec![Block::Figures(picture.into_iter().collect())],
    )))
}

/// The least and the most time in a course, and a table.
fn timed(data: &Data, workload: Workload, what: &str) -> Found {
    let entries = data.course(workload);
    let mut rows: Vec<(&str, &Row)> = Vec::new();
    for entry in &entries {
        rows.extend(
            entry
                .row(workload)
                .filter(|row| row.ns.is_some())
                .map(|row| (entry.name(), row)),
        );
    }
    rows.sort_by(|a, b| {
        a.1.ns
            .unwrap_or(0.0)
            .total_cmp(&b.1.ns.unwrap_or(0.0))
            .then(a.0.cmp(b.0))
    });
    let (first, last) = (rows.first()?, rows.last()?);
    let found = format!(
        "With {} keys, {what} takes {} ns in {} and {} in {}.",
        keys(first.1.keys),
        two(first.1.ns?),
        first.0,
        two(last.1.ns?),
        last.0
    );
    let row = |(name, row): &(&str, &Row)| {
        let or = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        [
            (*name).to_owned(),
            or(row.ns.map(two)),
            or(row.bits_per_key().map(|bits| digits(bits, 3))),
            or(row.fpr().map(percent)),
        ]
        .map(Text::from)
        .to_vec()
    };
    let failed: Vec<&str> = entries
        .iter()
        .filter(|entry| entry.failure().is_some())
        .map(Entry::name)
        .collect();
    let head = ["contender", "ns", "bits per key", "rate after"];
    let mut blocks = vec![Block::Table(Table::new(
        found.clone(),
        &head,
        1,
        rows.iter().map(row).collect(),
    ))];
    if !failed.is_empty() {
        blocks.push(Block::Para(Text::from(format!(
            "Failed: {}.",
            list(&failed)
        ))));
    }
    Some((found, blocks))
}

fn churn(data: &Data) -> Found {
    timed(
        data,
        Workload::Churn,
        "taking out one key and putting in another",
    )
}

fn removal(data: &Data) -> Found {
    let entries = data.main_entries(data.rate());
    let mut rows: Vec<(&str, f64, &Row)> = Vec::new();
    for entry in &entries {
        rows.extend(
            entry
                .row(Workload::Remove)
                .and_then(|row| Some((entry.name(), row.ns?, row))),
        );
    }
    rows.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(b.0)));
    let (first, last) = (rows.first()?, rows.last()?);
    let found = format!(
        "Taking out half of {} keys costs {} ns each in {} and {} in {}.",
        keys(data.keys),
        two(first.1),
        first.0,
        two(last.1),
        last.0
    );
    let row = |(name, ns, row): &(&str, f64, &Row)| {
        let rate = row.fpr().map_or_else(|| "-".to_owned(), percent);
        [(*name).to_owned(), two(*ns), rate]
            .map(Text::from)
            .to_vec()
    };
    let head = [
        "contender",
        "ns per key taken out",
        "removed keys still answered yes",
    ];
    Some((
        found.clone(),
        vec![Block::Table(Table::new(
            found,
            &head,
            1,
            rows.iter().map(row).collect(),
        ))],
    ))
}
