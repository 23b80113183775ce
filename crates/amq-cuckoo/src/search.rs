//! Making room: decides which fingerprints have to move before any of them moves.
//!
//! When both buckets of a key are full, some fingerprint in them must move to its alternate bucket,
//! where another may have to move in turn, and so on to a bucket with an empty slot. The search is
//! breadth-first over the reachable slots, so it finds a shortest path. It only reads: if none of
//! the buckets it may visit has room, the table is unchanged.
//!
//! A bucket is checked when it is added to the queue, not when it is expanded: the first with room
//! ends the search. The path is the same, with a third of the work.
//!
//! ```text
//!          key              queue:  0  1 | 2  3  4  5 | 6  7  8  9 | 10 ...
//!        /     \                    each entry is a node, and the slot it was reached from
//!      0         1
//!   / | | \   / | | \       Buckets: any of four fingerprints moves to its alternate bucket.
//!  2  3 4  5 6  7 8  9      OverlappingBuckets: a fingerprint moves to its alternate bucket or to
//!                                    the other slot of its own.
//! ```
//!
//! A *node* is the slots from the start of one bucket to the start of the next. For disjoint
//! buckets that is a bucket. For overlapping ones it is a slot, so that a slot shared by two
//! buckets is not visited twice. A node enters the queue once, by the first path that reaches it,
//! so no path visits a slot twice. The moves are made from the path's end back to its start, so
//! they cannot interfere.
//!
//! The first 64 nodes are on the stack and nearly always suffice. A longer search allocates: one
//! insert in a hundred into a planned table of overlapping buckets, and at most one in a thousand
//! for disjoint buckets.

use crate::Layout;
use crate::lanes::Word;
use crate::ops::Refused;
use crate::table::{BucketPair, BucketTable};
use alloc::vec::Vec;
use amq_core::BuildError;
use amq_core::internal::{reserve, step};

/// Length of the queue on the stack.
const SHORT: usize = 64;
/// Lengths of the longer queues, in order.
const LONGER: [usize; 3] = [256, 2048, MAX_NODES];
/// The most nodes that a search may visit.
const MAX_NODES: usize = 16_384;
/// The most bytes that a search allocates in a table of this many nodes. While a part of a queue
/// grows, its old and its new memory are both allocated.
pub(crate) const fn search_bytes(table_nodes: u64) -> u64 {
    let (node, from) = (size_of::<u64>(), size_of::<u16>());
    let nodes = longest(MAX_NODES, table_nodes);
    let before = longest(LONGER[1], table_nodes);
    let whole = nodes * (node + from) + visited_words(MAX_NODES, table_nodes) * size_of::<u64>();
    let copying_nodes = nodes * node + before * (node + from);
    let copying_from = nodes * (node + from) + before * from;
    let most = if whole > copying_from { whole } else { copying_from };
    (if most > copying_nodes { most } else { copying_nodes }) as u64
}

/// Caps a queue's length by the table's, with room for the nodes that one expansion adds.
const fn longest(nodes: usize, table_nodes: u64) -> usize {
    let all = table_nodes.saturating_add(WAYS as u64);
    if all < nodes as u64 { all as usize } else { nodes }
}

/// Words of the visited set for a queue of this length: 16 or 32 bits per node, so that few nodes
/// share a bit, but not many more bits than the table has nodes. This determines which fingerprints
/// move, so golden files depend on it.
const fn visited_words(nodes: usize, table_nodes: u64) -> usize {
    let words = if nodes == SHORT || nodes == MAX_NODES { nodes / 4 } else { nodes / 2 };
    let all = table_nodes.div_ceil(64).next_power_of_two();
    if all < words as u64 { all as usize } else { words }
}

/// The most nodes that expanding one can add.
const WAYS: usize = 4;
/// Marks a root, one of the key's own two buckets: larger than any slot index of an expanded node.
const KEY: u16 = u16::MAX;
const _: () = assert!(4 * (MAX_NODES - WAYS) <= KEY as usize);

