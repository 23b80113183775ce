//! Many keys at once: the same filter as one by one, on one thread or several.

// Helpers of tests may fail as tests do; the configuration allows it only in the test functions
// themselves.
#![allow(clippy::unwrap_used)]

use amq_bloom::{
    BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams, BuildFilter, EmptyFilter, KeyHash,
};

/// Builds filters of these parameters in every way, in pools of one to eight threads, and compares
/// them, and what they answered, with one that was filled key by key.
fn the_same<F>(params: F::Params, n: u64)
where
    F: BuildFilter + EmptyFilter + PartialEq + Send + Sync,
    F::Params: Send + Sync,
{
    let keys: Vec<u64> = (0..n).map(|i| i % (n / 4 * 3 + 1)).collect();
    let hashes: Vec<KeyHash> = keys.iter().map(|key| KeyHash::of(key, 1)).collect();
    let plan = F::plan_params(params, n).unwrap();
    let mut one = F::empty(plan, 1).unwrap();
    let new = hashes.iter().filter(|&&hash| one.insert_hash(hash).unwrap().is_new()).count();
    let compare = |threads: usize| {
        let mut many = F::empty(plan, 1).unwrap();
        assert_eq!(many.insert_batch(&hashes).unwrap(), new as u64);
        assert!(many == one, "{n} hashes, {threads} threads");
        assert!(F::build_keys(plan, 1, &keys).unwrap() == one, "{n} keys, {threads} threads");
    };
    #[cfg(not(feature = "parallel"))]
    compare(1);
    #[cfg(feature = "parallel")]
    for threads in 1..=8 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compare(threads));
    }
}

/// Their tables are larger than those that one thread fills as keys come.
#[test]
fn many_keys_make_the_filter_that_they_make_one_by_one() {
    for n in [0, 1, 7, 8, 100, 70_000, 1_000_000] {
        the_same::<BloomFilter>(BloomParams::new(300_000_007, 7), n);
        the_same::<BlockedBloomFilter>(BlockedParams::new(3_300_003), n);
    }
}
