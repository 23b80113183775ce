//! MD5 as a filter's hash: what it costs, and what it does not change.

use super::ground::{Ground, Settled, holds};
use crate::measure::estimate::timed;
use crate::record::Verdict;
use amq_bloom::BloomFilter;
use amq_bloom::theory::classic;
use amq_core::{Goal, InsertFilter, KeyHash};
use std::hint::black_box;

fn md5(key: &u64) -> KeyHash {
    let digest = md5::compute(key.to_le_bytes());
    let (half, _) = digest.0.split_at(8);
    KeyHash::new(half.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)))
}

/// The time for some keys: the least of several turns.
fn least(keys: &[u64], hash: impl Fn(&u64) -> KeyHash) -> f64 {
    const TURNS: usize = 15;
    let all = || black_box(keys).iter().fold(0, |sum: u64, key| sum.wrapping_add(hash(key).get()));
    (0..TURNS).map(|_| timed(|| black_box(all())).1).fold(f64::INFINITY, f64::min)
}

pub(super) fn speed(ground: &Ground) -> Option<Settled> {
    let keys = ground.planned().get(..ground.keys.min(1 << 14))?;
    let measured = least(keys, md5) / least(keys, |key| KeyHash::of(key, 0));
    let verdict = if measured > 2.0 { Verdict::Depends } else { Verdict::DoesNot };
    let detail = "for speed it is; the rate is not affected".to_owned();
    Some((None, Some(measured), verdict, detail))
}

pub(super) fn rate(ground: &Ground) -> Option<Settled> {
    let mut filter = BloomFilter::new(Goal::fpr(ground.keys as u64, 0.01)).ok()?;
    for key in ground.planned() {
        InsertFilter::insert_hash(&mut filter, md5(key)).ok()?;
    }
    let predicted = classic::fpr(&filter.params(), ground.keys as u64);
    let queries = ground.absent.len() as f64;
    let hits = ground.absent.iter().filter(|key| filter.contains_hash(md5(key))).count();
    let measured = hits as f64 / queries;
    let spread = (predicted.mean / queries).sqrt().hypot(predicted.sd);
    let verdict = holds((measured - predicted.mean).abs() < 5.0 * spread);
    let detail = "a Bloom filter of MD5 digests has the rate of the formula".to_owned();
    Some((Some(predicted.mean * 100.0), Some(measured * 100.0), verdict, detail))
}
