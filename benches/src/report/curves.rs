//! How times and memory change with the number of keys and the share of present ones.

use super::data::{Data, Entry, Target};
use super::doc::{Block, Figure, Found, Section, Table, Text};
use super::front::{FAMILIES, series};
use super::number::{binary, keys, percent, two};
use super::plot::{Line, Mark, Plot, Series};
use crate::record::{ContenderFacts, Family, Workload};
use anyhow::Result;

/// The size of folded plots: text stays readable on a phone.
pub(super) const SIZE: (u32, u32) = (440, 300);
/// Bits of a key at which a cache is marked as full.
const TYPICAL_BITS: u64 = 10;

/// At most eight contenders, one a family: ours where there is one.
pub(super) fn chosen(data: &Data) -> Vec<&ContenderFacts> {
    let first = |family: Family| {
        let mut of = data.filters().filter(move |facts| facts.family == family);
        let all: Vec<_> = of.by_ref().collect();
        all.iter().find(|facts| facts.ours).or(all.first()).copied()
    };
    let families = FAMILIES.iter().filter(|family| **family != Family::Exact);
    families.filter_map(|family| first(*family)).collect()
}

/// One line a family over the numbers of keys.
fn by_size(data: &Data, value: fn(&Entry<'_>) -> Option<f64>) -> Vec<Series> {
    let target = Target::Rate(data.rate());
    let of = |facts: &ContenderFacts| {
        let mark = |keys: u64| {
            let entry = data.entry(&facts.name, &data.set, keys, target)?;
            let y = value(&entry);
            (y.is_some() || entry.failure().is_some()).then_some(Mark {
                x: keys as f64,
                y,
                bar: None,
            })
        };
        let marks: Vec<Mark> = data.sizes(&data.set).into_iter().filter_map(mark).collect();
        series(facts, Line::Marks, marks)
    };
    let all = chosen(data).into_iter().map(of);
    all.filter(|series| series.marks.iter().any(|mark| mark.y.is_some()))
        .collect()
}

/// Who rises least and most from the first to the last mark.
fn rises(all: &[Series], unit: &str) -> Option<String> {
    let rise = |series: &Series| {
        let mut marks = series
            .marks
            .iter()
            .filter_map(|mark| Some((mark.x, mark.y?)));
        let (first, last) = (marks.next()?, marks.next_back()?);
        Some((series.name.clone(), last.1 / first.1, first.0, last.0))
    };
    let mut rises: Vec<_> = all.iter().filter_map(rise).collect();
    rises.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (least, most) = (rises.first()?, rises.last()?);
    Some(format!(
        "from {} to {} keys {} of {} {} least ({:.2} times), of {} most ({:.2})",
        keys(least.2 as u64),
        keys(least.3 as u64),
        unit,
        least.0,
        "rises",
        least.1,
        most.0,
        most.1
    ))
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

/// A figure over numbers of keys; none if fewer than two were measured.
fn figure_by_size(
    data: &Data,
    slug: &'static str,
    y: &str,
    what: &str,
    value: fn(&Entry<'_>) -> Option<f64>,
) -> Result<Option<(Figure, String)>> {
    let all = by_size(data, value);
    let Some(found) = rises(&all, what) else {
        return Ok(None);
    };
    let Some(mut plot) = Plot::new(("keys (log)", true), (y, true), all) else {
        return Ok(None);
    };
    let caches = data.machine.iter().flat_map(|machine| &machine.cache);
    for cache in caches.filter(|cache| cache.kind != "Instruction") {
        let x = (cache.bytes * 8 / TYPICAL_BITS) as f64;
        if x > plot.x.range.0 && x < plot.x.range.1 {
            plot.guides
                .push((x, format!("L{} {}", cache.level, binary(cache.bytes))));
        }
    }
    let names = plot.legend().join(", ");
    let figure = Figure {
        slug,
        alt: format!("{y} against the number of keys for {names}."),
        caption: Text::from(format!(
            "{} Upright lines: where a table of {TYPICAL_BITS} bits a key fills a cache.",
            sentence(&found)
        )),
        svg: plot.draw(SIZE)?,
        narrow: None,
    };
    Ok(Some((figure, sentence(&found))))
}

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Result<Vec<Section>> {
    let query = figure_by_size(
        data,
        "query-by-size",
        "ns per query, half present (log)",
        "the query",
        |entry| entry.ns(Workload::Query50),
    )?;
    let query = query.map(|(figure, found)| (found, vec![Block::Figures(vec![figure])]));
    let build = figure_by_size(
        data,
        "build-by-size",
        "ns per key built (log)",
        "the build",
        |entry| entry.ns(Workload::Build),
    )?;
    let peak = figure_by_size(
        data,
        "peak-by-size",
        "peak bits per key while built (log)",
        "the peak",
        |entry| entry.peak_bits(),
    )?;
    let found = build
        .as_ref()
        .or(peak.as_ref())
        .map(|(_, found)| found.clone());
    let figures: Vec<Figure> = [build, peak]
        .into_iter()
        .flatten()
        .map(|(figure, _)| figure)
        .collect();
    let build = found.map(|found| (found, vec![Block::Figures(figures)]));
    Ok(vec![
        Section::new("query", "Query time against size", query),
        Section::new("build", "Build time and peak memory", build),
        Section::new("share", "Present and absent keys", share(data)?),
        Section::new("latency", "When the next question waits", latency(data)),
        Section::new("net", "Net of hashing", net(data)),
    ])
}

fn share(data: &Data) -> Result<Found> {
    let shares = [
        (0.0, Workload::Query0),
        (50.0, Workload::Query50),
        (100.0, Workload::Query100),
    ];
    let of = |facts: &ContenderFacts| {
        let entry = data.entry(&facts.name, &data.set, data.keys, Target::Rate(data.rate()))?;
        let mark = |(share, workload)| Some(Mark::at(share, entry.ns(workload)?));
        let marks: Vec<Mark> = shares.into_iter().filter_map(mark).collect();
        (marks.len() == 3).then(|| series(facts, Line::Marks, marks))
    };
    let all: Vec<Series> = chosen(data).into_iter().filter_map(of).collect();
    let spread = |series: &Series| {
        let y = |index: usize| series.marks[index].y.unwrap_or(f64::NAN);
        (y(0) - y(2)).abs() / y(0).min(y(2))
    };
    let most = all.iter().max_by(|a, b| spread(a).total_cmp(&spread(b)));
    let floor = data.floor(Workload::Query50);
    let flat = all
        .iter()
        .filter(|series| spread(series) <= floor.max(0.05))
        .count();
    let Some(most) = most else { return Ok(None) };
    let found = format!(
        "{flat} of {} cost the same whatever the answer; {} differs most between absent ({} ns) and present keys ({} ns).",
        all.len(),
        most.name,
        two(most.marks[0].y.unwrap_or(0.0)),
        two(most.marks[2].y.unwrap_or(0.0)),
    );
    let Some(plot) = Plot::new(
        ("% of the queries for present keys", false),
        ("ns per query (log)", true),
        all,
    ) else {
        return Ok(None);
    };
    let figure = Figure {
        slug: "query-by-share",
        alt: format!(
            "Query time against the share of present keys for {}.",
            plot.legend().join(", ")
        ),
        caption: Text::from(found.clone()),
        svg: plot.draw(SIZE)?,
        narrow: None,
    };
    Ok(Some((found, vec![Block::Figures(vec![figure])])))
}

/// Rows of the entries of the main cell with both numbers, by the second.
fn pairs<'a>(
    entries: &'a [Entry<'_>],
    numbers: impl Fn(&Entry<'_>) -> Option<(f64, f64)>,
) -> Vec<(&'a str, f64, f64)> {
    let of = |entry: &'a Entry<'_>| numbers(entry).map(|(a, b)| (entry.name(), a, b));
    let mut rows: Vec<_> = entries.iter().filter_map(of).collect();
    rows.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.0.cmp(b.0)));
    rows
}