/// The nodes reached so far, all full, with their predecessors.
struct Queue<'a> {
    nodes: &'a mut [u64],
    /// The slot from which a fingerprint would move here: the queue index of its node, times the
    /// slots per node, plus its position in the node.
    from: &'a mut [u16],
    /// A bit for each node reached. Nodes that share a bit with one of these are not added. The
    /// number of words is a power of two.
    visited: &'a mut [u64],
    len: usize,
    /// How many have been expanded.
    done: usize,
}

impl Queue<'_> {
    /// Starts with the key's own two buckets.
    #[inline(always)]
    fn begin<L: Layout>(&mut self, pair: BucketPair) {
        self.push_bucket::<L>(pair.first, KEY);
        self.push_bucket::<L>(pair.second, KEY);
    }

    /// Adds a node unless it has been visited. There must be room: the node is written
    /// unconditionally, because a branch would be mispredicted every other time.
    #[inline(always)]
    fn push(&mut self, node: u64, from: u16) {
        let is_new = self.visit(node);
        self.nodes[self.len] = node;
        self.from[self.len] = from;
        self.len += is_new as usize;
    }

    /// Marks a node as visited; returns whether it was not.
    #[inline(always)]
    fn visit(&mut self, node: u64) -> bool {
        let bit = node as usize & (64 * self.visited.len() - 1);
        let word = &mut self.visited[bit / 64];
        let is_new = *word >> (bit % 64) & 1 == 0;
        *word |= 1 << (bit % 64);
        is_new
    }

    /// Adds the nodes of a bucket.
    #[inline(always)]
    fn push_bucket<L: Layout>(&mut self, bucket: u64, from: u16) {
        for node in 0..u64::from(L::SLOTS / L::STRIDE) {
            self.push(bucket + node, from);
        }
    }
}

/// The memory of a long queue.
#[derive(Default)]
struct Heap {
    nodes: Vec<u64>,
    from: Vec<u16>,
    visited: Vec<u64>,
}

impl Heap {
    /// A queue of this many nodes and words, which continues from the nodes of a shorter one.
    fn queue(
        &mut self,
        (nodes, words): (usize, usize),
        (len, done): (usize, usize),
    ) -> Result<Queue<'_>, BuildError> {
        let nodes = nodes.max(self.nodes.len());
        let more = (nodes - self.nodes.len()) as u64;
        self.visited = Vec::new();
        reserve(&mut self.nodes, more)?;
        reserve(&mut self.from, more)?;
        reserve(&mut self.visited, words as u64)?;
        self.nodes.resize(nodes, 0);
        self.from.resize(nodes, 0);
        self.visited.resize(words, 0);
        let Self { nodes, from, visited } = self;
        let mut queue = Queue { nodes, from, visited, len, done };
        for i in 0..len {
            queue.visit(queue.nodes[i]);
        }
        Ok(queue)
    }
}

impl<L: Layout> BucketTable<L> {
    /// Puts a fingerprint into one of its two buckets, which are full, by moving others.
    pub(crate) fn insert_moving<W: Word>(&mut self, pair: BucketPair) -> Result<(), Refused> {
        let mut queue = Queue {
            nodes: &mut [0; SHORT],
            from: &mut [0; SHORT],
            visited: &mut [0; visited_words(SHORT, u64::MAX)],
            len: 0,
            done: 0,
        };
        queue.begin::<L>(pair);
        if self.search::<W>(&mut queue, pair) { Ok(()) } else { self.search_on::<W>(&queue, pair) }
    }

