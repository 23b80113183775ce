//! Claims about the classic Bloom filter, and the split-block and counting ones.

use super::{Ground, bloom_bits, claim, holds};
use crate::record::{Claim, Verdict};
use amq_bloom::theory::classic;
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::numeric::last_true;
use amq_core::{Filter, Goal, Plan};
use amq_counting::CountingBloomFilter;
use amq_counting::theory::classic::counter_tail;
use std::f64::consts::LN_2;

const MILLION: u64 = 1_000_000;

pub(super) fn all(ground: &Ground) -> Vec<Claim> {
    let all = [
        halving(ground),
        overfilled(ground),
        megabytes(ground),
        sizes(ground),
        decade(ground),
        billion(),
        counted(ground),
        counters(ground),
        counting(ground),
    ];
    all.into_iter().flatten().collect()
}

fn plan(items: u64, fpr: f64) -> Option<Plan<BloomParams>> {
    classic::plan(Goal::fpr(items as usize, fpr)).ok()
}

/// The rate with so many bits more than at 1 %, over the one at 1 %: computed and measured.
fn rate_times(ground: &Ground, more: f64) -> Option<(f64, f64)> {
    let keys = ground.keys as u64;
    let bits = plan(MILLION, 0.01)?.bits_per_key();
    let best = |bits: f64| classic::plan(Goal::bits_per_key(ground.keys, bits)).ok();
    let (before, after) = (best(bits)?.params, best(bits + more)?.params);
    let computed = classic::fpr(&after, keys).mean / classic::fpr(&before, keys).mean;
    let rate = |params| {
        let filter: BloomFilter = ground.filled_by(params)?;
        Some(ground.rate(|key| filter.contains(key)))
    };
    Some((computed, rate(after)? / rate(before)?))
}

fn halving(ground: &Ground) -> Option<Claim> {
    let (computed, measured) = rate_times(ground, 0.7)?;
    let step = bloom_bits(0.005) - bloom_bits(0.01);
    Some(claim(
        "bloom-halving",
        "Every further 0.7 bits per key halve the rate of a Bloom filter",
        (computed, measured, "times the rate"),
        holds(computed < 0.55),
        format!("0.7 bits multiply the rate by {computed:.2}; halving it takes {step:.2} bits"),
    ))
}

fn decade(ground: &Ground) -> Option<Claim> {
    let (computed, measured) = rate_times(ground, 4.8)?;
    let step = bloom_bits(0.001) - bloom_bits(0.01);
    Some(claim(
        "bloom-decade",
        "Every further 4.8 bits per key divide the rate by ten",
        (computed, measured, "times the rate"),
        holds((computed - 0.1).abs() < 0.005),
        format!("from 1 % to 0.1 % it takes {step:.2} bits"),
    ))
}

fn overfilled(ground: &Ground) -> Option<Claim> {
    let params = plan(MILLION, 0.01)?.params;
    let rate = |items: u64| classic::fpr(&params, items).mean;
    let at = last_true(MILLION, 5 * MILLION, |items| rate(items) <= 0.18);
    let mut filter: BloomFilter = ground.filled(Goal::fpr(ground.keys, 0.01))?;
    filter.insert_keys(&ground.present[ground.keys..]);
    let measured = ground.rate(|key| filter.contains(key)) * 100.0;
    let computed = rate(5 * MILLION) * 100.0;
    Some(claim(
        "bloom-overfilled",
        "A filter planned for a million keys at 1 % has a rate of about 18 % with five million",
        (computed, measured, "%"),
        holds((computed - 18.0).abs() < 2.0),
        format!(
            "it has {computed:.0} %; 18 % is reached at {:.2} times the planned keys",
            at as f64 / MILLION as f64
        ),
    ))
}

fn megabytes(ground: &Ground) -> Option<Claim> {
    let (one, tenth) = (plan(MILLION, 0.01)?, plan(MILLION, 0.001)?);
    let (bits, _) = ground.point_of::<BloomFilter>(0.01)?;
    let megabytes = |plan: &Plan<BloomParams>| plan.bytes as f64 / 1e6;
    let (computed, more) = (megabytes(&one), megabytes(&tenth));
    let close = (computed - 1.2).abs() < 0.05 && (more - 1.8).abs() < 0.05;
    Some(claim(
        "bloom-megabytes",
        "A million keys at 1 % take 1.2 MB and seven probes; 1.8 MB give 0.1 %",
        (computed, bits / 8.0, "MB"),
        holds(close && one.params.probes == 7),
        format!("{computed:.3} MB and {} probes; {more:.3} MB (decimal)", one.params.probes),
    ))
}

