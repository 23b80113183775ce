//! Building on several threads.

use amq_interleaved::{Budget, Encoder, FilterFile, Goal, InterleavedBloomFilter, Key, KeyHash};
use rayon::ThreadPoolBuilder;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

const POOLS: [usize; 3] = [1, 2, 8];

fn in_pool<T: Send>(threads: usize, act: impl FnOnce() -> T + Send) -> T {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(act)
}

/// The keys of a bin: bins differ in their number, and some are empty.
fn keys(bin: usize) -> Vec<u64> {
    (0..(31 * bin as u64) % 90).map(|key| key * key + bin as u64 / 3).collect()
}

#[test]
fn threads_build_the_same_bytes_as_one() {
    for bins in [1, 63, 64, 65, 1000] {
        let sets: Vec<Vec<u64>> = (0..bins).map(keys).collect();
        let hash = |keys: &Vec<u64>| keys.iter().map(|key| key.key_hash(9)).collect::<Vec<_>>();
        let hashes: Vec<Vec<KeyHash>> = sets.iter().map(hash).collect();
        let goal = Goal::fpr(90, 0.02);
        let wanted = InterleavedBloomFilter::build_with_seed(goal, 9, &sets).unwrap();
        let by_default = InterleavedBloomFilter::build(Budget::Fpr(1e-4), &sets).unwrap();
        assert!(bins == 1 || !wanted.is_empty());
        for threads in POOLS {
            let built = in_pool(threads, || {
                [
                    InterleavedBloomFilter::par_build_with_seed(goal, 9, &sets),
                    InterleavedBloomFilter::par_build_hashes(goal, 9, &hashes),
                ]
            });
            for built in built {
                let built = built.unwrap().to_bytes().unwrap();
                assert!(built == wanted.to_bytes().unwrap(), "{bins} bins, {threads} threads");
            }
            let built =
                in_pool(threads, || InterleavedBloomFilter::par_build(Budget::Fpr(1e-4), &sets));
            assert!(built.unwrap() == by_default, "{bins} bins, {threads} threads");
        }
    }
}

#[test]
fn threads_refuse_what_one_refuses() {
    let none: [Vec<u64>; 0] = [];
    let large = [(0..11).collect::<Vec<u64>>(), vec![]];
    for threads in POOLS {
        in_pool(threads, || {
            let [one, other] = [
                InterleavedBloomFilter::build(Budget::Fpr(0.01), &none),
                InterleavedBloomFilter::par_build(Budget::Fpr(0.01), &none),
            ];
            assert_eq!(one.unwrap_err(), other.unwrap_err());
            let [one, other] = [
                InterleavedBloomFilter::build(Goal::fpr(10, 0.01), &large),
                InterleavedBloomFilter::par_build(Goal::fpr(10, 0.01), &large),
            ];
            assert_eq!(one.unwrap_err(), other.unwrap_err());
        });
    }
}

/// A key that cannot be hashed.
struct Unhashable;

impl Key for Unhashable {
    fn encode(&self, _: &mut Encoder) {
        resume_unwind(Box::new("the key panics"))
    }
}

#[test]
fn a_key_that_panics_ends_the_call_and_no_more() {
    let sets: Vec<Vec<Unhashable>> =
        (0..100).map(|bin| (99..=bin).map(|_| Unhashable).collect()).collect();
    for threads in POOLS {
        in_pool(threads, || {
            let build = || InterleavedBloomFilter::par_build(Budget::Fpr(0.01), &sets);
            assert!(catch_unwind(AssertUnwindSafe(build)).is_err());
            assert!(InterleavedBloomFilter::par_build(Budget::Fpr(0.01), &[[1u64]]).is_ok());
        });
    }
}
