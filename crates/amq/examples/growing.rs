//! The cost of an unknown number of keys: three filters that start with room for a thousand keys
//! and end with many more, interleaved, the best of five rounds.
//!
//! ```console
//! $ cargo run -p amq --release --example growing -- 1000000
//! ```

use amq::{
    ExpandableQuotientFilter, FilterExt, Goal, InsertExt, InsertFilter, KeyHash, QuotientFilter,
    ScalableBloomFilter,
};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

const FIRST: usize = 1_000;
const ROUNDS: usize = 5;

/// Nanoseconds per key to insert, and to query with none, half and all keys present; then bits per
/// key, and the rate.
type Costs = [f64; 6];

/// Runs the work; returns nanoseconds for each of `keys`.
fn timed<T>(keys: u64, work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = black_box(work());
    (done, start.elapsed().as_nanos() as f64 / keys as f64)
}

/// Every key and every answer is checked. The filter is empty.
fn costs<F: InsertFilter>(mut filter: F, keys: u64) -> Result<Costs, Box<dyn Error>> {
    // Keys in no order, the same in every run.
    let key = |i: u64| KeyHash::of(&i, 1).get();
    let present: Vec<u64> = (0..keys).map(key).collect();
    let absent: Vec<u64> = (keys..2 * keys).map(key).collect();
    let half: Vec<u64> = (0..keys).map(|i| key(i * 2 % keys + i % 2 * keys)).collect();
    let (inserted, insert) =
        timed(keys, || present.iter().try_for_each(|key| filter.insert(key).map(drop)));
    inserted?;
    let ask = |queries: &[u64]| {
        let hits = || queries.iter().filter(|key| filter.contains(*key)).count();
        timed(keys, hits)
    };
    let ((wrong, none), (_, some), (found, all)) = (ask(&absent), ask(&half), ask(&present));
    if found as u64 != keys {
        return Err("a key was lost".into());
    }
    let bits = filter.size_in_bytes() as f64 * 8.0 / keys as f64;
    Ok([insert, none, some, all, bits, wrong as f64 / keys as f64])
}

fn main() -> Result<(), Box<dyn Error>> {
    let keys: u64 = std::env::args().nth(1).map_or(Ok(60_000), |keys| keys.parse())?;
    let goal = Goal::fpr(FIRST as u64, 0.01);
    let most = Goal::fpr((usize::try_from(keys)?.max(FIRST)) as u64, 0.01);
    let bounded = QuotientFilter::plan_growing(most, FIRST as u64)?;
    let mut best = [[f64::INFINITY; 6]; 3];
    for _ in 0..ROUNDS {
        let round = [
            costs(ExpandableQuotientFilter::new(goal)?, keys)?,
            costs(QuotientFilter::new(bounded)?, keys)?,
            costs(ScalableBloomFilter::new(goal)?, keys)?,
        ];
        for (best, round) in best.iter_mut().flatten().zip(round.into_iter().flatten()) {
            *best = best.min(round);
        }
    }
    println!("{keys} keys from {FIRST} on, at 1 %: ns a key, bits a key, rate");
    println!("                     insert   0 %  50 %  100 %   bits     rate");
    let names = ["expandable quotient", "quotient, bounded", "scalable Bloom"];
    for (name, [insert, none, some, all, bits, rate]) in names.into_iter().zip(best) {
        println!("{name:20} {insert:6.1} {none:5.1} {some:5.1}  {all:5.1}  {bits:5.2}  {rate:.5}");
    }
    Ok(())
}
