//! Threads that fill or query one filter at the same time.

use crate::workers;
use std::hint::black_box;
use std::iter;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::thread;
use std::time::Instant;

/// The operation of the threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    Insert,
    Ask,
}

/// The total number of operations, and the nanoseconds they took.
pub type Done = (u64, f64);

/// From one thread to all: the powers of two, and all.
pub fn counts(all: usize) -> impl Iterator<Item = usize> {
    let powers = iter::successors(Some(1), |threads| Some(2 * threads));
    powers.take_while(move |threads| *threads < all).chain([all])
}

/// Distributes keys to threads, which start together. The time is from the first start to the last
/// end.
pub(super) fn by_threads<T: Sync>(
    threads: usize,
    keys: &[T],
    work: impl Fn(&[T]) -> u64 + Sync,
) -> Done {
    let parts: Vec<&[T]> = keys.chunks(keys.len().div_ceil(threads).max(1)).collect();
    let (count, late) = (parts.len(), AtomicUsize::new(parts.len()));
    let done = workers::each(parts, count, |keys| {
        late.fetch_sub(1, AcqRel);
        while late.load(Acquire) > 0 {
            thread::yield_now();
        }
        let start = Instant::now();
        let done = black_box(work(keys));
        (done, start, Instant::now())
    });
    let start = done.iter().map(|(_, start, _)| *start).min();
    let end = done.iter().map(|(.., end)| *end).max();
    let ns = start.zip(end).map_or(0.0, |(start, end)| (end - start).as_secs_f64() * 1e9);
    (done.iter().map(|(done, ..)| done).sum(), ns)
}

#[test]
fn threads_begin_together_and_each_key_is_dealt_once() {
    let some = [1, 2, 6].map(|all| counts(all).collect::<Vec<_>>());
    assert_eq!(some, [vec![1], vec![1, 2], vec![1, 2, 4, 6]]);
    // No thread ends before all three have started.
    let all = std::sync::Barrier::new(3);
    let sum = |keys: &[u64]| {
        all.wait();
        keys.iter().sum()
    };
    let (sum, ns) = by_threads(3, &[1, 2, 3, 4, 5, 6, 7], sum);
    assert!(sum == 28 && ns > 0.0);
    assert_eq!(by_threads(2, &[0u64; 0], |_| 1), (0, 0.0));
}
