//! Making room: which fingerprints have to move is decided before any of them moves.
//!
//! When both buckets of a key are full, some fingerprint in them must move to its alternate bucket,
//! where another may have to make way, and so on to a bucket with an empty slot. The search is
//! breadth-first over the slots that can be reached, so the path it finds is the shortest. It only
//! reads. If none of the buckets it may visit has room, the table stays as it was.
//!
//! A bucket is read when it is reached, not when its turn comes: the first with room ends the
//! search, before those ahead of it have been gone through. The path is the same, at a third of the
//! work.
//!
//! ```text
//!          key              queue:  0  1 | 2  3  4  5 | 6  7  8  9 | 10 ...
//!        /     \                    each entry is a stretch, and the slot it was reached from
//!      0         1
//!   / | | \   / | | \       Buckets: any of four fingerprints moves to its alternate bucket.
//!  2  3 4  5 6  7 8  9      Windows: a fingerprint moves to its alternate bucket or to the other
//!                                    slot of its own.
//! ```
//!
//! An entry of the queue is a *stretch*: the slots from the start of one bucket to the start of the
//! next. Where buckets lie apart that is a bucket; where they overlap it is a slot, of which a
//! bucket has two, and no slot is gone through twice because two buckets share it. A stretch enters
//! the queue once, by the first path that reaches it, so no path visits a slot twice. The moves,
//! made from the path's end back to its start, cannot disturb one another.

use crate::Layout;
use crate::lanes::Word;
use crate::table::{Place, Table};
use amq_core::internal::step;

/// The most stretches that going through one of them can add.
const WAYS: usize = 4;
/// Where the key's own two buckets are reached from.
const KEY: u16 = u16::MAX;

/// The stretches reached so far, all full, and how.
struct Queue<const REACH: usize, const SEEN: usize> {
    stretches: [u64; REACH],
    /// The slot from which a fingerprint would move here: the index in the queue of its stretch,
    /// times the slots of a stretch, plus its place in that.
    from: [u16; REACH],
    len: usize,
    /// How many have been gone through.
    done: usize,
    /// A bit for each stretch reached. Those that share a bit with one of these are not added; a
    /// longer queue has more bits, so that they are few.
    seen: [u64; SEEN],
}

impl<const REACH: usize, const SEEN: usize> Queue<REACH, SEEN> {
    const fn new() -> Self {
        Self { stretches: [0; REACH], from: [0; REACH], len: 0, done: 0, seen: [0; SEEN] }
    }

    /// Begins with the key's own two buckets.
    #[inline(always)]
    fn begin<L: Layout>(&mut self, place: Place) {
        self.push_bucket::<L>(place.first, KEY);
        self.push_bucket::<L>(place.second, KEY);
    }

    /// Goes on where a shorter queue ended. (A method of an empty queue, which is large: nothing is
    /// copied.)
    #[inline(always)]
    fn go_on<const LESS: usize, const FEWER: usize>(&mut self, shorter: &Queue<LESS, FEWER>) {
        for i in 0..shorter.len {
            self.push(shorter.stretches[i], shorter.from[i]);
        }
        self.done = shorter.done;
    }

    /// Adds a stretch unless it is in already. There must be room: it is written without a branch
    /// on whether it stays, which would be mispredicted every other time.
    #[inline(always)]
    fn push(&mut self, stretch: u64, from: u16) {
        let bit = stretch % (64 * SEEN as u64);
        let word = &mut self.seen[(bit / 64) as usize];
        let is_new = !(*word >> (bit % 64)) & 1;
        *word |= 1 << (bit % 64);
        self.stretches[self.len] = stretch;
        self.from[self.len] = from;
        self.len += is_new as usize;
    }

    /// Adds the stretches of a bucket.
    #[inline(always)]
    fn push_bucket<L: Layout>(&mut self, bucket: u64, from: u16) {
        for stretch in 0..u64::from(L::SLOTS / L::STRIDE) {
            self.push(bucket + stretch, from);
        }
    }
}

impl<L: Layout> Table<L> {
    /// Puts a fingerprint into one of its two buckets, which are full, by moving others. `false`:
    /// no room was found, and nothing changed.
    pub(crate) fn insert_moving<W: Word>(&mut self, place: Place) -> bool {
        let mut queue = Queue::<64, 16>::new();
        queue.begin::<L>(place);
        // These few nearly always suffice. If not, go on in a longer queue, which takes longer to
        // clear.
        self.search::<W, 64, 16>(&mut queue, place) || self.search_far::<W, 64, 16>(&queue, place)
    }

