//! The first plot: time against space, with at most twelve names; and the full plot.

use super::data::{Data, Entry};
use super::number::{digits, list, two};
use super::plot::{Mark, Plot, Series};
use crate::record::{Ability, Family, Workload};

/// The most names in the first plot.
const NAMES: usize = 12;
/// The largest size in the first plot, as a multiple of the least possible.
const CLOSE: f64 = 2.2;
/// Sizes and times closer than this tie.
const TIES: (f64, f64) = (0.005, 0.05);

const QUERY: Workload = Workload::Query50;
/// The contender that only reads one cache line per key: the machine's floor.
pub(super) const LINE_READS: &str = "line-reads";
const FLOOR: &str = "one memory read";

/// A filter with its size, as a multiple of the least possible, and its time for a query.
type Point<'a> = (Entry<'a>, f64, f64);

/// The page's main cell, without maps and without filters that gave a wrong answer.
fn points(data: &Data) -> Vec<Point<'_>> {
    let mut entries = data.entries(data.main());
    entries.retain(|of| !of.can(Ability::Values) && !of.is_wrong && !of.has_failed());
    let point = |of: Entry<'_>| Some((of.overhead()?, of.ns(QUERY)?));
    let all = entries.into_iter();
    all.filter_map(|of| point(of.clone()).map(|(over, ns)| (of, over, ns))).collect()
}

/// Whether one filter is better in size or time, and not worse in the other.
fn beats(a: (f64, f64), b: (f64, f64)) -> bool {
    let less = |a: f64, b: f64, tie: f64| a * (1.0 + tie) < b;
    let [smaller, larger] = [less(a.0, b.0, TIES.0), less(b.0, a.0, TIES.0)];
    let [faster, slower] = [less(a.1, b.1, TIES.1), less(b.1, a.1, TIES.1)];
    (smaller && !slower) || (faster && !larger)
}

/// Of each family our filters that no other of ours beats, and the fastest other crate; the fastest
/// of them if there are more than twelve.
fn chosen(data: &Data) -> Vec<Point<'_>> {
    let mut all = points(data);
    // Filters that grow or that threads share are compared in other sections.
    all.retain(|(of, over, _)| {
        let is_apart = of.info.family == Family::Scalable || of.can(Ability::ConcurrentInsert);
        of.is_filter() && *over <= CLOSE && !is_apart
    });
    let is_chosen = |(of, over, ns): &&Point<'_>| {
        let family = || all.iter().filter(|(other, ..)| other.info.family == of.info.family);
        let mut rivals = family().filter(|(other, ..)| other.info.ours == of.info.ours);
        if of.info.ours {
            !rivals.any(|other| beats((other.1, other.2), (*over, *ns)))
        } else {
            rivals.all(|other| other.2 >= *ns)
        }
    };
    let mut chosen: Vec<_> = all.iter().filter(is_chosen).cloned().collect();
    chosen.sort_by(|a, b| b.0.info.ours.cmp(&a.0.info.ours).then(a.2.total_cmp(&b.2)));
    chosen.truncate(NAMES);
    chosen
}

fn plot(data: &Data, slug: &'static str, caption: String, all: &[Point<'_>]) -> Option<Plot> {
    let mark = |(of, over, ns): &Point<'_>| Series::of(of.info, vec![Mark::at(*over, *ns)]);
    let mut series: Vec<Series> = all.iter().map(mark).collect();
    let widest = all.iter().map(|point| point.1).fold(1.0, f64::max);
    let floor = data.floor_ns(LINE_READS, data.keys);
    series.extend(floor.map(|ns| Series::guide(FLOOR, vec![(1.0, ns), (widest, ns)])));
    let axes = [
        "size, as a multiple of the least possible (log)",
        "ns per query, half of the keys present (log)",
    ];
    let plot = Plot::new(slug, caption, axes, series)?.wide();
    Some(Plot { guides: vec![(1.0, "least possible".to_owned())], ..plot })
}

pub(super) fn best(data: &Data) -> Option<Plot> {
    let all = chosen(data);
    let read = all.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let caption = format!(
        "{}. Lower and further left is better. To read it: {} takes {} times the least possible space \
         and {} ns for a query. Filled marks are ours: of each family those that no other of ours \
         beats. Hollow marks are other authors' crates: of each family the fastest. The dashed line \
         is this machine's floor: hashing a key and reading one cache line for it.",
        data.what(),
        read.0.name(),
        digits(read.1, 3),
        two(read.2)
    );
    plot(data, "time-by-space", caption, &all)
}

pub(super) fn all(data: &Data) -> Option<Plot> {
    let all = points(data);
    let is_out = |of: &&Entry<'_>| !all.iter().any(|(other, ..)| other.name() == of.name());
    let entries = data.entries(data.main());
    let out = entries.iter().filter(|of| of.is_filter()).filter(is_out).map(Entry::name);
    let out: Vec<&str> = out.collect();
    let out = match &out[..] {
        [] => String::new(),
        out => format!(" Left out because a check failed: {}.", list(out)),
    };
    let caption = format!("All filters, with the same axes.{out}");
    let plot = plot(data, "time-by-space-all", caption, &all)?;
    // This many names need a tall picture where it cannot be wide.
    Some(Plot { narrow: (plot.narrow.0, 800), ..plot })
}

#[test]
fn a_filter_beats_another_only_by_more_than_a_tie() {
    for (a, b, wins) in [
        ((1.0, 9.0), (1.5, 5.0), false),
        ((1.5, 5.0), (1.6, 6.0), true),
        ((1.0, 9.0), (1.001, 9.1), false),
        ((1.0, 9.0), (0.999, 12.0), true),
    ] {
        assert_eq!(beats(a, b), wins, "{a:?} {b:?}");
    }
}
