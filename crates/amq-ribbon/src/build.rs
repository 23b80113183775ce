//! Building: keys are sorted by where their rows begin, shard by shard, so that elimination streams through memory.
//!
//! ```text
//!   keys -> counted by shard -> put into their shards -> each shard: sorted by start, eliminated, solved, written
//!                                                          |
//!                                                          `-> keys for which there was no room -> next layer
//! ```
//!
//! Shards do not depend on each other. A shard of a layer that passes keys on has fewer slots than keys, so that hardly any slot stays empty. Its buckets
//! are eliminated from left to right, and the keys of a bucket from right to left; at the first key without room the bucket's threshold is raised above
//! that key's start, and all keys below it are passed on. Those that had been put in are the last ones that were, so they can be taken out again.
//!
//! Dillinger, Hübschle-Schneider, Sanders, Walzer, *Fast succinct retrieval and approximate membership using ribbon* (2022), section 4.

use crate::banding::{Added, Banding};
use crate::entry::{Entry, Source};
use crate::shape::{Columns, Layer, MAX_LAYERS, Shape, passes_on};
use crate::system::{System, class_above, limit, next_layer, seeded};
use crate::width::{self, Row};
use crate::{Kind, RibbonParams, simd};
use alloc::vec::Vec;
use amq_core::index::index_and_rest;
use amq_core::{BuildError, zeroed};

/// Seeds tried for a shard of the last layer.
const SEEDS: u32 = 256;
/// How often the last layer is made larger when no seed was good: each time by a tenth.
const WIDENINGS: u64 = 4;

/// What is needed to work on a shard, kept for the next one.
struct Scratch<W, E> {
    banding: Banding<W>,
    /// By start position, where the next key of that start goes.
    next: Vec<u32>,
    sorted: Vec<E>,
    /// The slots that keys of the current bucket went to, and where in the bucket they start.
    placed: Vec<(u32, u32)>,
}

/// One shard's own part of everything.
struct Shard<'a, W, E> {
    entries: &'a [E],
    words: &'a mut [W],
    first_block: u64,
}

impl<K: Kind> System<K> {
    /// Solves for all entries of a source.
    pub(crate) fn build<E: Entry>(
        source: &(impl Source<E> + ?Sized),
        columns: Columns,
    ) -> Result<Self, BuildError> {
        let mut keys = [0; MAX_LAYERS];
        let mut building = Building {
            columns,
            words: Vec::new(),
            thresholds: Vec::new(),
            seeds: Vec::new(),
        };
        keys[0] = source.len();
        if keys[0] > 0 {
            let mut left = building.layer::<K, E>(source, &mut keys, 0)?;
            let mut i = 1;
            while let Some(entries) = left {
                keys[i] = entries.len() as u64;
                left = building.layer::<K, E>(entries.as_slice(), &mut keys, i)?;
                i += 1;
            }
        }
        building.finish(keys)
    }
}

/// What has been built so far.
struct Building<W> {
    columns: Columns,
    words: Vec<W>,
    /// One for each bucket.
    thresholds: Vec<u8>,
    seeds: Vec<u8>,
}

impl<W: Row> Building<W> {
    /// Builds a layer. The keys that it passes on, or none if it was the last.
    fn layer<K: Kind<Row = W>, E: Entry>(
        &mut self,
        source: &(impl Source<E> + ?Sized),
        keys: &mut [u64; MAX_LAYERS],
        i: usize,
    ) -> Result<Option<Vec<E>>, BuildError> {
        let items = keys[i];
        if passes_on::<K>(i, items) {
            let layer = Shape::new::<K>(keys, self.columns).layers()[i];
            return self.bumping_layer(source, &layer, i).map(Some);
        }
        for widened in 0..WIDENINGS {
            keys[i] = items + items.div_ceil(10) * widened;
            let layer = Shape::new::<K>(keys, self.columns).layers()[i];
            if self.last_layer(source, &layer)? {
                return Ok(None);
            }
        }
        Err(BuildError::Exhausted {
            attempts: SEEDS * WIDENINGS as u32,
            items,
        })
    }

    fn bumping_layer<E: Entry>(
        &mut self,
        source: &(impl Source<E> + ?Sized),
        layer: &Layer,
        i: usize,
    ) -> Result<Vec<E>, BuildError> {
        let (entries, ends) = partition(source, layer.shards)?;
        let mut scratch = Scratch::new(layer, &ends)?;
        let buckets = layer.buckets as usize;
        let first = self.thresholds.len();
        reserve(&mut self.thresholds, layer.shards * buckets as u64)?;
        self.thresholds
            .resize(first + layer.shards as usize * buckets, 0);
        let mut bumped = Vec::new();
        let mut thresholds = self.thresholds[first..].chunks_mut(buckets);
        for_each_shard(
            &mut self.words,
            layer,
            self.columns,
            &entries,
            &ends,
            |shard| {
                let thresholds = thresholds.next().unwrap_or_default();
                scratch.bump(layer, &shard, thresholds, i, &mut bumped)?;
                scratch.solve(layer, shard, self.columns);
                Ok(true)
            },
        )?;
        Ok(bumped)
    }