    #[cold]
    #[inline(never)]
    fn search_far<W: Word, const REACH: usize, const SEEN: usize>(
        &mut self,
        queue: &Queue<REACH, SEEN>,
        place: Place,
    ) -> bool {
        let mut longer = Queue::<256, 128>::new();
        longer.go_on(queue);
        self.search::<W, 256, 128>(&mut longer, place)
            || self.search_farther::<W, 256, 128>(&longer, place)
    }

    #[cold]
    #[inline(never)]
    fn search_farther<W: Word, const REACH: usize, const SEEN: usize>(
        &mut self,
        queue: &Queue<REACH, SEEN>,
        place: Place,
    ) -> bool {
        let mut longer = Queue::<2048, 1024>::new();
        longer.go_on(queue);
        if self.search::<W, 2048, 1024>(&mut longer, place) {
            return true;
        }
        let mut longest = Queue::<16_384, 4096>::new();
        if longer.done < longer.len {
            longest.go_on(&longer);
        } else {
            // There was nowhere left to go. Perhaps the only way out shared a bit with another.
            longest.begin::<L>(place);
        }
        self.search::<W, 16_384, 4096>(&mut longest, place)
    }

    /// Goes through the queue until a bucket with room is reached, or the queue is full.
    #[inline(always)]
    fn search<W: Word, const REACH: usize, const SEEN: usize>(
        &mut self,
        queue: &mut Queue<REACH, SEEN>,
        place: Place,
    ) -> bool {
        let lanes = self.lanes::<W>();
        while queue.done < queue.len && queue.len + WAYS <= REACH {
            for lane in 0..L::STRIDE {
                let slot = Self::slot_of(queue.stretches[queue.done], lane);
                let (owner, tag) = self.owner(slot);
                let other = self.other(owner, tag);
                let from = (queue.done as u32 * L::STRIDE + lane) as u16;
                // Within its own bucket it moves only where buckets overlap.
                let ways = if L::SLOTS > L::STRIDE { 2 } else { 1 };
                for &to in &[other, owner][..ways] {
                    let empty = lanes.zeros(self.bucket::<W>(to));
                    if empty != W::ZERO {
                        step(1);
                        let target = Self::slot_of(to, lanes.lowest(empty, L::SLOTS));
                        self.shift(queue, from, target, place);
                        return true;
                    }
                }
                let reached = queue.len;
                queue.push_bucket::<L>(other, from);
                step(u64::from(queue.len > reached));
                if L::SLOTS > L::STRIDE {
                    // The other slot of its bucket. Its own is in the queue.
                    let reached = queue.len;
                    queue.push(2 * owner + 1 - slot, from);
                    step(u64::from(queue.len > reached));
                }
            }
            queue.done += 1;
        }
        false
    }

    /// Moves every fingerprint of the path that leads to `target` by one step, last one first, and
    /// puts the new one where the first was.
    fn shift<const REACH: usize, const SEEN: usize>(
        &mut self,
        queue: &Queue<REACH, SEEN>,
        from: u16,
        target: u64,
        place: Place,
    ) {
        let (mut from, mut target) = (from, target);
        while from != KEY {
            let (at, lane) = (u32::from(from) / L::STRIDE, u32::from(from) % L::STRIDE);
            let slot = Self::slot_of(queue.stretches[at as usize], lane);
            let (owner, tag) = self.owner(slot);
            self.set_tag(target, self.other(owner, tag), owner, tag);
            (from, target) = (queue.from[at as usize], slot);
        }
        self.set_tag(target, place.first, place.second, place.tag);
    }

    /// Puts a fingerprint into a slot of one of its buckets: the first, if it is in both.
    #[inline(always)]
    fn set_tag(&mut self, slot: u64, first: u64, second: u64, tag: u64) {
        let lane = slot.wrapping_sub(Self::slot_of(first, 0));
        let lane =
            if lane < L::SLOTS.into() { lane } else { slot - Self::slot_of(second, 0) } as u32;
        self.set_slot(slot, self.value(tag, lane));
    }
}
