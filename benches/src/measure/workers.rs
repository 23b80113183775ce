//! Work that is not timed, on all processors.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Does the same work to each item, on this many threads. The results are in the items' order.
pub fn each<T: Send, R: Send>(
    items: Vec<T>,
    threads: usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let (left, done) = (Mutex::new(items.into_iter().enumerate()), Mutex::new(Vec::new()));
    let worker = || {
        loop {
            // Not in the loop's head, where the lock would be held until the work is done.
            let next = lock(&left).next();
            let Some((place, item)) = next else { break };
            let result = work(item);
            lock(&done).push((place, result));
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn all_is_done_at_the_same_time_and_comes_back_in_order() {
        // Nobody passes before all three are at work.
        let all = Barrier::new(3);
        let double = |item: u64| {
            all.wait();
            2 * item
        };
        assert_eq!(each((0..9).collect(), 3, double), [0, 2, 4, 6, 8, 10, 12, 14, 16]);
        assert!(each(Vec::new(), 3, double).is_empty());
    }
}
