//! The elimination of shards, several in lockstep.
//!
//! Each step of an elimination depends on the step before, so one alone leaves the processor idle.
//! Several shards take turns, one step each: while one waits the others go on.
//!
//! A shard's buckets are eliminated from left to right, the keys of a bucket from right to left. In
//! a layer that bumps keys, the first key without room sets the bucket's threshold: the lowest
//! above its start. All keys below the threshold are bumped. Those of them with a slot came last,
//! so they can be taken out again. In the last layer a key without room ends the attempt; another
//! seed must be tried.

use crate::banding::{Banding, Equation};
use crate::entry::Entry;
use crate::layer::{Extent, Layer};
use crate::memory::{at_least, room};
use crate::row::{self, Row, next_layer, seeded};
use crate::shards::Sorter;
use crate::sizing::LOCKSTEP;
use crate::threshold::{limit, threshold_above};
use alloc::vec::Vec;
use amq_core::{BuildError, reserve};

/// Instead of a slot, for a redundant key.
const NOWHERE: u32 = u32::MAX;

/// What a shard bumps to the next layer.
#[derive(Debug)]
pub(crate) struct Bumps<E> {
    /// One for each bucket: 0, which bumps nothing, to 3.
    pub(crate) thresholds: Vec<u8>,
    /// The keys, with the next layer's hashes.
    pub(crate) entries: Vec<E>,
    /// How many keys the shard kept.
    pub(crate) kept: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Working,
    Done,
    /// A key has no room and cannot be bumped.
    Failed,
}

/// The elimination of one shard.
#[derive(Debug)]
pub(crate) struct Elimination<W, E> {
    pub(crate) banding: Banding<W>,
    sorter: Sorter<E>,
    thresholds: Vec<u8>,
    /// Ranges of the sorted keys that are bumped.
    bumped: Vec<(u32, u32)>,
    /// The slots of the current bucket's keys, [`NOWHERE`] for redundant ones.
    placed: Vec<u32>,
    /// Whether keys may be bumped.
    bumps: bool,
    /// The number of starts that hashes are scaled to, and the first one that is the shard's.
    scale: u64,
    first: u64,
    /// Buckets of the shard, and the current one.
    buckets: usize,
    bucket: usize,
    /// The current bucket's range of the sorted keys, and the current key.
    begin: usize,
    end: usize,
    at: usize,
    /// The current key's equation, as far as it is reduced.
    equation: Equation<W>,
    state: State,
}

impl<W: Row, E: Entry> Elimination<W, E> {
    /// Of no shard, and without room for any.
    pub(crate) fn new() -> Self {
        Self {
            banding: Banding::default(),
            sorter: Sorter::default(),
            thresholds: Vec::new(),
            bumped: Vec::new(),
            placed: Vec::new(),
            bumps: false,
            scale: 0,
            first: 0,
            buckets: 0,
            bucket: 0,
            begin: 0,
            end: 0,
            at: 0,
            equation: Equation::default(),
            state: State::Done,
        }
    }

    /// Makes room for a shard with this many entries.
    pub(crate) fn make_room(&mut self, extent: &Extent, entries: usize) -> Result<(), BuildError> {
        let buckets = extent.starts.div_ceil(W::BUCKET);
        self.banding.make_room(extent.blocks * W::BITS)?;
        self.sorter.make_room(buckets * W::BUCKET, entries as u64)?;
        at_least(&mut self.thresholds, buckets)?;
        self.bumped.clear();
        reserve(&mut self.bumped, buckets)?;
        // One bucket may have all of them.
        self.placed.clear();
        reserve(&mut self.placed, entries as u64)
    }

    /// A key's start within the shard.
    #[inline(always)]
    fn start(&self, entry: E) -> u64 {
        row::start(entry.hash(), self.scale) - self.first
    }

