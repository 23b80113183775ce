//! Theory and measurement side by side: the verdict, the ribbon systems, and where which filter is
//! cheapest.

use super::curves::SIZE;
use super::data::{Data, Entry};
use super::doc::{Block, Figure, Found, Section};
use super::front::{guide, series};
use super::look::look;
use super::number::{digits, grouped, keys, plain, two};
use super::plot::{Line, Mark, Names, Plot, Series};
use crate::record::{Ability, ContenderFacts, Family, Row, Trial, Workload};
use anyhow::Result;
use std::collections::BTreeMap;

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Result<Vec<Section>> {
    Ok(vec![
        Section::new("verdict", "Measured rates over theory's", verdict(data)?),
        Section::new("crossover", "Which filter at which cost", crossover(data)?),
        Section::new("construction", "How many slots a ribbon needs", construction(data)?),
    ])
}

/// Measured over expected rate, and the interval; over the asked rate where there is no formula.
fn over(row: &Row) -> Option<(f64, f64, f64)> {
    let expected = row.predicted_fpr.or(row.asked_fpr).filter(|rate| *rate > 0.0)?;
    let (fpr, low, high) = (row.fpr()?, row.fpr_low?, row.fpr_high?);
    // One of few filters has a rate of its own around the mean.
    let spread =
        1.96 * row.predicted_fpr_sd.unwrap_or(0.0) / (row.seeds.unwrap_or(1).max(1) as f64).sqrt();
    let low = fpr - (fpr - low).hypot(spread);
    let high = fpr + (high - fpr).hypot(spread);
    Some((fpr / expected, low.max(0.0) / expected, high / expected))
}

fn verdict(data: &Data) -> Result<Found> {
    let judged = || data.all().filter(|row| row.fpr_agrees.is_some());
    let (all, agree) =
        (judged().count(), judged().filter(|row| row.fpr_agrees == Some(true)).count());
    let mut rows: Vec<(&ContenderFacts, (f64, f64, f64), &Row)> = Vec::new();
    for facts in data.filters() {
        let of = data
            .all()
            .filter(|row| row.contender == facts.name && row.workload == Workload::Verify);
        let cells = of.filter_map(|row| Some((over(row)?, row)));
        let far = |((ratio, low, high), _): &((f64, f64, f64), &Row)| {
            (ratio - 1.0).abs() / (high - low).max(1e-9)
        };
        let worst = cells.max_by(|a, b| far(a).total_cmp(&far(b)));
        rows.extend(worst.filter(|(over, _)| over.0 > 0.0).map(|(over, row)| (facts, over, row)));
    }
    let farthest = rows.iter().max_by(|a, b| a.1.0.ln().abs().total_cmp(&b.1.0.ln().abs()));
    let Some((facts, (ratio, _, _), row)) = farthest else {
        return Ok(None);
    };
    let found = format!(
        "{agree} of {all} cells agree with their exact formula within {} standard deviations; \
         {} is farthest: {} times what was expected ({} keys).",
        plain(data.run.sigmas),
        facts.name,
        two(*ratio),
        grouped(row.keys)
    );
    let clip = |x: f64| x.clamp(0.7, 1.4);
    let count = rows.len();
    let mut all: Vec<Series> = rows
        .iter()
        .enumerate()
        .map(|(index, (facts, (ratio, low, high), _))| {
            let bar = Some((clip(*low), clip(*high)));
            let mark = Mark { x: clip(*ratio), y: Some((count - index) as f64), bar };
            series(facts, Line::None, vec![mark])
        })
        .collect();
    all.push(guide(Line::Curve(vec![(1.0, 0.0), (1.0, count as f64 + 1.0)])));
    let Some(mut plot) =
        Plot::new(("measured over expected rate, 0.7 to 1.4", true), ("", false), all)
    else {
        return Ok(None);
    };
    plot.names = Names::Rows;
    plot.x = plot.x.within(0.68, 1.45);
    plot.y = plot.y.within(0.0, count as f64 + 1.0).shown(|_| String::new());
    let caption = "Of each contender the cell that is farthest from its formula, with its 95 % \
                   interval; one in twenty is expected to miss the line. Where no formula is known, \
                   over the rate asked for.";
    let figure = plot.figure("verdict", caption, (460, 70 + 15 * count as u32))?;
    Ok(Some((found, vec![Block::Figures(vec![figure])])))
}

