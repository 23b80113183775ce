//! Keys are put into shards, and those of a shard in the order of where their rows begin: in linear time, and so that what comes after streams
//! through memory.

use crate::entry::{Entry, Source};
use crate::shape::{Columns, Layer, Part};
use crate::width::Row;
use alloc::vec::Vec;
use amq_core::{BuildError, PlanError, zeroed};

/// The entries of a layer, those of the first shard first.
pub(crate) struct Partition<E> {
    entries: Vec<E>,
    /// Where each shard's end.
    ends: Vec<usize>,
}

/// One shard's own part of everything.
#[derive(Debug)]
pub(crate) struct Shard<'a, W, E> {
    pub(crate) entries: &'a [E],
    pub(crate) words: &'a mut [W],
    pub(crate) part: Part,
}

impl<E: Entry> Partition<E> {
    /// Goes through the source twice: to count, and to put each entry where it belongs.
    pub(crate) fn new(
        source: &(impl Source<E> + ?Sized),
        layer: &Layer,
    ) -> Result<Self, BuildError> {
        let mut ends: Vec<usize> = zeroed(layer.shards())?;
        let shard = |entry: E| layer.shard(layer.start(entry.hash())) as usize;
        source.for_each(|entry| ends[shard(entry)] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // Where it begins, for now: it moves to its end as entries come.
            sum += core::mem::replace(end, sum);
        }
        let mut entries: Vec<E> = zeroed(sum as u64)?;
        source.for_each(|entry| {
            let next = &mut ends[shard(entry)];
            // A source that gives more the second time is cut short.
            if let Some(place) = entries.get_mut(*next) {
                *place = entry;
            }
            *next += 1;
        });
        Ok(Self { entries, ends })
    }

    /// Adds a layer's words, still zero, and says which of them, and which entries, are whose.
    pub(crate) fn shards<'a, W: Row>(
        &'a self,
        words: &'a mut Vec<W>,
        layer: &Layer,
        columns: Columns,
    ) -> Result<Vec<Shard<'a, W, E>>, BuildError> {
        let word = |block: u64| layer.block(block, columns.most).0;
        let (before, more) = (words.len(), word(layer.blocks::<W>()) - word(0));
        reserve(words, more as u64)?;
        words.resize(before + more, W::ZERO);
        let mut rest = &mut words[before..];
        let mut shards = Vec::new();
        reserve(&mut shards, layer.shards())?;
        let mut begin = 0;
        for (shard, &end) in (0..).zip(&self.ends) {
            let part = layer.part::<W>(shard);
            let next = part.first_block + part.blocks;
            let (own, later) = rest.split_at_mut(word(next) - word(part.first_block));
            rest = later;
            shards.push(Shard {
                entries: self.entries.get(begin..end).unwrap_or_default(),
                words: own,
                part,
            });
            begin = end;
        }
        Ok(shards)
    }
}

/// Sorts the entries of one shard after another.
#[derive(Default, Debug)]
pub(crate) struct Sorter<E> {
    /// By number, where the next entry of that number goes; in the end, where its entries end.
    next: Vec<u32>,
    sorted: Vec<E>,
}

impl<E: Entry> Sorter<E> {
    /// Sees to it that there is room for so many entries, with numbers below this one.
    pub(crate) fn make_room(&mut self, numbers: u64, entries: u64) -> Result<(), BuildError> {
        // Only copies of one key, very many, can make a shard as large.
        PlanError::check_parameter("keys in one shard", entries, 0, u32::MAX.into())?;
        at_least(&mut self.next, numbers)?;
        at_least(&mut self.sorted, entries)
    }

    /// Sorts by a number; entries of the same number stay in their order.
    #[inline(always)]
    pub(crate) fn sort(
        &mut self,
        entries: impl Iterator<Item = E> + Clone,
        number: impl Fn(E) -> u64,
    ) {
        self.next.fill(0);
        for entry in entries.clone() {
            self.next[number(entry) as usize] += 1;
        }
        let mut sum = 0;
        for next in &mut self.next {
            sum += core::mem::replace(next, sum);
        }
        for entry in entries {
            let next = &mut self.next[number(entry) as usize];
            self.sorted[*next as usize] = entry;
            *next += 1;
        }
    }

    /// All that were sorted last, in order.
    #[inline(always)]
    pub(crate) fn sorted(&self) -> &[E] {
        let len = self.next.last().map_or(0, |&end| end as usize);
        &self.sorted[..len]
    }

    /// Where the entries with numbers below `(bucket + 1) * size` end.
    #[inline(always)]
    pub(crate) fn end(&self, bucket: usize, size: u64) -> usize {
        self.next[(bucket + 1) * size as usize - 1] as usize
    }
}

/// Makes a list as long, if it is shorter.
pub(crate) fn at_least<T: Clone + Default>(
    list: &mut Vec<T>,
    items: u64,
) -> Result<(), BuildError> {
    let len = list.len() as u64;
    if len < items {
        reserve(list, items - len)?;
        list.resize(items as usize, T::default());
    }
    Ok(())
}

/// Makes room for exactly so many more.
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: u64) -> Result<(), BuildError> {
    let all = (list.len() as u64).saturating_add(more);
    let refused = BuildError::OutOfMemory {
        bytes: all.saturating_mul(size_of::<T>() as u64),
    };
    let more = usize::try_from(more).map_err(|_| refused)?;
    list.try_reserve_exact(more).map_err(|_| refused)
}

/// Makes room for so many more, and some beyond, as more will follow.
pub(crate) fn reserve_some<T>(list: &mut Vec<T>, more: usize) -> Result<(), BuildError> {
    let all = (list.len() as u64).saturating_add(more as u64);
    list.try_reserve(more).map_err(|_| BuildError::OutOfMemory {
        bytes: all.saturating_mul(size_of::<T>() as u64),
    })
}
