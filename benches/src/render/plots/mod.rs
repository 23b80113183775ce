//! The plots, one file each: from records and theory to a chart and its finding.

mod beyond;
mod bits;
mod build;
mod construction;
mod load;
mod overhead;
mod pareto;
mod query;
mod share;
mod theory;
mod verdict;

use super::chart::{Chart, Series};
use super::data::Data;
use super::document::Figure;
use super::draw;
use super::entry::Entry;
use crate::contender::Role;
use crate::run::ContenderFacts;
use anyhow::Result;

/// The most series in one plot, not counting a reference line and theory's curves.
const SERIES: usize = 8;

/// A plot: its charts, or why there is none.
type Plot = fn(&Data) -> Result<Vec<Chart>, String>;

/// All plots, in the order of the page.
const PLOTS: [Plot; 11] = [
    bits::charts,
    overhead::charts,
    verdict::charts,
    query::charts,
    share::charts,
    pareto::charts,
    build::charts,
    load::charts,
    beyond::overfilled,
    beyond::grown,
    construction::charts,
];

/// Draws every plot with data, and says which are left out and why.
pub(super) fn all(data: &Data) -> Result<(Vec<Figure>, Vec<String>)> {
    let (mut figures, mut left_out) = (Vec::new(), Vec::new());
    for plot in PLOTS {
        match plot(data) {
            Ok(charts) => {
                for chart in &charts {
                    figures.push(draw::figure(chart)?);
                }
            }
            Err(reason) => left_out.push(reason),
        }
    }
    Ok((figures, left_out))
}

/// A subset of the filters, for one plot.
struct Panel<'a> {
    /// Added to the file's name.
    slug: String,
    /// Added to the title.
    title: String,
    /// The contenders shown.
    filters: Vec<&'a ContenderFacts>,
}

/// All filters in one panel if they are few; else ours and peers in separate panels, as many as
/// needed.
fn panels(data: &Data) -> Vec<Panel<'_>> {
    panels_of(data.filters())
}

/// The same for some of the filters.
fn panels_of(filters: Vec<&ContenderFacts>) -> Vec<Panel<'_>> {
    if filters.len() <= SERIES {
        let panel = Panel {
            slug: String::new(),
            title: String::new(),
            filters,
        };
        return Some(panel)
            .filter(|panel| !panel.filters.is_empty())
            .into_iter()
            .collect();
    }
    let (ours, peers): (Vec<_>, Vec<_>) = filters.into_iter().partition(|facts| facts.ours);
    let (ours, more) = first_of_families(ours);
    let mut panels = Vec::new();
    for (name, group) in [("amq", ours), ("amq-more", more), ("peers", peers)] {
        // Equal shares, so that the last panel is not nearly empty.
        let pages = group.len().div_ceil(SERIES).max(1);
        for (page, filters) in group.chunks(group.len().div_ceil(pages).max(1)).enumerate() {
            let number = if pages > 1 {
                format!(" {}", page + 1)
            } else {
                String::new()
            };
            panels.push(Panel {
                slug: format!("-{name}{}", number.trim_start()),
                title: format!(", {}{number}", name.replace('-', ", ")),
                filters: filters.to_vec(),
            });
        }
    }
    panels
}

/// One panel if they are few; else one with the first of each family, to compare families, and
/// panels with the others.
fn first_of_families(
    filters: Vec<&ContenderFacts>,
) -> (Vec<&ContenderFacts>, Vec<&ContenderFacts>) {
    if filters.len() <= SERIES {
        return (filters, Vec::new());
    }
    let mut seen = Vec::new();
    filters.into_iter().partition(|facts| {
        let is_first = !seen.contains(&facts.family);
        seen.push(facts.family);
        is_first
    })
}

/// The entries of one contender over a key set, sizes rising and rates falling.
fn entries_of<'a>(data: &'a Data, key_set: &'a str, facts: &ContenderFacts) -> Vec<Entry<'a>> {
    let sizes = data.sizes(key_set).into_iter();
    sizes
        .flat_map(|keys| data.heats(key_set, keys))
        .flat_map(|heat| heat.entries)
        .filter(|entry| entry.facts.name == facts.name)
        .collect()
}

/// Over the main key set at the main rate, or at its own rate: one entry per size.
fn by_size<'a>(data: &'a Data, facts: &ContenderFacts) -> Vec<Entry<'a>> {
    let Some(set) = data.main_set() else {
        return Vec::new();
    };
    let rate = data.main_rate();
    let at_rate = |entry: &Entry<'_>| !facts.takes_rate || entry.asked() == rate;
    entries_of(data, set, facts)
        .into_iter()
        .filter(at_rate)
        .collect()
}

/// The contender that hashes and answers nothing, if it took part.
fn floor(data: &Data) -> Option<&ContenderFacts> {
    data.contenders().find(|facts| facts.role == Role::Floor)
}

/// All places of all series.
fn places(series: &[Series]) -> impl Iterator<Item = (f64, f64)> {
    series.iter().flat_map(|series| {
        let points = series.points.iter().flat_map(|point| {
            let (x, y) = point.at;
            let (left, right) = point.across.unwrap_or((x, x));
            let (low, high) = point.along.unwrap_or((y, y));
            [(x, y), (left, low), (right, high)]
        });
        points.chain(series.path.iter().copied())
    })
}
