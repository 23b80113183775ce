//! Claims about hashing: double hashing's floor, and slow hashes.

use super::{Ground, claim, holds};
use crate::record::{Claim, Verdict};
use amq_bloom::theory::classic;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

pub(super) fn all(ground: &Ground) -> Vec<Claim> {
    let mut all = vec![double_hashing(ground.seed)];
    #[cfg(feature = "peers")]
    all.extend(md5::all(ground));
    all
}

/// A filter so small that the floor shows: at the best number of probes for 1 in 100,000.
const KEYS: u64 = 1000;
const BITS: u64 = 23_960;
const PROBES: u32 = 17;
/// Filters, and absent keys of each.
const FILTERS: u64 = 50;
const QUERIES: u64 = 200_000;

/// A place in the table for 32 random bits.
const fn place(random: u64) -> u64 {
    ((random & 0xFFFF_FFFF) * BITS) >> 32
}

/// The i-th position of a key by plain double hashing.
fn doubled(key: u64, i: u32) -> u64 {
    (place(key) + u64::from(i) * place(key >> 32)) % BITS
}

/// The same by a hash of its own.
fn independent(key: u64, i: u32) -> u64 {
    place(amq_core::KeyHash::of(&key, i.into()).get())
}

/// False positives in a million queries, over filters of independent keys.
fn in_a_million(seed: u64, position: fn(u64, u32) -> u64) -> f64 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut hits = 0u64;
    for _ in 0..FILTERS {
        let mut table = vec![false; BITS as usize];
        for _ in 0..KEYS {
            let key = rng.next_u64();
            (0..PROBES).for_each(|i| table[position(key, i) as usize] = true);
        }
        for _ in 0..QUERIES {
            let key = rng.next_u64();
            hits += u64::from((0..PROBES).all(|i| table[position(key, i) as usize]));
        }
    }
    hits as f64 * 1e6 / (FILTERS * QUERIES) as f64
}

/// The rate that double hashing adds. A step of order d in the ring of positions probes only d of
/// them: phi(d) steps of m have that order. A step equal or opposite to that of one of the n keys
/// shares positions with it: all, or all but s, for each shift s.
fn floor() -> f64 {
    let m = BITS as f64;
    let fill = classic::expected_fill(BITS, PROBES, KEYS);
    let coprime = |d: u64| {
        (1..=d)
            .filter(|&step| greatest_common(step, d) == 1)
            .count()
    };
    let orders = (1..u64::from(PROBES)).filter(|d| BITS.is_multiple_of(*d));
    let short = orders.map(|d| coprime(d) as f64 * fill.powi(d as i32) / m);
    let shifts = (1..PROBES).map(|shift| 2.0 * fill.powi(shift as i32));
    let shared = 2.0 * KEYS as f64 / (m * m) * (1.0 + shifts.sum::<f64>());
    short.sum::<f64>() + shared
}

const fn greatest_common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common(b, a % b) }
}

fn double_hashing(seed: u64) -> Claim {
    let ideal = classic::mean_fpr(BITS, PROBES, KEYS) * 1e6;
    let added = floor();
    let computed = ideal + added * 1e6;
    let measured = in_a_million(seed, doubled);
    let alone = in_a_million(seed, independent);
    claim(
        "double-hashing",
        "Double hashing keeps the theoretical rate",
        (computed, measured, "in a million"),
        Verdict::Depends,
        format!(
            "only where the rate is far above its floor of about {:.1}/m, whatever the number of \
             probes: {KEYS} keys in {BITS} bits with {PROBES} probes have {ideal:.0} by theory and \
             {alone:.0} with independent positions, but {measured:.0} with h1 + i h2",
            added * BITS as f64
        ),
    )
}

#[cfg(feature = "peers")]
mod md5 {
    use super::{Claim, Ground, Verdict, claim, holds};
    use amq_bloom::{BloomFilter, BloomParams};
    use amq_core::{Goal, InsertFilter, KeyHash};
    use std::hint::black_box;
    use std::time::Instant;

    pub(super) fn all(ground: &Ground) -> Vec<Claim> {
        [speed(ground), rate(ground)]
            .into_iter()
            .flatten()
            .collect()
    }

    fn md5(key: u64) -> KeyHash {
        let digest = md5::compute(key.to_le_bytes());
        let (half, _) = digest.0.split_at(8);
        KeyHash::new(
            half.iter()
                .fold(0, |word, &byte| word << 8 | u64::from(byte)),
        )
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
            if measured > 2.0 {
                Verdict::Depends
            } else {
                Verdict::DoesNot
            },
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
        let spread = (predicted.mean / ground.absent.len() as f64)
            .sqrt()
            .hypot(predicted.sd);
        Some(claim(
            "md5-rate",
            "The choice of hash, MD5 or a fast one, does not change the rate",
            (predicted.mean * 100.0, measured * 100.0, "%"),
            holds((measured - predicted.mean).abs() < 5.0 * spread),
            "a Bloom filter of MD5 digests has the rate of the formula".to_owned(),
        ))
    }
}