    /// Begins a shard of a layer that bumps keys.
    #[inline(always)]
    pub(crate) fn begin_bumping(&mut self, layer: &Layer, extent: &Extent, entries: &[E]) {
        (self.bumps, self.scale, self.first) = (true, layer.starts, extent.first);
        self.begin(extent, entries.iter().copied());
    }

    /// Begins a shard of the last layer, with one of its seeds.
    #[inline(always)]
    pub(crate) fn begin_last(&mut self, extent: &Extent, entries: &[E], seed: u8) {
        (self.bumps, self.scale, self.first) = (false, extent.starts, 0);
        let seeded = |entry: &E| entry.with_hash(seeded(entry.hash(), seed));
        self.begin(extent, entries.iter().map(seeded));
    }

    /// Sorts the keys and takes up the first.
    #[inline(always)]
    fn begin(&mut self, extent: &Extent, entries: impl Iterator<Item = E> + Clone) {
        let (scale, first) = (self.scale, self.first);
        let start = |entry: E| row::start(entry.hash(), scale) - first;
        // Buckets from left to right, the keys of each from right to left.
        self.sorter
            .sort(entries, |entry| start(entry) ^ (W::BUCKET - 1));
        self.banding.clear();
        self.thresholds.fill(0);
        self.bumped.clear();
        self.placed.clear();
        self.buckets = extent.starts.div_ceil(W::BUCKET) as usize;
        (self.bucket, self.begin, self.at) = (0, 0, 0);
        self.end = self.sorter.end(0, W::BUCKET);
        self.state = State::Working;
        self.equation = self.next();
    }

    /// What the shard, which is done, bumps from `layer` to the next.
    pub(crate) fn bumps(&mut self, layer: usize) -> Result<Bumps<E>, BuildError> {
        let mut thresholds = room(self.buckets as u64)?;
        thresholds.extend_from_slice(&self.thresholds[..self.buckets]);
        let ranges = self.bumped.iter();
        let keys = ranges.map(|(begin, end)| u64::from(end - begin));
        let mut entries = room(keys.sum())?;
        for &(begin, end) in &self.bumped {
            let keys = &self.sorter.sorted()[begin as usize..end as usize];
            let next = |entry: &E| entry.with_hash(next_layer(entry.hash(), layer));
            entries.extend(keys.iter().map(next));
        }
        let kept = (self.sorter.sorted().len() - entries.len()) as u64;
        Ok(Bumps {
            thresholds,
            entries,
            kept,
        })
    }

    /// The equation of the current key, or of the first in the next bucket that has any.
    fn next(&mut self) -> Equation<W> {
        while self.at == self.end {
            self.bucket += 1;
            if self.bucket == self.buckets {
                self.state = State::Done;
                return Equation::default();
            }
            self.placed.clear();
            self.begin = self.end;
            self.end = self.sorter.end(self.bucket, W::BUCKET);
        }
        self.take_up()
    }

    /// The equation of the current key.
    #[inline(always)]
    fn take_up(&self) -> Equation<W> {
        let entry = self.sorter.sorted()[self.at];
        Equation {
            slot: self.start(entry) as usize,
            row: W::of(entry.hash()),
            result: entry.result(),
        }
    }

    #[inline(always)]
    fn is_working(&self) -> bool {
        self.state == State::Working
    }

    /// Takes one step, and takes up the next key if that ended the current one. `false`: no key is
    /// left, or one has no room.
    #[inline(always)]
    fn turn(&mut self, equation: &mut Equation<W>) -> bool {
        if self.banding.reduce(equation) {
            return true;
        }
        *equation = self.settle(*equation);
        self.is_working()
    }

    /// Settles the current key, whose equation is reduced, and takes up the next.
    #[inline(always)]
    fn settle(&mut self, equation: Equation<W>) -> Equation<W> {
        // The usual case: the key has room, and its bucket has more keys.
        if equation.row == W::ZERO || self.at + 1 == self.end {
            return self.settle_otherwise(equation);
        }
        self.put(equation);
        self.take_up()
    }

