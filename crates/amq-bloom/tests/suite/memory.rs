//! The laws of memory; see `amq_conformance::memory`.

#[cfg(target_has_atomic = "64")]
use amq_bloom::{AtomicBlockedBloomFilter, AtomicBloomFilter};
use amq_bloom::{
    BlockedBloomFilter, BloomFilter, EmptyFilter, Goal, WideBlockedBloomFilter, WideBlockedParams,
};
use amq_conformance::memory;
use amq_conformance::memory::Counting;
use amq_conformance::memory::every_refused_allocation_is_an_error;

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(bloom: BloomFilter => [empty, build, merge, file]);
memory!(blocked: BlockedBloomFilter => [empty, build, merge, file]);
memory!(wide_blocked: WideBlockedBloomFilter => [empty, build, merge, file]);
#[cfg(target_has_atomic = "64")]
memory!(atomic: AtomicBloomFilter => [empty, build, merge]);
#[cfg(target_has_atomic = "64")]
memory!(atomic_blocked: AtomicBlockedBloomFilter => [empty, build, merge]);

/// From a format without byte strings a filter takes less than twice its file, and what a file only
/// claims takes nothing.
#[test]
#[cfg(feature = "serde")]
fn a_sequence_of_bytes_is_not_held_beside_the_filter() {
    use amq_bloom::FilterFile;
    use amq_conformance::memory::{SLACK, takes_at_most};
    // A little over a power of two: a list that doubles is then nearly twice as long as it need be.
    for keys in [10, 112_000, 224_000] {
        let filter = BloomFilter::empty(Goal::fpr(keys, 0.01), 1).unwrap();
        let bytes = filter.to_bytes().unwrap();
        let json = serde_json::to_string(&filter).unwrap();
        let what = || format!("a sequence of {} bytes", bytes.len());
        takes_at_most(2 * bytes.len() as u64 + SLACK, &what, || {
            assert_eq!(serde_json::from_str::<BloomFilter>(&json).unwrap(), filter);
        });
        let cut = &json[..2000.min(json.len() / 2)];
        takes_at_most(SLACK + (1 << 10), &what, || {
            assert!(serde_json::from_str::<BloomFilter>(cut).is_err());
        });
    }
}

#[test]
fn a_fold_without_memory_is_an_error() {
    let goal = Goal::fpr(10_000, 0.01);
    let classic = BloomFilter::empty(goal, 1).unwrap();
    let blocked =
        amq_conformance::with_params::<BlockedBloomFilter>(amq_bloom::BlockedParams::new(64), 9, 1)
            .unwrap();
    every_refused_allocation_is_an_error("fold", || classic.fold(8), |_| {});
    every_refused_allocation_is_an_error("fold", || blocked.fold(8), |_| {});
    let params = WideBlockedParams::new(64, 7);
    let wide = amq_conformance::with_params::<WideBlockedBloomFilter>(params, 9, 1).unwrap();
    every_refused_allocation_is_an_error("fold", || wide.fold(8), |_| {});
}

#[test]
#[cfg(target_has_atomic = "64")]
fn a_snapshot_without_memory_is_an_error() {
    let atomic = AtomicBloomFilter::empty(Goal::fpr(10_000, 0.01), 1).unwrap();
    every_refused_allocation_is_an_error("snapshot", || atomic.snapshot(), |_| {});
    let blocked = AtomicBlockedBloomFilter::empty(Goal::fpr(10_000, 0.01), 1).unwrap();
    every_refused_allocation_is_an_error("snapshot", || blocked.snapshot(), |_| {});
}
