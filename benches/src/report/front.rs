//! The second and third screen: time against space, rate against bits, and every filter beside its
//! family's champions.

use super::answer::SPACE_TIE;
use super::data::{Data, Entry};
use super::doc::{Block, Figure, Table, Text};
use super::look::look;
use super::number::{asked, digits, keys, list, plain, three, two};
use super::plot::{Line, Mark, Names, Plot, Series};
use super::tables::dash;
use crate::record::{Ability, ContenderFacts, Family, Point, Row, Workload};
use anyhow::Result;
use std::collections::BTreeMap;

/// Both plots, side by side where there is room.
pub(super) fn plots(data: &Data) -> Result<Block> {
    let figures: Vec<Figure> = [pareto(data)?, rate(data)?].into_iter().flatten().collect();
    Ok(match figures.is_empty() {
        true => Block::Para(Text::from("No plots: nothing was measured at one rate.")),
        false => Block::Figures(figures),
    })
}

/// A contender's empty series.
pub(super) fn series(facts: &ContenderFacts, line: Line, marks: Vec<Mark>) -> Series {
    let (name, look) = (facts.name.clone(), look(facts.family));
    Series { name, look, is_hollow: !facts.ours, line, marks }
}

/// A line that is no contender's.
pub(super) fn guide(line: Line) -> Series {
    let (name, look) = (String::new(), look(Family::Floor));
    Series { name, look, is_hollow: false, line, marks: Vec::new() }
}

/// Those that no other beats in both; by rising space.
fn front<'a>(points: &[(&'a str, f64, f64)]) -> Vec<(&'a str, f64, f64)> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2.total_cmp(&b.2)));
    let mut best = f64::INFINITY;
    sorted.retain(|(_, _, time)| {
        let is_better = *time < best;
        best = best.min(*time);
        is_better
    });
    sorted
}

/// The entries of the page's main keys and rate, without maps, which answer another question.
fn entries(data: &Data) -> Vec<Entry<'_>> {
    let mut entries = data.main_entries(data.rate());
    entries.retain(|entry| !entry.can(Ability::Values));
    entries
}

fn pareto(data: &Data) -> Result<Option<Figure>> {
    let (mut all, mut points, mut off) = (Vec::new(), Vec::new(), Vec::new());
    for entry in &entries(data) {
        match entry.overhead().zip(entry.ns(Workload::Query50)) {
            Some((over, ns)) => {
                points.push((entry.name(), over, ns));
                all.push(series(entry.facts, Line::None, vec![Mark::at(over, ns)]));
            }
            None => off.push(entry.name()),
        }
    }
    let best = front(&points);
    let corners = best.windows(2).flat_map(|pair| [(pair[0].1, pair[0].2), (pair[1].1, pair[0].2)]);
    let last = best.last().map(|last| (last.1, last.2));
    all.push(guide(Line::Curve(corners.chain(last).collect())));
    let x = ("bits per key over the fewest possible at its rate (log)", true);
    let Some(mut plot) = Plot::new(x, ("ns per query, half present (log)", true), all) else {
        return Ok(None);
    };
    plot.names = Names::Beside;
    let svg = plot.draw((620, 450))?;
    plot.names = Names::Numbers;
    let narrow = Some((plot.draw((370, 255))?, plot.legend()));
    let names: Vec<&str> = best.iter().map(|(name, _, _)| *name).collect();
    let (count, names) = (points.len(), list(&names));
    let left_out = match off[..] {
        [] => String::new(),
        _ => format!(" Not on this scale: {}.", list(&off)),
    };
    let caption = Text::from(format!(
        "Nothing here is both smaller and faster than {names} ({} keys, {}; the line joins them). \
         Hollow marks are peers.{left_out}",
        keys(data.keys),
        asked(data.rate())
    ));
    let alt = format!("Time against space for {count} contenders; none beats {names} in both.");
    Ok(Some(Figure { slug: "time-by-space", alt, caption, svg, narrow }))
}

