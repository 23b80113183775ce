//! Many keys at once: the same filter as one by one, on one thread or several.

use amq_bloom::{
    BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams, WideBlockedBloomFilter,
    WideBlockedParams,
};
use amq_conformance::insert::many_keys_make_the_filter_that_they_make_one_by_one as law;

/// In pools of one to sixteen threads, if threads share the work.
#[cfg(feature = "parallel")]
fn in_pools(run: &(dyn Fn() + Sync)) {
    for threads in 1..=16 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool of threads").install(run);
    }
}

#[cfg(not(feature = "parallel"))]
fn in_pools(run: &(dyn Fn() + Sync)) {
    run()
}

/// Their tables are larger than those that one thread fills as keys come.
#[test]
fn many_keys_make_the_filter_that_they_make_one_by_one() {
    for n in [0, 1, 7, 8, 100, 70_000, 1_000_000] {
        law::<BloomFilter>(BloomParams::new(300_000_007, 7), n, in_pools);
        law::<BlockedBloomFilter>(BlockedParams::new(3_300_003), n, in_pools);
        law::<WideBlockedBloomFilter>(WideBlockedParams::new(1_650_001, 9), n, in_pools);
    }
}
