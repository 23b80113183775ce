//! Claims about the sizes of other families, against a Bloom filter of the same rate.

use super::ground::{Ground, Settled, holds};
use crate::record::Verdict;
use amq_bloom::theory::classic::bits_per_key;
use amq_core::{Budget, Goal, PlanFilter};
use amq_cuckoo::CuckooFilter;

const FULL: f64 = 0.95;
const SLOTS: f64 = 4.0;

/// By how many percent a size is more than a Bloom filter's of the same rate.
fn percent_larger((bits, rate): (f64, f64)) -> f64 {
    (bits / bits_per_key(rate) - 1.0) * 100.0
}

/// By how many percent a filter planned for 1 % is larger than a Bloom filter.
fn planned<F: PlanFilter>() -> Option<f64> {
    let plan = F::plan(Goal::fpr(1_000_000, 0.01)).ok()?;
    Some(percent_larger((plan.bits_per_key(), plan.expected_fpr)))
}

fn measured(ground: &Ground, name: &str) -> Option<f64> {
    Some(percent_larger(ground.point(name, Budget::Fpr(0.01))?))
}

/// The highest rate in percent at which buckets of four slots, that save so many bits of each
/// fingerprint, take fewer bits than a Bloom filter.
fn crosses(saved: f64) -> f64 {
    // One value of a fingerprint marks an empty slot; a query reads two buckets.
    let rate = |bits: f64| 1.0 - (1.0 - 1.0 / (bits.exp2() - 1.0)).powf(2.0 * SLOTS * FULL);
    let steps = (4000..20_000).map(|step| f64::from(step) / 1000.0);
    let mut fits = steps.filter(|&bits| (bits - saved) / FULL <= bits_per_key(rate(bits)));
    fits.next().map_or(0.0, rate) * 100.0
}

pub(super) fn cuckoo(ground: &Ground) -> Option<Settled> {
    let (buckets, windowed) = (measured(ground, "cuckoo")?, measured(ground, "windowed-cuckoo")?);
    let [whole, sorted] = [0.0, 1.0].map(crosses);
    let detail = format!(
        "filled to {FULL}, four-slot buckets are smaller below {whole:.2} %, and below {sorted:.1} \
         % if they are kept sorted, which saves a bit per key; with overlapping windows of two \
         slots a filter asked for 1 % is {:.1} % {} than a Bloom filter of the rate that it has",
        windowed.abs(),
        if windowed < 0.0 { "smaller" } else { "larger" }
    );
    Some((Some(planned::<CuckooFilter>()?), Some(buckets), Verdict::Depends, detail))
}

/// Percent larger than a Bloom filter, with metadata bits per slot and a load: the least and the
/// most for remainders of seven to ten bits.
fn quotient_range(metadata: f64, load: f64) -> (f64, f64) {
    let larger = |remainder: f64| {
        let rate = -(-load / remainder.exp2()).exp_m1();
        percent_larger(((remainder + metadata) / load, rate))
    };
    let mut all = [7.0, 8.0, 9.0, 10.0].map(larger);
    all.sort_unstable_by(f64::total_cmp);
    (all[0], all[3])
}

pub(super) fn quotient(ground: &Ground) -> Option<Settled> {
    let (least, most) = quotient_range(2.125, FULL);
    let (three_least, three_most) = quotient_range(3.0, 0.75);
    let detail = format!(
        "with three metadata bits per slot, filled to 0.75, it is {three_least:.0} to \
         {three_most:.0} % larger; by rank and select, filled to {FULL}, {:.0} to {:.0} % smaller \
         (remainders of seven to ten bits)",
        -most, -least
    );
    Some((Some(most), Some(measured(ground, "quotient")?), Verdict::Depends, detail))
}

pub(super) fn ribbon<F: PlanFilter>(ground: &Ground, name: &str) -> Option<Settled> {
    let (computed, measured) = (-planned::<F>()?, -measured(ground, name)?);
    let detail =
        format!("{computed:.1} % at 1 %; the bound of all filters is 30.7 % below Bloom's size");
    Some((Some(computed), Some(measured), holds((26.5..33.0).contains(&computed)), detail))
}
