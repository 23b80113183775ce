//! The shared counters: of all queries, and of the recent ones.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// False positives that an epoch comes to at the rate planned: enough to tell that rate from half
/// again as much.
const IN_EPOCH: f64 = 1024.0;

/// On cache lines of their own: a thread that counts does not slow down those that read the
/// filter's fields. Two lines, since processors fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Counts {
    /// Queries that a counted one stands for; false positives are all counted.
    pub(super) weight: u64,
    positive: AtomicU64,
    /// Since the beginning.
    all: Epoch,
    /// Counted negative answers after which an epoch is over.
    length: u64,
    /// The present epoch and the one before it.
    epochs: [Epoch; 2],
    /// Which of them is the present one.
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
            // At least as many as tell something of a rate near 1.
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
        // One thread alone sees this number, and begins the next epoch. What others count at that
        // moment may be lost to the epoch, and never to the totals.
        if self.epochs[present].negative.fetch_add(1, Relaxed) + 1 == self.length {
            self.epochs[1 - present].reset();
            self.present.store(1 - present, Relaxed);
        }
    }

    pub(super) fn was_false(&self) {
        self.all.false_positive.fetch_add(1, Relaxed);
        self.epochs[self.present.load(Relaxed)].false_positive.fetch_add(1, Relaxed);
    }

    /// Negative answers, positive answers and false positives since the beginning, where all
    /// queries are estimated from those counted.
    pub(super) fn totals(&self) -> (u64, u64, u64) {
        let (negative, false_positive) = self.all.seen();
        (negative * self.weight, self.positive.load(Relaxed) * self.weight, false_positive)
    }

    /// Counted negative answers and false positives of the two epochs.
    pub(super) fn recent(&self) -> (u64, u64) {
        let ((one, few), (other, more)) = (self.epochs[0].seen(), self.epochs[1].seen());
        (one + other, few + more)
    }

    /// Forgets the recent queries, and not the totals.
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
