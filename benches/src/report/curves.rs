//! How times and memory change with the number of keys and the share of present ones.

use super::data::{Data, Entry, Target};
use super::doc::{Block, Found, Section, Table, Text};
use super::front::{FAMILIES, series};
use super::number::{binary, keys, percent, two};
use super::plot::{Line, Mark, Plot, Series, figures};
use crate::record::{ContenderFacts, Family, Role, Workload};

/// Bits of a key at which a cache is marked as full.
const TYPICAL_BITS: u64 = 10;

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Vec<Section> {
    let size = |slug, y, what, value| by_size(data, slug, y, what, value);
    let query = size("query-by-size", "ns per query, half present", "the query", |entry| {
        entry.ns(Workload::Query50)
    });
    let build = size("build-by-size", "ns per key built", "the build", |entry| {
        entry.ns(Workload::Build)
    });
    let peak = size("peak-by-size", "peak bits per key while built", "the peak", Entry::peak_bits);
    vec![
        Section::new("query", "Query time against size", figures(query)),
        Section::new("build", "Build time and peak memory", figures(build.into_iter().chain(peak))),
        Section::new("share", "Present and absent keys", share(data)),
        Section::new("latency", "When the next question waits", latency(data)),
        Section::new("net", "Net of hashing", net(data)),
    ]
}

/// A line for one contender a family: ours where there is one.
fn lines(data: &Data, marks: impl Fn(&ContenderFacts) -> Vec<Mark>) -> Vec<Series> {
    let families = FAMILIES.into_iter().filter(|family| *family != Family::Exact);
    let chosen = families.filter_map(|family| {
        let of = data.filters().filter(|facts| facts.family == family);
        of.min_by_key(|facts| !facts.ours)
    });
    let all = chosen.map(|facts| series(facts, Line::Marks, marks(facts)));
    all.filter(|series| series.measured().next().is_some()).collect()
}

