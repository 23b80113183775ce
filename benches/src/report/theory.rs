//! Theory and measurement side by side: the verdict, and where which filter is cheapest.

use super::prelude::*;

/// Measured over expected rate, and the interval; over the asked rate where there is no formula.
fn over(row: &Row) -> Option<Mark> {
    let expected = row.predicted_fpr.or(row.asked_fpr).filter(|rate| *rate > 0.0)?;
    let (fpr, low, high) = (row.fpr().filter(|fpr| *fpr > 0.0)?, row.fpr_low?, row.fpr_high?);
    // One of few filters has a rate of its own around the mean.
    let seeds = row.seeds.unwrap_or(1).max(1) as f64;
    let spread = 1.96 * row.predicted_fpr_sd.unwrap_or(0.0) / seeds.sqrt();
    let low = (fpr - (fpr - low).hypot(spread)).max(0.0);
    let high = fpr + (high - fpr).hypot(spread);
    Some(Mark { x: fpr / expected, y: None, bar: Some((low / expected, high / expected)) })
}

pub(super) fn verdict(data: &Data) -> Found {
    let judged: Vec<bool> = data.all().filter_map(|row| row.fpr_agrees).collect();
    let agree = judged.iter().filter(|agrees| **agrees).count();
    let far = |mark: &Mark| {
        let (low, high) = mark.bar.unwrap_or_default();
        (mark.x - 1.0).abs() / (high - low).max(1e-9)
    };
    let worst = |facts: &Info| {
        let is_of = |row: &&Row| row.contender == facts.name && row.workload == Workload::Verify;
        let cells = data.all().filter(is_of).filter_map(over);
        cells.max_by(|a, b| far(a).total_cmp(&far(b)))
    };
    let all = data.filters().filter_map(|facts| Some((facts, worst(facts)?)));
    let mut all: Vec<(&Info, Mark)> = all.collect();
    // The y axis counts upwards.
    all.reverse();
    let ratio = |mark: &Mark| mark.x.ln().abs();
    let (farthest, mark) = all.iter().max_by(|a, b| ratio(&a.1).total_cmp(&ratio(&b.1)))?;
    let found = format!(
        "{agree} of {} cells agree with their exact formula within {} standard deviations; {} is \
         farthest: {} times what was expected.",
        judged.len(),
        plain(data.run.sigmas),
        farthest.name,
        two(mark.x)
    );
    let clip = |x: f64| x.clamp(0.7, 1.4);
    let top = (all.len() + 1) as f64;
    let rows = all.iter().zip(1..).map(|((facts, mark), row)| {
        let bar = mark.bar.map(|(low, high)| (clip(low), clip(high)));
        Series::of(facts, vec![Mark { x: clip(mark.x), y: Some(f64::from(row)), bar }])
    });
    let line = Series::guide(vec![(1.0, 0.0), (1.0, top)]);
    let axes = ["measured over expected rate, 0.7 to 1.4", "contender"];
    let plot = Plot::new("verdict", found, axes, rows.chain([line]).collect())?;
    let note = "Of each contender the cell that is farthest from its formula, with its 95 % \
                interval; one in twenty is expected to miss the line. Where no formula is known, \
                over the rate asked for.";
    let (note, size) = (note.to_owned(), (460, 70 + 15 * top as u32));
    let plot = plot.within((0.68, 1.45), (0.0, top));
    figures([Some(Plot { note, size, names: Names::Rows, ..plot })])
}

/// Nanoseconds that a false positive costs, and bits per key allowed, in the map.
const COSTS: (f64, f64) = (1.0, 1e7);
const BITS: (f64, f64) = (3.0, 20.0);

/// A filter with so many bits at most: its rate, and what an absent key costs before it is wrong.
#[derive(Clone, Copy)]
struct Offer<'a> {
    facts: &'a Info,
    fpr: f64,
    ns: f64,
}

