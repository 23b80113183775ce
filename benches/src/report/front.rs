//! The second and third screen: time against space, rate against bits, and every filter beside its
//! family's champions.

use super::needs::SPACE_TIE;
use super::prelude::*;
use std::collections::BTreeSet;

/// The page's width.
const SIZE: (u32, u32) = (1230, 470);
const NARROW: Option<(u32, u32)> = Some((370, 330));

fn block(plots: Vec<Plot>) -> Block {
    match plots.is_empty() {
        true => Block::text("No plot: nothing was measured at one rate."),
        false => Block::Figures(plots),
    }
}

pub(super) fn time(data: &Data) -> Block {
    block(time_by_space(data).into_iter().flatten().collect())
}

pub(super) fn rate(data: &Data) -> Block {
    block(rate_by_bits(data).into_iter().collect())
}

/// Times closer than this do not put one filter behind another: the next run may turn them round.
const CLOSE_TIMES: f64 = 0.05;

/// Those that no other beats: in one by more than a tie, and not behind in the other by more. By
/// rising space.
fn front<'a>(points: &[(&'a str, f64, f64)]) -> Vec<(&'a str, f64, f64)> {
    let mut best = points.to_vec();
    best.retain(|b| {
        let beats = |a: &&(&str, f64, f64)| {
            let (smaller, faster) =
                (a.1 * (1.0 + SPACE_TIE) < b.1, a.2 * (1.0 + CLOSE_TIMES) < b.2);
            let (larger, slower) = (b.1 * (1.0 + SPACE_TIE) < a.1, b.2 * (1.0 + CLOSE_TIMES) < a.2);
            (smaller && !slower) || (faster && !larger)
        };
        !points.iter().any(|a| beats(&a))
    });
    best.sort_by(|a, b| a.1.total_cmp(&b.1));
    best
}

/// The entries of the page's main keys and rate, without maps, which answer another question.
fn entries(data: &Data) -> Vec<Entry<'_>> {
    let mut entries = data.entries(data.main());
    entries.retain(|entry| !entry.can(Ability::Values));
    entries
}

/// The machine's floor, and what its line says.
pub(super) const LINE_READS: &str = "line-reads";
pub(super) const FLOOR: &str = " The grey line is the machine's floor: hashing a key and reading one cache line \
                     for it, in a table of 10 bits per key.";

/// Up to how many times the bound the second plot shows.
const CLOSE: f64 = 1.7;

/// All, and those close to the bound once more.
fn time_by_space(data: &Data) -> Option<[Plot; 2]> {
    let (mut all, mut points) = (Vec::new(), Vec::new());
    let (mut failed, mut off) = (Vec::new(), Vec::new());
    for entry in &entries(data) {
        match entry.overhead().zip(entry.ns(Workload::Query50)) {
            _ if entry.is_wrong || entry.failure().is_some() => failed.push(entry.name()),
            Some((over, ns)) => {
                points.push((entry.name(), over, ns));
                all.push(Series::of(entry.facts, vec![Mark::at(over, ns)]));
            }
            None => off.push(entry.name()),
        }
    }
    let best = front(&points);
    let corners = best.windows(2).flat_map(|pair| [(pair[0].1, pair[0].2), (pair[1].1, pair[0].2)]);
    let last = best.last().map(|last| (last.1, last.2));
    all.push(Series::guide(corners.chain(last).collect()));
    let floor = data.floor_entry(LINE_READS, data.keys).and_then(|of| of.ns(Workload::Query50));
    points.sort_by(|a, b| a.1.total_cmp(&b.1));
    let level = floor.map(|ns| Series::floor(points.iter().map(|point| (point.1, ns)).collect()));
    all.extend(level);
    // Which filter of a family it is depends on the run.
    let of = |name: &str| data.compared().find(|facts| facts.name == name);
    let families = best.iter().filter_map(|best| Some(Look::of(of(best.0)?.family).name));
    let mut families: Vec<&str> = families.collect();
    families.dedup();
    let found = data.say("front", &[&data.what(), &list(&families)]);
    let out = |why: &str, names: &[&str]| match names {
        [] => String::new(),
        _ => format!(" {why}: {}.", list(names)),
    };
    let [failed, off] =
        [out("Left out for a failed check", &failed), out("Not on this scale", &off)];
    let note = data.say("marks", &[&failed, &off, &floor.map_or("", |_| FLOOR)]);
    let x = "size, as a multiple of the least possible (log)";
    let axes = [x, "ns per query, half of the keys present (log)"];
    let whole = Plot::new("time-by-space", found, axes, all.clone())?;
    let is_close = |point: &(f64, f64)| point.0 <= CLOSE;
    let close = |series: Series| Series {
        marks: series.marks.into_iter().filter(|mark| mark.x <= CLOSE).collect(),
        line: series.line.into_iter().filter(is_close).collect(),
        ..series
    };
    let close: Vec<Series> = all.into_iter().map(close).collect();
    let count = close.iter().filter(|series| !series.marks.is_empty()).count();
    let found = data.say("close", &[&count, &CLOSE]);
    let close = Plot::new("time-by-space-close", found, axes, close)?;
    let (low, high) = close.y.range;
    let frame = Some([0.0, low, CLOSE, high]);
    let of = |plot: Plot| Plot { names: Names::Beside, size: SIZE, narrow: NARROW, ..plot };
    Some([Plot { note, frame, ..of(whole) }, of(close)])
}

