//! Measures how often a filter needs another internal seed, which the sizes of plans are based on.
//! A filter with internal seed 0 was solved by the first one.
//!
//! ```console
//! $ cargo run --release --example tries             # up to 10,000 keys: seconds
//! $ cargo run --release --example tries -- 10000000 # a minute
//! ```

use amq_fuse::{BuildFilter, FuseFilter, FuseParams, Key, KeyHash, PlanFilter};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let most: u64 = match std::env::args().nth(1) {
        Some(most) => most.parse()?,
        None => 10_000,
    };
    println!("{:>9} {:>12} {:>7} {:>7}", "keys", "slots a key", "trials", "failed");
    let sizes = (1..).map(|step| 10f64.powf(f64::from(step) / 4.0) as u64);
    for keys in sizes.take_while(|&keys| keys <= most) {
        let plan = FuseFilter::plan_params(FuseParams::new(8), keys)?;
        let trials = (5_000_000 / keys).clamp(10, 2000);
        let mut failed = 0;
        for seed in 0..trials {
            let hashes: Vec<KeyHash> = (0..keys).map(|key| key.key_hash(seed)).collect();
            let filter = FuseFilter::build_hashes(plan, seed, &hashes)?;
            failed += u64::from(filter.params().internal_seed > 0);
        }
        let slots = plan.bytes as f64 / keys as f64;
        println!("{keys:9} {slots:12.4} {trials:7} {:7.4}", failed as f64 / trials as f64);
    }
    Ok(())
}
