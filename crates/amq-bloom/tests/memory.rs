//! The laws of memory; see `amq_conformance::memory`.

#[cfg(target_has_atomic = "64")]
use amq_bloom::{AtomicBlockedBloomFilter, AtomicBloomFilter};
use amq_bloom::{BlockedBloomFilter, BloomFilter, EmptyFilter, Goal};
use amq_conformance::memory::Counting;
use amq_conformance::memory::every_refused_allocation_is_an_error;
use amq_conformance::{hold, memory};

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(bloom: BloomFilter => [empty, build, merge, file]);
memory!(blocked: BlockedBloomFilter => [empty, build, merge, file]);
#[cfg(target_has_atomic = "64")]
memory!(atomic: AtomicBloomFilter => [empty, build, merge]);
#[cfg(target_has_atomic = "64")]
memory!(atomic_blocked: AtomicBlockedBloomFilter => [empty, build, merge]);

#[test]
fn a_fold_without_memory_is_an_error() {
    let goal = Goal::fpr(10_000, 0.01);
    let classic = BloomFilter::empty(goal, 1).unwrap();
    let blocked =
        amq_conformance::with_params::<BlockedBloomFilter>(amq_bloom::BlockedParams::new(64), 9, 1)
            .unwrap();
    hold(every_refused_allocation_is_an_error(
        "fold",
        || classic.fold(8),
        |_| Ok(()),
    ));
    hold(every_refused_allocation_is_an_error(
        "fold",
        || blocked.fold(8),
        |_| Ok(()),
    ));
}

#[test]
#[cfg(target_has_atomic = "64")]
fn a_snapshot_without_memory_is_an_error() {
    let atomic = AtomicBloomFilter::empty(Goal::fpr(10_000, 0.01), 1).unwrap();
    hold(every_refused_allocation_is_an_error(
        "snapshot",
        || atomic.snapshot(),
        |_| Ok(()),
    ));
    let blocked = AtomicBlockedBloomFilter::empty(Goal::fpr(10_000, 0.01), 1).unwrap();
    hold(every_refused_allocation_is_an_error(
        "snapshot",
        || blocked.snapshot(),
        |_| Ok(()),
    ));
}
