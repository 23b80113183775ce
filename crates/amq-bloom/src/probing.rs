//! Testing the bits of a key, for the classic, the atomic and the counting filters.
//!
//! For the sibling crates only; see `STABILITY.md` of amq-core.

pub mod partition;

use amq_core::KeyHash;

pub use crate::probes::Probes;

/// A table of bits or counters ("places"). Each key has a few; a place is zero or set.
pub trait ProbeTable {
    /// Number of places.
    fn places(&self) -> u64;

    /// Number of places per key.
    fn probes(&self) -> u32;

    /// Bytes of the table; lookups depend on whether it fits a core's cache.
    fn bytes(&self) -> usize;

    /// Whether a place is set, in the lowest bit. The other bits are arbitrary.
    fn is_set(&self, place: u64) -> u64;

    /// Prefetches the cache line of a place.
    fn prefetch(&self, place: u64);

    /// Prefetches the cache lines of all places of a key, unless the table fits the cache.
    #[inline(always)]
    fn prefetch_key(&self, hash: KeyHash) {
        if !is_cached(self.bytes()) {
            prefetch(self, Probes::new(hash, self.places()), self.probes());
        }
    }

    /// Whether all places of a key are set: tests the first few together, and the others only if
    /// those are all set.
    #[inline(always)]
    fn contains(&self, hash: KeyHash) -> bool {
        let mut places = Probes::new(hash, self.places());
        let (together, probes) = (together(self.bytes()), self.probes());
        if probes <= together {
            return all_set(self, &mut places, probes);
        }
        all_set(self, &mut places, together) && all_set(self, &mut places, probes - together)
    }

    /// As `contains`, but faster for absent keys and slower for present ones. For tables that are
    /// mostly queried for absent keys, such as the older stages of a growing filter.
    #[inline(always)]
    fn contains_unlikely(&self, hash: KeyHash) -> bool {
        let mut places = Probes::new(hash, self.places());
        let probes = self.probes();
        let head = probes.min(FIRST_WAVE);
        all_set(self, &mut places, head) && all_set(self, &mut places, probes - head)
    }

    /// [`contains`](ProbeTable::contains) for many keys, with overlapping cache misses. The slices
    /// must have the same length.
    #[inline]
    fn contains_each(&self, hashes: &[KeyHash], answers: &mut [bool]) {
        for (hashes, answers) in hashes.chunks(WAVE).zip(answers.chunks_mut(WAVE)) {
            contains_block(self, hashes, answers);
        }
    }
}

/// Keys per block of a batch: enough to keep every line-fill buffer of a core busy.
const WAVE: usize = 32;

/// Probes tested first if the key is probably absent, and in the first wave of a batch.
///
/// At its design load half of a filter's places are set, so one absent key in eight passes three
/// probes.
const FIRST_WAVE: u32 = 3;

/// Probes tested together, without a branch.
///
/// If the table fits a core's cache, a mispredicted branch costs more than the probes it would
/// save, so up to sixteen are tested at once: all of them down to a rate of 1.5e-5. In a larger
/// table each probe is a cache miss, so two are tested first, which one absent key in four passes.
#[inline(always)]
const fn together(bytes: usize) -> u32 {
    if is_cached(bytes) { 16 } else { 2 }
}

/// Whether a table fits the second-level cache of one core.
#[inline(always)]
const fn is_cached(bytes: usize) -> bool {
    bytes <= 2 << 20
}

/// Whether the next `count` places are all set, without a branch.
#[inline(always)]
fn all_set<T: ProbeTable + ?Sized>(table: &T, places: &mut Probes, count: u32) -> bool {
    let mut set = 1;
    for _ in 0..count {
        set &= table.is_set(places.next_place());
    }
    set & 1 != 0
}

/// One block of a batch, in two waves: the first probes of all keys, then the remaining probes of
/// the keys that passed. Each wave prefetches its cache lines before it reads them, unless the
/// table fits the cache.
#[inline(always)]
fn contains_block<T: ProbeTable + ?Sized>(table: &T, hashes: &[KeyHash], answers: &mut [bool]) {
    let places = |hash| Probes::new(hash, table.places());
    let head = table.probes().min(FIRST_WAVE);
    let tail = table.probes() - head;
    let far = !is_cached(table.bytes());
    if far {
        for &hash in hashes {
            prefetch(table, places(hash), head);
        }
    }
    // Compact the keys that passed, without a branch on the answer.
    let mut open = [(0u8, places(KeyHash::new(0))); WAVE];
    let mut count = 0;
    for (i, (answer, &hash)) in answers.iter_mut().zip(hashes).enumerate() {
        let mut places = places(hash);
        *answer = all_set(table, &mut places, head);
        open[count] = (i as u8, places);
        count += usize::from(*answer);
    }
    if tail == 0 {
        return;
    }
    if far {
        for &(_, places) in &open[..count] {
            prefetch(table, places, tail);
        }
    }
    for &(i, mut places) in &open[..count] {
        answers[usize::from(i)] = all_set(table, &mut places, tail);
    }
}

/// Prefetches the next `count` places.
#[inline(always)]
fn prefetch<T: ProbeTable + ?Sized>(table: &T, mut places: Probes, count: u32) {
    for _ in 0..count {
        table.prefetch(places.next_place());
    }
}
