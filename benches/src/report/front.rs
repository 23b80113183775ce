//! The second and third screen: time against space, rate against bits, and every filter beside its
//! family's champions.

use super::answer::SPACE_TIE;
use super::data::{Data, Entry};
use super::doc::{Block, Table, Text};
use super::look::look;
use super::number::{asked, digits, keys, list, plain, three, two};
use super::plot::{Mark, Names, Plot, Series};
use super::tables::dash;
use crate::record::{Ability, ContenderFacts, Family, Point, Row, Workload};
use std::collections::BTreeMap;

/// Pixels of a plot of the first screens.
const SIZE: (u32, u32) = (620, 450);

/// Both plots, side by side where there is room.
pub(super) fn plots(data: &Data) -> Block {
    let plots: Vec<Plot> = time_by_space(data).into_iter().chain(rate_by_bits(data)).collect();
    match plots.is_empty() {
        true => Block::Para(Text::from("No plots: nothing was measured at one rate.")),
        false => Block::Figures(plots),
    }
}

/// A contender's series.
pub(super) fn series(facts: &ContenderFacts, line: Vec<(f64, f64)>, marks: Vec<Mark>) -> Series {
    let (name, look) = (facts.name.clone(), look(facts.family));
    Series { name, look, is_hollow: !facts.ours, line, marks }
}

/// A line that is no contender's.
pub(super) fn guide(line: Vec<(f64, f64)>) -> Series {
    let (name, look) = (String::new(), look(Family::Floor));
    Series { name, look, is_hollow: false, line, marks: Vec::new() }
}

/// Those that no other beats in both; by rising space.
fn front<'a>(points: &[(&'a str, f64, f64)]) -> Vec<(&'a str, f64, f64)> {
    let mut best = points.to_vec();
    best.retain(|b| points.iter().all(|a| a.1 > b.1 || a.2 > b.2 || (a.1, a.2) == (b.1, b.2)));
    best.sort_by(|a, b| a.1.total_cmp(&b.1));
    best
}

/// The entries of the page's main keys and rate, without maps, which answer another question.
fn entries(data: &Data) -> Vec<Entry<'_>> {
    let mut entries = data.main_entries(data.rate());
    entries.retain(|entry| !entry.can(Ability::Values));
    entries
}

fn time_by_space(data: &Data) -> Option<Plot> {
    let (mut all, mut points, mut off) = (Vec::new(), Vec::new(), Vec::new());
    for entry in &entries(data) {
        match entry.overhead().zip(entry.ns(Workload::Query50)) {
            Some((over, ns)) => {
                points.push((entry.name(), over, ns));
                all.push(series(entry.facts, vec![], vec![Mark::at(over, ns)]));
            }
            None => off.push(entry.name()),
        }
    }
    let best = front(&points);
    let corners = best.windows(2).flat_map(|pair| [(pair[0].1, pair[0].2), (pair[1].1, pair[0].2)]);
    let last = best.last().map(|last| (last.1, last.2));
    all.push(guide(corners.chain(last).collect()));
    let names = list(&best.iter().map(|best| best.0).collect::<Vec<_>>());
    let found = format!("Nothing here is both smaller and faster than {names} ({}).", data.what());
    let off = match off[..] {
        [] => String::new(),
        _ => format!(" Not on this scale: {}.", list(&off)),
    };
    let note = format!("The dashed line joins them; hollow marks are peers.{off}");
    let x = "bits per key over the fewest possible at its rate (log)";
    let plot = Plot::new("time-by-space", found, [x, "ns per query, half present (log)"], all)?;
    Some(Plot { note, names: Names::Beside, size: SIZE, narrow: Some((370, 255)), ..plot })
}

