//! Theory as points: what the report draws as lines, so that it needs no code of the filters.

use super::Point;
use amq_core::{Budget, Goal, Plan, PlanFilter};
use std::collections::BTreeMap;

/// No theory.
pub(super) fn none(_keys: u64) -> Vec<Point> {
    Vec::new()
}

/// Rates from 0.84 to 2^-17, `per` to each halving.
fn rates(per: u32) -> impl Iterator<Item = f64> {
    (per / 4..=17 * per).map(move |step| (-f64::from(step) / f64::from(per)).exp2())
}

/// The plans for these rates, as far as there are any.
fn plans<F: PlanFilter>(keys: u64, per: u32) -> impl Iterator<Item = Plan<F::Params>> {
    rates(per).filter_map(move |rate| F::plan(Goal::new(keys.max(1), Budget::Fpr(rate))).ok())
}

fn point<P>(plan: &Plan<P>) -> Point {
    (plan.bits_per_key(), plan.expected_fpr)
}

/// A curve: the smallest filter for each of many rates.
pub(super) fn curve<F: PlanFilter>(keys: u64) -> Vec<Point> {
    let mut points: Vec<Point> = plans::<F>(keys, 4).map(|plan| point(&plan)).collect();
    points.dedup();
    points
}

/// One point for each length of fingerprint: the fullest filter, and so the smallest.
pub(super) fn steps<F: PlanFilter>(keys: u64, length: fn(&F::Params) -> u32) -> Vec<Point> {
    let mut smallest = BTreeMap::new();
    for plan in plans::<F>(keys, 16) {
        let entry = smallest.entry(length(&plan.params)).or_insert(plan);
        if plan.bytes < entry.bytes {
            *entry = plan;
        }
    }
    smallest.values().map(point).collect()
}

/// A curve by bits per key at each rate, where they do not depend on the number of keys.
pub(super) fn by_rate(bits_per_key: impl Fn(f64) -> f64) -> Vec<Point> {
    let points = rates(4).map(|rate| (bits_per_key(rate), rate));
    points.filter(|(bits, _)| bits.is_finite()).collect()
}

/// Bits of the table over bits of the fingerprints, in a binary fuse filter: the formula of Graf
/// and Lemire. The table is cut into segments, so small filters are somewhat larger.
#[cfg(feature = "peers")]
pub(super) fn fuse_factor(keys: u64) -> f64 {
    (0.875 + 0.25 * 1e6f64.ln() / (keys.max(2) as f64).ln()).max(1.125)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders::{ALL, Family, Role};
    use amq_bloom::BloomFilter;
    use amq_cuckoo::CuckooFilter;

    #[test]
    fn a_curve_has_the_well_known_sizes_and_steps_those_of_full_tables() {
        let points = curve::<BloomFilter>(1_000_000);
        assert!(points.len() > 60, "{}", points.len());
        let at = |rate: f64| {
            let above = points.iter().filter(|(_, fpr)| *fpr <= rate * 1.001);
            above.map(|(bits, _)| *bits).fold(f64::INFINITY, f64::min)
        };
        assert!((at(1.0 / 256.0) - 11.54).abs() < 0.01, "{}", at(1.0 / 256.0));
        let steps = steps::<CuckooFilter>(1_000_000, |params| params.fingerprint_bits);
        for pair in steps.windows(2) {
            // One bit more, at the same load of 95 %, halves the rate.
            assert!((pair[1].0 - pair[0].0 - 1.0 / 0.95).abs() < 0.01, "{pair:?}");
            assert!((pair[0].1 / pair[1].1 - 2.0).abs() < 0.15, "{pair:?}");
        }
    }

    #[test]
    fn every_filter_of_ours_has_a_theory_that_falls_as_bits_grow() {
        for contender in ALL.iter() {
            let info = contender.info();
            for keys in [100, 10_000, 1_000_000] {
                let points = contender.theory_points(keys);
                let filters = info.ours && !matches!(info.role, Role::Floor | Role::Map);
                assert!(points.len() >= if filters { 8 } else { 0 }, "{}", info.name);
                for pair in points.windows(2) {
                    // A few words more or less are lost to rounding in the smallest.
                    let slack = if keys > 100 { 1e-3 } else { 1.0 };
                    assert!(pair[1].0 > pair[0].0 - slack, "{}: {pair:?}", info.name);
                    assert!(pair[1].1 < pair[0].1, "{}: {pair:?}", info.name);
                }
            }
        }
    }

    #[test]
    fn no_theory_is_below_the_bound_of_any_filter() {
        for contender in ALL.iter() {
            for (bits, fpr) in contender.theory_points(1_000_000) {
                assert!(bits > -fpr.log2() * 0.9999, "{contender:?}: {bits} {fpr}");
            }
        }
        let same = |name: &str| {
            let mut all = ALL.iter();
            all.find(|contender| contender.info().name == name)
                .map(|contender| contender.theory_points(10_000))
        };
        assert_eq!(same("bloom"), same("bloom-twin"));
        assert_eq!(same("bloom"), same("atomic-bloom"));
        assert!(ALL.iter().any(|contender| contender.info().family == Family::Ribbon));
    }
}