fn sizes(ground: &Ground) -> Option<Claim> {
    const CLAIMED: [(f64, f64, u32); 5] =
        [(10.0, 4.8, 3), (1.0, 9.6, 7), (0.1, 14.4, 10), (0.01, 19.2, 13), (0.001, 24.0, 17)];
    let (mut found, mut all) = (Vec::new(), true);
    for (percent, bits, probes) in CLAIMED {
        let plan = plan(MILLION, percent / 100.0)?;
        let (planned, k) = (plan.bits_per_key(), plan.params.probes);
        all &= (planned - bits).abs() < 0.06 && k == probes;
        found.push(format!("{percent} % {planned:.2} bits, k = {k}"));
    }
    let claimed = CLAIMED.map(|(percent, bits, k)| format!("{percent} % {bits:.1} bits, k = {k}"));
    let computed = classic::mean_fpr(9_600_000, 7, MILLION) * 100.0;
    Some(claim(
        "bloom-sizes",
        &format!("Sizes of a Bloom filter: {}", claimed.join("; ")),
        (computed, ground.bloom_rate(9.6, 7)? * 100.0, "% at 9.6 bits"),
        holds(all),
        format!("to rounding: {}", found.join("; ")),
    ))
}

fn billion() -> Option<Claim> {
    let plan = plan(1_000_000_000, 0.001)?;
    let (bits, k) = (plan.bits_per_key(), plan.params.probes);
    let gigabytes = plan.bytes as f64 / 1e9;
    Some(claim(
        "bloom-billion",
        "A billion keys at 0.1 % take 15 bits each, 1.875 GB, with about ten probes",
        (bits, None::<f64>, "bits per key"),
        holds((14.0..=15.0).contains(&bits) && k == 10),
        format!("rounded up: {bits:.2} bits, {gigabytes:.3} GB, {k} probes"),
    ))
}

fn counted(ground: &Ground) -> Option<Claim> {
    const CLAIMED: f64 = 994.0;
    let rate = classic::fpr(&BloomParams::new(14_400_000, 10), MILLION);
    let queries = MILLION as f64;
    let computed = rate.mean * queries;
    // The queries scatter, and so does the filter's own rate.
    let spread = (computed * (1.0 - rate.mean)).sqrt().hypot(rate.sd * queries);
    Some(claim(
        "bloom-counted",
        "A million keys at 14.4 bits each with ten probes gave 994 false positives in a million \
         queries",
        (computed, ground.bloom_rate(14.4, 10)? * queries, "in a million"),
        holds((CLAIMED - computed).abs() <= 2.0 * spread),
        format!("consistent: {computed:.0} ± {spread:.0} expected"),
    ))
}

fn counters(ground: &Ground) -> Option<Claim> {
    const TIMES: u32 = 16;
    // With the best number of probes a counter has this many keys on average.
    let each = counter_tail(LN_2, TIMES);
    let mut filter: CountingBloomFilter = ground.filled(Goal::fpr(ground.keys, 0.01))?;
    let measured = filter.saturated() as f64;
    for _ in 0..TIMES {
        filter.insert(&ground.present[0]);
    }
    let repeated = filter.saturated();
    Some(claim(
        "counting-overflow",
        "4-bit counters are at risk of overflow",
        (each * ground.keys as f64 * bloom_bits(0.01), measured, "counters at their limit"),
        Verdict::Depends,
        format!(
            "not by distinct keys: within the plan a counter overflows with probability \
             {each:.0e}; but by copies: one key, inserted {TIMES} times, fills its own \
             {repeated} counters for ever"
        ),
    ))
}

fn counting(ground: &Ground) -> Option<Claim> {
    let (counters, _) = ground.point_of::<CountingBloomFilter>(0.01)?;
    let (bits, _) = ground.point_of::<BloomFilter>(0.01)?;
    let computed = amq_counting::theory::classic::bits_per_key(0.01) / bloom_bits(0.01);
    Some(claim(
        "counting-size",
        "A counting Bloom filter is three to four times as large as a Bloom filter",
        (computed, counters / bits, "times"),
        holds((2.95..4.05).contains(&computed)),
        format!("{computed:.2} times, with 4-bit counters"),
    ))
}