fn latency(data: &Data) -> Found {
    let entries = data.main_entries(data.rate());
    let rows = pairs(&entries, |entry| {
        entry
            .ns(Workload::Query50)
            .zip(entry.ns(Workload::Dependent50))
    });
    let (first, last) = (rows.first()?, rows.last()?);
    let found = format!(
        "A query whose key depends on the answer before takes {} ns with {} and {} with {}.",
        two(first.2),
        first.0,
        two(last.2),
        last.0
    );
    let row = |(name, free, waits): &(&str, f64, f64)| {
        [
            (*name).to_owned(),
            two(*free),
            two(*waits),
            format!("{:.2}", waits / free),
        ]
        .map(Text::from)
        .to_vec()
    };
    let head = ["contender", "independent, ns", "dependent, ns", "ratio"];
    let table = Table::new(found.clone(), &head, 1, rows.iter().map(row).collect());
    Some((found, vec![Block::Table(table)]))
}

fn net(data: &Data) -> Found {
    let floors = data
        .run
        .contender
        .iter()
        .filter(|facts| facts.role == crate::record::Role::Floor);
    let floor = floors
        .filter_map(|facts| {
            data.entry(&facts.name, &data.set, data.keys, Target::Rate(data.rate()))
        })
        .find_map(|entry| entry.ns(Workload::Query50))?;
    let entries = data.main_entries(data.rate());
    let rows = pairs(&entries, |entry| {
        entry
            .ns(Workload::Query50)
            .map(|gross| (gross, gross - floor))
    });
    let first = rows.first()?;
    let found = format!(
        "Reading and hashing a key is {} ns of each query: {} % of what {} takes in all.",
        two(floor),
        (100.0 * floor / first.1).round().min(100.0),
        first.0
    );
    let row = |(name, gross, net): &(&str, f64, f64)| {
        [
            (*name).to_owned(),
            two(*gross),
            two(net.max(0.0)),
            percent(floor / gross),
        ]
        .map(Text::from)
        .to_vec()
    };
    let head = ["contender", "gross, ns", "net, ns", "share of hashing"];
    let table = Table::new(found.clone(), &head, 1, rows.iter().map(row).collect());
    Some((found, vec![Block::Table(table)]))
}
