//! What comes with a filter: building, growing, and what becomes of keys beyond the plan.

use super::data::{Data, Entry, Target};
use super::number::{digits, percent, two};
use crate::record::{Ability, Row, State, Workload};

/// What comes with a filter, in a few words, and a note.
pub(super) fn cost(data: &Data, entry: &Entry<'_>, note: &str) -> String {
    let mut parts = Vec::new();
    let plain = data.entry(entry.name(), &data.set, data.keys, Target::Rate(data.rate()));
    let of = plain.as_ref().unwrap_or(entry);
    if let Some(ns) = entry.ns(Workload::Build).or_else(|| of.ns(Workload::Build)) {
        let peak = of.peak_bits().zip(of.bits()).filter(|(peak, bits)| *peak > 2.0 * bits);
        let peak = peak.map_or_else(String::new, |(peak, _)| format!(" in {peak:.0} bits a key"));
        parts.push(format!("build {} ns{peak}", two(ns)));
    }
    if entry.can(Ability::Static) || !entry.can(Ability::Insert) {
        parts.push("static".to_owned());
    } else if let Some((_, low, high)) = growth(data, entry.name()) {
        parts.push(format!("{} to {} bits as it grows", digits(low, 3), digits(high, 3)));
    } else {
        parts.extend(beyond_plan(data, entry.name()));
    }
    parts.push(note.to_owned());
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

/// What becomes of keys beyond the plan.
fn beyond_plan(data: &Data, name: &str) -> Option<String> {
    let entry = data.course_of(Workload::Overfill, name)?;
    let refused = entry.rows().iter().find(|row| row.state == State::Refused);
    if let Some((row, at)) = refused.and_then(|row| Some((row, row.refused_at?))) {
        let share = at as f64 / row.planned_keys?.max(1) as f64;
        return Some(format!("full at {share:.2} × its plan"));
    }
    let is_double = |row: &&&Row| row.planned_keys.is_some_and(|planned| row.keys == 2 * planned);
    let fpr = entry.rows().iter().find(is_double)?.fpr()?;
    Some(format!("{} at twice the keys", percent(fpr)))
}

/// The mean, the least and the most bits per key while a filter grows, its first stage left out.
pub(super) fn growth(data: &Data, name: &str) -> Option<(f64, f64, f64)> {
    let entry = data.course_of(Workload::Grow, name)?;
    let measured = entry.rows().iter().filter(|row| row.state == State::Measured);
    let mut points: Vec<(u64, f64)> =
        measured.filter_map(|row| Some((row.keys, row.bits_per_key()?))).collect();
    points.sort_by_key(|(keys, _)| *keys);
    let grown = points.get(1..).filter(|grown| !grown.is_empty())?;
    let bits = || grown.iter().map(|(_, bits)| *bits);
    let mean = bits().sum::<f64>() / grown.len() as f64;
    Some((mean, bits().fold(f64::INFINITY, f64::min), bits().fold(0.0, f64::max)))
}
