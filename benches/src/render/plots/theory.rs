//! Theory's curves: each family's own planning function, asked for rising sizes.

use crate::contender::{Family, Theory};
use crate::registry;
use crate::render::data::Data;

/// Steps of a curve.
const STEPS: u32 = 240;

/// The planning function of a family, from the first of the recorded contenders that has one.
pub(super) fn of(data: &Data, family: Family) -> Option<Theory> {
    let recorded = |name: &str| data.contenders().any(|facts| facts.name == name);
    registry::ALL
        .iter()
        .map(|contender| contender.info())
        .filter(|info| info.family == family && recorded(info.name))
        .find_map(|info| info.theory)
}

/// Bits per key and the rate that theory gives for them.
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
