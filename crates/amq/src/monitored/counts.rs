//! The shared counters: of all queries, and of the recent ones.

use super::sketch::{Sketch, estimate};
use amq_core::KeyHash;
use core::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// False positives that an epoch comes to, at the rate planned: enough to tell that rate from half
/// again as much.
const IN_EPOCH: f64 = 1024.0;
/// The least number of sampled negative answers in an epoch.
const LEAST: f64 = 256.0;

/// On cache lines of their own: a thread that counts does not slow down those that read the
/// filter's fields. Two lines, since processors fetch them in pairs.
#[repr(align(128))]
pub(super) struct Counts {
    negative: AtomicU64,
    positive: AtomicU64,
    false_positive: AtomicU64,
    /// Sampled negative answers after which an epoch is over.
    length: u64,
    /// The epoch that goes on, and the one before it.
    epochs: [Epoch; 2],
    /// Which of them goes on.
    present: AtomicUsize,
    /// Some thread is about to begin the next.
    turning: AtomicBool,
}

/// What was counted, and not the thousands of registers that it was counted in.
impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.seen().fmt(f)
    }
}

/// What was counted in a part of the time.
#[derive(Default)]
struct Epoch {
    negative: AtomicU64,
    false_positive: AtomicU64,
    /// The different keys of negative answers, of those that are watched.
    watched: Sketch,
    /// The different keys of false positives.
    found: Sketch,
    /// The different keys of sampled negative answers, and of sampled false positives: popular ones
    /// above all.
    sampled: [Sketch; 2],
}

/// How many different keys were denied, and how many were false positives.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Keys {
    pub(super) negative: f64,
    pub(super) false_positive: f64,
}

/// The counters at one moment. Other threads may count between two of them.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Seen {
    /// Sampled negative answers.
    pub(super) negative: u64,
    /// Sampled positive answers.
    pub(super) positive: u64,
    /// All false positives.
    pub(super) false_positive: u64,
    /// Lately: sampled negative answers.
    pub(super) recent_negative: u64,
    /// Lately: all false positives.
    pub(super) recent_false: u64,
    /// Lately: of the watched keys those that were denied, of all keys the false positives.
    pub(super) keys: Keys,
    /// Lately: the keys of sampled queries.
    pub(super) sampled: Keys,
}

impl Counts {
    /// For a filter planned for this rate, where a counted query stands for `weight` of them.
    pub(super) fn new(planned: f64, weight: u64) -> Self {
        Self {
            negative: AtomicU64::new(0),
            positive: AtomicU64::new(0),
            false_positive: AtomicU64::new(0),
            length: (IN_EPOCH / planned / weight as f64).max(LEAST) as u64,
            epochs: Default::default(),
            present: AtomicUsize::new(0),
            turning: AtomicBool::new(false),
        }
    }

    fn epoch(&self) -> &Epoch {
        &self.epochs[self.present.load(Ordering::Relaxed) % 2]
    }

    /// Counts a sampled query.
    #[cold]
    #[inline(never)]
    pub(super) fn answered(&self, hash: KeyHash, found: bool) {
        if found {
            self.positive.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.negative.fetch_add(1, Ordering::Relaxed);
        let epoch = self.epoch();
        epoch.sampled[0].add(hash);
        if epoch.negative.fetch_add(1, Ordering::Relaxed) + 1 >= self.length {
            self.turn();
        }
    }

    /// Notes a watched key that was denied.
    #[cold]
    #[inline(never)]
    pub(super) fn denied(&self, hash: KeyHash) {
        self.epoch().watched.add(hash);
    }

    pub(super) fn was_false(&self, hash: KeyHash, sampled: bool) {
        self.false_positive.fetch_add(1, Ordering::Relaxed);
        let epoch = self.epoch();
        epoch.false_positive.fetch_add(1, Ordering::Relaxed);
        epoch.found.add(hash);
        if sampled {
            epoch.sampled[1].add(hash);
        }
    }

    /// Begins the next epoch, in the place of the one before this. What another thread counts at
    /// that moment may be lost to the epoch; the totals lose nothing.
    #[cold]
    fn turn(&self) {
        if self.turning.swap(true, Ordering::Acquire) {
            return;
        }
        // Not again, if another thread has done so just now.
        if self.epoch().negative.load(Ordering::Relaxed) >= self.length {
            let next = 1 - self.present.load(Ordering::Relaxed) % 2;
            self.epochs[next].reset();
            self.present.store(next, Ordering::Relaxed);
        }
        self.turning.store(false, Ordering::Release);
    }

    pub(super) fn seen(&self) -> Seen {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let [one, other] = &self.epochs;
        Seen {
            negative: of(&self.negative),
            positive: of(&self.positive),
            false_positive: of(&self.false_positive),
            recent_negative: of(&one.negative) + of(&other.negative),
            recent_false: of(&one.false_positive) + of(&other.false_positive),
            keys: Keys {
                negative: estimate(&one.watched, &other.watched),
                false_positive: estimate(&one.found, &other.found),
            },
            sampled: Keys {
                negative: estimate(&one.sampled[0], &other.sampled[0]),
                false_positive: estimate(&one.sampled[1], &other.sampled[1]),
            },
        }
    }

    /// Forgets what was seen lately.
    pub(super) fn reset_recent(&self) {
        self.epochs.iter().for_each(Epoch::reset);
    }

    pub(super) fn reset(&self) {
        for count in [&self.negative, &self.positive, &self.false_positive] {
            count.store(0, Ordering::Relaxed);
        }
        self.reset_recent();
    }
}

impl Epoch {
    fn reset(&self) {
        self.negative.store(0, Ordering::Relaxed);
        self.false_positive.store(0, Ordering::Relaxed);
        self.watched.reset();
        self.found.reset();
        self.sampled.iter().for_each(Sketch::reset);
    }
}