/// A plot over the numbers of keys, and who rises least and most; none of fewer than two numbers.
fn by_size(
    data: &Data,
    slug: &'static str,
    y: &str,
    what: &str,
    value: fn(&Entry<'_>) -> Option<f64>,
) -> Option<(&'static str, String, Option<Plot>)> {
    let all = lines(data, |facts| {
        let mark = |size: u64| {
            let entry = data.entry(&facts.name, &data.set, size, Target::Rate(data.rate()))?;
            let (x, y) = (size as f64, value(&entry));
            (y.is_some() || entry.failure().is_some()).then_some(Mark { x, y, bar: None })
        };
        data.sizes(&data.set).into_iter().filter_map(mark).collect()
    });
    let rises = all.iter().filter_map(|series| Some((series.rise()?, series)));
    let mut rises: Vec<_> = rises.collect();
    rises.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((least, slow), (most, steep)) = (rises.first()?, rises.last()?);
    let [(from, _), (to, _)] = steep.ends()?;
    let found = format!(
        "From {} to {} keys {what} of {} changes to {least:.2} times, the least, of {} to {most:.2} times.",
        keys(from as u64),
        keys(to as u64),
        slow.name,
        steep.name
    );
    let x = format!("keys (log); upright: {TYPICAL_BITS} bits a key fill a cache");
    let mut plot = Plot::new((&x, true), (&format!("{y} (log)"), true), all)?;
    let caches = data.machine.iter().flat_map(|machine| &machine.cache);
    let caches = caches.filter(|cache| cache.kind != "Instruction").map(|cache| {
        let keys = (cache.bytes * 8 / TYPICAL_BITS) as f64;
        (keys, format!("L{} {}", cache.level, binary(cache.bytes)))
    });
    plot.guides = caches.collect();
    Some((slug, found, Some(plot)))
}

fn share(data: &Data) -> Found {
    let shares = [(0.0, Workload::Query0), (50.0, Workload::Query50), (100.0, Workload::Query100)];
    let mut all = lines(data, |facts| {
        let entry = data.entry(&facts.name, &data.set, data.keys, Target::Rate(data.rate()));
        let mark = |(share, workload)| Some(Mark::at(share, entry.as_ref()?.ns(workload)?));
        shares.into_iter().filter_map(mark).collect()
    });
    all.retain(|series| series.marks.len() == shares.len());
    let differs = |series: &Series| series.rise().map_or(0.0, |rise| rise.max(1.0 / rise) - 1.0);
    let slack = data.floor(Workload::Query50).max(0.05);
    let flat = all.iter().filter(|series| differs(series) <= slack).count();
    let most = all.iter().max_by(|a, b| differs(a).total_cmp(&differs(b)))?;
    let [(_, absent), (_, present)] = most.ends()?;
    let found = format!(
        "{flat} of {} cost the same whatever the answer; {} differs most between absent ({} ns) and present keys ({} ns).",
        all.len(),
        most.name,
        two(absent),
        two(present),
    );
    let x = ("% of the queries for present keys", false);
    figures([("query-by-share", found, Plot::new(x, ("ns per query (log)", true), all))])
}

/// Who is first and last by a number, and a table of all: the number, and the other cells.
pub(super) struct Ranking<'a> {
    pub(super) first: (&'a str, f64),
    pub(super) last: (&'a str, f64),
    pub(super) table: Block,
}

/// Ranks by a number, the least first; none if no entry has it.
pub(super) fn ranking<'a>(
    entries: &[Entry<'a>],
    head: [&'static str; 4],
    cells: impl Fn(&Entry<'a>) -> Option<(f64, [String; 3])>,
) -> Option<Ranking<'a>> {
    let all = entries.iter().filter_map(|entry| Some((entry.name(), cells(entry)?)));
    let mut all: Vec<(&str, (f64, [String; 3]))> = all.collect();
    all.sort_by(|a, b| a.1.0.total_cmp(&b.1.0).then(a.0.cmp(b.0)));
    let end = |end: &(&'a str, (f64, _))| (end.0, end.1.0);
    let (first, last) = (end(all.first()?), end(all.last()?));
    let row = |(name, (_, cells)): (&str, (f64, [String; 3]))| {
        [name.to_owned()].into_iter().chain(cells).map(Text::from).collect()
    };
    let table = Table::new("", &head, 1, all.into_iter().map(row).collect());
    Some(Ranking { first, last, table: Block::Table(table) })
}

fn latency(data: &Data) -> Found {
    let head = ["contender", "dependent, ns", "independent, ns", "ratio"];
    let Ranking { first, last, table } = ranking(&data.main_entries(data.rate()), head, |entry| {
        let (free, waits) = entry.ns(Workload::Query50).zip(entry.ns(Workload::Dependent50))?;
        Some((waits, [two(waits), two(free), format!("{:.2}", waits / free)]))
    })?;
    let found = format!(
        "A query whose key depends on the answer before takes {} ns with {} and {} with {}.",
        two(first.1),
        first.0,
        two(last.1),
        last.0
    );
    Some((found, vec![table]))
}

fn net(data: &Data) -> Found {
    let target = Target::Rate(data.rate());
    let floors = data.run.contender.iter().filter(|facts| facts.role == Role::Floor);
    let floors = floors.filter_map(|facts| data.entry(&facts.name, &data.set, data.keys, target));
    let floor = { floors }.find_map(|entry| entry.ns(Workload::Query50))?;
    let head = ["contender", "gross, ns", "net, ns", "share of hashing"];
    let Ranking { first: (name, gross), table, .. } =
        ranking(&data.main_entries(data.rate()), head, |entry| {
            let gross = entry.ns(Workload::Query50)?;
            Some((gross, [two(gross), two((gross - floor).max(0.0)), percent(floor / gross)]))
        })?;
    let found = format!(
        "Reading and hashing a key is {} ns of each query: {} % of what {name} takes in all.",
        two(floor),
        (100.0 * floor / gross).round().min(100.0)
    );
    Some((found, vec![table]))
}
