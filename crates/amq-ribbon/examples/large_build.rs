//! Builds a filter and checks it: the size that was planned, every key, and the rate.
//!
//! The models behind a plan were measured at up to 50 million keys. A build of 300 million keys
//! tests them beyond, in 6 GB of memory; `.ci/full` runs it.
//!
//! ```console
//! $ cargo run --release --example large_build                # a million keys: a second
//! $ cargo run --release --example large_build -- 300000000   # a minute
//! ```

use amq_ribbon::{Budget, BuildFilter, Filter, Goal, KeyHash, RibbonFilter};
use std::error::Error;

const FPR: f64 = 1.0 / 256.0;
const QUERIES: u64 = 10_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let n = match std::env::args().nth(1) {
        Some(keys) => keys.parse()?,
        None => 1_000_000,
    };
    let seed = 7;
    let keys: Vec<u64> = (0..n).collect();
    let filter = RibbonFilter::build_keys(Budget::Fpr(FPR), seed, &keys)?;
    let plan = RibbonFilter::plan(Goal::fpr(n, FPR))?;
    println!("{} of {} bytes planned; {}", filter.size_in_bytes(), plan.bytes, filter.stats());
    assert!(filter.size_in_bytes() <= plan.bytes);

    // Counts the keys of a range that the filter has.
    let found = |keys: std::ops::Range<u64>| -> Result<u64, Box<dyn Error>> {
        let (mut hashes, mut answers) = ([KeyHash::new(0); 1000], [false; 1000]);
        let mut found = 0;
        for first in keys.clone().step_by(hashes.len()) {
            let group = hashes.len().min((keys.end - first) as usize);
            for (key, hash) in (first..).zip(&mut hashes[..group]) {
                *hash = KeyHash::of(&key, seed);
            }
            filter.contains_batch(&hashes[..group], &mut answers[..group])?;
            found += answers[..group].iter().filter(|&&answer| answer).count() as u64;
        }
        Ok(found)
    };
    assert_eq!(found(0..n)?, n);
    let wrong = found(n..n + QUERIES)? as f64;
    let expected = filter.expected_fpr() * QUERIES as f64;
    println!("{wrong} false positives, {expected:.0} expected");
    assert!((wrong - expected).abs() < 5.0 * expected.sqrt());
    Ok(())
}
