//! How times, memory and rates change: with the number of keys, the share of present ones and the
//! load, while filters grow, and past their plan; and what takes them longest.

use super::front::{FLOOR, LINE_READS};
use super::prelude::*;
use std::fmt::Display;

/// With fewer keys, fixed costs decide.
const FEW: u64 = 10_000;

/// Bits of a key at which a cache is marked as full.
pub(super) const TYPICAL_BITS: u64 = 10;

pub(super) fn query(data: &Data) -> Found {
    figures([by_size(data, "query-by-size", ["ns per query", "a query takes", "long"], |of| {
        of.ns(Workload::Query50)
    })])
}

pub(super) fn build(data: &Data) -> Found {
    figures([
        by_size(data, "build-by-size", ["ns per key built", "building takes", "long"], |of| {
            of.ns(Workload::Build)
        }),
        by_size(data, "peak-by-size", ["peak bits per key", "the peak per key is", "high"], |of| {
            of.peak_bits()
        }),
    ])
}

/// One contender a family: ours where there is one.
fn chosen(data: &Data) -> impl Iterator<Item = &Info> {
    let families = LOOKS.into_iter().map(|look| look.family).filter(|of| *of != Family::Exact);
    families.filter_map(|family| {
        let of = data.filters().filter(move |facts| facts.family == family);
        of.min_by_key(|facts| !facts.ours)
    })
}

/// At most so many lines of two points or more, ours first; those that cannot be told apart are
/// drawn once.
fn lines(most: usize, all: impl Iterator<Item = Series>) -> Vec<Series> {
    let all = all.map(Series::joined).filter(|series| series.line.len() > 1);
    let mut all: Vec<Series> = all.collect();
    all.sort_by_key(|series| series.is_hollow);
    let mut told = told_apart(all);
    told.truncate(most);
    for series in told.iter_mut().filter(|series| !series.alike.is_empty()) {
        series.name += &format!(" and {} more", series.alike.len());
    }
    for (series, letter) in told.iter_mut().zip('A'..='Z') {
        series.letter = Some(letter);
    }
    told
}

/// Who rises least and who most.
fn rises(all: &[Series]) -> Option<[&Series; 2]> {
    let order = |a: &&Series, b: &&Series| a.rise().total_cmp(&b.rise());
    Some([all.iter().min_by(order)?, all.iter().max_by(order)?])
}

/// A plot over the numbers of keys; and of all filters that were measured at both ends, who rises
/// least and most. The largest number is the page's, or the last that all were measured with.
fn by_size(
    data: &Data,
    slug: &'static str,
    [y, what, much]: [&str; 3],
    number: Number,
) -> Option<Plot> {
    let sizes = data.sizes(&data.set);
    let at = |facts: &Info, size: u64| number(&data.entry(&facts.name, data.with(size))?);
    let mark = |facts: &Info, size: u64| {
        let (x, y) = (size as f64, at(facts, size));
        let failed = || data.entry(&facts.name, data.with(size))?.failure().map(|_| ());
        (y.is_some() || failed().is_some()).then_some(Mark { x, y, bar: None })
    };
    let marks = |facts| sizes.iter().filter_map(|size| mark(facts, *size)).collect();
    let mut all = lines(8, chosen(data).map(|facts| Series::of(facts, marks(facts))));
    let timed = |size: &u64| data.filters().any(|facts| at(facts, *size).is_some());
    // What is paid once for a filter says nothing where there are few keys.
    let (from, to) = (sizes.iter().copied().find(|of| *of >= FEW && timed(of))?, data.keys);
    let rise = |facts: &Info| Some(at(facts, to)? / at(facts, from)?);
    let all_rises = data.filters().filter_map(|facts| Some((rise(facts)?, facts.name.as_str())));
    let mut all_rises: Vec<(f64, &str)> = all_rises.collect();
    all_rises.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [(least, _), .., (most, steep)] = all_rises[..] else { return None };
    let [low, high, count] = [two(least), two(most), all_rises.len().to_string()];
    let parts: [&dyn Display; 8] =
        [&keys(to), &what, &low, &high, &much, &keys(from), &count, &steep];
    let found = data.say("rises", &parts);
    let floor = |size: &u64| number(&data.floor_entry(LINE_READS, *size)?).zip(Some(*size as f64));
    let floor: Vec<_> = sizes.iter().filter_map(floor).map(|(y, x)| (x, y)).collect();
    let is_floored = slug == "query-by-size" && !floor.is_empty();
    all.extend(is_floored.then(|| Series::floor(floor)));
    let plot = Plot::new(slug, found, ["keys (log)", &format!("{y} (log)")], all)?;
    let caches = data.caches().map(|(bytes, name)| ((bytes * 8 / TYPICAL_BITS) as f64, name));
    let note = data.say("sizes", &[&TYPICAL_BITS, if is_floored { &FLOOR } else { &"" }]);
    Some(Plot { guides: caches.collect(), note, ..plot })
}