    /// Whether a seed was found for each shard; if not, nothing was added.
    fn last_layer<E: Entry>(
        &mut self,
        source: &(impl Source<E> + ?Sized),
        layer: &Layer,
    ) -> Result<bool, BuildError> {
        let (entries, ends) = partition(source, layer.shards)?;
        let mut scratch = Scratch::new(layer, &ends)?;
        let mut seeds = Vec::new();
        reserve(&mut seeds, layer.shards)?;
        let words = self.words.len();
        let all = for_each_shard(
            &mut self.words,
            layer,
            self.columns,
            &entries,
            &ends,
            |shard| {
                let Some(seed) = scratch.seed(layer, shard.entries) else {
                    return Ok(false);
                };
                seeds.push(seed);
                scratch.solve(layer, shard, self.columns);
                Ok(true)
            },
        )?;
        if all {
            self.seeds = seeds;
        } else {
            self.words.truncate(words);
        }
        Ok(all)
    }

    fn finish<K: Kind<Row = W>>(
        mut self,
        keys: [u64; MAX_LAYERS],
    ) -> Result<System<K>, BuildError> {
        let shape = match keys[0] {
            0 => Shape::default(),
            _ => Shape::new::<K>(&keys, self.columns),
        };
        // A row at the very end may be looked up in a next block.
        let padding = if keys[0] == 0 {
            0
        } else {
            u64::from(self.columns.most)
        };
        reserve(&mut self.words, padding)?;
        self.words
            .resize(self.words.len() + padding as usize, W::ZERO);
        let mut thresholds: Vec<u64> = zeroed((self.thresholds.len() as u64).div_ceil(32))?;
        for (bucket, &threshold) in self.thresholds.iter().enumerate() {
            thresholds[bucket / 32] |= u64::from(threshold) << (bucket % 32 * 2);
        }
        Ok(System {
            params: RibbonParams {
                columns: self.columns.most,
                short: self.columns.short,
                keys,
            },
            shape,
            words: self.words,
            thresholds,
            seeds: self.seeds,
            quick: simd::Quick::detect(),
        })
    }
}

/// Makes room for exactly so many more.
fn reserve<T>(list: &mut Vec<T>, more: u64) -> Result<(), BuildError> {
    let refused = BuildError::OutOfMemory {
        bytes: (list.len() as u64)
            .saturating_add(more)
            .saturating_mul(size_of::<T>() as u64),
    };
    let more = usize::try_from(more).map_err(|_| refused)?;
    list.try_reserve_exact(more).map_err(|_| refused)
}

/// The entries, those of the first shard first, and where each shard's end.
fn partition<E: Entry>(
    source: &(impl Source<E> + ?Sized),
    shards: u64,
) -> Result<(Vec<E>, Vec<usize>), BuildError> {
    let mut ends: Vec<usize> = zeroed(shards)?;
    let shard = |entry: E| index_and_rest(entry.hash(), shards).0 as usize;
    source.for_each(|entry| ends[shard(entry)] += 1);
    let mut sum = 0;
    for end in &mut ends {
        // Where it begins, for now: it moves to its end as entries come.
        sum += core::mem::replace(end, sum);
    }
    let mut entries: Vec<E> = zeroed(sum as u64)?;
    source.for_each(|entry| {
        let next = &mut ends[shard(entry)];
        if let Some(place) = entries.get_mut(*next) {
            *place = entry;
        }
        *next += 1;
    });
    Ok((entries, ends))
}

