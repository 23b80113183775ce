//! The elimination of shards, several at a time.
//!
//! Each step of an elimination waits for the one before, and most of the time nothing else can be done. So the shards are worked on several at
//! a time, in *lanes*, one step of each in turn: while one waits the others go on.
//!
//! The buckets of a shard are eliminated from left to right, and the keys of a bucket from right to left. In a layer that has fewer slots than keys,
//! and passes on those for which there is no room, the bucket's threshold is raised at the first such key above where it starts, and all keys below the threshold
//! are passed on. Those that had been put in are the last ones that were, so they can be taken out again. In the last layer such a key is the end of it: another
//! seed must be tried.

use crate::banding::Banding;
use crate::entry::Entry;
use crate::shape::{Layer, Part};
use crate::shards::{Sorter, reserve};
use crate::system::{class_above, limit, next_layer};
use crate::width::{self, Row, seeded};
use alloc::vec::Vec;
use amq_core::BuildError;

/// Shards that are worked on at a time: as many as the processor can keep going. Measured: one at a time took half as long again for
/// each key, and eight were no quicker.
pub(crate) const LANES: usize = 4;

/// What a shard passes on.
#[derive(Debug)]
pub(crate) struct PassedOn<E> {
    /// One for each bucket, from zero, which passes nothing on, to three.
    pub(crate) thresholds: Vec<u8>,
    /// The keys, as the next layer knows them.
    pub(crate) entries: Vec<E>,
    /// How many keys it kept.
    pub(crate) kept: u64,
}

/// Where an elimination is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Working,
    Done,
    /// There was no room for a key, and none can be passed on.
    Failed,
}

/// The elimination of one shard.
#[derive(Debug)]
pub(crate) struct Lane<W, E> {
    pub(crate) banding: Banding<W>,
    sorter: Sorter<E>,
    thresholds: Vec<u8>,
    /// Of the sorted keys those that are passed on, range by range.
    bumped: Vec<(u32, u32)>,
    /// Where the keys of the current bucket start in it, and the slots they went to.
    placed: Vec<(u32, u32)>,
    /// Whether keys are passed on.
    bumps: bool,
    /// What hashes are scaled to, and the shard's share of that begins with.
    scale: u64,
    first: u64,
    /// How many buckets the shard has.
    buckets: usize,
    bucket: usize,
    /// The bucket's keys among the sorted ones, and the current one.
    begin: usize,
    end: usize,
    at: usize,
    /// What the current key's equation has become, and at which slot it is.
    slot: usize,
    row: W,
    result: u32,
    state: State,
}

impl<W: Row, E: Entry> Lane<W, E> {
    /// For shards of this layer with at most so many entries.
    pub(crate) fn new(layer: &Layer, largest: u64) -> Result<Self, BuildError> {
        // The first shard is as large as any.
        let part = layer.part::<W>(0);
        let buckets = part.starts.div_ceil(W::BUCKET);
        Ok(Self {
            banding: Banding::new(part.blocks * W::BITS)?,
            sorter: Sorter::new(buckets * W::BUCKET, largest)?,
            thresholds: amq_core::zeroed(buckets)?,
            bumped: room(buckets)?,
            placed: room(largest)?,
            bumps: false,
            scale: 0,
            first: 0,
            buckets: 0,
            bucket: 0,
            begin: 0,
            end: 0,
            at: 0,
            slot: 0,
            row: W::ZERO,
            result: 0,
            state: State::Done,
        })
    }

    /// Where in the shard a key starts.
    #[inline(always)]
    fn start(&self, entry: E) -> u64 {
        width::start(entry.hash(), self.scale) - self.first
    }

    /// Begins with a shard of a layer that passes keys on.
    #[inline(always)]
    pub(crate) fn begin_bumping(&mut self, layer: &Layer, part: &Part, entries: &[E]) {
        (self.bumps, self.scale, self.first) = (true, layer.starts, part.first);
        self.begin(part, entries.iter().copied());
    }

    /// Begins with a shard of the last layer, and a seed.
    #[inline(always)]
    pub(crate) fn begin_last(&mut self, part: &Part, entries: &[E], seed: u8) {
        (self.bumps, self.scale, self.first) = (false, part.starts, 0);
        let seeded = |entry: &E| entry.with_hash(seeded(entry.hash(), seed));
        self.begin(part, entries.iter().map(seeded));
    }

    /// Sorts, and takes up the first key.
    #[inline(always)]
    fn begin(&mut self, part: &Part, entries: impl Iterator<Item = E> + Clone) {
        let (scale, first) = (self.scale, self.first);
        let start = |entry: E| width::start(entry.hash(), scale) - first;
        // Buckets from left to right, the keys of each from right to left.
        self.sorter
            .sort(entries, |entry| start(entry) ^ (W::BUCKET - 1));
        self.banding.clear();
        self.thresholds.fill(0);
        self.bumped.clear();
        self.placed.clear();
        self.buckets = part.starts.div_ceil(W::BUCKET) as usize;
        (self.bucket, self.begin, self.at) = (0, 0, 0);
        self.end = self.sorter.end(0, W::BUCKET);
        self.state = State::Working;
        self.take_up();
    }

