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
    runs: Vec<Run>,
}

/// Where one shard's entries are. While they are put in, `end` is where the next one goes.
#[derive(Clone, Copy, Default, Debug)]
struct Run {
    begin: usize,
    end: usize,
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
    ///
    /// A shard with far more entries than chance gives it has many copies, all but one of which are dropped, or
    /// somebody has chosen its keys: that is an error, as is a source that gives other entries the second time.
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
            // No further than the list: whether each shard kept to its own part of it is seen below.
            if let Some(place) = entries.get_mut(*next) {
                *place = entry;
            }
            *next += 1;
        });
        let begins = runs.iter().skip(1).map(|run| run.begin).chain([sum]);
        if runs.iter().zip(begins).any(|(run, next)| run.end != next) {
            return Err(BuildError::KeysChanged {
                items: source.len(),
            });
        }
        let limit = layer.limit_of_shard(source.len());
        for Run { begin, end } in &mut runs {
            if (*end - *begin) as u64 > limit {
                let different = dedup(&mut entries[*begin..*end]);
                *end = *begin + different;
                if different as u64 > limit {
                    return Err(chosen(source.len()));
                }
            }
        }
        Ok(Self { entries, runs })
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
        for (shard, &Run { begin, end }) in (0..).zip(&self.runs) {
            let part = layer.part::<W>(shard);
            let next = part.first_block + part.blocks;
            let (own, later) = rest.split_at_mut(word(next) - word(part.first_block));
            rest = later;
            shards.push(Shard {
                entries: self.entries.get(begin..end).unwrap_or_default(),
                words: own,
                part,
            });
        }
        Ok(shards)
    }
}

/// Sorts entries and moves the different ones to the front: how many they are.
pub(crate) fn dedup<E: Entry>(entries: &mut [E]) -> usize {
    let whole = |entry: &E| (entry.hash(), entry.result());
    entries.sort_unstable_by_key(whole);
    let mut different = 0;
    for at in 0..entries.len() {
        if different == 0 || whole(&entries[at]) != whole(&entries[different - 1]) {
            entries[different] = entries[at];
            different += 1;
        }
    }
    different
}

/// The error for so many keys that no honest source has given.
pub(crate) const fn chosen(items: u64) -> BuildError {
    BuildError::Exhausted { attempts: 1, items }
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

/// Adds to a list that grows as a vector does by itself, but with an error where there is no memory.
pub(crate) fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), BuildError> {
    if list.len() == list.capacity() {
        reserve(list, (list.len() as u64).max(1024))?;
    }
    list.push(item);
    Ok(())
}
