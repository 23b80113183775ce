//! The second and third screen: time against space, rate against bits, and every filter beside its
//! family's champions.

use super::answer::SPACE_TIE;
use super::data::{Data, Entry};
use super::doc::{Block, Figure, Table, Text};
use super::look::look;
use super::number::{asked, digits, keys, list, three, two};
use super::plot::{Line, Mark, Names, Plot, Series};
use crate::record::{ContenderFacts, Family, Point, Workload};
use anyhow::Result;
use std::collections::BTreeMap;

/// Both plots, side by side where there is room.
pub(super) fn plots(data: &Data) -> Result<Block> {
    let figures = [pareto(data)?, rate(data)?];
    Ok(match figures {
        [None, None] => Block::Para(Text::from("No plots: nothing was measured at one rate.")),
        figures => Block::Figures(figures.into_iter().flatten().collect()),
    })
}

/// A contender's empty series.
pub(super) fn series(facts: &ContenderFacts, line: Line, marks: Vec<Mark>) -> Series {
    Series {
        name: facts.name.clone(),
        look: look(facts.family),
        is_hollow: !facts.ours,
        line,
        marks,
    }
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

fn pareto(data: &Data) -> Result<Option<Figure>> {
    let entries = data.main_entries(data.rate());
    let point = |entry: &Entry<'_>| Some((entry.overhead()?, entry.ns(Workload::Query50)?));
    let (mut all, mut points, mut off) = (Vec::new(), Vec::new(), Vec::new());
    for entry in &entries {
        match point(entry) {
            Some((over, ns)) => {
                points.push((entry.name(), over, ns));
                all.push(series(entry.facts, Line::None, vec![Mark::at(over, ns)]));
            }
            None => off.push(entry.name()),
        }
    }
    let best = front(&points);
    let steps: Vec<(f64, f64)> = best
        .windows(2)
        .flat_map(|pair| [(pair[0].1, pair[0].2), (pair[1].1, pair[0].2)])
        .chain(best.last().map(|last| (last.1, last.2)))
        .collect();
    all.push(guide(Line::Curve(steps)));
    let x = ("bits per key over the fewest possible at its rate (log)", true);
    let Some(mut plot) = Plot::new(x, ("ns per query, half present (log)", true), all) else {
        return Ok(None);
    };
    plot.names = Names::Beside;
    let svg = plot.draw((620, 450))?;
    plot.names = Names::Numbers;
    let narrow = plot.draw((370, 255))?;
    let names: Vec<&str> = best.iter().map(|(name, _, _)| *name).collect();
    let left_out = match off[..] {
        [] => String::new(),
        _ => format!(" Not on this scale: {}.", list(&off)),
    };
    Ok(Some(Figure {
        slug: "time-by-space",
        alt: format!(
            "Time against space for {} contenders; none beats {} in both.",
            points.len(),
            list(&names)
        ),
        caption: Text::from(format!(
            "Nothing here is both smaller and faster than {} ({} keys, {}; the line joins them). \
             Hollow marks are peers.{left_out}",
            list(&names),
            keys(data.keys),
            asked(data.rate())
        )),
        svg,
        narrow: Some((narrow, plot.legend())),
    }))
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
    let budget = data.budget_keys();
    let rows = data.all().filter(|row| {
        let keys = if row.asked_bits.is_some() { budget } else { data.keys };
        row.contender == name
            && row.workload == Workload::Verify
            && (row.key_set.as_str(), row.keys) == (&data.set, keys)
            && row.planned_keys.is_none()
    });
    let mark = |row: &crate::record::Row| {
        let fpr = row.fpr().filter(|fpr| *fpr > 0.0)?;
        let bar = row.fpr_low.zip(row.fpr_high);
        Some(Mark { x: row.bits_per_key()?, y: Some(fpr), bar })
    };
    rows.filter_map(mark).collect()
}

/// The most bits per key that the plot shows.
const BITS: f64 = 20.0;

/// Whether two curves cannot be told apart.
fn is_same(a: &[(f64, f64)], b: &[(f64, f64)]) -> bool {
    let near = |(a, b): (&(f64, f64), &(f64, f64))| {
        (a.0 - b.0).abs() < 0.02 && (a.1 / b.1 - 1.0).abs() < 0.02
    };
    !a.is_empty() && a.len() == b.len() && a.iter().zip(b).all(near)
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
        let twin = shown.iter().find(|other| match &other.line {
            Line::Curve(points) => is_same(points, &line),
            _ => false,
        });
        let is_first = shown.iter().all(|other| other.look.name != look(facts.family).name);
        if let Some(twin) = twin {
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
    let bound = [(1.0, 0.5), (-lowest.log2(), lowest)];
    shown.push(guide(Line::Dashed(bound.to_vec())));
    for series in &mut shown {
        if let Line::Curve(points) = &mut series.line {
            points.retain(|(_, fpr)| *fpr >= lowest);
        }
        series.marks.retain(|mark| mark.y.is_some_and(|y| y >= lowest));
    }
    let Some(mut plot) =
        Plot::new(("bits per key", false), ("false-positive rate (log)", true), shown)
    else {
        return Ok(None);
    };
    plot.x = plot.x.within(0.0, BITS);
    plot.y = plot
        .y
        .within(lowest, 0.7)
        .shown(|rate| format!("{} %", super::number::plain(rate * 100.0)));
    let svg = plot.draw((620, 450))?;
    let narrow = plot.draw((370, 235))?;
    let best = best_bits(data);
    let others: Vec<String> =
        same.iter().map(|(curve, names)| format!("{curve} = {}", names.join(" = "))).collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!(" Same curves: {}.", others.join("; "))
    };
    Ok(Some(Figure {
        slug: "rate-by-bits",
        alt: format!("False-positive rate against bits per key for {}.", list(&names)),
        caption: Text::from(format!(
            "{best}Dashed: the bound; lines: theory; marks: measured, with 95 % intervals.{others}"
        )),
        svg,
        narrow: Some((narrow, Vec::new())),
    }))
}

/// A sentence: the nearest to the bound, and the farthest.
fn best_bits(data: &Data) -> String {
    let entries = data.main_entries(data.rate());
    let mut over: Vec<(&str, f64)> =
        entries.iter().filter_map(|entry| Some((entry.name(), entry.overhead()?))).collect();
    over.sort_by(|a, b| a.1.total_cmp(&b.1));
    match (over.first(), over.last()) {
        (Some(first), Some(last)) if over.len() > 1 => format!(
            "At {}, {} is nearest to the bound ({:.2} times it), {} farthest ({}). ",
            asked(data.rate()),
            first.0,
            first.1,
            last.0,
            three(last.1)
        ),
        _ => String::new(),
    }
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
    let entries = data.main_entries(data.rate());
    let group = |family: Family| {
        let of: Vec<&Entry<'_>> = entries.iter().filter(|entry| entry.is(family)).collect();
        let rows = of.iter().map(|entry| ratio_row(data, entry, &of)).collect::<Vec<_>>();
        (look(family).name.to_owned(), rows)
    };
    let groups: Vec<_> =
        FAMILIES.map(group).into_iter().filter(|(_, rows)| !rows.is_empty()).collect();
    if groups.is_empty() {
        return vec![Block::Para(Text::from("No ratios: nothing was measured at one rate."))];
    }
    let caption = format!(
        "Times the best of the family, whose own number is bold (ns or bits per key); = is a tie. \
         Instructions per query, where counted. {} keys ({}), {} or a filter's fixed rate.",
        keys(data.keys),
        data.set,
        asked(data.rate())
    );
    vec![Block::Table(Table {
        caption: Text::from(caption),
        head: vec!["", "query", "build", "space", "instr."],
        words: 1,
        groups,
    })]
}

/// A number, the difference that is a tie, and its unit.
type Column = (fn(&Entry<'_>) -> Option<f64>, f64, &'static str);

fn ratio_row(data: &Data, entry: &Entry<'_>, family: &[&Entry<'_>]) -> Vec<Text> {
    let mut row = vec![Text::from(entry.name())];
    if entry.failure().is_some() && entry.bits().is_none() {
        row.extend(["ERROR", "", "", ""].map(Text::from));
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
            Some(own) if own <= best && family.len() > 1 => {
                Text::default().strong(format!("{}{unit}", digits(own, 3)))
            }
            Some(own) if family.len() == 1 => Text::from(format!("{}{unit}", digits(own, 3))),
            Some(own) if own <= best * (1.0 + slack) => Text::from(format!("= {:.2}", own / best)),
            Some(own) => Text::from(two_or_three(own / best)),
        });
    }
    let instructions = entry.row(Workload::Query50).and_then(|row| row.instructions);
    row.push(
        instructions.map_or_else(|| Text::from("-"), |count| Text::from(format!("{count:.0}"))),
    );
    row
}

fn two_or_three(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}") } else { two(ratio) }
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
