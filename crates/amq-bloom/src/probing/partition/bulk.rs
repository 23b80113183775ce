//! Sorting, and inserting range by range.

use super::segment::{LINE, Page, Segment, Sorter};
use alloc::vec::Vec;
use amq_core::KeyHash;
use amq_core::internal::zeroed;
use amq_core::prefetch::prefetch;

/// A table that takes keys range by range.
pub(super) trait Partition: Sync {
    /// What the table consists of: blocks or words.
    type Element: Send;

    /// What is kept of a key until its range's turn.
    type Item: Copy + Default + Send + Sync;

    /// Elements of a range.
    fn range(&self) -> usize;

    /// Items of a key.
    fn items(&self) -> usize;

    /// Number of keys whose items are added without asking in between whether there is room: at
    /// most one item of each range may be too far from the one before it.
    fn few(&self) -> usize {
        FEW
    }

    /// Adds the items of some keys to their ranges.
    fn sort(&self, hashes: &[KeyHash], sorter: &mut Sorter<'_, Self::Item>);

    /// Inserts items of a range into it, `part`, whose first element is element `first` of the
    /// table.
    fn insert<'p>(
        &self,
        part: &mut [Self::Element],
        first: usize,
        pages: impl Iterator<Item = Page<'p, Self::Item>>,
        news: &mut News,
    ) where
        Self::Item: 'p;

    /// Inserts keys as they come; returns how many were new.
    fn insert_each(&self, table: &mut [Self::Element], hashes: &[KeyHash]) -> u64;

    /// How much a filter's number of keys grows by inserting `keys` keys, `new` of them new.
    fn counted(&self, keys: u64, new: u64) -> u64;

    /// Whether [`insert`](Partition::insert) notes by number which keys were new: the items of a
    /// key are in several ranges.
    const BY_NUMBER: bool;

    /// Makes a segment for this many keys, in pages of so many bytes, a power of two.
    fn segment(&self, ranges: usize, keys: u64, page: u64) -> Option<Segment<Self::Item>> {
        let items = self.items() as u64;
        Segment::new(ranges, keys * items, self.few() as u64 * items, page).ok()
    }

    /// Sorts keys into a segment while it has room for them, and at most `most` keys in all;
    /// returns how many. A segment without keys has room for some.
    fn sort_into(
        &self,
        segment: &mut Segment<Self::Item>,
        most: usize,
        hashes: &[KeyHash],
    ) -> usize {
        let mut done = 0;
        let room = most - segment.keys();
        for hashes in hashes[..hashes.len().min(room)].chunks(self.few()) {
            let Some(mut sorter) = segment.sorter(hashes.len(), self.items()) else { break };
            self.sort(hashes, &mut sorter);
            done += hashes.len();
        }
        done
    }

    /// Inserts what some segments have for a range.
    fn insert_range<'s>(
        &self,
        range: usize,
        part: &mut [Self::Element],
        segments: impl Iterator<Item = &'s Segment<Self::Item>> + Clone,
        news: &mut News,
    ) where
        Self::Item: 's,
    {
        let keys: usize = segments.clone().map(Segment::keys).sum();
        let ranges = segments.clone().map(Segment::ranges).next().unwrap_or(1);
        let lines = size_of_val(part).div_ceil(LINE);
        // In order they come sooner than one by one.
        if keys * self.items() / ranges >= lines {
            let step = (LINE / size_of::<Self::Element>()).max(1);
            (0..part.len()).step_by(step).for_each(|line| prefetch(part, line));
        }
        let pages = segments.scan(0, |first, segment| {
            let pages = segment.pages(range, *first);
            *first += segment.keys();
            Some(pages)
        });
        self.insert(part, range * self.range(), pages.flatten(), news);
    }
}

/// Which keys were new.
#[derive(Debug, Default)]
pub(super) struct News {
    /// How many, of those not noted by number.
    pub count: u64,
    /// A bit for each key that is noted by number.
    pub flags: Vec<u64>,
}

impl News {
    /// For so many keys. `None` if there is no memory for them.
    pub(super) fn new<P: Partition>(keys: u64) -> Option<Self> {
        let words = if P::BY_NUMBER { keys.div_ceil(64) } else { 0 };
        Some(Self { count: 0, flags: zeroed(words).ok()? })
    }

    /// Takes over what another thread noted.
    #[cfg(feature = "parallel")]
    pub(super) fn join(&mut self, other: &mut Self) {
        self.count += core::mem::take(&mut other.count);
        for (all, flags) in self.flags.iter_mut().zip(&mut other.flags) {
            *all |= core::mem::take(flags);
        }
    }

    /// How many keys were noted since it was last asked for.
    pub(super) fn take(&mut self) -> u64 {
        let flags = self.flags.iter_mut();
        let noted: u64 = flags.map(|flags| u64::from(core::mem::take(flags).count_ones())).sum();
        core::mem::take(&mut self.count) + noted
    }
}

/// Bytes of a table from which on one thread sorts: where a key is some misses of the cache.
const FAR_BYTES: u64 = if cfg!(test) { 1 } else { 24 << 20 };

/// Bytes of working memory in all, at most, but for pages that are not full.
pub(super) const MEMORY: u64 = 56 << 20;

/// Bytes of a page, at most: the processor itself fetches what is next in it.
pub(super) const PAGE: u64 = 4096;

/// Number of keys that are sorted together, at most.
pub(super) const FEW: usize = 1024;

/// Keys on their way into the table, by one thread.
pub(super) struct Bulk<'a, P: Partition> {
    partition: &'a P,
    table: &'a mut [P::Element],
    len: &'a mut u64,
    segment: Segment<P::Item>,
    /// Keys of the segment, at most.
    unit: usize,
    news: News,
    new: u64,
}

impl<'a, P: Partition> Bulk<'a, P> {
    /// `None` if it does not pay, or there is no memory for it.
    pub(super) fn new(
        partition: &'a P,
        table: &'a mut [P::Element],
        len: &'a mut u64,
        keys: u64,
    ) -> Option<Self> {
        let bytes = size_of_val(table) as u64;
        // A key of one item is one miss of the cache, and it is fetched ahead.
        let far = if partition.items() == 1 { 4 * FAR_BYTES } else { FAR_BYTES };
        if bytes < far {
            return None;
        }
        let ranges = table.len().div_ceil(partition.range());
        // With as much memory as the table has, few of its lines are read for one key alone.
        let per_key = (partition.items() * size_of::<P::Item>()) as u64;
        let unit = (bytes.min(MEMORY) / per_key).min(keys).max(1);
        let mut segment = partition.segment(ranges, unit, PAGE)?;
        segment.clear();
        let news = News::new::<P>(unit)?;
        Some(Self { partition, table, len, segment, unit: unit as usize, news, new: 0 })
    }

    /// Sorts these hashes, and inserts what there is no more room for.
    pub(super) fn insert(&mut self, mut hashes: &[KeyHash]) {
        loop {
            let done = self.partition.sort_into(&mut self.segment, self.unit, hashes);
            hashes = &hashes[done..];
            if hashes.is_empty() {
                return;
            }
            self.flush();
        }
    }

    /// Inserts what is sorted.
    fn flush(&mut self) {
        let Self { partition, segment, news, .. } = self;
        for (range, part) in self.table.chunks_mut(partition.range()).enumerate() {
            partition.insert_range(range, part, core::iter::once(&*segment), news);
        }
        let new = news.take();
        self.new += new;
        *self.len = self.len.saturating_add(partition.counted(segment.keys() as u64, new));
        segment.clear();
    }

    pub(super) fn finish(mut self) -> u64 {
        self.flush();
        self.new
    }
}
