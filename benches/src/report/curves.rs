//! How times and memory change with the number of keys and the share of present ones.

use super::data::{Data, Entry, Target};
use super::doc::{Block, Found, Table, Text};
use super::front::{FAMILIES, is_same, series};
use super::number::{binary, keys, percent, two};
use super::plot::{Mark, Plot, Series, figures};
use crate::record::{ContenderFacts, Family, Role, Workload};

/// Bits of a key at which a cache is marked as full.
const TYPICAL_BITS: u64 = 10;

pub(super) fn query(data: &Data) -> Found {
    figures([by_size(data, "query-by-size", "ns per query", |of| of.ns(Workload::Query50))])
}

pub(super) fn build(data: &Data) -> Found {
    figures([
        by_size(data, "build-by-size", "ns per key built", |of| of.ns(Workload::Build)),
        by_size(data, "peak-by-size", "peak bits per key while built", |of| of.peak_bits()),
    ])
}

/// One contender a family: ours where there is one.
fn chosen(data: &Data) -> impl Iterator<Item = &ContenderFacts> {
    FAMILIES.into_iter().filter(|family| *family != Family::Exact).filter_map(|family| {
        let of = data.filters().filter(move |facts| facts.family == family);
        of.min_by_key(|facts| !facts.ours)
    })
}

/// At most so many lines of two points or more, ours first; those that cannot be told apart are
/// drawn once.
pub(super) fn lines<'a>(
    most: usize,
    all: impl Iterator<Item = (&'a ContenderFacts, Vec<Mark>)>,
) -> Vec<Series> {
    let all = all.map(|(facts, marks)| series(facts, vec![], marks).joined());
    let mut all: Vec<Series> = all.filter(|series| series.line.len() > 1).collect();
    all.sort_by_key(|series| series.is_hollow);
    let mut told: Vec<(Series, usize)> = Vec::new();
    for series in all {
        match told.iter_mut().find(|(other, _)| is_same(&other.line, &series.line)) {
            Some((_, alike)) => *alike += 1,
            None => told.push((series, 0)),
        }
    }
    told.truncate(most);
    for (series, alike) in told.iter_mut().filter(|(_, alike)| *alike > 0) {
        series.name += &format!(" and {alike} alike");
    }
    told.into_iter().map(|(series, _)| series).collect()
}

/// Who rises least and who most, and how many times.
pub(super) fn rises(all: &[Series]) -> Option<[(&Series, f64); 2]> {
    let rises = all.iter().filter_map(|series| Some((series, series.rise()?)));
    let mut rises: Vec<(&Series, f64)> = rises.collect();
    rises.sort_by(|a, b| a.1.total_cmp(&b.1));
    Some([*rises.first()?, *rises.last()?])
}

