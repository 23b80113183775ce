//! Claims about the sizes of other families, against a Bloom filter of the same rate.

use super::{Ground, bloom_bits, claim, holds, percent_larger};
use crate::record::{Claim, Verdict};
use amq_core::{Budget, BuildFilter, Goal, PlanFilter};
use amq_cuckoo::{CuckooFilter, WindowedCuckooFilter};
use amq_quotient::QuotientFilter;
use amq_ribbon::{BumpedRibbonFilter, RibbonFilter};

/// Load of the table, slots per bucket.
const FULL: f64 = 0.95;
const SLOTS: f64 = 4.0;

pub(super) fn all(ground: &Ground) -> Vec<Claim> {
    let all = [
        cuckoo(ground),
        quotient(ground),
        ribbon::<RibbonFilter>(ground, "ribbon"),
        ribbon::<BumpedRibbonFilter>(ground, "ribbon-bumped"),
    ];
    all.into_iter().flatten().collect()
}

/// The highest rate in percent at which buckets of four slots, that save so many bits of each
/// fingerprint, take fewer bits than a Bloom filter.
fn crosses(saved: f64) -> f64 {
    // One value of a fingerprint marks an empty slot; a query reads two buckets.
    let rate = |bits: f64| 1.0 - (1.0 - 1.0 / (bits.exp2() - 1.0)).powf(2.0 * SLOTS * FULL);
    let steps = (4000..20_000).map(|step| f64::from(step) / 1000.0);
    let mut fits = steps.filter(|&bits| (bits - saved) / FULL <= bloom_bits(rate(bits)));
    fits.next().map_or(0.0, rate) * 100.0
}

/// By how many percent a filter planned for 1 % is larger.
fn planned<F: PlanFilter>() -> Option<f64> {
    let plan = F::plan(Goal::fpr(1_000_000, 0.01)).ok()?;
    Some(percent_larger((plan.bits_per_key(), plan.expected_fpr)))
}

fn cuckoo(ground: &Ground) -> Option<Claim> {
    let measured = percent_larger(ground.point_of::<CuckooFilter>(0.01)?);
    let windowed = percent_larger(ground.point_of::<WindowedCuckooFilter>(0.01)?);
    Some(claim(
        "cuckoo-size",
        "A cuckoo filter is smaller than a Bloom filter below 3 %",
        (planned::<CuckooFilter>()?, measured, "% larger at 1 %, four-slot buckets"),
        Verdict::Depends,
        format!(
            "filled to {FULL}, four-slot buckets are smaller below {:.2} %, and below {:.1} % if \
             they are kept sorted, which saves a bit per key; with overlapping windows of two \
             slots a filter asked for 1 % is {windowed:+.1} % larger (negative: smaller)",
            crosses(0.0),
            crosses(1.0)
        ),
    ))
}

/// Percent larger than a Bloom filter, with metadata bits per slot and a load: the least and the
/// most for remainders of seven to ten bits.
fn quotient_range(metadata: f64, load: f64) -> (f64, f64) {
    let larger = |remainder: f64| {
        let rate = -(-load / remainder.exp2()).exp_m1();
        percent_larger(((remainder + metadata) / load, rate))
    };
    let all = [7.0, 8.0, 9.0, 10.0].map(larger);
    let least = all.into_iter().fold(f64::INFINITY, f64::min);
    (least, all.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

fn quotient(ground: &Ground) -> Option<Claim> {
    let measured = percent_larger(ground.point_of::<QuotientFilter>(0.01)?);
    let (least, most) = quotient_range(2.125, FULL);
    let (three_least, three_most) = quotient_range(3.0, 0.75);
    Some(claim(
        "quotient-size",
        "A quotient filter is 10 to 25 % larger than a Bloom filter",
        (most, measured, "% larger, remainders of seven bits"),
        Verdict::Depends,
        format!(
            "with three metadata bits per slot, filled to 0.75, it is {three_least:.0} to \
             {three_most:.0} % larger; by rank and select, filled to {FULL}, {:.0} to {:.0} % \
             smaller (remainders of seven to ten bits)",
            -most, -least
        ),
    ))
}

fn ribbon<F: BuildFilter>(ground: &Ground, name: &str) -> Option<Claim> {
    let computed = -planned::<F>()?;
    let filter = F::build_keys(Budget::Fpr(0.01), ground.seed, ground.planned()).ok()?;
    Some(claim(
        &format!("{name}-size"),
        &format!("A ribbon filter ({name}) is 30 % smaller than a Bloom filter"),
        (computed, -percent_larger(ground.point(&filter)), "% smaller"),
        holds((26.5..33.0).contains(&computed)),
        format!("{computed:.1} % at 1 %; the bound of all filters is 30.7 % below Bloom's size"),
    ))
}