/// Adds a layer's words and calls for each shard; whether all calls answered `true`.
fn for_each_shard<W: Row, E>(
    words: &mut Vec<W>,
    layer: &Layer,
    columns: Columns,
    entries: &[E],
    ends: &[usize],
    mut each: impl FnMut(Shard<'_, W, E>) -> Result<bool, BuildError>,
) -> Result<bool, BuildError> {
    let blocks = layer.slots / W::BITS;
    let word = |block: u64| layer.block(block, columns.most).0;
    let before = words.len();
    let more = word(layer.shards * blocks) - word(0);
    reserve(words, more as u64)?;
    words.resize(before + more, W::ZERO);
    let mut rest = &mut words[before..];
    let mut begin = 0;
    for (shard, &end) in (0..).zip(ends) {
        let first_block = shard * blocks;
        let (own, later) = rest.split_at_mut(word(first_block + blocks) - word(first_block));
        rest = later;
        let shard = Shard {
            entries: &entries[begin..end],
            words: own,
            first_block,
        };
        if !each(shard)? {
            return Ok(false);
        }
        begin = end;
    }
    Ok(true)
}

impl<W: Row, E: Entry> Scratch<W, E> {
    fn new(layer: &Layer, ends: &[usize]) -> Result<Self, BuildError> {
        let begins = core::iter::once(&0).chain(ends);
        let largest = ends
            .iter()
            .zip(begins)
            .map(|(end, begin)| end - begin)
            .max();
        Ok(Self {
            banding: Banding::new(layer.slots)?,
            next: zeroed(layer.slots.next_multiple_of(W::BUCKET))?,
            sorted: zeroed(largest.unwrap_or(0) as u64)?,
            placed: Vec::with_capacity(0),
        })
    }

    /// Sorts entries by a number that is below the number of slots, rounded up to buckets; those of the same number stay as they are.
    #[inline(always)]
    fn sort(&mut self, entries: &[E], number: impl Fn(E) -> u64) {
        self.next.fill(0);
        for &entry in entries {
            self.next[number(entry) as usize] += 1;
        }
        let mut sum = 0;
        for next in &mut self.next {
            sum += core::mem::replace(next, sum);
        }
        for &entry in entries {
            let next = &mut self.next[number(entry) as usize];
            self.sorted[*next as usize] = entry;
            *next += 1;
        }
    }

    /// Eliminates, raising thresholds where there is no room.
    #[inline(always)]
    fn bump(
        &mut self,
        layer: &Layer,
        shard: &Shard<'_, W, E>,
        thresholds: &mut [u8],
        i: usize,
        bumped: &mut Vec<E>,
    ) -> Result<(), BuildError> {
        let start_of = |entry: E| layer.start(entry.hash()).1;
        // Buckets from left to right, the keys of each from right to left.
        self.sort(shard.entries, |entry| start_of(entry) ^ (W::BUCKET - 1));
        let Self {
            banding,
            next,
            sorted,
            placed,
        } = self;
        banding.clear();
        let mut begin = 0;
        // Sorting has left where the keys of each number end.
        let ends = next
            .iter()
            .skip(W::BUCKET as usize - 1)
            .step_by(W::BUCKET as usize);
        for (threshold, &end) in thresholds.iter_mut().zip(ends) {
            let entries = &sorted[begin..end as usize];
            begin = end as usize;
            placed.clear();
            for &entry in entries {
                let start = start_of(entry);
                let (row, result) = (W::of(entry.hash()), entry.result(entry.hash()));
                let offset = start % W::BUCKET;
                match banding.add(start as usize, row, result) {
                    Added::At(slot) => placed.push((offset as u32, slot as u32)),
                    Added::Redundant => {}
                    Added::Contradiction => {
                        *threshold = class_above(offset, W::BUCKET);
                        let limit = limit(*threshold, W::BUCKET);
                        let stay =
                            placed.partition_point(|&(offset, _)| u64::from(offset) >= limit);
                        for (_, slot) in placed.drain(stay..).rev() {
                            banding.take_out(slot as usize);
                        }
                        let stay =
                            entries.partition_point(|&entry| start_of(entry) % W::BUCKET >= limit);
                        reserve_some(bumped, entries.len() - stay)?;
                        let next = |entry: &E| entry.with_hash(next_layer(entry.hash(), i));
                        bumped.extend(entries[stay..].iter().map(next));
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Eliminates with one seed after another until all keys have room: which one it was.
    fn seed(&mut self, layer: &Layer, entries: &[E]) -> Option<u8> {
        (0..=u8::MAX).find(|&seed| {
            let row = |entry: E| seeded(index_and_rest(entry.hash(), layer.shards).1, seed);
            let start = |entry: E| width::start(row(entry), layer.starts);
            self.sort(entries, start);
            self.banding.clear();
            self.sorted[..entries.len()].iter().all(|&entry| {
                let row = row(entry);
                let start = width::start(row, layer.starts) as usize;
                self.banding.add(start, W::of(row), entry.result(row)) != Added::Contradiction
            })
        })
    }

    /// Solves what has been eliminated and writes it down.
    #[inline(always)]
    fn solve(&self, layer: &Layer, shard: Shard<'_, W, E>, columns: Columns) {
        let first = layer.block(shard.first_block, columns.most).0;
        self.banding.solve(columns.most as usize, |block, solved| {
            let (word, columns) = layer.block(shard.first_block + block as u64, columns.most);
            shard.words[word - first..][..columns].copy_from_slice(&solved[..columns]);
        });
    }
}

/// Makes room for so many more, and some beyond, as more will follow.
fn reserve_some<T>(list: &mut Vec<T>, more: usize) -> Result<(), BuildError> {
    list.try_reserve(more).map_err(|_| BuildError::OutOfMemory {
        bytes: ((list.len() + more) * size_of::<T>()) as u64,
    })
}
