//! Theory and measurement side by side: the verdict, the ribbon systems, and where which filter is
//! cheapest.

use super::data::{Data, Entry};
use super::doc::{Found, Section};
use super::front::{guide, series};
use super::look::look;
use super::number::{digits, grouped, keys, plain, two};
use super::plot::{Captioned, Mark, Names, Plot, Series, figures};
use crate::record::{Ability, ContenderFacts, Family, Row, Trial, Workload};
use std::collections::BTreeMap;

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Vec<Section> {
    vec![
        Section::new("verdict", "Measured rates over theory's", verdict(data)),
        Section::new("crossover", "Which filter at which cost", crossover(data)),
        Section::new("construction", "How many slots a ribbon needs", construction(data)),
    ]
}

/// Measured over expected rate, and the interval; over the asked rate where there is no formula.
fn over(row: &Row) -> Option<Mark> {
    let expected = row.predicted_fpr.or(row.asked_fpr).filter(|rate| *rate > 0.0)?;
    let (fpr, low, high) = (row.fpr()?, row.fpr_low?, row.fpr_high?);
    // One of few filters has a rate of its own around the mean.
    let seeds = row.seeds.unwrap_or(1).max(1) as f64;
    let spread = 1.96 * row.predicted_fpr_sd.unwrap_or(0.0) / seeds.sqrt();
    let low = (fpr - (fpr - low).hypot(spread)).max(0.0);
    let high = fpr + (high - fpr).hypot(spread);
    Some(Mark { x: fpr / expected, y: None, bar: Some((low / expected, high / expected)) })
}

fn verdict(data: &Data) -> Found {
    let judged: Vec<bool> = data.all().filter_map(|row| row.fpr_agrees).collect();
    let agree = judged.iter().filter(|agrees| **agrees).count();
    let far = |mark: &Mark| {
        let (low, high) = mark.bar.unwrap_or_default();
        (mark.x - 1.0).abs() / (high - low).max(1e-9)
    };
    let worst = |facts| {
        let is_of = |row: &&Row| row.contender == facts.name && row.workload == Workload::Verify;
        let cells = data.all().filter(is_of).filter_map(|row| Some((facts, over(row)?, row.keys)));
        let worst = cells.max_by(|a, b| far(&a.1).total_cmp(&far(&b.1)));
        worst.filter(|(_, mark, _)| mark.x > 0.0)
    };
    let mut cells: Vec<(&ContenderFacts, Mark, u64)> = data.filters().filter_map(worst).collect();
    // The y axis counts upwards.
    cells.reverse();
    let top = cells.len() as f64 + 1.0;
    let ratio = |mark: &Mark| mark.x.ln().abs();
    let (facts, mark, size) =
        cells.iter().max_by(|a, b| ratio(&a.1).total_cmp(&ratio(&b.1))).copied()?;
    let found = format!(
        "{agree} of {} cells agree with their exact formula within {} standard deviations; \
         {} is farthest: {} times what was expected ({} keys).\n\
         Of each contender the cell that is farthest from its formula, with its 95 % interval; one \
         in twenty is expected to miss the line. Where no formula is known, over the rate asked for.",
        judged.len(),
        plain(data.run.sigmas),
        facts.name,
        two(mark.x),
        grouped(size)
    );
    let clip = |x: f64| x.clamp(0.7, 1.4);
    let line = |(index, (facts, mark, _)): (usize, (&ContenderFacts, Mark, u64))| {
        let bar = mark.bar.map(|(low, high)| (clip(low), clip(high)));
        series(facts, vec![], vec![Mark { x: clip(mark.x), y: Some(index as f64 + 1.0), bar }])
    };
    let mut all: Vec<Series> = cells.into_iter().enumerate().map(line).collect();
    all.push(guide(vec![(1.0, 0.0), (1.0, top)]));
    let mut plot = Plot::new("measured over expected rate, 0.7 to 1.4", "contender", all)?;
    (plot.x, plot.y) = (plot.x.within(0.68, 1.45), plot.y.within(0.0, top));
    plot.names = Names::Rows;
    figures([("verdict", found, Some(plot))])
}

fn construction(data: &Data) -> Found {
    let mut systems: BTreeMap<(u64, u64), Vec<(f64, f64)>> = BTreeMap::new();
    let share = |trial: &Trial| Some(trial.solved? as f64 * 100.0 / trial.seeds?.max(1) as f64);
    for trial in &data.trials {
        let over = (trial.slots as f64 / trial.keys as f64 - 1.0) * 100.0;
        let points = systems.entry((trial.row_bits, trial.keys)).or_default();
        points.extend(share(trial).map(|share| (over, share)));
    }
    let (mut all, mut words) = (Vec::new(), Vec::new());
    for ((bits, size), mut points) in systems {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        // From here on nine seeds in ten leave room.
        let good = points.iter().rev().take_while(|(_, share)| *share >= 90.0).last();
        words.extend(good.map(|(over, _)| {
            format!("{} % for {} keys in rows of {bits} bits", digits(*over, 2), keys(size))
        }));
        let marks = points.iter().map(|(x, y)| Mark::at(*x, *y)).collect();
        let (name, look) = (format!("{bits} b, {}", keys(size)), look(Family::Ribbon));
        all.push(Series { name, look, is_hollow: bits == 64, line: points, marks });
    }
    if words.is_empty() {
        return None;
    }
    // Small systems need the most: the largest say enough.
    all.reverse();
    all.truncate(4);
    let found = format!(
        "Nine seeds in ten leave room for all keys from this many slots more than keys on: {}.",
        words.join("; ")
    );
    let plot = Plot::new("slots more than keys, %", "% of seeds that leave room", all);
    figures([("construction", found, plot)])
}