    /// What the shard that it worked on last passes on to the layer after this one.
    pub(crate) fn passed_on(&mut self, layer: usize) -> Result<PassedOn<E>, BuildError> {
        let mut thresholds = room(self.buckets as u64)?;
        thresholds.extend_from_slice(&self.thresholds[..self.buckets]);
        let keys = self
            .bumped
            .iter()
            .map(|(begin, end)| u64::from(end - begin));
        let mut entries = room(keys.sum())?;
        for &(begin, end) in &self.bumped {
            let keys = &self.sorter.sorted()[begin as usize..end as usize];
            let next = |entry: &E| entry.with_hash(next_layer(entry.hash(), layer));
            entries.extend(keys.iter().map(next));
        }
        let kept = (self.sorter.sorted().len() - entries.len()) as u64;
        Ok(PassedOn {
            thresholds,
            entries,
            kept,
        })
    }

    /// Takes up the current key, or the first one of the next bucket that has any.
    #[inline(always)]
    fn take_up(&mut self) {
        while self.at == self.end {
            self.bucket += 1;
            if self.bucket == self.buckets {
                self.state = State::Done;
                return;
            }
            self.begin = self.end;
            self.end = self.sorter.end(self.bucket, W::BUCKET);
            self.placed.clear();
        }
        let entry = self.sorter.sorted()[self.at];
        self.slot = self.start(entry) as usize;
        self.row = W::of(entry.hash());
        self.result = entry.result();
    }

    #[inline(always)]
    fn is_working(&self) -> bool {
        self.state == State::Working
    }

    /// One step of the current key's elimination.
    #[inline(always)]
    fn step(&mut self) {
        let (row, result) = self.banding.at(self.slot);
        if row == W::ZERO {
            self.banding.put(self.slot, self.row, self.result);
            let start = self.start(self.sorter.sorted()[self.at]);
            self.placed
                .push(((start % W::BUCKET) as u32, self.slot as u32));
            self.at += 1;
            return self.take_up();
        }
        self.row ^= row;
        self.result ^= result;
        if self.row == W::ZERO {
            return self.vanished();
        }
        let first = self.row.first();
        self.row = self.row.down(first);
        self.slot += first as usize;
    }

    /// The current key's equation follows from others, or contradicts them: then there is no room for it.
    #[cold]
    fn vanished(&mut self) {
        if self.result != 0 {
            if !self.bumps {
                self.state = State::Failed;
                return;
            }
            self.pass_on();
        }
        self.at += 1;
        self.take_up();
    }

    /// Passes on the current key and those of its bucket that start no later, or in its class. The last of them is the current one, then.
    fn pass_on(&mut self) {
        let keys = &self.sorter.sorted()[self.begin..self.end];
        let (scale, first) = (self.scale, self.first);
        let offset = |entry: E| (width::start(entry.hash(), scale) - first) % W::BUCKET;
        let threshold = class_above(offset(keys[self.at - self.begin]), W::BUCKET);
        let limit = limit(threshold, W::BUCKET);
        let stay = self
            .placed
            .partition_point(|&(offset, _)| u64::from(offset) >= limit);
        for (_, slot) in self.placed.drain(stay..) {
            self.banding.put(slot as usize, W::ZERO, 0);
        }
        let stay = keys.partition_point(|&entry| offset(entry) >= limit);
        // One range a bucket at most: there is room for it.
        self.bumped
            .push(((self.begin + stay) as u32, self.end as u32));
        self.thresholds[self.bucket] = threshold;
        self.at = self.end - 1;
    }
}

/// An empty list with room for so many.
fn room<T>(items: u64) -> Result<Vec<T>, BuildError> {
    let mut list = Vec::new();
    reserve(&mut list, items)?;
    Ok(list)
}

/// Goes on with all lanes in turn until the last one is done. One that has failed is handed to `retry`, with its number, which begins again, or says `false`.
/// Whether all are done in the end, and none has failed.
#[inline(always)]
pub(crate) fn eliminate<W: Row, E: Entry>(
    lanes: &mut [Lane<W, E>],
    mut retry: impl FnMut(usize, &mut Lane<W, E>) -> bool,
) -> bool {
    let mut again = true;
    while again {
        until_one_stops(lanes);
        again = false;
        for (i, lane) in lanes.iter_mut().enumerate() {
            again |= lane.state == State::Failed && retry(i, lane);
        }
    }
    let mut done = true;
    for (i, lane) in lanes.iter_mut().enumerate() {
        while lane.is_working() {
            while lane.is_working() {
                lane.step();
            }
            if lane.state == State::Failed {
                retry(i, lane);
            }
        }
        done &= lane.state == State::Done;
    }
    done
}

/// One step of each in turn.
#[inline(always)]
fn until_one_stops<W: Row, E: Entry>(lanes: &mut [Lane<W, E>]) {
    // Written out, so that the compiler sees how many there are.
    match lanes {
        [a, b, c, d] => {
            while a.is_working() && b.is_working() && c.is_working() && d.is_working() {
                a.step();
                b.step();
                c.step();
                d.step();
            }
        }
        [a, b, c] => {
            while a.is_working() && b.is_working() && c.is_working() {
                a.step();
                b.step();
                c.step();
            }
        }
        [a, b] => {
            while a.is_working() && b.is_working() {
                a.step();
                b.step();
            }
        }
        _ => {}
    }
}
