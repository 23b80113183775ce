//! What filters take of memory while several threads build them. One test alone in its process: the
//! allocations of all threads are counted.
#![cfg(feature = "rayon")]

use amq::{FuseFilter, ParBuildExt, RibbonFilter};
use amq_conformance::memory::{Counting, the_planned_memory_is_enough_for_threads as law};

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn the_planned_memory_is_enough_for_one_thread_two_and_sixteen() {
    for (threads, many) in [(1, 2_000_000), (2, 2_000_000), (16, 10_000_000)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for keys in [100_000, many] {
            law(keys, threads, 2, |budget, hashes| {
                pool.install(|| FuseFilter::par_build_hashes(budget, 3, hashes))
            });
            law(keys, threads, 2, |budget, hashes| {
                pool.install(|| RibbonFilter::par_build_hashes(budget, 3, hashes))
            });
        }
    }
}
