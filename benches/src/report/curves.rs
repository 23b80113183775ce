//! How times, memory and rates change: with the number of keys, the share of present ones and the
//! load, while filters grow, and past their plan; and what takes them longest.

use super::prelude::*;

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
        series.name += &format!(" and {} alike", series.alike.len());
    }
    told
}

/// Who rises least and who most.
fn rises(all: &[Series]) -> Option<[&Series; 2]> {
    let order = |a: &&Series, b: &&Series| a.rise().total_cmp(&b.rise());
    Some([all.iter().min_by(order)?, all.iter().max_by(order)?])
}

/// A plot over the numbers of keys, and who rises least and most.
fn by_size(data: &Data, slug: &'static str, y: &str, number: Number) -> Option<Plot> {
    let sizes = data.sizes(&data.set);
    let mark = |facts: &Info, size: u64| {
        let entry = data.entry(&facts.name, data.with(size))?;
        let (x, y) = (size as f64, number(&entry));
        (y.is_some() || entry.failure().is_some()).then_some(Mark { x, y, bar: None })
    };
    let marks = |facts| sizes.iter().filter_map(|size| mark(facts, *size)).collect();
    let all = lines(8, chosen(data).map(|facts| Series::of(facts, marks(facts))));
    let [slow, steep] = rises(&all)?;
    let [from, to] = [steep.line.first()?, steep.line.last()?].map(|(size, _)| keys(*size as u64));
    let found = format!(
        "From {from} to {to} keys {y} change to {:.2} times in {}, the least, and to {:.2} times \
         in {}.",
        slow.rise(),
        slow.name,
        steep.rise(),
        steep.name
    );
    let plot = Plot::new(slug, found, ["keys (log)", &format!("{y} (log)")], all)?;
    let caches = data.caches().map(|(bytes, name)| ((bytes * 8 / TYPICAL_BITS) as f64, name));
    let note = format!("Upright: {TYPICAL_BITS} bits a key fill a cache.");
    Some(Plot { guides: caches.collect(), note, ..plot })
}