/// A filter's ways to spend bits: bits per key and the rate; and what an absent key costs.
struct Offer<'a> {
    facts: &'a ContenderFacts,
    points: Vec<(f64, f64)>,
    ns: f64,
}

impl<'a> Offer<'a> {
    fn of(data: &Data, entry: &Entry<'a>) -> Option<Self> {
        let curve = data.curve(entry.name()).into_iter();
        let mut points: Vec<_> = curve.map(|point| (point.bits_per_key, point.fpr)).collect();
        if points.is_empty() {
            points.push(entry.bits().zip(entry.fpr())?);
        }
        let ns = entry.ns(Workload::Query0).filter(|_| entry.is_filter())?;
        Some(Self { facts: entry.facts, points, ns })
    }

    /// Nanoseconds per absent key with so many bits at most, and a false positive of this cost.
    fn cost(&self, bits: f64, false_positive: f64) -> Option<f64> {
        let affordable = self.points.iter().filter(|point| point.0 <= bits);
        let fpr = affordable.map(|point| point.1).reduce(f64::min)?;
        Some(self.ns + fpr * false_positive)
    }
}

/// Costs of a false positive, in powers of ten of nanoseconds, and bits per key allowed.
const COSTS: usize = 28;
const MOST_COST: f64 = 7.0;
const BITS: std::ops::RangeInclusive<u32> = 3..=20;

fn cost(column: usize) -> f64 {
    10f64.powf(MOST_COST * column as f64 / COSTS as f64)
}

fn crossover(data: &Data) -> Found {
    let entries = data.main_entries(data.rate());
    let mut offers: Vec<Offer<'_>> =
        entries.iter().filter_map(|entry| Offer::of(data, entry)).collect();
    let any = map("cheapest", "Any filter", &offers)?;
    offers.retain(|offer| offer.facts.abilities.contains(&Ability::Insert));
    let one_by_one = map("cheapest-one-by-one", "Filters that take keys one by one", &offers);
    figures([any].into_iter().chain(one_by_one))
}

/// The cheapest offers with so many bits: from and to which cost, and which offer.
fn runs(offers: &[Offer<'_>], bits: f64) -> Vec<(usize, usize, usize)> {
    let cheapest = |column: usize| {
        let costs = offers.iter().enumerate();
        let costs =
            costs.filter_map(|(index, offer)| Some((index, offer.cost(bits, cost(column))?)));
        costs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    };
    let winners: Vec<Option<usize>> = (0..COSTS).map(cheapest).collect();
    let (mut runs, mut start) = (Vec::new(), 0);
    for run in winners.chunk_by(|a, b| a == b) {
        let end = start + run.len();
        runs.extend(run[0].map(|offer| (start, end, offer)));
        start = end;
    }
    runs
}

fn map(slug: &'static str, title: &str, offers: &[Offer<'_>]) -> Option<Captioned> {
    let mut cells = Vec::new();
    // The longest run of each winner bears its name.
    let mut longest: BTreeMap<usize, (usize, Mark)> = BTreeMap::new();
    for bits in BITS.map(f64::from) {
        for (start, end, offer) in runs(offers, bits) {
            let (left, right) = (cost(start), cost(end));
            let look = look(offers[offer].facts.family);
            cells.push(([left, bits - 0.5, right, bits + 0.5], look));
            let kept = longest.entry(offer).or_default();
            if end - start > kept.0 {
                *kept = (end - start, Mark::at((left * right).sqrt(), bits));
            }
        }
    }
    let named = |(offer, (_, mark)): (usize, _)| series(offers[offer].facts, vec![], vec![mark]);
    let all = longest.into_iter().map(named).collect();
    let mut plot = Plot::new("a false positive costs, ns (log)", "bits per key allowed", all)?;
    plot.x = plot.x.within(1.0, 10f64.powf(MOST_COST));
    plot.y = plot.y.within(f64::from(*BITS.start()) - 0.5, f64::from(*BITS.end()) + 0.5);
    plot.cells = cells;
    plot.names = Names::Beside;
    let part = |&(start, _, offer): &(usize, usize, usize)| match &offers[offer].facts.name {
        name if start == 0 => format!("{name} is cheapest at first"),
        name => format!("{name} from {} ns on", two(cost(start))),
    };
    let story: Vec<String> = runs(offers, 10.0).iter().map(part).collect();
    let found = format!(
        "{title}, 10 bits a key: {}.\n\
         Coloured by family: the least ns for an absent key, query and false positives together.",
        story.join(", ")
    );
    Some((slug, found, Some(plot)))
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
        let Mark { x, bar, .. } = over(&row).unwrap();
        let (low, high) = bar.unwrap();
        assert!([x - 1.0, low - 0.75, high - 1.25].iter().all(|off| off.abs() < 1e-9), "{bar:?}");
        let without = Row { predicted_fpr: None, predicted_fpr_sd: None, ..row };
        assert!((over(&without).unwrap().x - 2.0).abs() < 1e-12);
    }
}
