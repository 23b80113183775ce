//! MD5 as a filter's hash: what it costs, and what it does not change.

use super::{Ground, claim, holds};
use crate::record::{Claim, Verdict};
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::{Goal, InsertFilter, KeyHash};
use std::hint::black_box;
use std::time::Instant;

pub(super) fn all(ground: &Ground) -> Vec<Claim> {
    [speed(ground), rate(ground)].into_iter().flatten().collect()
}

fn md5(key: u64) -> KeyHash {
    let digest = md5::compute(key.to_le_bytes());
    let (half, _) = digest.0.split_at(8);
    KeyHash::new(half.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)))
}

fn xxh3(key: u64) -> KeyHash {
    KeyHash::of(&key, 0)
}

/// Seconds for all planned keys.
fn time(keys: &[u64], hash: impl Fn(u64) -> KeyHash) -> f64 {
    let start = Instant::now();
    let sum = |sum: u64, &key: &u64| sum.wrapping_add(hash(key).get());
    black_box(black_box(keys).iter().fold(0, sum));
    start.elapsed().as_secs_f64()
}

/// The least of several turns of both.
fn speed(ground: &Ground) -> Option<Claim> {
    const TURNS: usize = 15;
    let keys = ground.planned().get(..ground.keys.min(1 << 14))?;
    let turns = (0..TURNS).map(|_| (time(keys, md5), time(keys, xxh3)));
    let (slow, quick) = turns.fold((f64::INFINITY, f64::INFINITY), |least, turn| {
        (least.0.min(turn.0), least.1.min(turn.1))
    });
    let measured = slow / quick;
    Some(claim(
        "md5-speed",
        "MD5 is a bad choice for a filter's hash",
        (None::<f64>, measured, "times the time of XXH3, 8-byte keys"),
        if measured > 2.0 { Verdict::Depends } else { Verdict::DoesNot },
        "for speed it is; the rate is not affected".to_owned(),
    ))
}

fn rate(ground: &Ground) -> Option<Claim> {
    let goal = Goal::fpr(ground.keys, 0.01);
    let mut filter = BloomFilter::with_seed(goal, 0).ok()?;
    for &key in ground.planned() {
        InsertFilter::insert_hash(&mut filter, md5(key)).ok()?;
    }
    let params: BloomParams = filter.params();
    let predicted = amq_bloom::theory::classic::fpr(&params, ground.keys as u64);
    let measured = ground.rate(|&key| filter.contains_hash(md5(key)));
    let spread = (predicted.mean / ground.absent.len() as f64).sqrt().hypot(predicted.sd);
    Some(claim(
        "md5-rate",
        "The choice of hash, MD5 or a fast one, does not change the rate",
        (predicted.mean * 100.0, measured * 100.0, "%"),
        holds((measured - predicted.mean).abs() < 5.0 * spread),
        "a Bloom filter of MD5 digests has the rate of the formula".to_owned(),
    ))
}
