//! Theory's curves: planning functions at rising sizes.

use crate::contender::{Family, Theory};
use crate::registry;
use crate::render::chart::{Series, Stroke};
use crate::render::data::Data;
use crate::render::style::Ink;
use crate::run::ContenderFacts;

/// Steps of a curve.
const STEPS: u32 = 240;

/// The curves for a plot of these contenders: each one's own, or the family's where none has one.
pub(super) fn curves(
    data: &Data,
    shown: &[&ContenderFacts],
    path: impl Fn(Theory) -> Vec<(f64, f64)>,
) -> Vec<Series> {
    let mut curves = Vec::new();
    for family in data.families() {
        let of_family: Vec<_> = shown
            .iter()
            .filter(|facts| facts.family == family)
            .collect();
        let is_shown = |name: &str| of_family.iter().any(|facts| facts.name == name);
        let infos = registry::ALL.iter().map(|contender| contender.info());
        let mut paths: Vec<_> = infos
            .filter(|info| is_shown(info.name))
            .filter_map(|info| Some(path(info.theory?)))
            .filter(|path| !path.is_empty())
            .collect();
        if paths.is_empty() && !of_family.is_empty() {
            paths.extend(of(data, family).map(&path));
        }
        // Two contenders may have the same theory.
        paths.dedup();
        let curve = |path| Series::line(Ink::Family(family), Stroke::Theory, path);
        curves.extend(paths.into_iter().map(curve));
    }
    curves
}

/// A family's planning function, from the first recorded contender that has one.
fn of(data: &Data, family: Family) -> Option<Theory> {
    let recorded = |name: &str| data.contenders().any(|facts| facts.name == name);
    registry::ALL
        .iter()
        .map(|contender| contender.info())
        .filter(|info| info.family == family && recorded(info.name))
        .find_map(|info| info.theory)
}

/// Bits per key and theory's rate for them.
pub(super) fn curve(theory: Theory, keys: u64, low: f64, high: f64) -> Vec<(f64, f64)> {
    (0..=STEPS)
        .map(|step| low + (high - low) * f64::from(step) / f64::from(STEPS))
        .filter_map(|bits| Some((bits, theory(keys, bits)?)))
        .filter(|(_, rate)| *rate > 0.0 && *rate < 1.0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::Contender;
    use crate::contenders::bloom;

    #[test]
    fn the_classic_curve_passes_through_one_percent_at_nine_point_five_nine_bits() {
        let theory = bloom::CLASSIC.info().theory.unwrap();
        let curve = curve(theory, 1_000_000, 9.59, 9.60);
        let (bits, rate) = *curve
            .iter()
            .min_by(|a, b| (a.1 - 0.01).abs().total_cmp(&(b.1 - 0.01).abs()))
            .unwrap();
        assert!((rate - 0.01).abs() < 1e-5, "{rate} at {bits}");
        let block = bloom::SPLIT_BLOCK.info().theory.unwrap();
        assert!((block(1_000_000, 10.53).unwrap() - 0.01).abs() < 2e-5);
    }
}
