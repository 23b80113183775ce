//! The elimination of a shard, bucket by bucket.
//!
//! A shard's buckets are eliminated from left to right, the keys of a bucket from right to left. In
//! a layer that bumps keys, the first key without room sets the bucket's threshold: the lowest
//! above its start. All keys below the threshold are bumped. They come last in the bucket's order,
//! so those of them that have slots can be taken out again. In the last layer a key without room
//! ends the attempt; another seed must be tried.

use crate::banding::{Banding, Equation};
use crate::bucket::Bucket;
use crate::entry::Entry;
use crate::layer::{Extent, Layer};
use crate::memory::room;
use crate::row::{self, Row, next_layer, seeded};
use crate::shards::Sorter;
use crate::threshold::{limit, threshold_above};
use alloc::vec::Vec;
use amq_core::{BuildError, reserve};
use core::ops::Range;

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

/// The elimination of one shard.
#[derive(Debug)]
pub(crate) struct Elimination<W, E> {
    pub(crate) banding: Banding<W>,
    sorter: Sorter<E>,
    bucket: Bucket,
    thresholds: Vec<u8>,
    /// Ranges of the sorted keys that are bumped.
    bumped: Vec<(u32, u32)>,
}

impl<W: Row, E: Entry> Default for Elimination<W, E> {
    fn default() -> Self {
        Self {
            banding: Banding::default(),
            sorter: Sorter::default(),
            bucket: Bucket::default(),
            thresholds: Vec::new(),
            bumped: Vec::new(),
        }
    }
}

impl<W: Row, E: Entry> Elimination<W, E> {
    /// Makes room for a shard with this many entries.
    pub(crate) fn make_room(&mut self, extent: &Extent, entries: usize) -> Result<(), BuildError> {
        let buckets = extent.starts.div_ceil(W::BUCKET);
        self.banding.make_room(extent.blocks * W::BITS)?;
        self.sorter.make_room(buckets * W::BUCKET, entries as u64)?;
        self.thresholds.clear();
        reserve(&mut self.thresholds, buckets)?;
        self.bumped.clear();
        reserve(&mut self.bumped, buckets)
    }

    /// Eliminates a shard of a layer that bumps keys.
    #[inline(always)]
    pub(crate) fn bump(
        &mut self,
        layer: &Layer,
        extent: &Extent,
        entries: &[E],
    ) -> Result<(), BuildError> {
        let starts = Starts {
            scale: layer.starts,
            first: extent.first,
        };
        self.sort(extent, starts, entries.iter().copied())?;
        let mut begin = 0;
        for bucket in 0..self.thresholds.len() {
            let end = self.eliminate(extent, starts, bucket, begin);
            if let Some(start) = self.bucket.last_without_room() {
                self.bump_from(starts, bucket, begin..end, start);
            }
            begin = end;
        }
        Ok(())
    }

    /// Eliminates a shard of the last layer, with one of its seeds. Returns whether all keys have
    /// room.
    #[inline(always)]
    pub(crate) fn seed(
        &mut self,
        extent: &Extent,
        entries: &[E],
        seed: u8,
    ) -> Result<bool, BuildError> {
        let starts = Starts {
            scale: extent.starts,
            first: 0,
        };
        let seeded = |entry: &E| entry.with_hash(seeded(entry.hash(), seed));
        self.sort(extent, starts, entries.iter().map(seeded))?;
        let mut begin = 0;
        for bucket in 0..self.thresholds.len() {
            begin = self.eliminate(extent, starts, bucket, begin);
            if self.bucket.last_without_room().is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Sorts the keys: buckets from left to right, the keys of each from right to left.
    #[inline(always)]
    fn sort(
        &mut self,
        extent: &Extent,
        starts: Starts,
        entries: impl Iterator<Item = E> + Clone,
    ) -> Result<(), BuildError> {
        let number = |entry| starts.of(entry) ^ (W::BUCKET - 1);
        self.sorter.sort(entries, number);
        self.banding.clear();
        self.bumped.clear();
        self.thresholds.clear();
        let buckets = extent.starts.div_ceil(W::BUCKET) as usize;
        self.thresholds.resize(buckets, 0);
        let mut begin = 0;
        for bucket in 0..buckets {
            let end = self.sorter.end(bucket, W::BUCKET);
            self.bucket.make_room::<W>(end - begin)?;
            begin = end;
        }
        Ok(())
    }

    /// Eliminates a bucket, whose sorted keys begin at `begin`. Returns their end.
    #[inline(always)]
    fn eliminate(&mut self, extent: &Extent, starts: Starts, bucket: usize, begin: usize) -> usize {
        let end = self.sorter.end(bucket, W::BUCKET);
        let first = bucket as u64 * W::BUCKET;
        let equation = |&entry: &E| Equation {
            slot: (starts.of(entry) - first) as usize,
            row: W::of(entry.hash()),
            result: entry.result(),
        };
        let keys = self.sorter.sorted()[begin..end].iter().rev();
        let len = (extent.starts - first).min(W::BUCKET) + W::BITS - 1;
        let slots = self.banding.slots(first as usize, len as usize);
        // Those that start later come before in order.
        let later = self.sorter.begins(bucket, W::BUCKET).iter().rev();
        let later = later.map(|&at| at as usize - begin);
        self.bucket.eliminate(keys.map(equation), later, slots);
        end
    }

    /// Bumps the keys of a bucket below the threshold above `start`.
    fn bump_from(&mut self, starts: Starts, bucket: usize, keys: Range<usize>, start: u64) {
        let threshold = threshold_above(start, W::BUCKET);
        let limit = limit(threshold, W::BUCKET);
        let first = bucket as u64 * W::BUCKET;
        for slot in self.bucket.slots_below(limit) {
            self.banding.take(first as usize + slot);
        }
        let stays = |&entry: &E| starts.of(entry) - first >= limit;
        let stay = self.sorter.sorted()[keys.clone()].partition_point(stays);
        // At most one range a bucket: there is room for it.
        self.bumped
            .push(((keys.start + stay) as u32, keys.end as u32));
        self.thresholds[bucket] = threshold;
    }

    /// What the shard, which is eliminated, bumps from `layer` to the next.
    pub(crate) fn bumps(&mut self, layer: usize) -> Result<Bumps<E>, BuildError> {
        let mut thresholds = room(self.thresholds.len() as u64)?;
        thresholds.extend_from_slice(&self.thresholds);
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
}

/// Where keys start within a shard.
#[derive(Clone, Copy)]
struct Starts {
    /// The number of starts that hashes are scaled to, and the first one that is the shard's.
    scale: u64,
    first: u64,
}

impl Starts {
    #[inline(always)]
    fn of(self, entry: impl Entry) -> u64 {
        row::start(entry.hash(), self.scale) - self.first
    }
}
