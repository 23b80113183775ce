//! The shared counters.

use super::sketch::Sketch;
use amq_core::KeyHash;
use std::sync::atomic::{AtomicU64, Ordering};

/// On cache lines of their own: a thread that counts does not slow down those that read the
/// filter's fields. Two lines, since processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Counts {
    negative: AtomicU64,
    positive: AtomicU64,
    /// All that were reported.
    false_positive: AtomicU64,
    /// Those of them that were sampled, as queries are.
    false_sampled: AtomicU64,
    /// The keys of the negative answers.
    negative_keys: Sketch,
    /// The keys of the sampled false positives.
    false_keys: Sketch,
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
    /// How often a key of the false positives was asked, over how often another absent key was;
    /// 0 without false positives.
    pub(super) repetition: f64,
}

impl Counts {
    #[cold]
    #[inline(never)]
    pub(super) fn answered(&self, hash: KeyHash, found: bool) {
        if found {
            self.positive.fetch_add(1, Ordering::Relaxed);
        } else {
            self.negative.fetch_add(1, Ordering::Relaxed);
            self.negative_keys.add(hash);
        }
    }

    pub(super) fn was_false(&self, hash: KeyHash, sampled: bool) {
        self.false_positive.fetch_add(1, Ordering::Relaxed);
        if sampled {
            self.false_sampled.fetch_add(1, Ordering::Relaxed);
            self.false_keys.add(hash);
        }
    }

    pub(super) fn seen(&self) -> Seen {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (negative, false_sampled) = (of(&self.negative), of(&self.false_sampled));
        let each = |count: u64, keys: &Sketch| match count {
            0 => 0.0,
            count => count as f64 / keys.estimate().max(1.0),
        };
        let other = each(negative, &self.negative_keys).max(1.0);
        Seen {
            negative,
            positive: of(&self.positive),
            false_positive: of(&self.false_positive),
            repetition: each(false_sampled, &self.false_keys) / other,
        }
    }

    pub(super) fn reset(&self) {
        for count in [&self.negative, &self.positive, &self.false_positive, &self.false_sampled] {
            count.store(0, Ordering::Relaxed);
        }
        self.negative_keys.reset();
        self.false_keys.reset();
    }
}
