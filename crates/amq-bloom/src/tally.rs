//! A counter for many threads.
#![cfg(target_has_atomic = "64")]

use amq_core::KeyHash;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A counter that threads add to without contention: several cells, each in its own cache line.
#[derive(Debug, Default)]
pub(crate) struct Tally([Cell; 16]);

#[derive(Debug, Default)]
#[repr(align(64))]
struct Cell(AtomicU64);

impl Tally {
    pub(crate) fn starting_at(count: u64) -> Self {
        let tally = Self::default();
        tally.0[0].0.store(count, Relaxed);
        tally
    }

    /// Adds to a cell chosen by a hash, so that threads seldom contend.
    #[inline]
    pub(crate) fn add(&self, hash: Option<&KeyHash>, count: u64) {
        let cell = hash.map_or(0, |hash| hash.get() as usize % 16);
        self.0[cell].0.fetch_add(count, Relaxed);
    }

    /// As `add`, without atomic operations.
    #[inline]
    pub(crate) fn add_alone(&mut self, count: u64) {
        let cell = self.0[0].0.get_mut();
        *cell = cell.saturating_add(count);
    }

    pub(crate) fn total(&self) -> u64 {
        let cells = self.0.iter().map(|cell| cell.0.load(Relaxed));
        cells.fold(0, u64::saturating_add)
    }
}