pub(super) fn share(data: &Data) -> Found {
    let shares = [(0.0, Workload::Query0), (50.0, Workload::Query50), (100.0, Workload::Query100)];
    let marks = |facts: &Info| {
        let entry = data.entry(&facts.name, data.main());
        let mark = |(share, workload)| Some(Mark::at(share, entry.as_ref()?.ns(workload)?));
        shares.into_iter().filter_map(mark).collect()
    };
    let all = lines(8, chosen(data).map(|facts| Series::of(facts, marks(facts))));
    let differs = |series: &Series| series.rise().max(1.0 / series.rise()) - 1.0;
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

/// The least and the most, in words.
fn span(all: &[Ranked<'_>]) -> Option<String> {
    let ((first, least), (last, most)) = all.first().zip(all.last())?;
    let (least, most) = (two(*least), two(*most));
    Some(format!("{least} ns in {} and {most} in {}", first.name(), last.name()))
}

/// A line a contender over the rows of a course; five, for they have many points.
fn over(entries: &[Entry<'_>], point: impl Fn(&Row) -> Option<(f64, f64)>) -> Vec<Series> {
    let mark = |row: &&Row| match row.state {
        State::Failed => Some(Mark { x: row.load?, y: None, bar: None }),
        _ => point(row).map(|(x, y)| Mark::at(x, y)),
    };
    let marks = |entry: &Entry<'_>| entry.rows.iter().filter_map(mark).collect();
    lines(5, entries.iter().map(|entry| Series::of(entry.facts, marks(entry))))
}

pub(super) fn load(data: &Data) -> Found {
    let inserts = data.entries(Of::Course("load_insert"));
    let by_load = |slug, what: &str, y, ns: fn(&Row) -> Option<f64>| {
        let all = over(&inserts, |row| row.load.zip(ns(row)));
        let [_, steep] = rises(&all)?;
        let times = format!("{} times from the emptiest to the fullest table", two(steep.rise()));
        let found = format!("{what} rises most in {}: {times}.", steep.name);
        Plot::new(slug, found, ["load: keys over slots", y], all)
    };
    let (mean, tail) = ("The time of an insert", "The time that one insert in a thousand exceeds");
    figures([
        by_load("insert-by-load", mean, "ns per insert (log)", |row| row.ns),
        by_load("tail-by-load", tail, "ns, 99.9th percentile (log)", |row| row.ns_p99_9),
    ])
}

pub(super) fn grow(data: &Data) -> Found {
    let mut entries = data.entries(Of::Course("grow"));
    let bits = over(&entries, |row| Some((row.keys as f64, row.bits_per_key()?)));
    let ns = over(&entries, |row| Some((row.keys as f64, row.ns?)));
    entries.retain(|entry| entry.keeps(data.rate()));
    let all = ranked(entries, |entry| Some(entry.growth()?.0));
    let (least, mean) = all.first()?;
    let found = format!(
        "{} is the smallest that keeps its rate: {} bits a key on average as it grows.",
        least.name(),
        digits(*mean, 3)
    );
    let late = "An insert on the way, growth included.".to_owned();
    let (found, mut blocks) = figures([
        Plot::new("grow-bits", found, ["keys (log)", "bits per key (log)"], bits),
        Plot::new("grow-ns", late, ["keys (log)", "ns per insert (log)"], ns),
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
    let decays = rises(&all).map(|[_, steep]| {
        let (times, name) = (two(steep.rise()), &steep.name);
        format!("Never full, but wrong {times} times as often in the end: {name}")
    });
    let refuses = refuses.map(|refuses| format!("{refuses} refuse keys past their plan"));
    let found = [decays, refuses].into_iter().flatten().reduce(|a, b| format!("{a}; {b}"))?;
    let axes = ["keys over planned keys", "false-positive rate (log)"];
    figures([Plot::new("rate-past-plan", found + ".", axes, all)])
}

/// Who has such a row.
pub(super) fn who(entries: &[Entry<'_>], is_such: impl Fn(&Row) -> bool) -> Option<String> {
    let such = entries.iter().filter(|entry| entry.rows.iter().any(|row| is_such(row)));
    let names: Vec<&str> = such.map(Entry::name).collect();
    (!names.is_empty()).then(|| list(&names))
}

/// The times of a workload, and what is left of the filters.
pub(super) fn timed(data: &Data, of: Of<'_>, workload: Workload, what: &str) -> Found {
    let entries = data.entries(of);
    let keys = keys(entries.first()?.keys());
    let failed = who(&entries, |row| row.workload == workload && row.state == State::Failed);
    let all = ranked(entries, |entry| entry.ns(workload));
    let found = format!("With {keys} keys, {what} takes {}.", span(&all)?);
    let table = Table::of(&all)
        .word("contender", |(entry, _)| entry.name())
        .number("ns", |(_, ns)| Some(two(*ns)))
        .number("bits per key", |(entry, _)| Some(digits(entry.row(workload)?.bits_per_key()?, 3)))
        .number("rate after", |(entry, _)| Some(percent(entry.row(workload)?.fpr()?)));
    let mut blocks = vec![table.block("")];
    blocks.extend(failed.map(|failed| Block::text(format!("Failed: {failed}."))));
    Some((found, blocks))
}

/// A course of which no more is known.
pub(super) fn stops(data: &Data, name: &'static str) -> Found {
    let entries = data.entries(Of::Course(name));
    let rows = entries.iter().flat_map(|entry| entry.rows.iter().copied());
    let rows: Vec<&Row> = rows.filter(|row| row.state == State::Measured).collect();
    let found = format!("Contenders on this course: {}.", entries.len());
    let table = Table::of(&rows)
        .word("contender", |row| &row.contender)
        .number("keys", |row| Some(keys(row.keys)))
        .number("ns", |row| Some(two(row.ns?)))
        .number("bits per key", |row| Some(digits(row.bits_per_key()?, 3)))
        .number("rate", |row| Some(percent(row.fpr()?)));
    (!rows.is_empty()).then(|| (found, vec![table.block("")]))
}