fn construction(data: &Data) -> Result<Found> {
    let mut lines: BTreeMap<(u64, u64), Vec<&Trial>> = BTreeMap::new();
    for trial in data.trials.iter().filter(|trial| trial.solved.is_some()) {
        lines.entry((trial.row_bits, trial.keys)).or_default().push(trial);
    }
    let share = |trial: &Trial| Some(trial.solved? as f64 / trial.seeds?.max(1) as f64);
    let over = |trial: &Trial| (trial.slots as f64 / trial.keys as f64 - 1.0) * 100.0;
    let (mut all, mut words) = (Vec::new(), Vec::new());
    for ((bits, size), mut trials) in lines {
        trials.sort_by_key(|trial| trial.slots);
        // From here on nine seeds in ten leave room.
        let good =
            trials.iter().rev().take_while(|trial| share(trial).is_some_and(|share| share >= 0.9));
        words.extend(good.last().map(|trial| {
            format!("{} % for {} keys in rows of {bits} bits", digits(over(trial), 2), keys(size))
        }));
        let marks =
            trials.iter().filter_map(|trial| Some(Mark::at(over(trial), share(trial)? * 100.0)));
        all.push(Series {
            name: format!("{bits} b, {}", keys(size)),
            look: look(Family::Ribbon),
            is_hollow: bits == 64,
            line: Line::Marks,
            marks: marks.collect(),
        });
    }
    if words.is_empty() {
        return Ok(None);
    }
    // Small systems need the most: the largest say enough.
    all.reverse();
    all.truncate(4);
    let found = format!(
        "Nine seeds in ten leave room for all keys from this many slots more than keys on: {}.",
        words.join("; ")
    );
    let Some(plot) =
        Plot::new(("slots more than keys, %", false), ("% of seeds that leave room", false), all)
    else {
        return Ok(None);
    };
    let figure = plot.figure("construction", &found, SIZE)?;
    Ok(Some((found, vec![Block::Figures(vec![figure])])))
}

/// A filter's ways to spend bits: bits per key and the rate; and what an absent key costs.
struct Offer<'a> {
    facts: &'a ContenderFacts,
    points: Vec<(f64, f64)>,
    ns: f64,
}

impl Offer<'_> {
    /// Nanoseconds per absent key with so many bits at most, and a false positive of this cost.
    fn cost(&self, bits: f64, false_positive: f64) -> Option<f64> {
        let affordable = self.points.iter().filter(|point| point.0 <= bits);
        let fpr = affordable.map(|point| point.1).reduce(f64::min)?;
        Some(self.ns + fpr * false_positive)
    }
}

fn offers<'a>(data: &'a Data, entries: &'a [Entry<'a>]) -> Vec<Offer<'a>> {
    let offer = |entry: &'a Entry<'a>| {
        let curve = data.curve(entry.name());
        let mut points: Vec<(f64, f64)> =
            curve.iter().map(|point| (point.bits_per_key, point.fpr)).collect();
        if points.is_empty() {
            points.push(entry.bits().zip(entry.fpr())?);
        }
        Some(Offer { facts: entry.facts, points, ns: entry.ns(Workload::Query0)? })
    };
    entries.iter().filter(|entry| entry.is_filter()).filter_map(offer).collect()
}

/// Costs of a false positive, in powers of ten of nanoseconds, and bits per key allowed.
const COSTS: usize = 28;
const MOST_COST: f64 = 7.0;
const BITS: std::ops::RangeInclusive<u32> = 3..=20;

fn crossover(data: &Data) -> Result<Found> {
    let entries = data.main_entries(data.rate());
    let all = offers(data, &entries);
    let one_by_one = |offer: &&Offer<'_>| offer.facts.abilities.contains(&Ability::Insert);
    let growing: Vec<&Offer<'_>> = all.iter().filter(one_by_one).collect();
    let every: Vec<&Offer<'_>> = all.iter().collect();
    let mut figures = Vec::new();
    for (slug, title, offers) in [
        ("cheapest", "Any filter", every),
        ("cheapest-one-by-one", "Filters that take keys one by one", growing),
    ] {
        figures.extend(map(slug, title, &offers)?);
    }
    let Some(first) = figures.first() else {
        return Ok(None);
    };
    Ok(Some((
        first.1.clone(),
        vec![Block::Figures(figures.into_iter().map(|(figure, _)| figure).collect())],
    )))
}