fn offers<'a>(data: &Data, entries: &[Entry<'a>], bits: f64) -> Vec<Offer<'a>> {
    let offer = |entry: &Entry<'a>| {
        let curve = data.curve(entry.name()).into_iter();
        let points = curve.map(|point| (point.bits_per_key, point.fpr));
        let points = points.chain(entry.bits().zip(entry.fpr()));
        let fpr = points.filter(|point| point.0 <= bits).map(|point| point.1).reduce(f64::min)?;
        Some(Offer { facts: entry.facts, fpr, ns: entry.ns(Workload::Query0)? })
    };
    entries.iter().filter_map(offer).collect()
}

/// Who is cheapest from which cost of a false positive on: the lower envelope of lines.
fn envelope<'a>(offers: &[Offer<'a>]) -> Vec<(f64, Offer<'a>)> {
    let at_first = |offer: &Offer<'_>| offer.ns + offer.fpr * COSTS.0;
    let first = offers.iter().min_by(|a, b| at_first(a).total_cmp(&at_first(b)));
    let next = |(_, now): &(f64, Offer<'a>)| {
        let better = offers.iter().filter(|offer| offer.fpr < now.fpr);
        let crossed = better.map(|offer| ((offer.ns - now.ns) / (now.fpr - offer.fpr), *offer));
        let next = crossed.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.fpr.total_cmp(&b.1.fpr)));
        next.filter(|(cost, _)| *cost < COSTS.1)
    };
    std::iter::successors(first.map(|first| (COSTS.0, *first)), next).collect()
}

pub(super) fn crossover(data: &Data) -> Found {
    let mut entries = data.entries(data.main());
    entries.retain(Entry::is_filter);
    let any = map(data, "cheapest", "Any filter", &entries);
    entries.retain(|entry| entry.can(Ability::Insert));
    let one_by_one = "Filters that take keys one by one";
    figures([any, map(data, "cheapest-one-by-one", one_by_one, &entries)])
}

fn map(data: &Data, slug: &'static str, title: &str, entries: &[Entry<'_>]) -> Option<Plot> {
    let (mut cells, mut runs) = (Vec::new(), Vec::new());
    for bits in (BITS.0 as u32..=BITS.1 as u32).map(f64::from) {
        let costs = envelope(&offers(data, entries, bits));
        let ends = costs.iter().skip(1).map(|(cost, _)| *cost).chain([COSTS.1]);
        for ((from, offer), to) in costs.iter().zip(ends) {
            cells.push(([*from, bits - 0.5, to, bits + 0.5], Look::of(offer.facts.family)));
            runs.push((to / from, offer.facts, Mark::at((from * to).sqrt(), bits)));
        }
    }
    // The longest run of each winner bears its name.
    runs.sort_by(|a, b| a.1.name.cmp(&b.1.name).then(b.0.total_cmp(&a.0)));
    runs.dedup_by_key(|run| &run.1.name);
    let named = runs.into_iter().map(|(_, facts, mark)| Series::of(facts, vec![mark]));
    let turn = |(cost, offer): &(f64, Offer<'_>)| match &offer.facts.name {
        name if *cost > COSTS.0 => format!("{name} from {} ns on", two(*cost)),
        name => format!("{name} is cheapest at first"),
    };
    let turns: Vec<String> = envelope(&offers(data, entries, 10.0)).iter().map(turn).collect();
    let found = format!("{title}, 10 bits a key: {}.", turns.join(", "));
    let axes = ["a false positive costs, ns (log)", "bits per key allowed"];
    let plot = Plot::new(slug, found, axes, named.collect())?;
    let plot = plot.within(COSTS, (BITS.0 - 0.5, BITS.1 + 0.5));
    let note = "Coloured by family: the least ns for an absent key, query and false positives.";
    Some(Plot { cells, note: note.to_owned(), names: Names::Beside, ..plot })
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
            ..Row::default()
        };
        let Mark { x, bar: Some((low, high)), .. } = over(&row).unwrap() else { panic!() };
        assert!(
            [x - 1.0, low - 0.75, high - 1.25].iter().all(|off| off.abs() < 1e-9),
            "{low} {high}"
        );
        let asked = Row { predicted_fpr: None, asked_fpr: Some(0.01), ..row };
        assert!((over(&asked).unwrap().x - 2.0).abs() < 1e-12);
    }
}
