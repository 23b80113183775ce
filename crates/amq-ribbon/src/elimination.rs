//! Eliminates a shard bucket by bucket, and solves it.
//!
//! Buckets are eliminated from left to right, the keys of a bucket from right to left. In a layer
//! that bumps keys, the first key without room sets the bucket's threshold: the lowest one above
//! its start. All keys below the threshold are bumped. They are last in the bucket's order, so
//! those that have slots can be removed again. In the last layer, a key without room ends the
//! attempt, and another seed is tried.

use crate::banding::{Banding, Equation};
use crate::bucket::Bucket;
use crate::entry::Entry;
use crate::layer::{Columns, Extent, Layer};
use crate::layout;
use crate::memory::room;
use crate::row::{self, BITS, BUCKET, next_layer, seeded};
use crate::shards::{Shard, Sorter, chosen, dedup};
use crate::threshold::{limit, threshold_above};
use alloc::vec::Vec;
use amq_core::BuildError;
use amq_core::internal::reserve;

/// The keys that a shard bumps to the next layer.
#[derive(Debug)]
pub(crate) struct Bumps<E> {
    /// One for each bucket, 0 (bumps nothing) to 3.
    pub(crate) thresholds: Vec<u8>,
    /// The keys, with the next layer's hashes.
    pub(crate) entries: Vec<E>,
}

/// The elimination of one shard.
#[derive(Debug)]
pub(crate) struct Elimination<E> {
    banding: Banding,
    sorter: Sorter<E>,
    bucket: Bucket,
    thresholds: Vec<u8>,
    starts: Starts,
}

impl<E: Entry> Default for Elimination<E> {
    fn default() -> Self {
        Self {
            banding: Banding::default(),
            sorter: Sorter::default(),
            bucket: Bucket::default(),
            thresholds: Vec::new(),
            starts: Starts::default(),
        }
    }
}

impl<E: Entry> Elimination<E> {
    /// Eliminates and solves a shard of a layer that bumps keys.
    #[inline(always)]
    pub(crate) fn bump(
        &mut self,
        layer: &Layer,
        shard: &mut Shard<'_, E>,
        columns: Columns,
    ) -> Result<(), BuildError> {
        self.make_room(shard)?;
        let extent = &shard.extent;
        self.starts = Starts { scale: layer.starts, first: extent.first };
        self.sort(extent, shard.entries.iter().copied())?;
        for bucket in 0..self.thresholds.len() {
            self.eliminate(extent, bucket);
            if let Some(start) = self.bucket.last_without_room() {
                self.bump_from(bucket, start);
            }
        }
        self.solve(layer, shard, columns);
        Ok(())
    }

    /// Eliminates and solves a shard of the last layer, under the first seed that places all its
    /// keys. The layer has `keys` keys. `None`: no seed does, but one may with more slots.
    #[inline(always)]
    pub(crate) fn seed(
        &mut self,
        layer: &Layer,
        shard: &mut Shard<'_, E>,
        columns: Columns,
        keys: u64,
    ) -> Result<Option<u8>, BuildError> {
        self.make_room(shard)?;
        for seed in 0..=u8::MAX {
            if self.have_room(shard, seed)? {
                self.solve(layer, shard, columns);
                return Ok(Some(seed));
            }
            if seed == 0 && is_hopeless(shard, keys)? {
                break;
            }
        }
        Ok(None)
    }

