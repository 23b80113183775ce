//! Layers that have fewer slots than keys, and pass on those for which there is no room.
//!
//! The buckets of a shard are eliminated from left to right, and the keys of a bucket from right to left. At the first key without room the bucket's threshold is
//! raised above that key's start, and all keys below it are passed on. Those that had been put in are the last ones that were, so
//! they can be taken out again.
//!
//! Each step of an elimination waits for the one before, and most of the time nothing else can be done. So the shards are worked on several at
//! a time, in *lanes*, one step of each in turn: while one waits the others go on.

use crate::banding::Banding;
use crate::entry::Entry;
use crate::shape::Layer;
use crate::shards::{Sorter, reserve};
use crate::system::{class_above, limit, next_layer};
use crate::width::Row;
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

/// The elimination of one shard.
#[derive(Debug)]
pub(crate) struct Lane<W, E> {
    layer: Layer,
    /// The layer's number.
    number: usize,
    pub(crate) banding: Banding<W>,
    sorter: Sorter<E>,
    thresholds: Vec<u8>,
    /// Of the sorted keys those that are passed on, range by range.
    bumped: Vec<(u32, u32)>,
    /// Where the keys of the current bucket start in it, and the slots they went to.
    placed: Vec<(u32, u32)>,
    bucket: usize,
    /// The bucket's keys among the sorted ones, and the current one.
    begin: usize,
    end: usize,
    at: usize,
    /// What the current key's equation has become, and at which slot it is.
    slot: usize,
    row: W,
    result: u32,
    working: bool,
}

impl<W: Row, E: Entry> Lane<W, E> {
    pub(crate) fn new(layer: &Layer, number: usize, largest: u64) -> Result<Self, BuildError> {
        Ok(Self {
            layer: *layer,
            number,
            banding: Banding::new(layer.slots)?,
            sorter: Sorter::new::<W>(layer, largest)?,
            thresholds: amq_core::zeroed(layer.buckets)?,
            bumped: room(layer.buckets)?,
            placed: room(largest)?,
            bucket: 0,
            begin: 0,
            end: 0,
            at: 0,
            slot: 0,
            row: W::ZERO,
            result: 0,
            working: false,
        })
    }

    #[inline(always)]
    fn start(&self, entry: E) -> u64 {
        self.layer.start(entry.hash()).1
    }

    /// Begins with a shard: sorts, and takes up the first key.
    #[inline(always)]
    pub(crate) fn begin(&mut self, entries: &[E]) {
        let layer = self.layer;
        let start = |entry: E| layer.start(entry.hash()).1;
        // Buckets from left to right, the keys of each from right to left.
        self.sorter
            .sort(entries, |entry| start(entry) ^ (W::BUCKET - 1));
        self.banding.clear();
        self.thresholds.fill(0);
        self.bumped.clear();
        self.placed.clear();
        (self.bucket, self.begin, self.at) = (0, 0, 0);
        self.end = self.sorter.end(0, W::BUCKET);
        self.working = true;
        self.take_up();
    }

    /// What the shard that it worked on last passes on.
    pub(crate) fn passed_on(&mut self) -> Result<PassedOn<E>, BuildError> {
        let mut thresholds = room(self.layer.buckets)?;
        thresholds.extend_from_slice(&self.thresholds);
        let keys = self
            .bumped
            .iter()
            .map(|(begin, end)| u64::from(end - begin));
        let mut entries = room(keys.sum())?;
        for &(begin, end) in &self.bumped {
            let keys = &self.sorter.sorted()[begin as usize..end as usize];
            let next = |entry: &E| entry.with_hash(next_layer(entry.hash(), self.number));
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
            if self.bucket == self.thresholds.len() {
                self.working = false;
                return;
            }
            self.begin = self.end;
            self.end = self.sorter.end(self.bucket, W::BUCKET);
            self.placed.clear();
        }
        let entry = self.sorter.sorted()[self.at];
        self.slot = self.start(entry) as usize;
        self.row = W::of(entry.hash());
        self.result = entry.result(entry.hash());
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
            let keys = &self.sorter.sorted()[self.begin..self.end];
            let offset = |entry: E| self.layer.start(entry.hash()).1 % W::BUCKET;
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
        self.at += 1;
        self.take_up();
    }
}

/// An empty list with room for so many.
fn room<T>(items: u64) -> Result<Vec<T>, BuildError> {
    let mut list = Vec::new();
    reserve(&mut list, items)?;
    Ok(list)
}

/// Goes on with all lanes in turn until the last one is done.
#[inline(always)]
pub(crate) fn eliminate<W: Row, E: Entry>(lanes: &mut [Lane<W, E>]) {
    // Written out, so that the compiler sees how many there are.
    match lanes {
        [a, b, c, d] => {
            while a.working && b.working && c.working && d.working {
                a.step();
                b.step();
                c.step();
                d.step();
            }
        }
        [a, b, c] => {
            while a.working && b.working && c.working {
                a.step();
                b.step();
                c.step();
            }
        }
        [a, b] => {
            while a.working && b.working {
                a.step();
                b.step();
            }
        }
        _ => {}
    }
    for lane in lanes {
        while lane.working {
            lane.step();
        }
    }
}
