//! Many keys at once: the same filter as one by one, on one thread or several.

use amq_bloom::{
    BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams, WideBlockedBloomFilter,
    WideBlockedParams,
};
use amq_bloom::{BuildFilter, EmptyFilter};
#[cfg(feature = "rayon")]
use amq_bloom::{ParBuildExt, ParInsertExt};
use amq_conformance::insert::many_keys_make_the_filter_that_they_make_one_by_one as many;

/// By one thread, and in pools of one to sixteen: all of these for 70,000 keys, some for others.
fn law<F: BuildFilter + EmptyFilter<Params: Sync> + PartialEq>(params: F::Params, n: u64) {
    let once = |run: &(dyn Fn() + Sync)| run();
    many::<F>(params, n, once, F::insert_batch, |plan, keys| F::build_keys(plan, 1, keys));
    #[cfg(feature = "rayon")]
    {
        let in_pools = |run: &(dyn Fn() + Sync)| {
            let few = [1, 2, 3, 5, 16];
            let all: Vec<usize> = (1..=16).collect();
            for &threads in if n == 70_000 { &all } else { &few[..] } {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                pool.expect("a pool of threads").install(run);
            }
        };
        let build = |plan, keys: &[u64]| F::par_build_keys(plan, 1, keys);
        many::<F>(params, n, in_pools, F::par_insert_batch, build);
    }
}

/// Their tables are larger than those that one thread fills as keys come.
#[test]
fn many_keys_make_the_filter_that_they_make_one_by_one() {
    for n in [0, 1, 7, 8, 100, 70_000, 1_000_000] {
        law::<BloomFilter>(BloomParams::new(300_000_007, 7), n);
        law::<BlockedBloomFilter>(BlockedParams::new(3_300_003), n);
        law::<WideBlockedBloomFilter>(WideBlockedParams::new(1_650_001, 9), n);
    }
}
