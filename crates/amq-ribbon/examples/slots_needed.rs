//! How many slots a standard ribbon needs: the measurement behind the sizes that
//! `construction::slots` gives. For each number of keys it prints the least slots at which at most
//! one seed in ten fails, found by bisection, and beside it the slots that a filter takes.
//!
//! ```console
//! $ cargo run --release --example slots_needed            # up to 1,000 keys: seconds
//! $ cargo run --release --example slots_needed -- 131072  # up to the largest shards: a minute
//! ```

use amq_core::numeric::first_true;
use amq_ribbon::{KeyHash, Kind, Row, Standard, Standard64, construction};
use std::error::Error;

/// Numbers of keys; the last is more than any shard has.
const SIZES: [u64; 13] =
    [30, 60, 120, 250, 500, 1000, 2000, 4000, 8000, 16_384, 32_768, 65_536, 131_072];

fn main() -> Result<(), Box<dyn Error>> {
    let most = match std::env::args().nth(1) {
        Some(most) => most.parse()?,
        None => 1000,
    };
    table::<Standard64>(most)?;
    table::<Standard>(most)
}

/// One line for each number of keys up to `most`.
fn table<K: Kind>(most: u64) -> Result<(), Box<dyn Error>> {
    println!("{}\n    keys   needed  over keys    taken", K::NAME);
    for keys in SIZES.into_iter().filter(|&keys| keys <= most) {
        let needed = slots_needed::<K>(keys)?;
        let over = needed as f64 / keys as f64 - 1.0;
        println!("{keys:8} {needed:8}  {over:9.4} {:8}", construction::slots::<K>(keys));
    }
    Ok(())
}

/// The least slots with which a tenth of the seeds fail, at most.
fn slots_needed<K: Kind>(keys: u64) -> Result<u64, Box<dyn Error>> {
    let seeds = (2_000_000 / keys).clamp(60, 1000);
    let sets: Vec<Vec<KeyHash>> =
        (0..seeds).map(|seed| (0..keys).map(|key| KeyHash::of(&key, seed)).collect()).collect();
    let least = keys.max(K::Row::BITS);
    // Refuses only what is no number of slots, such as fewer than a row has.
    construction::fits::<K>(&[], least)?;
    Ok(first_true(least, 2 * keys + 4 * least, |slots| {
        let fails = |set: &&Vec<KeyHash>| construction::fits::<K>(set, slots) != Ok(true);
        sets.iter().filter(fails).count() as u64 * 10 <= seeds
    }))
}
