//! How times and memory change with the number of keys and the share of present ones.

use super::data::{Data, Entry, Target};
use super::doc::{Block, Figure, Found, Section, Table, Text};
use super::front::{FAMILIES, series};
use super::number::{binary, keys, percent, two};
use super::plot::{Line, Mark, Plot, Series};
use crate::record::{ContenderFacts, Family, Role, Workload};
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
    all.filter(|series| series.marks.iter().any(|mark| mark.y.is_some())).collect()
}

/// Who rises least and most from the first to the last mark.
fn rises(all: &[Series], unit: &str) -> Option<String> {
    let rise = |series: &Series| {
        let mut marks = series.marks.iter().filter_map(|mark| Some((mark.x, mark.y?)));
        let (first, last) = (marks.next()?, marks.next_back()?);
        Some((series.name.clone(), last.1 / first.1, first.0, last.0))
    };
    let mut rises: Vec<_> = all.iter().filter_map(rise).collect();
    rises.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (least, most) = (rises.first()?, rises.last()?);
    let (from, to) = (keys(least.2 as u64), keys(most.3 as u64));
    Some(format!(
        "From {from} to {to} keys {unit} of {} changes to {:.2} times, the least, of {} to {:.2} times.",
        least.0, least.1, most.0, most.1
    ))
}

/// A figure over numbers of keys; none if fewer than two were measured.
fn figure_by_size(
    data: &Data,
    slug: &'static str,
    (y, what): (&str, &str),
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
            plot.guides.push((x, format!("L{} {}", cache.level, binary(cache.bytes))));
        }
    }
    let caption = format!("{found} Upright: {TYPICAL_BITS} bits a key fill a cache.");
    Ok(Some((plot.figure(slug, &caption, SIZE)?, found)))
}

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Result<Vec<Section>> {
    let query = ("ns per query, half present (log)", "the query");
    let build = ("ns per key built (log)", "the build");
    let peak = ("peak bits per key while built (log)", "the peak");
    let query = figure_by_size(data, "query-by-size", query, |entry| entry.ns(Workload::Query50))?;
    let build = figure_by_size(data, "build-by-size", build, |entry| entry.ns(Workload::Build))?;
    let peak = figure_by_size(data, "peak-by-size", peak, |entry| entry.peak_bits())?;
    let found = |figures: Vec<(Figure, String)>| {
        let first = figures.first()?.1.clone();
        let figures = figures.into_iter().map(|(figure, _)| figure).collect();
        Some((first, vec![Block::Figures(figures)]))
    };
    let query = found(query.into_iter().collect());
    let build = found(build.into_iter().chain(peak).collect());
    Ok(vec![
        Section::new("query", "Query time against size", query),
        Section::new("build", "Build time and peak memory", build),
        Section::new("share", "Present and absent keys", share(data)?),
        Section::new("latency", "When the next question waits", latency(data)),
        Section::new("net", "Net of hashing", net(data)),
    ])
}

fn share(data: &Data) -> Result<Found> {
    let shares = [(0.0, Workload::Query0), (50.0, Workload::Query50), (100.0, Workload::Query100)];
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
    let flat = all.iter().filter(|series| spread(series) <= floor.max(0.05)).count();
    let Some(most) = most else { return Ok(None) };
    let found = format!(
        "{flat} of {} cost the same whatever the answer; {} differs most between absent ({} ns) and present keys ({} ns).",
        all.len(),
        most.name,
        two(most.marks[0].y.unwrap_or(0.0)),
        two(most.marks[2].y.unwrap_or(0.0)),
    );
    let (x, y) = ("% of the queries for present keys", "ns per query (log)");
    let Some(plot) = Plot::new((x, false), (y, true), all) else {
        return Ok(None);
    };
    let figure = plot.figure("query-by-share", &found, SIZE)?;
    Ok(Some((found, vec![Block::Figures(vec![figure])])))
}

/// Who is first and last by a number, and a table of all: the number, and the other cells.
pub(super) struct Ranking<'a> {
    pub(super) first: (&'a str, f64),
    pub(super) last: (&'a str, f64),
    table: Table,
}

impl<'a> Ranking<'a> {
    /// None if no entry has the number.
    pub(super) fn new(
        entries: &'a [Entry<'_>],
        head: &[&'static str],
        cells: impl Fn(&Entry<'_>) -> Option<(f64, Vec<String>)>,
    ) -> Option<Self> {
        let all = entries.iter().filter_map(|entry| Some((entry.name(), cells(entry)?)));
        let mut all: Vec<_> = all.collect();
        all.sort_by(|a, b| a.1.0.total_cmp(&b.1.0).then(a.0.cmp(b.0)));
        let row = |(name, (_, cells)): &(&str, (f64, Vec<String>))| {
            let name = std::iter::once((*name).to_owned());
            name.chain(cells.iter().cloned()).map(Text::from).collect()
        };
        let (first, last) = (all.first()?, all.last()?);
        Some(Self {
            first: (first.0, first.1.0),
            last: (last.0, last.1.0),
            table: Table::new("", head, 1, all.iter().map(row).collect()),
        })
    }

    /// The section's contents under a sentence.
    pub(super) fn found(self, found: String) -> Found {
        Some((found, vec![Block::Table(self.table)]))
    }
}

fn latency(data: &Data) -> Found {
    let entries = data.main_entries(data.rate());
    let head = ["contender", "dependent, ns", "independent, ns", "ratio"];
    let ranking = Ranking::new(&entries, &head, |entry| {
        let (free, waits) = entry.ns(Workload::Query50).zip(entry.ns(Workload::Dependent50))?;
        Some((waits, vec![two(waits), two(free), format!("{:.2}", waits / free)]))
    })?;
    let (first, last) = (ranking.first, ranking.last);
    ranking.found(format!(
        "A query whose key depends on the answer before takes {} ns with {} and {} with {}.",
        two(first.1),
        first.0,
        two(last.1),
        last.0
    ))
}

fn net(data: &Data) -> Found {
    let target = Target::Rate(data.rate());
    let floors = data.run.contender.iter().filter(|facts| facts.role == Role::Floor);
    let floor = floors
        .filter_map(|facts| data.entry(&facts.name, &data.set, data.keys, target))
        .find_map(|entry| entry.ns(Workload::Query50))?;
    let entries = data.main_entries(data.rate());
    let head = ["contender", "gross, ns", "net, ns", "share of hashing"];
    let ranking = Ranking::new(&entries, &head, |entry| {
        let gross = entry.ns(Workload::Query50)?;
        Some((gross, vec![two(gross), two((gross - floor).max(0.0)), percent(floor / gross)]))
    })?;
    let (name, gross) = ranking.first;
    let share = (100.0 * floor / gross).round().min(100.0);
    ranking.found(format!(
        "Reading and hashing a key is {} ns of each query: {share} % of what {name} takes in all.",
        two(floor)
    ))
}