/// The least and the most, in words: who has them is another in the next run.
fn span(all: &[Ranked<'_>]) -> Option<String> {
    let mut sound = all.iter().filter(|(entry, _)| !entry.is_wrong);
    let (_, least) = sound.next()?;
    let most = sound.next_back().map_or(least, |(_, most)| most);
    Some(format!("from {} ns in one filter to {} ns in another", two(*least), two(*most)))
}

/// A line for each contender over the rows of a course.
fn over(entries: &[Entry<'_>], point: impl Fn(&Row) -> Option<(f64, f64)>) -> Vec<Series> {
    let mark = |row: &&Row| match row.state {
        State::Failed => Some(Mark { x: row.load?, y: None, bar: None }),
        _ => point(row).map(|(x, y)| Mark::at(x, y)),
    };
    let marks = |entry: &Entry<'_>| entry.rows.iter().filter_map(mark).collect();
    lines(usize::MAX, entries.iter().map(|entry| Series::of(entry.facts, marks(entry))))
}

/// Five of them can be drawn: ours first, and the steepest of all.
fn drawn(mut all: Vec<Series>) -> Vec<Series> {
    let steepest = rises(&all).map(|[_, steep]| steep.clone());
    all.truncate(5);
    let is_there = |steep: &Series| all.iter().any(|series| series.name == steep.name);
    all.extend(steepest.filter(|steep| !is_there(steep)));
    all
}

pub(super) fn load(data: &Data) -> Found {
    let inserts = data.entries(Of::Course("load_insert"));
    let by_load = |slug, what: &str, y, ns: fn(&Row) -> Option<f64>| {
        let all = over(&inserts, |row| row.load.zip(ns(row)));
        let [_, steep] = rises(&all)?;
        let found = data.say("fills", &[&what, &at_least(steep.rise()), &all.len()]);
        Plot::new(slug, found, ["load: keys over slots", y], drawn(all))
    };
    let (mean, tail) = ("The time of an insert", "The time that one insert in a thousand exceeds");
    figures([
        by_load("insert-by-load", mean, "ns per insert (log)", |row| row.ns),
        by_load("tail-by-load", tail, "ns, 99.9th percentile (log)", |row| row.ns_p99_9),
    ])
}

/// Courses whose inserts are timed singly: the first that a filter takes part in says how long its
/// slowest take.
const INSERTS: [(&str, &str); 3] = [
    ("load_insert", "in a table 90 % full"),
    ("grow", "as it grows"),
    ("overfill", "past its plan"),
];

/// What 999 of 1,000 single queries and inserts stay below.
pub(super) fn tails(data: &Data) -> Found {
    let insert = |entry: &Entry<'_>| {
        INSERTS.into_iter().find_map(|(course, when)| {
            let rows = data.entry(entry.name(), Of::Course(course))?.rows;
            let is_meant = |row: &&&Row| row.load.is_none_or(|load| (load - 0.9).abs() < 0.01);
            let tails = rows.iter().filter(is_meant).filter_map(|row| row.ns_p99_9);
            Some((tails.reduce(f64::max)?, when))
        })
    };
    let entries = data.run.contender.iter().filter(|facts| facts.role != Role::Twin);
    let entries = entries.filter_map(|facts| data.entry(&facts.name, data.main()));
    let all = ranked(entries.collect(), |entry| entry.row(Workload::Query50)?.ns_p99_9);
    let filters = all.iter().filter(|(of, _)| of.is_filter() && !of.is_wrong);
    let tails: Vec<f64> = filters.map(|of| of.1).collect();
    let (least, most) = (two(*tails.first()?), two(*tails.last()?));
    let found = data.say("tail", &[&least, &most]);
    let table = Table::of(&all)
        .word("contender", |(entry, _)| entry.title())
        .word("inserts measured", |(entry, _)| insert(entry).map_or("", |(_, when)| when))
        .number("mean query", |(entry, _)| entry.time(Workload::Query50))
        .number("99.9 % of queries below", |(_, tail)| Some(two(*tail)))
        .number("99.9 % of inserts below", |(entry, _)| Some(two(insert(entry)?.0)));
    Some((found, vec![table.block(data.say("tails", &[&data.what()]))]))
}

pub(super) fn grow(data: &Data) -> Found {
    let mut entries = data.entries(Of::Course("grow"));
    // Of a hundredfold growth the last two doublings: what is before repeats in them.
    let most = entries.iter().flat_map(|entry| &entry.rows).map(|row| row.keys).max()? as f64;
    let late = |row: &Row| Some(row.keys as f64).filter(|keys| *keys >= most / 4.1);
    let bits = over(&entries, |row| late(row).zip(row.bits_per_key()));
    let ns = over(&entries, |row| late(row).zip(row.ns));
    let whole = |plot: Plot| Plot {
        x: Axis { range: (most / 4.1, most * 1.01), ..plot.x },
        size: (620, 320),
        narrow: Some((370, 300)),
        ..plot
    };
    entries.retain(|entry| entry.keeps(data.rate()) && !entry.is_wrong);
    let all = ranked(entries, |entry| Some(entry.growth()?.0));
    let (least, mean) = all.first()?;
    let found = data.say("grows", &[&least.name(), &digits(*mean, 3)]);
    let time = "The time of an insert as the filter grows, growing included.".to_owned();
    let (found, mut blocks) = figures([
        Plot::new("grow-bits", found, ["keys", "bits per key (log)"], drawn(bits)).map(whole),
        Plot::new("grow-ns", time, ["keys", "ns per insert (log)"], drawn(ns)).map(whole),
    ])?;
    let table = Table::of(&all)
        .word("contender", |(entry, _)| entry.name())
        .number("mean bits", |(_, mean)| Some(digits(*mean, 3)))
        .number("least", |(entry, _)| Some(digits(entry.growth()?.1, 3)))
        .number("most", |(entry, _)| Some(digits(entry.growth()?.2, 3)));
    blocks.push(table.block(""));
    Some((found, blocks))
}

pub(super) fn overfill(data: &Data) -> Found {
    let entries = data.entries(Of::Course("overfill"));
    let share = |row: &Row| Some(row.keys as f64 / row.planned_keys? as f64);
    let all = over(&entries, |row| share(row).zip(row.fpr().filter(|fpr| *fpr > 0.0)));
    let refuses = who(&entries, |row| row.state == State::Refused);
    let rise = |entry: &Entry<'_>| {
        let rates: Vec<f64> = entry.rows.iter().filter_map(|row| row.fpr()).collect();
        Some(rates.last()? / rates.first()?).filter(|rise| rise.is_finite() && *rise > 2.0)
    };
    let decays = entries.iter().filter_map(|entry| Some((entry.name(), rise(entry)?)));
    let decays: Vec<(&str, f64)> = decays.collect();
    let least = decays.iter().map(|decay| decay.1).reduce(f64::min);
    let names = list(&decays.iter().map(|decay| decay.0).collect::<Vec<_>>());
    let decays = least.map(|least| {
        let times = at_least(least);
        format!("At five times the planned keys these err over {times} times as often: {names}")
    });
    let refuses = refuses.map(|refuses| format!("these refuse keys before: {refuses}"));
    let found = [decays, refuses].into_iter().flatten().reduce(|a, b| format!("{a}; {b}"))?;
    let axes = ["keys over planned keys", "false-positive rate (log)"];
    figures([Plot::new("rate-past-plan", found + ".", axes, drawn(all))])
}

