//! Room for one more: which fingerprints have to move, found before any of them moves.
//!
//! When both buckets of a key are full, a fingerprint in one of them has to go to its own other bucket, where another one may have to
//! make way, and so on to a bucket with an empty slot. The search goes breadth first through the buckets that can be reached, so that
//! the path it finds is the shortest. It only reads. If there is no room in as many buckets as it may look at, the table stays as it was.
//!
//! ```text
//!          key              queue:  0  1 | 2  3  4  5 | 6  7  8  9 | 10 ...      a bucket, and from where it was reached
//!        /     \
//!      0         1          Buckets: a fingerprint in any of four slots moves to its other bucket.
//!   / | | \   / | | \       Windows: one in either of two slots moves to its other bucket, or, where the slot is one that its
//!  2  3 4  5 6  7 8  9               own bucket shares with this one, to the other slot of its own.
//! ```
//!
//! Each bucket comes into the queue once, reached in the first way there is, so no path goes through one slot twice. The
//! moves, made from the path's end back to its start, cannot disturb each other.

use crate::Layout;
use crate::lanes::Word;
use crate::table::{Place, Table};
use amq_core::index::index;

/// Ways on from a full bucket.
const WAYS: usize = 4;
/// Stands for the key itself, from which its own two buckets are reached.
const KEY: u16 = u16::MAX;

/// The buckets that have been reached, and how.
struct Queue<const REACH: usize, const SEEN: usize> {
    buckets: [u64; REACH],
    /// `WAYS` times the place in the queue of the bucket before, plus the way that was taken from it.
    from: [u16; REACH],
    len: usize,
    /// One bit for each bucket reached, and for some that were not: those are left out, which does no harm.
    seen: [u64; SEEN],
}

impl<const REACH: usize, const SEEN: usize> Queue<REACH, SEEN> {
    fn new() -> Self {
        Self {
            buckets: [0; REACH],
            from: [0; REACH],
            len: 0,
            seen: [0; SEEN],
        }
    }

    /// Adds a bucket, unless it has been reached before or there is no more room. Whether it was added.
    #[inline(always)]
    fn push(&mut self, bucket: u64, from: u16) -> bool {
        let bit = index(bucket.wrapping_mul(0xD1B5_4A32_D192_ED03), 64 * SEEN as u64);
        let word = &mut self.seen[(bit / 64) as usize];
        if self.len == REACH || *word >> (bit % 64) & 1 == 1 {
            return false;
        }
        *word |= 1 << (bit % 64);
        self.buckets[self.len] = bucket;
        self.from[self.len] = from;
        self.len += 1;
        true
    }
}

impl<L: Layout> Table<L> {
    /// Puts a fingerprint into one of its two buckets, which are both full, and moves others on. `false` if no way was found to
    /// make room: then nothing was changed.
    pub(crate) fn insert_moving<W: Word>(&mut self, place: Place) -> bool {
        // Nearly always the first few buckets are enough; if not, the search is begun anew with a longer queue, which takes longer to clear.
        self.search::<W, 64, 16>(place) || self.search_far::<W>(place)
    }

    #[cold]
    #[inline(never)]
    fn search_far<W: Word>(&mut self, place: Place) -> bool {
        self.search::<W, 1024, 256>(place) || self.search::<W, 8192, 2048>(place)
    }

    #[inline(always)]
    fn search<W: Word, const REACH: usize, const SEEN: usize>(&mut self, place: Place) -> bool {
        let lanes = self.lanes::<W>();
        let mut queue = Queue::<REACH, SEEN>::new();
        queue.push(place.first, KEY);
        queue.push(place.second, KEY);
        let mut at = 0;
        while at < queue.len {
            let bucket = queue.buckets[at];
            let empty = lanes.zeros(self.bucket(bucket));
            if empty != W::ZERO {
                self.shift(&queue, at, lanes.lowest(empty), place.tag);
                return true;
            }
            for way in 0..WAYS {
                let (_, to, _) = self.way(bucket, way);
                if queue.push(to, (WAYS * at + way) as u16) {
                    self.prefetch(to);
                }
            }
            at += 1;
        }
        false
    }

    /// One of the ways on from a full bucket: the slot that becomes free, the bucket its fingerprint goes to, the fingerprint.
    #[inline(always)]
    fn way(&self, bucket: u64, way: usize) -> (u64, u64, u64) {
        // Four slots and one way each, or two slots and two.
        let per_slot = WAYS as u32 / L::SLOTS;
        let slot = Self::slot_of(bucket, way as u32 / per_slot);
        let (owner, tag) = self.owner(slot);
        let to = if way as u32 % per_slot == 0 {
            self.other(owner, tag)
        } else {
            // The bucket itself if the slot is not a shared one: the queue has it already.
            owner
        };
        (slot, to, tag)
    }

    /// Moves every fingerprint on the way to an empty slot by one step, the last one first, and puts the new one in the place of the
    /// first.
    fn shift<const REACH: usize, const SEEN: usize>(
        &mut self,
        queue: &Queue<REACH, SEEN>,
        mut at: usize,
        mut lane: u32,
        tag: u64,
    ) {
        while queue.from[at] != KEY {
            let from = usize::from(queue.from[at]);
            let (slot, to, moved) = self.way(queue.buckets[from / WAYS], from % WAYS);
            self.set_slot(Self::slot_of(to, lane), self.value(moved, lane));
            at = from / WAYS;
            lane = (slot - Self::slot_of(queue.buckets[at], 0)) as u32;
        }
        let bucket = queue.buckets[at];
        self.set_slot(Self::slot_of(bucket, lane), self.value(tag, lane));
    }
}
