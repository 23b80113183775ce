//! The shared counters: of all queries, and of the recent ones.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The false positives of an epoch at the planned rate: enough to distinguish it from 1.5 times
/// that rate.
const IN_EPOCH: f64 = 1024.0;

/// On separate cache lines, so that a thread that counts does not slow down those that read the
/// filter's fields. Two lines, since processors fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Counts {
    /// The number of queries that each counted query represents. False positives are all counted.
    pub(super) weight: u64,
    positive: AtomicU64,
    /// Totals since the start.
    all: Epoch,
    /// The number of counted negative answers in an epoch.
    length: u64,
    /// The current epoch and the previous one.
    epochs: [Epoch; 2],
    /// The index of the current one.
    present: AtomicUsize,
}

#[derive(Default, Debug)]
struct Epoch {
    negative: AtomicU64,
    false_positive: AtomicU64,
}

impl Counts {
    pub(super) fn new(planned_fpr: f64, weight: u64) -> Self {
        Self {
            weight,
            positive: AtomicU64::new(0),
            all: Epoch::default(),
            // At least this many, for rates near 1.
            length: (IN_EPOCH / planned_fpr / weight as f64).max(256.0) as u64,
            epochs: Default::default(),
            present: AtomicUsize::new(0),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn answered(&self, found: bool) {
        if found {
            self.positive.fetch_add(1, Relaxed);
            return;
        }
        self.all.negative.fetch_add(1, Relaxed);
        let present = self.present.load(Relaxed);
        // Exactly one thread sees this number, and starts the next epoch. The epoch may miss what
        // others count at that moment; the totals do not.
        if self.epochs[present].negative.fetch_add(1, Relaxed) + 1 == self.length {
            self.epochs[1 - present].reset();
            self.present.store(1 - present, Relaxed);
        }
    }

    pub(super) fn was_false(&self) {
        self.all.false_positive.fetch_add(1, Relaxed);
        self.epochs[self.present.load(Relaxed)].false_positive.fetch_add(1, Relaxed);
    }

    /// Negative answers, positive answers and false positives since the start, estimated from the
    /// counted queries.
    pub(super) fn totals(&self) -> (u64, u64, u64) {
        let (negative, false_positive) = self.all.seen();
        (negative * self.weight, self.positive.load(Relaxed) * self.weight, false_positive)
    }

    /// Counted negative answers and false positives of the two epochs.
    pub(super) fn recent(&self) -> (u64, u64) {
        let ((one, few), (other, more)) = (self.epochs[0].seen(), self.epochs[1].seen());
        (one + other, few + more)
    }

    /// Forgets the recent queries, but not the totals.
    pub(super) fn reset_recent(&self) {
        self.epochs.iter().for_each(Epoch::reset);
    }
}

impl Epoch {
    fn seen(&self) -> (u64, u64) {
        (self.negative.load(Relaxed), self.false_positive.load(Relaxed))
    }

    fn reset(&self) {
        self.negative.store(0, Relaxed);
        self.false_positive.store(0, Relaxed);
    }
}