    /// Eliminates a shard of the last layer with this seed. Returns whether all keys have room.
    #[inline(always)]
    fn have_room(&mut self, shard: &Shard<'_, E>, seed: u8) -> Result<bool, BuildError> {
        let extent = &shard.extent;
        self.starts = Starts { scale: extent.starts, first: 0 };
        let seeded = |entry: &E| entry.with_hash(seeded(entry.hash(), seed));
        self.sort(extent, shard.entries.iter().map(seeded))?;
        for bucket in 0..self.thresholds.len() {
            self.eliminate(extent, bucket);
            if self.bucket.last_without_room().is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes room for a shard.
    fn make_room(&mut self, shard: &Shard<'_, E>) -> Result<(), BuildError> {
        let buckets = shard.extent.starts.div_ceil(BUCKET);
        self.banding.make_room(shard.extent.blocks * BITS)?;
        self.sorter.make_room(buckets, shard.entries.len() as u64)?;
        self.thresholds.clear();
        reserve(&mut self.thresholds, buckets)
    }

    /// Sorts the keys into buckets, and empties all slots.
    #[inline(always)]
    fn sort(
        &mut self,
        extent: &Extent,
        entries: impl Iterator<Item = E> + Clone,
    ) -> Result<(), BuildError> {
        let starts = self.starts;
        self.sorter.sort(entries, |entry| starts.of(entry) / BUCKET);
        self.banding.clear();
        self.thresholds.clear();
        let buckets = extent.starts.div_ceil(BUCKET) as usize;
        self.thresholds.resize(buckets, 0);
        let most = (0..buckets).map(|bucket| self.sorter.bucket(bucket).len());
        self.bucket.make_room(most.max().unwrap_or_default())
    }

    #[inline(always)]
    fn eliminate(&mut self, extent: &Extent, bucket: usize) {
        let (starts, first) = (self.starts, bucket as u64 * BUCKET);
        let equation = |&entry: &E| Equation {
            slot: (starts.of(entry) - first) as usize,
            row: row::of(entry.hash()),
            result: entry.result(),
        };
        let keys = self.sorter.bucket(bucket).iter().map(equation);
        let len = (extent.starts - first).min(BUCKET) + BITS - 1;
        let slots = self.banding.slots(first as usize, len as usize);
        self.bucket.eliminate(keys, slots);
    }

    /// Bumps the keys of a bucket below the threshold above `start`.
    fn bump_from(&mut self, bucket: usize, start: u64) {
        let threshold = threshold_above(start, BUCKET);
        self.thresholds[bucket] = threshold;
        let first = bucket * BUCKET as usize;
        for slot in self.bucket.slots_below(limit(threshold, BUCKET)) {
            self.banding.take(first + slot);
        }
    }

    /// Solves an eliminated shard, and writes its solution.
    #[inline(always)]
    fn solve(&self, layer: &Layer, shard: &mut Shard<'_, E>, columns: Columns) {
        let first_block = shard.extent.first_block;
        let start = layer.block(first_block, columns.most).0;
        self.banding.solve(shard.extent.blocks, columns.most as usize, |block, first, solved| {
            let bytes = columns.slot_bytes() as usize;
            if bytes > 0 {
                return layout::put(shard.words, block, first / 8, bytes, solved);
            }
            let (word, columns) = layer.block(first_block + block as u64, columns.most);
            // A short block leaves out the last column.
            let solved = &solved[..solved.len().min(columns - first)];
            shard.words[word - start + first..][..solved.len()].copy_from_slice(solved);
        });
    }

    /// The keys that the eliminated shard bumps from `layer` to the next.
    pub(crate) fn bumps(&mut self, layer: usize) -> Result<Bumps<E>, BuildError> {
        let mut thresholds = room(self.thresholds.len() as u64)?;
        thresholds.extend_from_slice(&self.thresholds);
        let mut entries = room(self.bumped().count() as u64)?;
        let next = |entry: E| entry.with_hash(next_layer(entry.hash(), layer));
        entries.extend(self.bumped().map(next));
        Ok(Bumps { thresholds, entries })
    }

    /// The keys below the thresholds.
    fn bumped(&self) -> impl Iterator<Item = E> {
        let (sorter, starts) = (&self.sorter, self.starts);
        let thresholds = self.thresholds.iter().enumerate();
        let bumping = thresholds.filter(|(_, threshold)| **threshold > 0);
        bumping.flat_map(move |(bucket, &threshold)| {
            let limit = limit(threshold, BUCKET);
            let below = move |entry: &E| starts.of(*entry) % BUCKET < limit;
            sorter.bucket(bucket).iter().copied().filter(below)
        })
    }
}

/// The starts of a shard's keys.
#[derive(Clone, Copy, Default, Debug)]
struct Starts {
    /// The number of starts that hashes are scaled to, and the shard's first one.
    scale: u64,
    first: u64,
}

impl Starts {
    #[inline(always)]
    fn of(self, entry: impl Entry) -> u64 {
        row::start(entry.hash(), self.scale) - self.first
    }
}

/// Whether other seeds are pointless: the shard has more distinct keys than slots, so they must
/// have been chosen. Two results for one hash are an error, which no seed avoids. (A map's values
/// could agree by chance; then its layer is widened unnecessarily.)
#[cold]
fn is_hopeless<E: Entry>(shard: &Shard<'_, E>, keys: u64) -> Result<bool, BuildError> {
    // Without memory for this check, tries the seeds.
    let Ok(mut own) = room(shard.entries.len() as u64) else {
        return Ok(false);
    };
    own.extend_from_slice(shard.entries);
    let distinct = dedup(&mut own);
    let own = &own[..distinct];
    if own.windows(2).any(|pair| pair[0].hash() == pair[1].hash()) {
        return Err(chosen(keys));
    }
    Ok(distinct as u64 > shard.extent.blocks * BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::slots_for;
    use amq_core::KeyHash;
    use std::vec::Vec;

    /// The number of key sets that fail with a shard's first seed.
    fn failures(keys: u64, slots: u64, sets: u64) -> u64 {
        let extent =
            Extent { starts: slots - BITS + 1, blocks: slots.div_ceil(BITS), ..Extent::default() };
        let mut elimination = Elimination::default();
        let fails = |set: &u64| {
            let hashes: Vec<_> = (0..keys).map(|key| KeyHash::of(&key, *set)).collect();
            let shard = Shard { entries: &hashes, words: &mut [], extent };
            elimination.make_room(&shard).unwrap();
            !elimination.have_room(&shard, 0).unwrap()
        };
        (0..sets).filter(fails).count() as u64
    }

    #[test]
    fn one_seed_in_ten_fails_and_many_with_three_percent_less() {
        for keys in [500, 1200, 4000, 15_000] {
            let slots = libm::ceil(slots_for(keys as f64)) as u64;
            let failed = failures(keys, slots, 200);
            assert!((1..=40).contains(&failed), "{keys} keys: {failed} of 200");
            let failed = failures(keys, slots - keys * 3 / 100, 200);
            assert!(failed >= 60, "{keys} keys and less room: {failed}");
        }
    }
}
