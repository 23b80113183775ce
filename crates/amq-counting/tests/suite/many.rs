//! Many keys at once: the same filter as one by one, on one thread or several.

use amq_conformance::insert::many_keys_make_the_filter_that_they_make_one_by_one as many;
use amq_counting::{
    BlockedCountingBloomFilter, BlockedCountingParams, CountingBloomFilter, CountingParams,
};
use amq_counting::{BuildFilter, EmptyFilter};
#[cfg(feature = "rayon")]
use amq_counting::{ParBuildExt, ParInsertExt};

/// By one thread, and in pools of these numbers of threads.
fn law<F: BuildFilter + EmptyFilter<Params: Sync> + PartialEq>(
    params: F::Params,
    n: u64,
    pools: &[usize],
) {
    let once = |run: &(dyn Fn() + Sync)| run();
    many::<F>(params, n, once, F::insert_batch, |plan, keys| F::build_keys(plan, 1, keys));
    #[cfg(feature = "rayon")]
    {
        let in_pools = |run: &(dyn Fn() + Sync)| {
            for &threads in pools {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                pool.unwrap().install(run);
            }
        };
        let build = |plan, keys: &[u64]| F::par_build_keys(plan, 1, keys);
        many::<F>(params, n, in_pools, F::par_insert_batch, build);
    }
}

const FEW: [usize; 5] = [1, 2, 3, 5, 16];
const ALL: [usize; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// Their tables are larger than those that one thread fills as keys come.
#[test]
fn many_keys_make_the_filter_that_they_make_one_by_one() {
    for n in [70_000, 1_000_000] {
        law::<CountingBloomFilter>(CountingParams::new(80_000_003, 5), n, &FEW);
        law::<BlockedCountingBloomFilter>(BlockedCountingParams::new(1_700_003), n, &FEW);
    }
}

/// Tables large enough for several threads to share the work, unless the keys are few.
#[test]
fn any_number_of_threads_makes_the_filter_of_one() {
    for n in [0, 1, 7, 8, 100, 70_000] {
        let pools = if n < 70_000 { &FEW[..] } else { &ALL };
        law::<CountingBloomFilter>(CountingParams::new(40_000_003, 5), n, pools);
        law::<BlockedCountingBloomFilter>(BlockedCountingParams::new(330_003), n, pools);
    }
}
