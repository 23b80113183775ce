//! Making room: which fingerprints have to move is decided before any of them moves.
//!
//! When both buckets of a key are full, some fingerprint in them must move to its alternate bucket,
//! where another may have to make way, and so on to a bucket with an empty slot. The search is
//! breadth-first over the buckets that can be reached, so the path it finds is the shortest. It
//! only reads. If none of the buckets it may visit has room, the table stays as it was.
//!
//! A bucket is read when it enters the queue, not when its turn comes: the first with room ends the
//! search, before those ahead of it have been gone through. The path is the same, at a third of the
//! work.
//!
//! ```text
//!          key              queue:  0  1 | 2  3  4  5 | 6  7  8  9 | 10 ...
//!        /     \                    each entry is a bucket, and how it was reached
//!      0         1
//!   / | | \   / | | \       Buckets: any of four fingerprints moves to its alternate bucket.
//!  2  3 4  5 6  7 8  9      Windows: either of two moves to its alternate bucket or, from a slot
//!                                    that two buckets share, to the other slot of its own.
//! ```
//!
//! A bucket enters the queue once, by the first path that reaches it, so no path visits a slot
//! twice. The moves, made from the path's end back to its start, cannot disturb one another.

use crate::Layout;
use crate::lanes::Word;
use crate::table::{Place, Table};
use amq_core::index::index;
use amq_core::step;

/// Ways out of a full bucket.
const WAYS: usize = 4;
/// Where the first two buckets are reached from: the key itself.
const KEY: u16 = u16::MAX;

/// The buckets reached so far, and how.
struct Queue<const REACH: usize, const SEEN: usize> {
    buckets: [u64; REACH],
    /// `WAYS` times the predecessor's index in the queue, plus the way taken from it.
    from: [u16; REACH],
    len: usize,
    /// A bit for each bucket reached. Buckets that share a bit with one of these are skipped, which
    /// does no harm.
    seen: [u64; SEEN],
}

impl<const REACH: usize, const SEEN: usize> Queue<REACH, SEEN> {
    fn new() -> Self {
        Self { buckets: [0; REACH], from: [0; REACH], len: 0, seen: [0; SEEN] }
    }

    /// Adds a bucket unless it is in already or the queue is full. Returns whether it was added.
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
    /// Puts a fingerprint into one of its two buckets, which are full, by moving others. `false`:
    /// no room was found, and nothing changed.
    pub(crate) fn insert_moving<W: Word>(&mut self, place: Place) -> bool {
        // The first few buckets nearly always suffice. If not, start again with a longer queue,
        // which takes longer to clear. (With an equal `seen` a longer one begins like a shorter.)
        self.search::<W, 64, 16>(place) || self.search_far::<W>(place)
    }

    #[cold]
    #[inline(never)]
    fn search_far<W: Word>(&mut self, place: Place) -> bool {
        self.search::<W, 256, 256>(place)
            || self.search::<W, 1024, 256>(place)
            || self.search::<W, 8192, 2048>(place)
    }

    #[inline(always)]
    fn search<W: Word, const REACH: usize, const SEEN: usize>(&mut self, place: Place) -> bool {
        let lanes = self.lanes::<W>();
        let mut queue = Queue::<REACH, SEEN>::new();
        queue.push(place.first, KEY);
        queue.push(place.second, KEY);
        let mut at = 0;
        while at < queue.len && queue.len < REACH {
            for way in 0..WAYS {
                let (_, to, _) = self.way(queue.buckets[at], way);
                if queue.push(to, (WAYS * at + way) as u16) {
                    step(1);
                    let empty = lanes.zeros(self.bucket(to));
                    if empty != W::ZERO {
                        self.shift(&queue, queue.len - 1, lanes.lowest(empty), place.tag);
                        return true;
                    }
                }
            }
            at += 1;
        }
        false
    }

    /// A way out of a full bucket: the slot that it empties, the bucket the fingerprint moves to,
    /// and the fingerprint.
    #[inline(always)]
    fn way(&self, bucket: u64, way: usize) -> (u64, u64, u64) {
        // Four slots with one way each, or two slots with two.
        let per_slot = WAYS as u32 / L::SLOTS;
        let slot = Self::slot_of(bucket, way as u32 / per_slot);
        let (owner, tag) = self.owner(slot);
        let to = if way as u32 % per_slot == 0 {
            self.other(owner, tag)
        } else {
            // If the slot is not shared this is the bucket itself, which the queue has already.
            owner
        };
        (slot, to, tag)
    }

    /// Moves every fingerprint of the path by one step, last one first, and puts the new one where
    /// the first was.
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