/// A contender's curve: steps where sizes come in steps.
pub(super) fn curve(points: &[&Point]) -> Vec<(f64, f64)> {
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
fn is_same(a: &Line, b: &[(f64, f64)]) -> bool {
    let near = |(a, b): (&(f64, f64), &(f64, f64))| {
        (a.0 - b.0).abs() < 0.02 && (a.1 / b.1 - 1.0).abs() < 0.02
    };
    matches!(a, Line::Curve(a) if !a.is_empty() && a.len() == b.len() && a.iter().zip(b).all(near))
}

fn rate(data: &Data) -> Result<Option<Figure>> {
    // One contender a family; others on its curve are named in the caption.
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
            shown.push(series(facts, Line::Curve(line), marks));
        }
    }
    let names: Vec<String> = shown.iter().map(|series| series.name.clone()).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let lowest = shown.iter().flat_map(|series| &series.marks).filter_map(|mark| mark.y);
    let lowest = lowest.fold(0.001, f64::min).max(1e-6) / 4.0;
    for series in &mut shown {
        if let Line::Curve(points) = &mut series.line {
            points.retain(|(_, fpr)| *fpr >= lowest);
        }
        series.marks.retain(|mark| mark.y.is_some_and(|y| y >= lowest));
    }
    shown.push(guide(Line::Dashed(vec![(1.0, 0.5), (-lowest.log2(), lowest)])));
    let axes = (("bits per key", false), ("false-positive rate (log)", true));
    let Some(mut plot) = Plot::new(axes.0, axes.1, shown) else {
        return Ok(None);
    };
    plot.x = plot.x.within(0.0, BITS);
    plot.y = plot.y.within(lowest, 0.7).shown(|rate| format!("{} %", plain(rate * 100.0)));
    let others = same.iter().map(|(curve, names)| format!("{curve} = {}", names.join(" = ")));
    let others = match others.collect::<Vec<_>>().join("; ") {
        none if none.is_empty() => none,
        others => format!(" Same curves: {others}."),
    };
    let caption = Text::from(format!(
        "{}Dashed: the bound; lines: theory; marks: measured, with 95 % intervals.{others}",
        best_bits(data)
    ));
    let alt = format!("False-positive rate against bits per key for {}.", list(&names));
    let (svg, narrow) = (plot.draw((620, 450))?, Some((plot.draw((370, 235))?, Vec::new())));
    Ok(Some(Figure { slug: "rate-by-bits", alt, caption, svg, narrow }))
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
    format!(
        "At {}, {near} is nearest to the bound ({least:.2} times it), {far} farthest ({}). ",
        asked(data.rate()),
        three(most)
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
pub(super) fn ratios(data: &Data) -> Vec<Block> {
    let entries = entries(data);
    let mut groups = Vec::new();
    for family in FAMILIES {
        let of: Vec<&Entry<'_>> = entries.iter().filter(|entry| entry.is(family)).collect();
        let rows: Vec<_> = of.iter().map(|entry| ratio_row(data, entry, &of)).collect();
        groups.push((look(family).name.to_owned(), rows));
    }
    groups.retain(|(_, rows)| !rows.is_empty());
    if groups.is_empty() {
        return vec![Block::Para(Text::from("No ratios: nothing was measured at one rate."))];
    }
    let mut head = vec!["", "query", "build", "space"];
    let counted = data.all().find(|row| row.instructions.is_some());
    let instructions = counted.map_or_else(String::new, |row| {
        head.extend(["instr. query", "instr. build"]);
        format!(" Instructions per query and per key built, with {} keys.", keys(row.keys))
    });
    let caption = format!(
        "Times the best of the family, whose own number is bold (ns or bits per key); = is a tie. \
         {} keys ({}), {} or a filter's fixed rate.{instructions}",
        keys(data.keys),
        data.set,
        asked(data.rate())
    );
    for row in groups.iter_mut().flat_map(|(_, rows)| rows) {
        row.resize(head.len(), Text::default());
    }
    vec![Block::Table(Table { caption: Text::from(caption), head, words: 1, groups })]
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
        let names: Vec<&str> = front(&points).iter().map(|point| point.0).collect();
        assert_eq!(names, ["a", "b", "e"]);
    }

    #[test]
    fn fingerprints_come_in_steps_and_bloom_filters_do_not() {
        let point = |bits_per_key, fpr, step| Point { bits_per_key, fpr, step, ..Point::default() };
        let steps = [point(5.0, 0.2, Some(4)), point(6.0, 0.1, Some(5))];
        assert_eq!(curve(&steps.iter().collect::<Vec<_>>()), [(5.0, 0.2), (6.0, 0.2), (6.0, 0.1)]);
        let smooth = [point(5.0, 0.2, None), point(6.0, 0.1, None)];
        assert_eq!(curve(&smooth.iter().collect::<Vec<_>>()), [(5.0, 0.2), (6.0, 0.1)]);
    }
}
