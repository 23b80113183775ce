//! Parallel work on all processors.

use std::iter;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, available_parallelism};

/// The number of hardware threads.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Applies `work` to each item, on this many threads. The results are in the items' order.
pub(crate) fn each<T: Send, R: Send>(
    items: Vec<T>,
    threads: usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let left = Mutex::new(items.into_iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker =
        || iter::from_fn(next).map(|(place, item)| (place, work(item))).collect::<Vec<_>>();
    let mut done: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let done = workers.into_iter().map(thread::ScopedJoinHandle::join);
        done.flat_map(|done| done.unwrap_or_else(|why| resume_unwind(why))).collect()
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

#[test]
fn all_is_done_at_the_same_time_and_comes_back_in_order() {
    // No thread passes before all three have started.
    let all = std::sync::Barrier::new(3);
    let double = |item: u64| {
        all.wait();
        2 * item
    };
    assert_eq!(each((0..9).collect(), 3, double), [0, 2, 4, 6, 8, 10, 12, 14, 16]);
    assert!(each(Vec::new(), 3, double).is_empty());
}