/// A contender's curve: steps where sizes come in steps.
fn curve(points: &[&Point]) -> Vec<(f64, f64)> {
    let mut line = Vec::new();
    for pair in points.windows(2) {
        line.push((pair[0].bits_per_key, pair[0].fpr));
        // Between two steps a filter has the lower one's rate.
        if pair[1].step.is_some() {
            line.push((pair[1].bits_per_key, pair[0].fpr));
        }
    }
    line.extend(points.last().map(|point| (point.bits_per_key, point.fpr)));
    line
}

/// The measured rates of a contender over all targets.
fn measured(data: &Data, name: &str) -> Vec<Mark> {
    let is_of = |row: &&Row| {
        let keys = if row.asked_bits.is_some() { data.budget_keys() } else { data.keys };
        row.contender == name
            && row.workload == Workload::Verify
            && (row.key_set.as_str(), row.keys) == (&data.set, keys)
            && row.planned_keys.is_none()
    };
    let mark = |row: &Row| {
        let fpr = row.fpr().filter(|fpr| *fpr > 0.0)?;
        Some(Mark { x: row.bits_per_key()?, y: Some(fpr), bar: row.fpr_low.zip(row.fpr_high) })
    };
    data.all().filter(is_of).filter_map(mark).collect()
}

/// The most bits per key that the plot shows.
const BITS: f64 = 20.0;

/// Whether two curves cannot be told apart.
pub(super) fn is_same(a: &[(f64, f64)], b: &[(f64, f64)]) -> bool {
    let near = |(a, b): (&(f64, f64), &(f64, f64))| {
        (a.0 - b.0).abs() < 0.02 && (a.1 / b.1 - 1.0).abs() < 0.02
    };
    !a.is_empty() && a.len() == b.len() && a.iter().zip(b).all(near)
}

fn rate_by_bits(data: &Data) -> Option<Plot> {
    // One contender a family; others on its curve are named below.
    let mut shown: Vec<Series> = Vec::new();
    let mut same: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for facts in data.filters().filter(|facts| facts.family != Family::Exact) {
        let mut marks = measured(data, &facts.name);
        marks.retain(|mark| mark.x <= BITS);
        let mut line = curve(&data.curve(&facts.name));
        line.retain(|(bits, _)| *bits <= BITS);
        let is_first = shown.iter().all(|other| other.look.name != look(facts.family).name);
        if let Some(twin) = shown.iter().find(|other| is_same(&other.line, &line)) {
            same.entry(twin.name.clone()).or_default().push(&facts.name);
        } else if is_first && shown.len() < 8 && (!marks.is_empty() || line.len() > 1) {
            shown.push(series(facts, line, marks));
        }
    }
    if shown.is_empty() {
        return None;
    }
    let lowest = shown.iter().flat_map(Series::measured).map(|(_, fpr)| fpr);
    let lowest = lowest.fold(0.001, f64::min).max(1e-6) / 4.0;
    for series in &mut shown {
        series.line.retain(|(_, fpr)| *fpr >= lowest);
        series.marks.retain(|mark| mark.y.is_some_and(|fpr| fpr >= lowest));
    }
    shown.push(guide(vec![(1.0, 0.5), (-lowest.log2(), lowest)]));
    let same = same.iter().map(|(curve, names)| format!(" {curve} = {}.", names.join(" = ")));
    let note = "Dashed: the bound; lines: theory; marks: measured, with 95 % intervals.";
    let note = format!("{note}{}", same.collect::<String>());
    let axes = ["bits per key", "false-positive rate (log)"];
    let plot = Plot::new("rate-by-bits", best_bits(data), axes, shown)?;
    let mut plot = plot.within((0.0, BITS), (lowest, 0.7));
    plot.y.show = |rate| format!("{} %", plain(rate * 100.0));
    Some(Plot { note, size: SIZE, narrow: Some((370, 235)), ..plot })
}

