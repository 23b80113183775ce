//! Theory as points, which the report draws as lines without the filters' code. The caller adds the
//! name and the number of keys.

use crate::record::Point;
use amq_core::{Budget, Goal, Plan, PlanFilter};
use std::collections::BTreeMap;

/// Rates from 0.84 to 2^-17, `per` to each halving.
fn rates(per: u32) -> impl Iterator<Item = f64> {
    (per / 4..=17 * per).map(move |step| (-f64::from(step) / f64::from(per)).exp2())
}

fn plans<F: PlanFilter>(keys: u64, per: u32) -> impl Iterator<Item = Plan<F::Params>> {
    rates(per).filter_map(move |rate| F::plan(Goal::new(keys.max(1), Budget::Fpr(rate))).ok())
}

/// A point; `step` is the length of its fingerprints, if these have whole bits.
pub(super) fn point(step: Option<u32>, bits_per_key: f64, fpr: f64) -> Point {
    Point { step: step.map(u64::from), bits_per_key, fpr, ..Point::default() }
}

/// A curve: the smallest filter for each of many rates.
pub(super) fn curve<F: PlanFilter>(keys: u64) -> Vec<Point> {
    let plans = plans::<F>(keys, 4);
    let points = plans.map(|plan| point(None, plan.bits_per_key(), plan.expected_fpr));
    let mut points: Vec<Point> = points.collect();
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
    let of =
        |(bits, plan): (u32, Plan<_>)| point(Some(bits), plan.bits_per_key(), plan.expected_fpr);
    smallest.into_iter().map(of).collect()
}

/// A curve by bits per key at each rate, where they do not depend on the number of keys.
pub(super) fn by_rate(bits_per_key: impl Fn(f64) -> f64) -> Vec<Point> {
    let points = rates(4).map(|fpr| point(None, bits_per_key(fpr), fpr));
    points.filter(|point| point.bits_per_key.is_finite()).collect()
}

/// Fingerprints of these lengths in a table of `factor` slots per key.
#[cfg(feature = "peers")]
pub(super) fn slots(lengths: impl IntoIterator<Item = u32>, factor: f64) -> Vec<Point> {
    let of = |bits: u32| point(Some(bits), f64::from(bits) * factor, (-f64::from(bits)).exp2());
    lengths.into_iter().map(of).collect()
}

#[test]
fn steps_are_those_of_full_tables() {
    let steps = steps::<amq_cuckoo::CuckooFilter>(1_000_000, |params| params.fingerprint_bits);
    assert!(steps.len() >= 12, "{steps:?}");
    for pair in steps.windows(2) {
        // One bit more, at the same load of 95 %, about halves the rate.
        let more = pair[1].bits_per_key - pair[0].bits_per_key;
        assert!((more - 1.0 / 0.95).abs() < 0.01, "{pair:?}");
        assert!((pair[0].fpr / pair[1].fpr - 2.0).abs() < 0.2, "{pair:?}");
    }
}