    #[inline(never)]
    fn settle_otherwise(&mut self, equation: Equation<W>) -> Equation<W> {
        if equation.row != W::ZERO {
            self.put(equation);
        } else if equation.result == 0 {
            // Redundant.
            self.placed.push(NOWHERE);
            self.at += 1;
        } else if self.bumps {
            self.bump();
        } else {
            self.state = State::Failed;
            return equation;
        }
        self.next()
    }

    /// Puts the current key's equation into its slot.
    #[inline(always)]
    fn put(&mut self, equation: Equation<W>) {
        self.placed.push(equation.slot as u32);
        self.banding.put(equation);
        self.at += 1;
    }

    /// Bumps the current key and all others of its bucket below the threshold; the bucket is done.
    fn bump(&mut self) {
        let keys = &self.sorter.sorted()[self.begin..self.end];
        let (scale, first) = (self.scale, self.first);
        let offset = |entry: E| (row::start(entry.hash(), scale) - first) % W::BUCKET;
        let threshold = threshold_above(offset(keys[self.at - self.begin]), W::BUCKET);
        let limit = limit(threshold, W::BUCKET);
        let stay = keys.partition_point(|&entry| offset(entry) >= limit);
        for slot in self.placed.drain(stay..) {
            if slot != NOWHERE {
                self.banding.take(slot as usize);
            }
        }
        // At most one range a bucket: there is room for it.
        self.bumped
            .push(((self.begin + stay) as u32, self.end as u32));
        self.thresholds[self.bucket] = threshold;
        self.at = self.end;
    }
}

/// Runs all eliminations in turns until the last is done.
///
/// Calls `retry` with the index of one that failed: it begins that one again, or returns `false`,
/// which ends them all. Returns whether all are done.
#[inline(always)]
pub(crate) fn eliminate<W: Row, E: Entry>(
    eliminations: &mut [Elimination<W, E>],
    mut retry: impl FnMut(usize, &mut Elimination<W, E>) -> bool,
) -> bool {
    while until_one_stops(eliminations) {
        for (i, elimination) in eliminations.iter_mut().enumerate() {
            if elimination.state == State::Failed && !retry(i, elimination) {
                return false;
            }
        }
    }
    true
}

/// Takes one step of each working elimination in turn until one stops. Returns whether any worked.
#[inline(always)]
fn until_one_stops<W: Row, E: Entry>(eliminations: &mut [Elimination<W, E>]) -> bool {
    let mut working = eliminations.iter_mut().filter(|one| one.is_working());
    // Written out to keep the equations in registers.
    match [(); LOCKSTEP].map(|()| working.next()) {
        [Some(a), Some(b), Some(c), Some(d)] => {
            let (mut of_a, mut of_b) = (a.equation, b.equation);
            let (mut of_c, mut of_d) = (c.equation, d.equation);
            while a.turn(&mut of_a) & b.turn(&mut of_b) & c.turn(&mut of_c) & d.turn(&mut of_d) {}
            (a.equation, b.equation) = (of_a, of_b);
            (c.equation, d.equation) = (of_c, of_d);
        }
        [Some(a), Some(b), Some(c), None] => {
            let (mut of_a, mut of_b, mut of_c) = (a.equation, b.equation, c.equation);
            while a.turn(&mut of_a) & b.turn(&mut of_b) & c.turn(&mut of_c) {}
            (a.equation, b.equation, c.equation) = (of_a, of_b, of_c);
        }
        [Some(a), Some(b), None, None] => {
            let (mut of_a, mut of_b) = (a.equation, b.equation);
            while a.turn(&mut of_a) & b.turn(&mut of_b) {}
            (a.equation, b.equation) = (of_a, of_b);
        }
        [Some(a), None, None, None] => {
            let mut of_a = a.equation;
            while a.turn(&mut of_a) {}
            a.equation = of_a;
        }
        _ => return false,
    }
    true
}