/// A sentence: the nearest to the bound, and the farthest.
fn best_bits(data: &Data) -> String {
    let entries = entries(data);
    let over = entries.iter().filter_map(|entry| Some((entry.name(), entry.overhead()?)));
    let mut over: Vec<(&str, f64)> = over.collect();
    over.sort_by(|a, b| a.1.total_cmp(&b.1));
    let [(near, least), .., (far, most)] = over[..] else {
        return String::new();
    };
    let (rate, most) = (asked(data.rate()), three(most));
    format!(
        "At {rate}, {near} is nearest to the bound ({least:.2} times it), {far} farthest ({most})."
    )
}

/// The families in the order of the page.
pub(super) const FAMILIES: [Family; 9] = [
    Family::Classic,
    Family::SplitBlock,
    Family::Counting,
    Family::Scalable,
    Family::Cuckoo,
    Family::Quotient,
    Family::Ribbon,
    Family::Fuse,
    Family::Exact,
];

/// Every filter beside the best of its family.
pub(super) fn ratios(data: &Data) -> Block {
    let entries = entries(data);
    let mut head = vec!["", "query", "build", "space"];
    let counted = data.all().find(|row| row.instructions.is_some());
    let instructions = counted.map_or_else(String::new, |row| {
        head.extend(["instr.", "built"]);
        format!(
            " instr., built: instructions per query and per key built, {} keys.",
            keys(row.keys)
        )
    });
    let group = |family: Family| {
        let of: Vec<&Entry<'_>> = entries.iter().filter(|entry| entry.is(family)).collect();
        let mut rows: Vec<_> = of.iter().map(|entry| ratio_row(data, entry, &of)).collect();
        rows.iter_mut().for_each(|row| row.resize(head.len(), Text::default()));
        (look(family).name.to_owned(), rows)
    };
    let mut groups = Vec::from(FAMILIES.map(group));
    groups.retain(|(_, rows)| !rows.is_empty());
    if groups.is_empty() {
        return Block::Para(Text::from("No ratios: nothing was measured at one rate."));
    }
    let caption = Text::from(format!(
        "Times the best of the family, whose own number is bold (ns or bits per key); = is a tie. \
         {}, or a filter's fixed rate.{instructions}",
        data.what()
    ));
    Block::Table(Table { caption, head, words: 1, groups })
}

/// A number, the difference that is a tie, and its unit.
type Column = (fn(&Entry<'_>) -> Option<f64>, f64, &'static str);

fn ratio_row(data: &Data, entry: &Entry<'_>, family: &[&Entry<'_>]) -> Vec<Text> {
    let mut row = vec![Text::from(entry.name())];
    if entry.failure().is_some() && entry.bits().is_none() {
        row.push(Text::from("ERROR"));
        return row;
    }
    let columns: [Column; 3] = [
        (|entry| entry.ns(Workload::Query50), data.floor(Workload::Query50), " ns"),
        (|entry| entry.ns(Workload::Build), data.floor(Workload::Build), " ns"),
        (|entry| entry.bits(), SPACE_TIE, " bits"),
    ];
    for (value, slack, unit) in columns {
        let best = family.iter().filter_map(|entry| value(entry)).fold(f64::INFINITY, f64::min);
        row.push(match value(entry) {
            None => Text::from("-"),
            Some(own) if family.len() == 1 => Text::from(digits(own, 3) + unit),
            Some(own) if own <= best => Text::default().strong(digits(own, 3) + unit),
            Some(own) if own <= best * (1.0 + slack) => Text::from(format!("= {:.2}", own / best)),
            Some(own) if own < best * 10.0 => Text::from(format!("{:.2}", own / best)),
            Some(own) => Text::from(two(own / best)),
        });
    }
    for workload in [Workload::Query50, Workload::Build] {
        let count = data.instructions(entry.name(), workload);
        row.push(Text::from(dash(count.map(|count| format!("{count:.0}")))));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_that_nothing_beats_in_both_are_on_the_front() {
        let points =
            [("a", 1.0, 9.0), ("b", 1.5, 5.0), ("c", 1.6, 6.0), ("d", 2.0, 5.0), ("e", 3.0, 1.0)];
        assert_eq!(front(&points), [points[0], points[1], points[4]]);
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
}