    /// Continues the search of a short queue in longer ones.
    #[cold]
    #[inline(never)]
    fn search_on<W: Word>(&mut self, short: &Queue<'_>, pair: BucketPair) -> Result<(), Refused> {
        let refused = |error| match error {
            BuildError::OutOfMemory { bytes } => Refused::OutOfMemory(bytes),
            _ => Refused::Full,
        };
        let mut heap = Heap::default();
        let (mut len, mut done) = (short.len, short.done);
        let table_nodes = self.params().slots::<L>() / u64::from(L::STRIDE);
        reserve(&mut heap.nodes, len as u64).map_err(refused)?;
        reserve(&mut heap.from, len as u64).map_err(refused)?;
        heap.nodes.extend_from_slice(&short.nodes[..len]);
        heap.from.extend_from_slice(&short.from[..len]);
        for nodes in LONGER {
            // The queue is exhausted. The only path may have shared a bit with another node: start
            // again, with the most bits.
            let again = done == len;
            if again {
                if nodes < MAX_NODES {
                    continue;
                }
                (len, done) = (0, 0);
            }
            let room = (longest(nodes, table_nodes), visited_words(nodes, table_nodes));
            let mut queue = heap.queue(room, (len, done)).map_err(refused)?;
            if again {
                queue.begin::<L>(pair);
            }
            if self.search::<W>(&mut queue, pair) {
                return Ok(());
            }
            (len, done) = (queue.len, queue.done);
        }
        Err(Refused::Full)
    }

    /// Expands nodes until a bucket with room is reached, or the queue is full.
    #[inline(always)]
    fn search<W: Word>(&mut self, queue: &mut Queue<'_>, pair: BucketPair) -> bool {
        let lanes = self.lanes::<W>();
        while queue.done < queue.len && queue.len + WAYS <= queue.nodes.len() {
            for lane in 0..L::STRIDE {
                let slot = Self::slot_of(queue.nodes[queue.done], lane);
                let (owner, fingerprint) = self.owner(slot);
                let other = self.other(owner, fingerprint);
                let from = (queue.done as u32 * L::STRIDE + lane) as u16;
                // A fingerprint can move within its own bucket only if buckets overlap.
                let ways = if L::SLOTS > L::STRIDE { 2 } else { 1 };
                for &to in &[other, owner][..ways] {
                    let empty = lanes.zeros(self.bucket::<W>(to));
                    if empty != W::ZERO {
                        step(1);
                        let target = Self::slot_of(to, lanes.lowest(empty, L::SLOTS));
                        self.shift(queue, from, target, pair);
                        return true;
                    }
                }
                let reached = queue.len;
                queue.push_bucket::<L>(other, from);
                step(u64::from(queue.len > reached));
                if L::SLOTS > L::STRIDE {
                    // The other slot of its bucket; its own is in the queue already.
                    let reached = queue.len;
                    queue.push(2 * owner + 1 - slot, from);
                    step(u64::from(queue.len > reached));
                }
            }
            queue.done += 1;
        }
        false
    }

    /// Moves every fingerprint on the path to `target` by one step, last one first, and puts the
    /// new one in the first slot.
    fn shift(&mut self, queue: &Queue<'_>, from: u16, target: u64, pair: BucketPair) {
        let (mut from, mut target) = (from, target);
        while from != KEY {
            let (at, lane) = (u32::from(from) / L::STRIDE, u32::from(from) % L::STRIDE);
            let slot = Self::slot_of(queue.nodes[at as usize], lane);
            let (owner, fingerprint) = self.owner(slot);
            self.set_fingerprint(target, self.pair_of(owner, fingerprint).swapped());
            (from, target) = (queue.from[at as usize], slot);
        }
        self.set_fingerprint(target, pair);
    }

    /// Puts a fingerprint into a slot of one of its buckets; if the slot is in both, it counts as
    /// one of the first.
    #[inline(always)]
    fn set_fingerprint(&mut self, slot: u64, pair: BucketPair) {
        let lane = slot.wrapping_sub(Self::slot_of(pair.first, 0));
        let in_first = lane < L::SLOTS.into();
        let lane = if in_first { lane } else { slot - Self::slot_of(pair.second, 0) } as u32;
        self.set_slot(slot, self.value(pair.fingerprint, lane));
    }
}