/// A contender's curve: steps where sizes come in steps.
fn curve(points: &[&Point]) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    for point in points {
        // Between two steps a filter has the lower one's rate.
        if let (Some((_, fpr)), Some(_)) = (line.last().copied(), point.step) {
            line.push((point.bits_per_key, fpr));
        }
        line.push((point.bits_per_key, point.fpr));
    }
    line
}

/// The most bits per key and the least rate that the plot shows.
const ENDS: (f64, f64) = (20.0, 1e-4);

fn rate_by_bits(data: &Data) -> Option<Plot> {
    let is_shown = |(bits, fpr): &(f64, f64)| *bits <= ENDS.0 && *fpr >= ENDS.1;
    let mark = |row: &Row| {
        let (x, y) = row.bits_per_key().zip(row.fpr()).filter(is_shown)?;
        Some(Mark { x, y: Some(y), bar: row.fpr_low.zip(row.fpr_high) })
    };
    let filters = data.filters().filter(|facts| facts.family != Family::Exact);
    let all = filters.map(|facts| {
        let marks = data.rates_of(&facts.name).filter_map(mark).collect();
        let mut line = curve(&data.curve(&facts.name));
        line.retain(is_shown);
        Series { line, ..Series::of(facts, marks) }
    });
    // One contender a family; others on its curve are named below.
    let mut shown: Vec<Series> = told_apart(all);
    shown.retain(|series| !series.marks.is_empty() || series.line.len() > 1);
    let mut families = BTreeSet::new();
    shown.retain(|series| families.insert(series.look.name));
    shown.truncate(8);
    shown.first()?;
    let alike = shown.iter().filter(|series| !series.alike.is_empty());
    let alike = alike.map(|series| {
        format!(" On the same curve as {}: {}.", series.name, series.alike.join(", "))
    });
    let note = "Dashed: the bound; lines: theory; marks: measured, with 95 % intervals.";
    let note = format!("{note}{}", alike.collect::<String>());
    shown.push(Series::guide(vec![(1.0, 0.5), (-ENDS.1.log2(), ENDS.1)]));
    let axes = ["bits per key", "false-positive rate (log)"];
    let plot = Plot::new("rate-by-bits", best_bits(data), axes, shown)?;
    let mut plot = plot.within((0.0, ENDS.0), (ENDS.1, 0.7));
    plot.y.show = |rate| format!("{} %", plain(rate * 100.0));
    Some(Plot { note, size: (900, 430), narrow: Some((370, 300)), ..plot })
}

