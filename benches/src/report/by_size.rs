//! Space, building and queries by the number of keys: a line for each family.

use super::data::{Data, Entry};
use super::look::LOOKS;
use super::number::{digits, keys, two};
use super::plot::{Mark, Plot, Series};
use super::time_by_space::LINE_READS;
use crate::record::{Family, Info, Workload};

/// The bits per key at which caches are marked as full.
pub(super) const TYPICAL_BITS: u64 = 10;

type Number = fn(&Entry<'_>) -> Option<f64>;

pub(super) fn space(data: &Data) -> Option<Plot> {
    let [least, most] = ends(data, |of| of.bits())?;
    let caption = format!(
        "Space: bits held per key. At {} it runs from {} in {} to {} in {}. Small filters pay for \
         whole blocks and a header's worth of memory.",
        data.what(),
        digits(least.1, 3),
        least.0,
        digits(most.1, 3),
        most.0
    );
    plot(data, "space-by-size", caption, "bits per key (log)", |of| of.bits())
}

pub(super) fn build(data: &Data) -> Option<Plot> {
    let of: Number = |of| of.ns(Workload::Build);
    let [least, most] = ends(data, of)?;
    let caption = format!(
        "Building, ns for each key: from {} in {} to {} in {} at {} keys. Upright lines: where a \
         table of {TYPICAL_BITS} bits per key fills a cache.",
        two(least.1),
        least.0,
        two(most.1),
        most.0,
        keys(data.keys)
    );
    plot(data, "build-by-size", caption, "ns per key (log)", of)
}

pub(super) fn query(data: &Data) -> Option<Plot> {
    let of: Number = |of| of.ns(Workload::Query50);
    let [least, most] = ends(data, of)?;
    let caption = format!(
        "Queries, half of them for present keys: from {} ns in {} to {} ns in {} at {} keys. The \
         dashed line is the machine's floor for that size.",
        two(least.1),
        least.0,
        two(most.1),
        most.0,
        keys(data.keys)
    );
    let plot = plot(data, "query-by-size", caption, "ns per query (log)", of)?;
    let sizes = data.sizes(&data.set).into_iter();
    let floor = sizes.filter_map(|size| Some((size as f64, data.floor_ns(LINE_READS, size)?)));
    let mut series = plot.series.clone();
    series.push(Series::guide("", floor.collect()));
    let axes = [plot.x.label.clone(), plot.y.label.clone()];
    let again =
        Plot::new("query-by-size", plot.caption, axes.each_ref().map(|s| s.as_str()), series)?;
    Some(Plot { guides: plot.guides, ..again })
}

/// One filter of each family, ours if there is one.
fn chosen(data: &Data) -> impl Iterator<Item = &Info> {
    let families = LOOKS.into_iter().map(|look| look.family).filter(|of| *of != Family::Exact);
    families.filter_map(|family| {
        let of = data.compared().filter(move |info| info.family == family);
        of.min_by_key(|info| !info.ours)
    })
}

/// The minimum and maximum of the lines, at the page's number of keys.
fn ends(data: &Data, number: Number) -> Option<[(String, f64); 2]> {
    let all = chosen(data).filter_map(|info| {
        let entry = data.entry(&info.name, data.main())?;
        Some((info.name.clone(), number(&entry)?))
    });
    let mut all: Vec<(String, f64)> = all.collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    Some([all.first()?.clone(), all.last()?.clone()])
}

fn plot(data: &Data, slug: &'static str, caption: String, y: &str, number: Number) -> Option<Plot> {
    let sizes = data.sizes(&data.set);
    let mark = |info: &Info, size: u64| {
        let entry = data.entry(&info.name, data.with(size))?;
        let y = number(&entry);
        (y.is_some() || entry.has_failed()).then_some(Mark { x: size as f64, y, bar: None })
    };
    let marks = |info: &Info| sizes.iter().filter_map(|size| mark(info, *size)).collect();
    let all = chosen(data).map(|info| Series::of(info, marks(info)).joined());
    let all: Vec<Series> = all.filter(|series| series.line.len() > 1).collect();
    if all.is_empty() {
        return None;
    }
    let others = data.compared().filter(|info| !info.ours).count();
    let caption = match others {
        0 => caption,
        _ => format!("{caption} One filter of each family; “All numbers” has the others."),
    };
    let caches = data.caches().map(|(bytes, name)| ((bytes * 8 / TYPICAL_BITS) as f64, name));
    let guides = caches.filter(|_| slug != "space-by-size").collect();
    let plot = Plot::new(slug, caption, ["keys (log)", y], all)?;
    Some(Plot { guides, ..plot })
}
