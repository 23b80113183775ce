//! Claims about the classic Bloom filter and the counting one.

use super::ground::{Ground, Settled, holds};
use crate::keys::Keys;
use crate::record::Verdict;
use amq_bloom::BloomParams;
use amq_bloom::theory::classic::{self, bits_per_key};
use amq_core::numeric::last_true;
use amq_core::{Budget, Goal, Plan};
use amq_counting::CountingBloomFilter;
use amq_counting::theory::classic as counting;
use std::f64::consts::LN_2;

const MILLION: u64 = 1_000_000;

fn plan(keys: u64, fpr: f64) -> Option<Plan<BloomParams>> {
    classic::plan(Goal::fpr(keys, fpr)).ok()
}

/// Whether `more` bits per key than at 1 % multiply the rate by this factor.
pub(super) fn step(ground: &Ground, more: f64, factor: f64) -> Option<Settled> {
    let bits = plan(MILLION, 0.01)?.bits_per_key();
    let rates = |bits: f64| {
        let plan = classic::plan(Goal::bits_per_key(ground.keys as u64, bits)).ok()?;
        Some((plan.expected_fpr, ground.point("bloom", Budget::BitsPerKey(bits))?.1))
    };
    let (before, after) = (rates(bits)?, rates(bits + more)?);
    let (computed, measured) = (after.0 / before.0, after.1 / before.1);
    let step = bits_per_key(0.01 * factor) - bits_per_key(0.01);
    let detail = format!(
        "{more} bits multiply the rate by {computed:.2}; to multiply it by {factor} takes \
         {step:.2} bits"
    );
    let verdict = holds((computed / factor - 1.0).abs() < 0.05);
    Some((Some(computed), Some(measured), verdict, detail))
}

pub(super) fn overfilled(ground: &Ground) -> Option<Settled> {
    let params = plan(MILLION, 0.01)?.params;
    let rate = |keys: u64| classic::fpr(&params, keys).mean;
    let at = last_true(MILLION, 5 * MILLION, |keys| rate(keys) <= 0.18) as f64 / MILLION as f64;
    let mut filter = ground.filter("bloom", Budget::Fpr(0.01))?;
    filter.insert_more(Keys::U64(&ground.present[ground.keys..]))?;
    let [computed, measured] = [rate(5 * MILLION), ground.rate(&*filter)].map(|rate| rate * 100.0);
    let detail =
        format!("it has {computed:.0} %; 18 % is reached at {at:.2} times the planned keys");
    Some((Some(computed), Some(measured), holds((computed - 18.0).abs() < 2.0), detail))
}

/// The rate in percent, bits per key and probes, as they are repeated.
pub(super) const SIZES: [(f64, f64, u32); 5] =
    [(10.0, 4.8, 3), (1.0, 9.6, 7), (0.1, 14.4, 10), (0.01, 19.2, 13), (0.001, 24.0, 17)];

/// Rounded as most of them are.
pub(super) fn tenths(bits: f64) -> f64 {
    (bits * 10.0).round() / 10.0
}

/// Whether filters of so many keys have these sizes, rounded like this.
pub(super) fn sizes(
    ground: &Ground,
    keys: u64,
    claimed: &[(f64, f64, u32)],
    round: fn(f64) -> f64,
) -> Option<Settled> {
    let (mut found, mut all) = (Vec::new(), true);
    for &(percent, bits, probes) in claimed {
        let plan = plan(keys, percent / 100.0)?;
        let (planned, k, kilobytes) = (plan.bits_per_key(), plan.params.probes, plan.bytes / 1000);
        all &= (round(planned), k) == (bits, probes);
        found.push(format!("{percent} % {planned:.2} bits, {kilobytes} kB, k = {k}"));
    }
    let rate = claimed.first()?.0 / 100.0;
    let (bits, _) = ground.point("bloom", Budget::Fpr(rate))?;
    Some((Some(plan(keys, rate)?.bits_per_key()), Some(bits), holds(all), found.join("; ")))
}

pub(super) fn counted(ground: &Ground) -> Option<Settled> {
    const CLAIMED: f64 = 994.0;
    let rate = classic::fpr(&BloomParams::new(14_400_000, 10), MILLION);
    let queries = MILLION as f64;
    let computed = rate.mean * queries;
    // The queries scatter, and so does the filter's own rate.
    let spread = (computed * (1.0 - rate.mean)).sqrt().hypot(rate.sd * queries);
    let detail = format!("consistent: {computed:.0} ± {spread:.0} expected");
    let verdict = holds((CLAIMED - computed).abs() <= 2.0 * spread);
    let (_, measured) = ground.point("bloom", Budget::BitsPerKey(14.4))?;
    Some((Some(computed), Some(measured * queries), verdict, detail))
}

pub(super) fn counters(ground: &Ground) -> Option<Settled> {
    /// A counter sticks at this many.
    const TIMES: u32 = 15;
    // With the best number of probes a counter has this many keys on average.
    let each = counting::counter_tail(LN_2, TIMES);
    let computed = each * ground.keys as f64 * bits_per_key(0.01);
    let mut filter = CountingBloomFilter::new(Goal::fpr(ground.keys as u64, 0.01)).ok()?;
    filter.extend(ground.planned());
    let measured = filter.saturated_counters() as f64;
    for _ in 1..TIMES {
        filter.insert(&ground.present[0]);
    }
    let detail = format!(
        "not by distinct keys: within the plan a counter reaches {TIMES}, where it stays, with \
         probability {each:.1e}: {computed:.1e} counters for the {} keys measured; but by copies: one \
         key, inserted {TIMES} times, fills its own {} counters for ever",
        ground.keys,
        filter.saturated_counters()
    );
    Some((Some(computed), Some(measured), Verdict::Depends, detail))
}

pub(super) fn size_of_counting(ground: &Ground) -> Option<Settled> {
    let bits = |name| Some(ground.point(name, Budget::Fpr(0.01))?.0);
    let computed = counting::bits_per_key(0.01) / bits_per_key(0.01);
    let measured = bits("counting")? / bits("bloom")?;
    let detail = format!("{computed:.2} times, with 4-bit counters");
    Some((Some(computed), Some(measured), holds((2.95..4.05).contains(&computed)), detail))
}