/// A sentence: the nearest to the bound, and the farthest.
fn best_bits(data: &Data) -> String {
    let mut all = ranked(entries(data), Entry::overhead);
    // A keyed filter is as large as its like, and would only win by chance.
    all.retain(|(entry, _)| !entry.is_wrong && entry.facts.role == Role::Filter);
    let [(near, least), .., (far, most)] = &all[..] else { return String::new() };
    let (least, most) = (format!("{least:.2}"), digits(*most, 3));
    data.say("bound", &[&asked(data.rate()), &near.name(), &least, &far.name(), &most])
}

/// A column of ratios: its head, its number, the difference that is a tie, the unit, and what of
/// it is timed.
type Column = (&'static str, Number, f64, &'static str, Option<Workload>);

const QUERY: Workload = Workload::Query50;
const BUILD: Workload = Workload::Build;

/// Every filter beside the best of its family.
pub(super) fn ratios(data: &Data) -> Block {
    let entries = entries(data);
    let columns: [Column; 3] = [
        ("query", |of| of.ns(QUERY), data.floor(QUERY), " ns", Some(QUERY)),
        ("build", |of| of.ns(BUILD), data.floor(BUILD), " ns", Some(BUILD)),
        ("space", |of| of.overhead(), SPACE_TIE, " × bound", None),
    ];
    let table = |family: Look| {
        let of: Vec<&Entry<'_>> = entries.iter().filter(|of| of.is(family.family)).collect();
        let mut table = Table::of(&of).word(family.name, |of| of.title());
        for (head, value, slack, unit, timed) in columns {
            let doubt = |of: &Entry<'_>| timed.map_or("", |timed| of.doubt(timed));
            let sound = of.iter().filter(|of| !of.is_wrong);
            let all = sound.filter_map(|of| Some((value(of)?, doubt(of))));
            let best = all.min_by(|a, b| a.0.total_cmp(&b.0));
            table = table.number(head, |entry| {
                let ((best, of_best), own) = (best?, value(entry)?);
                let mark = if doubt(entry).is_empty() { of_best } else { doubt(entry) };
                Some(match own / best {
                    _ if of.len() == 1 => Text::from(digits(own, 3) + unit + mark),
                    ratio if entry.is_wrong => Text::from(format!("{ratio:.2}{mark}")),
                    ratio if ratio <= 1.0 => Text::default().strong(digits(own, 3) + unit + mark),
                    ratio if ratio <= 1.0 + slack => Text::from(format!("= {ratio:.2}{mark}")),
                    ratio if ratio < 10.0 => Text::from(format!("{ratio:.2}{mark}")),
                    ratio => Text::from(two(ratio) + mark),
                })
            });
        }
        table.table
    };
    let mut tables = Vec::from(LOOKS.map(table));
    tables.retain(|table| !table.rows.is_empty());
    if tables.is_empty() {
        return Block::text("No ratios: nothing was measured at one rate.");
    }
    let caption = data.say("ratios", &[&data.what()]);
    Block::Tables(Text::from(caption), tables)
}

#[test]
fn only_those_that_nothing_beats_in_both_are_on_the_front() {
    let points =
        [("a", 1.0, 9.0), ("b", 1.5, 5.0), ("c", 1.6, 6.0), ("d", 2.0, 5.0), ("e", 3.0, 1.0)];
    assert_eq!(front(&points), [points[0], points[1], points[4]]);
    // Within the noise neither is behind; a tie in one is decided by the other.
    let points = [("a", 1.0, 9.0), ("b", 1.001, 9.1), ("c", 0.999, 12.0)];
    assert_eq!(front(&points), points[..2]);
}

#[test]
fn fingerprints_come_in_steps_and_bloom_filters_do_not() {
    let curve = |step| {
        let point = |bits_per_key, fpr| Point { bits_per_key, fpr, step, ..Point::default() };
        curve(&[&point(5.0, 0.2), &point(6.0, 0.1)])
    };
    assert_eq!(curve(Some(4)), [(5.0, 0.2), (6.0, 0.2), (6.0, 0.1)]);
    assert_eq!(curve(None), [(5.0, 0.2), (6.0, 0.1)]);
}
