//! Radix sorts in linear time: keys into shards, and a shard's keys into buckets.

use crate::entry::{Entry, Source};
use crate::layer::{Columns, Extent, Layer};
use crate::memory::{at_least, room};
use alloc::vec::Vec;
use amq_core::internal::{reserve, zeroed};
use amq_core::{BuildError, PlanError};

/// The entries of a layer, shard after shard.
pub(crate) struct Partition<E> {
    entries: Vec<E>,
    runs: Vec<Run>,
}

/// The range of one shard's entries. During distribution, `end` is the place of the next one.
#[derive(Clone, Copy, Default, Debug)]
struct Run {
    begin: usize,
    end: usize,
}

/// One shard: its entries, its share of the solution, and its geometry.
#[derive(Debug)]
pub(crate) struct Shard<'a, E> {
    pub(crate) entries: &'a [E],
    pub(crate) words: &'a mut [u64],
    pub(crate) extent: Extent,
}

impl<E: Entry> Partition<E> {
    /// Iterates over the source twice: to count the entries, and to distribute them to their
    /// shards.
    ///
    /// A shard with far more entries than expected by chance has copies, which are dropped, or
    /// chosen keys, which are an error. A source whose entries change between the passes is an
    /// error, too.
    pub(crate) fn new(
        source: &(impl Source<E> + ?Sized),
        layer: &Layer,
    ) -> Result<Self, BuildError> {
        let mut runs: Vec<Run> = zeroed(layer.shards())?;
        let shard = |entry: E| layer.shard(layer.start(entry.hash())) as usize;
        source.for_each(|entry| runs[shard(entry)].end += 1);
        let mut sum = 0;
        for run in &mut runs {
            run.begin = sum;
            sum += core::mem::replace(&mut run.end, sum);
        }
        let mut entries: Vec<E> = zeroed(sum as u64)?;
        source.for_each(|entry| {
            let next = &mut runs[shard(entry)].end;
            // The check below finds a shard that overflowed its range.
            if let Some(free) = entries.get_mut(*next) {
                *free = entry;
            }
            *next += 1;
        });
        let begins = runs.iter().skip(1).map(|run| run.begin).chain([sum]);
        if runs.iter().zip(begins).any(|(run, next)| run.end != next) {
            return Err(BuildError::KeysChanged { keys: source.len() });
        }
        let limit = layer.limit_of_shard(source.len());
        for Run { begin, end } in &mut runs {
            if (*end - *begin) as u64 > limit {
                let distinct = dedup(&mut entries[*begin..*end]);
                *end = *begin + distinct;
                if distinct as u64 > limit {
                    return Err(chosen(source.len()));
                }
            }
        }
        Ok(Self { entries, runs })
    }

    /// Appends the layer's words, all zero, and splits them and the entries among the shards.
    pub(crate) fn shards<'a>(
        &'a self,
        words: &'a mut Vec<u64>,
        layer: &Layer,
        columns: Columns,
    ) -> Result<Vec<Shard<'a, E>>, BuildError> {
        let word = |block: u64| layer.block(block, columns.most).0;
        let (before, more) = (words.len(), word(layer.blocks()) - word(0));
        reserve(words, more as u64)?;
        words.resize(before + more, 0);
        let mut rest = &mut words[before..];
        let mut shards = room(layer.shards())?;
        for (shard, &Run { begin, end }) in (0..).zip(&self.runs) {
            let extent = layer.extent(shard);
            let next = extent.first_block + extent.blocks;
            let (own, later) = rest.split_at_mut(word(next) - word(extent.first_block));
            rest = later;
            shards.push(Shard {
                entries: self.entries.get(begin..end).unwrap_or_default(),
                words: own,
                extent,
            });
        }
        Ok(shards)
    }
}

/// Sorts entries, moves the distinct ones to the front and returns their number.
pub(crate) fn dedup<E: Entry>(entries: &mut [E]) -> usize {
    let whole = |entry: &E| (entry.hash(), entry.result());
    entries.sort_unstable_by_key(whole);
    let mut distinct = 0;
    for at in 0..entries.len() {
        if distinct == 0 || whole(&entries[at]) != whole(&entries[distinct - 1]) {
            entries[distinct] = entries[at];
            distinct += 1;
        }
    }
    distinct
}

/// The error for keys that cannot be random.
pub(crate) const fn chosen(keys: u64) -> BuildError {
    BuildError::Exhausted { attempts: 1, keys }
}

/// A shard's entries, bucket by bucket.
#[derive(Default, Debug)]
pub(crate) struct Sorter<E> {
    /// A zero; then for each bucket the place of its next entry. After sorting, the end of its
    /// entries, which is the start of the next bucket's.
    next: Vec<u32>,
    sorted: Vec<E>,
}

impl<E: Entry> Sorter<E> {
    /// Makes room for this many buckets and entries.
    pub(crate) fn make_room(&mut self, buckets: u64, entries: u64) -> Result<(), BuildError> {
        // Only billions of copies of a key make a shard this large.
        PlanError::check_parameter("keys in one shard", entries, 0, u32::MAX.into())?;
        at_least(&mut self.next, buckets + 1)?;
        at_least(&mut self.sorted, entries)
    }

    /// Sorts by bucket. Entries of the same bucket stay in order.
    #[inline(always)]
    pub(crate) fn sort(
        &mut self,
        entries: impl Iterator<Item = E> + Clone,
        bucket: impl Fn(E) -> u64,
    ) {
        self.next.fill(0);
        let next = &mut self.next[1..];
        for entry in entries.clone() {
            next[bucket(entry) as usize] += 1;
        }
        let mut sum = 0;
        for next in &mut *next {
            sum += core::mem::replace(next, sum);
        }
        for entry in entries {
            let next = &mut next[bucket(entry) as usize];
            self.sorted[*next as usize] = entry;
            *next += 1;
        }
    }

    /// The entries of a bucket in the last sort.
    #[inline(always)]
    pub(crate) fn bucket(&self, bucket: usize) -> &[E] {
        &self.sorted[self.next[bucket] as usize..self.next[bucket + 1] as usize]
    }
}
