//! Filters beyond their plan: how the rate rises without growth, and what growth costs.

use super::{Panel, panels_of, places};
use crate::contender::Family;
use crate::record::{Row, Workload};
use crate::render::axis::Axis;
use crate::render::chart::{Chart, Labels, Point, Series, Stroke};
use crate::render::data::Data;
use crate::render::entry::{Rate, bits_of};
use crate::render::number::{asked, grouped, list, percent, three, tick};
use crate::render::style::Ink;
use crate::run::ContenderFacts;

/// Rate against keys over planned keys.
pub(super) fn overfilled(data: &Data) -> Result<Vec<Chart>, String> {
    let all = data.beyond(Workload::Overfill);
    let walks: Vec<Walk<'_>> = all.iter().map(Walk::new).filter(Walk::errs).collect();
    let measured: Vec<Series> = walks.iter().filter_map(Walk::by_load).collect();
    let theory: Vec<Series> = walks.iter().map(Walk::theory).collect();
    if measured.is_empty() {
        return Err("Rate past the planned number of keys: no filter was overfilled.".to_owned());
    }
    let shown = || places(&measured).chain(places(&theory));
    let x = Axis::linear(
        "keys in the filter, as a multiple of the planned number",
        shown().map(|at| at.0),
    );
    let y = Axis::log("false-positive rate", shown().map(|at| at.1)).in_percent();
    Ok(charts(&walks, |panel, of_panel| {
        let mut series: Vec<Series> = of_panel.iter().map(|walk| walk.theory()).collect();
        series.extend(of_panel.iter().filter_map(|walk| walk.by_load()));
        Chart {
            slug: format!("rate-past-plan{}", panel.slug),
            title: format!("Rate past the planned number of keys{}", panel.title),
            caption: past_plan(of_panel),
            x: x.clone(),
            y: y.clone(),
            bands: Vec::new(),
            series,
            labels: Labels::Column,
            note: None,
            height: 360,
        }
    }))
}

/// Rate, and bits per key, against the number of keys while growing.
pub(super) fn grown(data: &Data) -> Result<Vec<Chart>, String> {
    let all = data.beyond(Workload::Grow);
    let walks: Vec<Walk<'_>> = all.iter().map(Walk::new).collect();
    let filters: Vec<Walk<'_>> = walks.iter().filter(|walk| walk.errs()).cloned().collect();
    let rates: Vec<Series> = filters.iter().filter_map(Walk::rate_by_keys).collect();
    let bits: Vec<Series> = walks.iter().filter_map(Walk::bits_by_keys).collect();
    if bits.is_empty() {
        return Err("Growing a hundredfold: no filter that grows was measured.".to_owned());
    }
    let rows = || walks.iter().flat_map(|walk| walk.rows);
    let mut sizes: Vec<u64> = rows().map(|row| row.keys).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let ticks = sizes.iter().map(|&keys| (keys as f64, tick(keys as f64)));
    let x = Axis::log("keys", sizes.iter().map(|&keys| keys as f64)).with_ticks(ticks.collect());
    let compound = rows().find_map(|row| row.asked_fpr);
    let mut found = Vec::new();
    if !rates.is_empty() {
        let y = places(&rates).map(|at| at.1).chain(compound);
        let y = Axis::log("false-positive rate", y).in_percent();
        // Just above the line.
        let above = (y.high / y.low).powf(0.04);
        let note = compound.map(|rate| ((x.high, rate * above), format!("asked: {}", asked(rate))));
        found = charts(&filters, |panel, of_panel| {
            let line = |rate| {
                let path = vec![(x.low, rate), (x.high, rate)];
                Series::line(Ink::Muted, Stroke::Bound, path)
            };
            let mut series: Vec<Series> = compound.map(line).into_iter().collect();
            series.extend(of_panel.iter().filter_map(|walk| walk.rate_by_keys()));
            Chart {
                slug: format!("grow-rate{}", panel.slug),
                title: format!("Growing a hundredfold: the rate{}", panel.title),
                caption: while_growing(of_panel),
                x: x.clone(),
                y: y.clone(),
                bands: Vec::new(),
                series,
                labels: Labels::Column,
                note: note.clone(),
                height: 340,
            }
        });
    }
    let y = Axis::log("bits per key", places(&bits).map(|at| at.1));
    found.extend(charts(&walks, |panel, of_panel| Chart {
        slug: format!("grow-bits{}", panel.slug),
        title: format!("Growing a hundredfold: the space{}", panel.title),
        caption: space_while_growing(of_panel),
        x: x.clone(),
        y: y.clone(),
        bands: Vec::new(),
        series: of_panel
            .iter()
            .filter_map(|walk| walk.bits_by_keys())
            .collect(),
        labels: Labels::Column,
        note: None,
        height: 340,
    }));
    Ok(found)
}

/// One chart a panel of these contenders.
fn charts(walks: &[Walk<'_>], chart: impl Fn(&Panel<'_>, &[&Walk<'_>]) -> Chart) -> Vec<Chart> {
    let of_panel = |panel: &Panel<'_>| {
        let shown = |walk: &&Walk<'_>| {
            panel
                .filters
                .iter()
                .any(|facts| facts.name == walk.facts.name)
        };
        let walks: Vec<&Walk<'_>> = walks.iter().filter(shown).collect();
        chart(panel, &walks)
    };
    let panels = panels_of(walks.iter().map(|walk| walk.facts).collect());
    panels.iter().map(of_panel).collect()
}