/// Who has such a row.
pub(super) fn who(entries: &[Entry<'_>], is_such: impl Fn(&Row) -> bool) -> Option<String> {
    let such = entries.iter().filter(|entry| entry.rows.iter().any(|row| is_such(row)));
    let names: Vec<&str> = such.map(Entry::name).collect();
    (!names.is_empty()).then(|| list(&names))
}

/// The times of a workload, what is left of the filters, and what the columns mean.
pub(super) fn timed(data: &Data, of: Of<'_>, workload: Workload, what: &str) -> Found {
    let entries = data.entries(of);
    let failed = who(&entries, |row| row.workload == workload && row.state == State::Failed);
    let all = ranked(entries, |entry| entry.ns(workload));
    let found = format!("{what} takes {}.", span(&all)?);
    let table = Table::of(&all)
        .word("contender", |(entry, _)| entry.title())
        .number("ns", |(entry, _)| entry.time(workload))
        .number("keys", |(entry, _)| Some(keys(entry.row(workload)?.keys)))
        .number("rate after", |(entry, _)| Some(percent(entry.row(workload)?.fpr()?)));
    let mut blocks = vec![table.block(data.say(&workload.to_string(), &[]))];
    blocks.extend(failed.map(|failed| Block::text(format!("Failed: {failed}."))));
    Some((found, blocks))
}
