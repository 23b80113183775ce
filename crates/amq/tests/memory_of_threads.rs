//! What filters take of memory while several threads build them. One test alone in its process: the
//! allocations of all threads are counted.
#![cfg(feature = "rayon")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]

use amq::{Budget, BuildError, FuseFilter, Goal, KeyHash, ParBuildExt, PlanFilter, RibbonFilter};
use amq_conformance::memory::{Counting, peak_of_all_threads};
use amq_conformance::testing::hashes;

#[global_allocator]
static COUNTING: Counting = Counting;

/// Bytes that each thread of a pool may allocate for itself.
const OF_A_THREAD: u64 = 16 << 10;

/// A plan's `build_bytes_for` is enough to build a filter with this many threads, and at most twice
/// what it takes. `build` builds it of these hashes under the seed 3.
fn law<F: PlanFilter>(
    keys: u64,
    threads: usize,
    build: impl FnOnce(Budget, u64, &[KeyHash]) -> Result<F, BuildError>,
) {
    let hashes = hashes(0..keys, 3);
    let goal = Goal::fpr(keys, 0.01);
    let planned = F::plan(goal).unwrap().build_bytes_for(threads);
    let (made, peak) = peak_of_all_threads(|| build(goal.budget, 3, &hashes));
    made.unwrap();
    // The plan excludes the memory of threads and of the pool's queues.
    let peak = peak.saturating_sub(OF_A_THREAD * threads as u64);
    let right = peak <= planned && planned <= 2 * peak;
    assert!(right, "{peak} bytes while {threads} threads build {goal:?}, {planned} planned");
}

#[test]
fn the_planned_memory_is_enough_for_one_thread_two_and_sixteen() {
    for (threads, many) in [(1, 2_000_000), (2, 2_000_000), (16, 10_000_000)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for keys in [100_000, many] {
            law::<FuseFilter>(keys, threads, |budget, seed, hashes| {
                pool.install(|| FuseFilter::par_build_hashes(budget, seed, hashes))
            });
            law::<RibbonFilter>(keys, threads, |budget, seed, hashes| {
                pool.install(|| RibbonFilter::par_build_hashes(budget, seed, hashes))
            });
        }
    }
}