/// A plot over the numbers of keys, and who rises least and most.
fn by_size(
    data: &Data,
    slug: &'static str,
    y: &str,
    value: fn(&Entry<'_>) -> Option<f64>,
) -> Option<Plot> {
    let sizes = data.sizes(&data.set);
    let mark = |facts: &ContenderFacts, size: u64| {
        let entry = data.entry(&facts.name, &data.set, size, Target::Rate(data.rate()))?;
        let (x, y) = (size as f64, value(&entry));
        (y.is_some() || entry.failure().is_some()).then_some(Mark { x, y, bar: None })
    };
    let marks = |facts| sizes.iter().filter_map(|size| mark(facts, *size)).collect();
    let all = lines(8, chosen(data).map(|facts| (facts, marks(facts))));
    let [(slow, least), (steep, most)] = rises(&all)?;
    let (from, to) = (steep.line.first()?.0, steep.line.last()?.0);
    let (from, to) = (keys(from as u64), keys(to as u64));
    let (slow, steep) = (&slow.name, &steep.name);
    let found = format!(
        "From {from} to {to} keys {y} change to {least:.2} times in {slow}, the least, and to {most:.2} times in {steep}."
    );
    let plot = Plot::new(slug, found, ["keys (log)", &format!("{y} (log)")], all)?;
    let caches = data.machine.iter().flat_map(|machine| &machine.cache);
    let caches = caches.filter(|cache| cache.kind != "Instruction").map(|cache| {
        let keys = (cache.bytes * 8 / TYPICAL_BITS) as f64;
        (keys, format!("L{} {}", cache.level, binary(cache.bytes)))
    });
    let note = format!("Upright: {TYPICAL_BITS} bits a key fill a cache.");
    Some(Plot { guides: caches.collect(), note, ..plot })
}

pub(super) fn share(data: &Data) -> Found {
    let shares = [(0.0, Workload::Query0), (50.0, Workload::Query50), (100.0, Workload::Query100)];
    let marks = |facts: &ContenderFacts| {
        let entry = data.entry(&facts.name, &data.set, data.keys, Target::Rate(data.rate()));
        let mark = |(share, workload)| Some(Mark::at(share, entry.as_ref()?.ns(workload)?));
        shares.into_iter().filter_map(mark).collect()
    };
    let all = lines(8, chosen(data).map(|facts| (facts, marks(facts))));
    let differs = |series: &Series| series.rise().map_or(0.0, |rise| rise.max(1.0 / rise) - 1.0);
    let slack = data.floor(Workload::Query50).max(0.05);
    let flat = all.iter().filter(|series| differs(series) <= slack).count();
    let most = all.iter().max_by(|a, b| differs(a).total_cmp(&differs(b)))?;
    let (absent, present) = (most.line.first()?.1, most.line.last()?.1);
    let found = format!(
        "{flat} of {} cost the same whatever the answer; {} differs most between absent ({} ns) and present keys ({} ns).",
        all.len(),
        most.name,
        two(absent),
        two(present),
    );
    let axes = ["% of the queries for present keys", "ns per query (log)"];
    figures([Plot::new("query-by-share", found, axes, all)])
}

/// A table of those that have a number, the least first, under what its ends say: the number, and
/// the cells.
pub(super) fn ranked<'a>(
    entries: &[Entry<'a>],
    head: [&'static str; 4],
    cells: impl Fn(&Entry<'a>) -> Option<(f64, [String; 3])>,
    finding: impl Fn(&[String; 4], &[String; 4]) -> String,
) -> Found {
    let row = |entry| {
        let (number, [first, second, third]) = cells(entry)?;
        Some((number, [entry.name().to_owned(), first, second, third]))
    };
    let mut all: Vec<(f64, [String; 4])> = entries.iter().filter_map(row).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    let found = finding(&all.first()?.1, &all.last()?.1);
    let rows = all.into_iter().map(|(_, row)| row.map(Text::from).to_vec()).collect();
    Some((found, vec![Block::Table(Table::new("", &head, 1, rows))]))
}

pub(super) fn latency(data: &Data) -> Found {
    let head = ["contender", "dependent, ns", "independent, ns", "ratio"];
    let cells = |entry: &Entry<'_>| {
        let (free, waits) = entry.ns(Workload::Query50).zip(entry.ns(Workload::Dependent50))?;
        Some((waits, [two(waits), two(free), format!("{:.2}", waits / free)]))
    };
    ranked(&data.main_entries(data.rate()), head, cells, |[name, ns, ..], [last, most, ..]| {
        format!(
            "A query whose key depends on the answer before takes {ns} ns with {name} and {most} with {last}."
        )
    })
}

pub(super) fn net(data: &Data) -> Found {
    let target = Target::Rate(data.rate());
    let floors = data.run.contender.iter().filter(|facts| facts.role == Role::Floor);
    let mut floors =
        floors.filter_map(|facts| data.entry(&facts.name, &data.set, data.keys, target));
    let floor = floors.find_map(|entry| entry.ns(Workload::Query50))?;
    let head = ["contender", "gross, ns", "net, ns", "share of hashing"];
    let cells = |entry: &Entry<'_>| {
        let gross = entry.ns(Workload::Query50)?;
        Some((gross, [two(gross), two((gross - floor).max(0.0)), percent(floor / gross)]))
    };
    ranked(&data.main_entries(data.rate()), head, cells, |[name, _, _, share], _| {
        let ns = two(floor);
        format!(
            "Reading and hashing a key is {ns} ns of each query: {share} of what {name} takes in all."
        )
    })
}
