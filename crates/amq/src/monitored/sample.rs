//! Which queries are counted.

use amq_core::KeyHash;
use amq_core::index::remix;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread_local;

/// One query in so many is counted, on average.
pub const SAMPLED: u64 = 64;

/// The logarithm of the probability `1 - 1 / SAMPLED` that a query is passed over.
const LOG_PASSED: f64 = -0.015_748_356_968_139_168;

thread_local! {
    /// Queries of this thread to let pass before one is counted.
    static LEFT: Cell<u32> = const { Cell::new(0) };
    /// Where this thread's random numbers have come to; 0 before the first.
    static STREAM: Cell<u64> = const { Cell::new(0) };
}

/// Whether this query is to be counted: with a probability of one in [`SAMPLED`], independently of
/// all others.
#[inline]
pub(super) fn due() -> bool {
    let left = LEFT.get();
    if left != 0 {
        LEFT.set(left - 1);
        return false;
    }
    renew()
}

/// Whether this is one of the keys that are watched: one in [`SAMPLED`] of all keys, whenever it
/// comes. So as many different ones come as of all keys, by that factor, however often each does.
#[inline]
pub(super) const fn is_watched(hash: KeyHash) -> bool {
    hash.get().wrapping_mul(0xD6E8_FEB8_6659_FD93) >> (64 - SAMPLED.ilog2()) == 0
}

/// [`due`] for `n` queries at once: calls `counted` with the index of each that is to be.
pub(super) fn due_among(n: usize, mut counted: impl FnMut(usize)) {
    let mut at = 0;
    loop {
        let (left, to_come) = (LEFT.get() as usize, n - at);
        if left >= to_come {
            LEFT.set((left - to_come) as u32);
            return;
        }
        at += left;
        LEFT.set(0);
        if renew() {
            counted(at);
        }
        at += 1;
    }
}

/// The countdown is at zero: this query is counted, and the next number is drawn. A thread's first
/// query draws one for itself.
#[cold]
fn renew() -> bool {
    let mut stream = STREAM.get();
    if stream == 0 {
        restart_sampling(new_stream());
        return due();
    }
    LEFT.set(gap(&mut stream));
    STREAM.set(stream);
    true
}

/// Begins this thread's random numbers anew, so that a test counts the same queries every time.
#[doc(hidden)]
pub fn restart_sampling(seed: u64) {
    let mut stream = seed | 1;
    LEFT.set(gap(&mut stream));
    STREAM.set(stream);
}

/// The start of a thread's random numbers, far from that of all other threads.
fn new_stream() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(1);
    remix(THREADS.fetch_add(1, Ordering::Relaxed), 0)
}

/// How many queries are passed over before the next is counted: geometrically distributed, so that
/// no pattern in the queries can be in step with it.
fn gap(stream: &mut u64) -> u32 {
    // Even steps keep an odd number from becoming zero.
    *stream = stream.wrapping_add(0x9E37_79B9_7F4A_7C14);
    // In (0, 1]: 53 random bits.
    let uniform = ((remix(*stream, 1) >> 11) + 1) as f64 / (1u64 << 53) as f64;
    (uniform.ln() / LOG_PASSED) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn gaps_are_geometric() {
        let mut stream = 1;
        let n = 200_000;
        let gaps: Vec<u32> = (0..n).map(|_| gap(&mut stream)).collect();
        let q = 1.0 / SAMPLED as f64;
        let (mean, sd) = ((1.0 - q) / q, (1.0 - q).sqrt() / q);
        let found = gaps.iter().map(|&gap| f64::from(gap)).sum::<f64>() / f64::from(n);
        assert!((found - mean).abs() < 5.0 * sd / f64::from(n).sqrt(), "{found}");
        for at_least in [1u32, 10, 64, 200, 500] {
            let expected = (1.0 - q).powi(at_least as i32);
            let found = gaps.iter().filter(|&&gap| gap >= at_least).count() as f64 / f64::from(n);
            let sd = (expected * (1.0 - expected) / f64::from(n)).sqrt();
            assert!((found - expected).abs() < 5.0 * sd, "{at_least}: {found}, not {expected}");
        }
    }

    /// Also the first ones of a thread: a program may start a thread for every few queries.
    #[test]
    fn every_query_of_a_thread_is_as_likely_counted() {
        let mut counted = [0u32; 20];
        let threads = 20_000;
        for thread in 0..threads {
            restart_sampling(remix(thread, 2));
            for count in &mut counted {
                *count += u32::from(due());
            }
        }
        let (q, threads) = (1.0 / SAMPLED as f64, threads as f64);
        let check = |found: u32, of: f64| {
            let sd = (of * q * (1.0 - q)).sqrt();
            assert!((f64::from(found) - of * q).abs() < 5.0 * sd, "{found} of {of}");
        };
        counted.iter().for_each(|&count| check(count, threads));
        check(counted.iter().sum(), threads * counted.len() as f64);
    }

    #[test]
    fn many_at_once_are_counted_as_one_by_one() {
        for sizes in [[1, 2, 3, 0, 500], [64, 63, 1000, 1, 1], [0, 0, 10_000, 7, 7]] {
            restart_sampling(9);
            let n: usize = sizes.iter().sum();
            let single: Vec<usize> = (0..n).filter(|_| due()).collect();
            restart_sampling(9);
            let (mut batched, mut first) = (Vec::new(), 0);
            for size in sizes {
                due_among(size, |index| batched.push(first + index));
                first += size;
            }
            assert_eq!(batched, single);
        }
    }

    #[test]
    fn a_new_thread_begins_with_numbers_of_its_own() {
        let first = || std::thread::spawn(|| (0..1000).position(|_| due())).join().unwrap();
        let firsts: Vec<_> = (0..8).map(|_| first()).collect();
        assert!(firsts.iter().any(|&each| each != firsts[0]), "{firsts:?}");
    }
}
