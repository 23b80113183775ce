//! How the bits of a key are tested, in one table or another: what the classic, the atomic and the counting
//! filter share.
//!
//! This is for the crates of this family, which are released together; it may change in any version.

use amq_core::KeyHash;

pub use crate::probes::Probes;

/// A table of places, of which each key has a few: bits, or counters that are zero or not.
pub trait ProbeTable {
    /// How many places there are.
    fn places(&self) -> u64;

    /// How many places a key has.
    fn probes(&self) -> u32;

    /// Bytes that the table takes: whether it fits a core's cache decides how it is best queried.
    fn bytes(&self) -> usize;

    /// Whether a place is set, in the lowest bit; the others mean nothing.
    fn is_set(&self, place: u64) -> u64;

    /// Asks for the cache line of a place.
    fn prefetch(&self, place: u64);

    /// Whether all places of a key are set: the first few together, the others only if those were.
    #[inline(always)]
    fn contains(&self, hash: KeyHash) -> bool {
        let mut places = Probes::new(hash, self.places());
        let (together, probes) = (together(self.bytes()), self.probes());
        if probes <= together {
            return all_set(self, &mut places, probes);
        }
        all_set(self, &mut places, together) && all_set(self, &mut places, probes - together)
    }

    /// The same answer, sooner if it is no and later if it is yes: for tables that are mostly asked for keys they do not have,
    /// as the older stages of a growing filter are.
    #[inline(always)]
    fn contains_unlikely(&self, hash: KeyHash) -> bool {
        let mut places = Probes::new(hash, self.places());
        let probes = self.probes();
        let head = probes.min(FIRST_WAVE);
        all_set(self, &mut places, head) && all_set(self, &mut places, probes - head)
    }

    /// [`contains`](ProbeTable::contains) for many keys, with their waits for memory overlapping.
    /// The slices are equally long.
    #[inline]
    fn contains_each(&self, hashes: &[KeyHash], answers: &mut [bool]) {
        for (hashes, answers) in hashes.chunks(WAVE).zip(answers.chunks_mut(WAVE)) {
            contains_block(self, hashes, answers);
        }
    }
}

/// Keys that are asked together in a batch: enough to keep every line-fill buffer of a core busy.
const WAVE: usize = 32;

/// Probes of a key that are tested first where a no is likely, and in the first wave of a batch.
///
/// In a filter at its design load half the places are set: three probes let one absent key in eight through.
const FIRST_WAVE: u32 = 3;

/// Probes that are tested together, without a branch, before anything depends on the result.
///
/// In a table that fits a core's cache a mispredicted branch costs more than the probes that it would save: up to
/// sixteen are tested at once, all there are down to a rate of 1.5e-5. In a larger table each probe is a cache miss, so
/// two are tested, and one absent key in four goes on to the others.
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

/// One block of a batch, in two waves: the first probes of all keys, then the others of those keys that are still
/// in question. Each wave asks for its cache lines before it looks, if they are not in the cache anyway.
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
    // The keys in question are moved to the front, without a branch on the answer.
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

/// Asks for the next `count` places.
#[inline(always)]
fn prefetch<T: ProbeTable + ?Sized>(table: &T, mut places: Probes, count: u32) {
    for _ in 0..count {
        table.prefetch(places.next_place());
    }
}
