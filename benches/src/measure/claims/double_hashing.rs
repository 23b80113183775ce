//! Double hashing's floor.

use super::ground::Settled;
use crate::record::Verdict;
use amq_bloom::theory::classic;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// A filter so small that the floor shows: at the best number of probes for 1 in 100,000.
const KEYS: u64 = 1000;
const BITS: u64 = 23_960;
const PROBES: u32 = 17;
const FILTERS: u64 = 50;
const QUERIES: u64 = 200_000;

const fn place(random: u64) -> u64 {
    ((random & 0xFFFF_FFFF) * BITS) >> 32
}

/// The i-th position of a key by plain double hashing.
fn doubled(key: u64, i: u32) -> u64 {
    (place(key) + u64::from(i) * place(key >> 32)) % BITS
}

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
    let of_order = |d: u64| (1..=d).filter(|step| (1..d).all(|times| times * step % d > 0)).count();
    let orders = (1..u64::from(PROBES)).filter(|d| BITS.is_multiple_of(*d));
    let short = orders.map(|d| of_order(d) as f64 * fill.powi(d as i32) / m);
    let shifts = (1..PROBES).map(|shift| 2.0 * fill.powi(shift as i32));
    let shared = 2.0 * KEYS as f64 / (m * m) * (1.0 + shifts.sum::<f64>());
    short.sum::<f64>() + shared
}

pub(super) fn settled(seed: u64) -> Settled {
    let (ideal, added) = (classic::mean_fpr(BITS, PROBES, KEYS) * 1e6, floor());
    let [measured, alone] = [doubled, independent].map(|position| in_a_million(seed, position));
    let detail = format!(
        "only where the rate is far above its floor of about {:.1}/m, whatever the number of \
         probes: {KEYS} keys in {BITS} bits with {PROBES} probes have {ideal:.0} by theory and \
         {alone:.0} with independent positions, but {measured:.0} with h1 + i h2",
        added * BITS as f64
    );
    (Some(ideal + added * 1e6), Some(measured), Verdict::Depends, detail)
}
