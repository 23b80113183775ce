//! Which queries are counted.

use amq_core::index::remix;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread_local;

/// On average, one query in this many is counted.
pub const SAMPLED: u64 = 64;

thread_local! {
    /// This thread's random numbers, which start far from those of all other threads.
    static RANDOM: Cell<u64> = {
        static THREADS: AtomicU64 = AtomicU64::new(0);
        Cell::new(remix(THREADS.fetch_add(1, Ordering::Relaxed), 0))
    };
}

/// True with a probability of `1 / weight`, a power of two, independently of all other queries: a
/// popular key has its share of the sample, and a periodic pattern of queries does no harm.
#[inline]
pub(super) fn due(weight: u64) -> bool {
    // Knuth's multiplier, of MMIX; the upper bits are the random ones.
    let next = RANDOM.get().wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
    RANDOM.set(next);
    next <= u64::MAX / weight
}

/// Resets this thread's random numbers, so that a test counts the same queries every time.
#[cfg(test)]
pub(super) fn restart(seed: u64) {
    RANDOM.set(remix(seed, 1));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first queries of a thread, too: a program may start a thread for every few queries.
    #[test]
    fn every_query_of_a_thread_is_as_likely_counted() {
        let (threads, queries, q) = (20_000u64, 20, 1.0 / SAMPLED as f64);
        let mut counted = [0u64; 20];
        let mut pairs = 0;
        for thread in 0..threads {
            restart(thread);
            let mut before = false;
            for count in &mut counted {
                let due = due(SAMPLED);
                *count += u64::from(due);
                pairs += u64::from(due && before);
                before = due;
            }
        }
        let check = |found: u64, of: f64, q: f64| {
            let sd = (of * q * (1.0 - q)).sqrt();
            assert!((found as f64 - of * q).abs() < 5.0 * sd, "{found} of {of}");
        };
        counted.iter().for_each(|&count| check(count, threads as f64, q));
        check(counted.iter().sum(), threads as f64 * f64::from(queries), q);
        check(pairs, threads as f64 * f64::from(queries - 1), q * q);
    }

    #[test]
    fn any_stride_of_queries_is_as_likely_counted() {
        for stride in [2u64, 3, 64, 1000, 4096] {
            restart(stride);
            let trials = 20_000;
            let due = |_: &u64| (0..stride).fold(false, |_, _| due(SAMPLED));
            let found = (0..trials).filter(due).count() as f64;
            let (mean, sd) = (trials as f64 / 64.0, (trials as f64 / 64.0).sqrt());
            assert!((found - mean).abs() < 5.0 * sd, "{found} of {trials} at {stride}");
        }
    }

    #[test]
    fn a_new_thread_begins_with_numbers_of_its_own() {
        let first = || std::thread::spawn(|| (0..1000).position(|_| due(SAMPLED))).join().unwrap();
        let firsts: std::vec::Vec<_> = (0..8).map(|_| first()).collect();
        assert!(firsts.iter().any(|&each| each != firsts[0]), "{firsts:?}");
    }
}
