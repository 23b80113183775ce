//! Measures inserts through `&self`: one thread alone, then two, beside the unshared filters.
//!
//! ```console
//! $ cargo run -p amq-bloom --release --example many_writers -- 1000000
//! ```
//!
//! Prints nanoseconds per key, the minimum of several rounds, which are interleaved so that a
//! change of the machine's speed affects all.

use amq_bloom::{
    AtomicBlockedBloomFilter, AtomicBloomFilter, BlockedBloomFilter, BloomFilter, EmptyFilter,
    Filter, Goal, InsertFilter, KeyHash,
};
use std::error::Error;
use std::thread;
use std::time::Instant;

/// Inserts all of `hashes`, in batches or one by one.
fn put<F: InsertFilter>(filter: &mut F, hashes: &[KeyHash], batch: bool) {
    for part in hashes.chunks(1024) {
        if batch {
            assert!(filter.insert_batch(part).is_ok());
        } else {
            assert!(part.iter().all(|&hash| filter.insert_hash(hash).is_ok()));
        }
    }
}

/// Nanoseconds per key for all of `hashes`, which `threads` threads insert through `filter`.
fn shared<F>(filter: &F, hashes: &[KeyHash], threads: usize, batch: bool) -> f64
where
    F: Filter,
    for<'a> &'a F: InsertFilter,
{
    let start = Instant::now();
    thread::scope(|scope| {
        for part in hashes.chunks(hashes.len().div_ceil(threads)) {
            scope.spawn(move || put(&mut { filter }, part, batch));
        }
    });
    start.elapsed().as_nanos() as f64 / hashes.len() as f64
}

/// As above, for a filter that one thread owns.
fn alone<F: InsertFilter>(filter: &mut F, hashes: &[KeyHash], batch: bool) -> f64 {
    let start = Instant::now();
    put(filter, hashes, batch);
    start.elapsed().as_nanos() as f64 / hashes.len() as f64
}

fn measure<P, S>(name: &str, hashes: &[KeyHash], rounds: usize) -> Result<(), Box<dyn Error>>
where
    P: EmptyFilter + InsertFilter,
    S: EmptyFilter + Filter,
    for<'a> &'a S: InsertFilter,
{
    let goal = Goal::fpr(hashes.len() as u64, 0.01);
    for batch in [false, true] {
        let mut least = [f64::MAX; 3];
        for _ in 0..rounds {
            let times = [
                alone(&mut P::empty(goal, 1)?, hashes, batch),
                shared(&S::empty(goal, 1)?, hashes, 1, batch),
                shared(&S::empty(goal, 1)?, hashes, 2, batch),
            ];
            for (least, time) in least.iter_mut().zip(times) {
                *least = least.min(time);
            }
        }
        let [plain, one, two] = least;
        println!(
            "{name}, {}: unshared {plain:.1} ns, shared {one:.1} ({:.2}x), two threads {two:.1} \
             ({:.2}x as fast as one)",
            if batch { "batches" } else { "one by one" },
            one / plain,
            one / two
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let keys = std::env::args().nth(1).map_or(Ok(20_000), |n| n.parse())?;
    let hashes: Vec<_> = (0..keys as u64).map(|key| KeyHash::of(&key, 1)).collect();
    let rounds = (20_000_000 / keys).clamp(2, 20);
    measure::<BloomFilter, AtomicBloomFilter>("classic", &hashes, rounds)?;
    measure::<BlockedBloomFilter, AtomicBlockedBloomFilter>("split block", &hashes, rounds)?;
    Ok(())
}
