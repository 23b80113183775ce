//! How insertion of many keys scales: on one thread, on all of rayon's, and the machine's limit,
//! which is what as many insertions of one thread each reach side by side.
//!
//! ```console
//! $ RAYON_NUM_THREADS=2 cargo bench -p amq --features parallel --bench bulk_scaling -- 10000000 5
//! ```

use amq::{
    BlockedBloomFilter, BlockedCountingBloomFilter, BloomFilter, CountingBloomFilter, EmptyFilter,
    Goal, InsertExt, KeyHash, WideBlockedBloomFilter,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error;
use std::sync::Barrier;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo tells a bench that it is one.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let keys: u64 = arguments.next().map_or(Ok(200_000), |keys| keys.parse())?;
    let passes: u64 = arguments.next().map_or(Ok(3), |passes| passes.parse())?;
    let only = arguments.next().unwrap_or_default();
    println!(
        "{keys} keys on {} threads, ns a key, fastest of {passes}",
        rayon::current_num_threads()
    );
    println!("{:24}    one    all   gain  limit", "");
    let kinds: [(&str, Measure); 5] = [
        ("classic", measure::<BloomFilter>),
        ("split block", measure::<BlockedBloomFilter>),
        ("wide block", measure::<WideBlockedBloomFilter>),
        ("counting", measure::<CountingBloomFilter>),
        ("blocked counting", measure::<BlockedCountingBloomFilter>),
    ];
    for (name, measure) in kinds.into_iter().filter(|(name, _)| name.starts_with(&only)) {
        measure(name, keys, passes)?;
    }
    Ok(())
}

/// Measures the kind of this name, with so many keys and passes.
type Measure = fn(&str, u64, u64) -> Result<(), Box<dyn Error>>;

fn measure<F: EmptyFilter + Send>(name: &str, n: u64, passes: u64) -> Result<(), Box<dyn Error>> {
    let threads = rayon::current_num_threads();
    let single = || ThreadPoolBuilder::new().num_threads(1).build();
    let pools: Vec<ThreadPool> = (0..threads).map(|_| single()).collect::<Result<_, _>>()?;
    let goal = Goal::fpr(n, 0.01);
    let empty = |_| F::empty(goal, 7);
    let mut filters: Vec<F> = (0..threads).map(empty).collect::<Result<_, _>>()?;
    let keys: Vec<u64> = (0..n).collect();
    let hashes: Vec<KeyHash> = keys.iter().map(|key| KeyHash::of(key, 7)).collect();
    for (what, by_hash) in [("hashes", true), ("keys", false)] {
        let timed = |filter: &mut F| {
            let start = Instant::now();
            let inserted = match by_hash {
                true => filter.insert_batch(&hashes),
                false => filter.insert_keys(&keys),
            };
            inserted.map(|_| start.elapsed().as_secs_f64() * 1e9 / n as f64)
        };
        let (mut one, mut all, mut side) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        for _ in 0..passes {
            filters[0].clear();
            one = one.min(pools[0].install(|| timed(&mut filters[0]))?);
            filters[0].clear();
            all = all.min(timed(&mut filters[0])?);
            filters.iter_mut().for_each(F::clear);
            let start = Barrier::new(threads);
            let run = |(filter, pool): (_, &ThreadPool)| {
                start.wait();
                pool.install(|| timed(filter))
            };
            let run = &run;
            let times = std::thread::scope(|scope| {
                let pairs = filters.iter_mut().zip(&pools);
                let all: Vec<_> = pairs.map(|pair| scope.spawn(move || run(pair))).collect();
                all.into_iter().filter_map(|thread| thread.join().ok()).collect::<Vec<_>>()
            });
            let times = times.into_iter().collect::<Result<Vec<_>, _>>()?;
            side = side.min(times.into_iter().fold(0.0, f64::max));
        }
        let (gain, limit) = (one / all, threads as f64 * one / side);
        println!("{name:17}{what:7} {one:6.2} {all:6.2} {gain:6.2} {limit:6.2}");
    }
    Ok(())
}