fn map(slug: &'static str, title: &str, offers: &[&Offer<'_>]) -> Result<Option<(Figure, String)>> {
    let cost = |column: usize| 10f64.powf(MOST_COST * column as f64 / COSTS as f64);
    let winner = |bits: f64, cost: f64| {
        let costs = offers
            .iter()
            .enumerate()
            .filter_map(|(index, offer)| Some((index, offer.cost(bits, cost)?)));
        costs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    };
    let mut cells = Vec::new();
    // The longest run of each winner bears its name.
    let mut longest: BTreeMap<usize, (usize, Mark)> = BTreeMap::new();
    for bits in BITS {
        let row: Vec<Option<usize>> =
            (0..COSTS).map(|column| winner(f64::from(bits), cost(column))).collect();
        let mut start = 0;
        for run in row.chunk_by(|a, b| a == b) {
            let end = start + run.len();
            if let Some(index) = run[0] {
                let (left, right) = (cost(start), cost(end));
                let low = f64::from(bits) - 0.5;
                cells
                    .push(([left, low, right, low + 1.0], look(offers[index].facts.family).colour));
                let kept = longest.entry(index).or_insert((0, Mark::default()));
                if run.len() > kept.0 {
                    *kept = (run.len(), Mark::at((left * right).sqrt(), f64::from(bits)));
                }
            }
            start = end;
        }
    }
    let named = longest
        .iter()
        .map(|(index, (_, mark))| series(offers[*index].facts, Line::None, vec![*mark]));
    let Some(mut plot) = Plot::new(
        ("a false positive costs, ns (log)", true),
        ("bits per key allowed", false),
        named.collect(),
    ) else {
        return Ok(None);
    };
    plot.x = plot.x.within(1.0, 10f64.powf(MOST_COST));
    plot.y = plot.y.within(f64::from(*BITS.start()) - 0.5, f64::from(*BITS.end()) + 0.5);
    plot.cells = cells;
    plot.names = Names::Beside;
    let found =
        format!("{title}, 10 bits a key: {}.", story(offers, &|cost| winner(10.0, cost), cost));
    let caption = format!(
        "{found} Coloured by family: the least ns for an absent key, query and false positives together."
    );
    let figure = plot.figure(slug, &caption, SIZE)?;
    Ok(Some((figure, found)))
}

/// Who is cheapest from which cost on.
fn story(
    offers: &[&Offer<'_>],
    winner: &dyn Fn(f64) -> Option<usize>,
    cost: impl Fn(usize) -> f64,
) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut last = None;
    for column in 0..COSTS {
        let now = winner(cost(column));
        if now != last
            && let Some(index) = now
        {
            let name = &offers[index].facts.name;
            parts.push(match column {
                0 => format!("{name} is cheapest at first"),
                _ => format!("{name} from {} ns on", two(cost(column))),
            });
        }
        last = now;
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_holds_the_spread_of_filters_and_the_asked_rate_stands_in_for_a_formula() {
        let row = Row {
            absent_queries: Some(1000),
            false_positives: Some(20),
            fpr_low: Some(0.017),
            fpr_high: Some(0.023),
            predicted_fpr: Some(0.02),
            predicted_fpr_sd: Some(0.004 / 1.96),
            seeds: Some(1),
            asked_fpr: Some(0.01),
            ..Row::default()
        };
        let (ratio, low, high) = over(&row).unwrap();
        assert!(
            (ratio - 1.0).abs() < 1e-12 && (low - 0.75).abs() < 1e-9 && (high - 1.25).abs() < 1e-9
        );
        let without = Row { predicted_fpr: None, predicted_fpr_sd: None, ..row };
        assert!((over(&without).unwrap().0 - 2.0).abs() < 1e-12);
    }
}