/// A contender and its stops.
#[derive(Clone, Copy)]
struct Walk<'a> {
    facts: &'a ContenderFacts,
    rows: &'a [&'a Row],
}

impl<'a> Walk<'a> {
    fn new((facts, rows): &'a (&'a ContenderFacts, Vec<&'a Row>)) -> Self {
        Self { facts, rows }
    }

    /// Whether it is a filter: sets have no rate to be drawn.
    fn errs(&self) -> bool {
        self.facts.family != Family::Exact
    }

    /// A point per stop; failures and refusals are crosses.
    fn series(
        &self,
        x: impl Fn(&Row, u64) -> Option<f64>,
        y: impl Fn(&Row) -> Option<(f64, Option<(f64, f64)>)>,
    ) -> Option<Series> {
        let mut last = f64::NAN;
        let mut points = Vec::new();
        for row in self.rows {
            let at = x(row, row.refused_at.unwrap_or(row.keys))?;
            if !row.error.is_empty() || row.refused_at.is_some() {
                points.push(Point::failed(at, last));
            } else if let Some((value, along)) = y(row) {
                last = value;
                points.push(Point {
                    along,
                    ..Point::at(at, value)
                });
            }
        }
        (!points.is_empty()).then(|| Series::of(self.facts).joined(points))
    }

    fn by_load(&self) -> Option<Series> {
        let points = self.series(load, rate)?.points;
        // The line is theory.
        Some(Series::of(self.facts).scattered(points))
    }

    fn rate_by_keys(&self) -> Option<Series> {
        self.series(|_, keys| Some(keys as f64), rate)
    }

    fn bits_by_keys(&self) -> Option<Series> {
        let bits = |row: &Row| Some((bits_of(row)?, None));
        self.series(|_, keys| Some(keys as f64), bits)
    }

    /// The exact formula's rate at each stop.
    fn theory(&self) -> Series {
        let place = |row: &&Row| Some((load(row, row.keys)?, row.predicted_fpr?));
        let path = self.rows.iter().filter_map(place).collect();
        Series::line(Ink::Family(self.facts.family), Stroke::Theory, path)
    }

    /// The last stop that has numbers.
    fn last(&self) -> Option<&'a Row> {
        let good = |row: &&&Row| row.error.is_empty() && row.refused_at.is_none();
        self.rows.iter().rev().find(good).copied()
    }
}

fn load(row: &Row, keys: u64) -> Option<f64> {
    Some(keys as f64 / row.planned_keys.filter(|&planned| planned > 0)? as f64)
}

fn rate(row: &Row) -> Option<(f64, Option<(f64, f64)>)> {
    let rate = Rate::joint_of(row).filter(|rate| rate.low > 0.0)?;
    Some((rate.mean, Some((rate.low, rate.high))))
}

/// The rates at twice the plan, and the refusals.
fn past_plan(walks: &[&Walk<'_>]) -> String {
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for walk in walks {
        let name = &walk.facts.name;
        let twice = |row: &&&Row| load(row, row.keys) == Some(2.0);
        if let Some(rate) = walk.rows.iter().find(twice).and_then(|row| Rate::of(row)) {
            found.push(format!("{name} {}", percent(rate.mean)));
        }
        let refusal = |row: &&Row| load(row, row.refused_at?);
        if let Some(load) = walk.rows.iter().find_map(refusal) {
            refused.push(format!("{name} at {} times its plan", three(load)));
        }
    }
    let mut text = String::new();
    if !found.is_empty() {
        text.push_str(&format!("With twice the planned keys: {}. ", list(&found)));
    }
    if !refused.is_empty() {
        text.push_str(&format!(
            "Refused a key and kept the others (hollow crosses): {}. ",
            list(&refused)
        ));
    }
    text + "A Bloom filter never refuses a key: its rate rises instead, as its formula says \
            (solid lines, straight between the numbers of keys measured). Every key inserted was \
            found again."
}

fn while_growing(walks: &[&Walk<'_>]) -> String {
    let of = |walk: &&Walk<'_>| {
        let row = walk.last()?;
        let times = Rate::of(row)?.mean / row.asked_fpr.filter(|&asked| asked > 0.0)?;
        Some((times, walk.facts.name.clone(), row.keys))
    };
    let mut found: Vec<(f64, String, u64)> = walks.iter().filter_map(of).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    let most = found.iter().map(|(_, _, keys)| *keys).max().unwrap_or(0);
    let words: Vec<String> = found
        .iter()
        .map(|(times, name, _)| format!("{name} {}", three(*times)))
        .collect();
    let found = if words.is_empty() {
        String::new()
    } else {
        format!(
            "With {} keys, the measured rate over the one asked for: {}. ",
            grouped(most),
            list(&words)
        )
    };
    format!(
        "{found}Each was built for a hundredth of the keys and then grew. Dashed: the rate asked \
         for, over all stages. Bars are 95 % intervals."
    )
}

fn space_while_growing(walks: &[&Walk<'_>]) -> String {
    let of = |walk: &&Walk<'_>| Some((bits_of(walk.last()?)?, walk.facts.name.clone()));
    let mut found: Vec<(f64, String)> = walks.iter().filter_map(of).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    let words: Vec<String> = found
        .iter()
        .map(|(bits, name)| format!("{name} {}", three(*bits)))
        .collect();
    format!(
        "At the end, in bits per key: {}. A new stage is nearly empty, so the space per key jumps \
         with each and falls until the next. By a counting allocator.",
        list(&words)
    )
}
