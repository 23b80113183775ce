//! How times and memory change with the number of keys, with the share of present ones, and with
//! what is counted.

use super::data::Data;
use super::doc::{Found, Table};
use super::entry::{Entry, ranked};
use super::look::FAMILIES;
use super::number::{keys, percent, two};
use super::plot::{Mark, Plot, Series, figures, told_apart};
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
    let all = all.map(|(facts, marks)| Series::of(facts, marks).joined());
    let mut all: Vec<Series> = all.filter(|series| series.line.len() > 1).collect();
    all.sort_by_key(|series| series.is_hollow);
    let mut told = told_apart(all);
    told.truncate(most);
    for series in told.iter_mut().filter(|series| !series.alike.is_empty()) {
        series.name += &format!(" and {} alike", series.alike.len());
    }
    told
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
        let entry = data.entry(&facts.name, data.with(size))?;
        let (x, y) = (size as f64, value(&entry));
        (y.is_some() || entry.failure().is_some()).then_some(Mark { x, y, bar: None })
    };
    let marks = |facts| sizes.iter().filter_map(|size| mark(facts, *size)).collect();
    let all = lines(8, chosen(data).map(|facts| (facts, marks(facts))));
    let [(slow, least), (steep, most)] = rises(&all)?;
    let [from, to] = [steep.line.first()?, steep.line.last()?].map(|(size, _)| keys(*size as u64));
    let found = format!(
        "From {from} to {to} keys {y} change to {least:.2} times in {}, the least, and to \
         {most:.2} times in {}.",
        slow.name, steep.name
    );
    let plot = Plot::new(slug, found, ["keys (log)", &format!("{y} (log)")], all)?;
    let caches = data.caches().map(|(bytes, name)| ((bytes * 8 / TYPICAL_BITS) as f64, name));
    let note = format!("Upright: {TYPICAL_BITS} bits a key fill a cache.");
    Some(Plot { guides: caches.collect(), note, ..plot })
}

pub(super) fn share(data: &Data) -> Found {
    let shares = [(0.0, Workload::Query0), (50.0, Workload::Query50), (100.0, Workload::Query100)];
    let marks = |facts: &ContenderFacts| {
        let entry = data.entry(&facts.name, data.main());
        let mark = |(share, workload)| Some(Mark::at(share, entry.as_ref()?.ns(workload)?));
        shares.into_iter().filter_map(mark).collect()
    };
    let all = lines(8, chosen(data).map(|facts| (facts, marks(facts))));
    let differs = |series: &Series| series.rise().map_or(0.0, |rise| rise.max(1.0 / rise) - 1.0);
    let slack = data.floor(Workload::Query50).max(0.05);
    let flat = all.iter().filter(|series| differs(series) <= slack).count();
    let most = all.iter().max_by(|a, b| differs(a).total_cmp(&differs(b)))?;
    let [absent, present] = [most.line.first()?, most.line.last()?].map(|(_, ns)| two(*ns));
    let found = format!(
        "{flat} of {} cost the same whatever the answer; {} differs most between absent ({absent} \
         ns) and present keys ({present} ns).",
        all.len(),
        most.name
    );
    let axes = ["% of the queries for present keys", "ns per query (log)"];
    figures([Plot::new("query-by-share", found, axes, all)])
}

pub(super) fn latency(data: &Data) -> Found {
    let all = ranked(data.entries(data.main()), |entry| entry.ns(Workload::Dependent50));
    let ((first, least), (last, most)) = all.first().zip(all.last())?;
    let found = format!(
        "A query whose key depends on the answer before takes {} ns with {} and {} with {}.",
        two(*least),
        first.name(),
        two(*most),
        last.name()
    );
    let free = |entry: &Entry<'_>| entry.ns(Workload::Query50);
    let table = Table::of(&all)
        .word("contender", |(entry, _)| entry.name())
        .number("dependent, ns", |(_, ns)| Some(two(*ns)))
        .number("independent, ns", |(entry, _)| free(entry).map(two))
        .number("ratio", |(entry, ns)| Some(format!("{:.2}", ns / free(entry)?)));
    Some((found, vec![table.block("")]))
}

pub(super) fn net(data: &Data) -> Found {
    let mut floors = data.run.contender.iter().filter(|facts| facts.role == Role::Floor);
    let floor = floors.find_map(|facts| data.entry(&facts.name, data.main()))?;
    let floor = floor.ns(Workload::Query50)?;
    let all = ranked(data.entries(data.main()), |entry| entry.ns(Workload::Query50));
    let (first, least) = all.first()?;
    let found = format!(
        "Reading and hashing a key is {} ns of each query: {} of what {} takes in all.",
        two(floor),
        percent(floor / least),
        first.name()
    );
    let table = Table::of(&all)
        .word("contender", |(entry, _)| entry.name())
        .number("gross, ns", |(_, gross)| Some(two(*gross)))
        .number("net, ns", |(_, gross)| Some(two((gross - floor).max(0.0))))
        .number("share of hashing", |(_, gross)| Some(percent(floor / gross)));
    Some((found, vec![table.block("")]))
}
