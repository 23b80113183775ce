//! Sorting, and inserting range by range.

use super::Hashes;
use super::segment::{LINE, Page, Segment, Sorter};
use alloc::vec::Vec;
use amq_core::KeyHash;
#[cfg(feature = "rayon")]
use amq_core::internal::rayon::prelude::*;
use amq_core::internal::zeroed;
use amq_core::prefetch::prefetch;

/// A table that takes keys range by range.
pub(super) trait Partition: Sync {
    /// What the table consists of: blocks or words.
    type Element: Send;

    /// What is kept of a key until its range's turn.
    type Item: Copy + Default + Send + Sync;

    /// Whether the filter counts every copy of a key, or only keys that were new.
    const COUNTS_COPIES: bool;

    /// Whether [`insert`](Partition::insert) notes by number which keys were new: the items of a
    /// key are in several ranges.
    const BY_NUMBER: bool;

    /// Elements of a range.
    fn range(&self) -> usize;

    /// Whether ranges only divide the work, and are too large for a core's cache.
    fn is_coarse(&self) -> bool {
        false
    }

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
    /// table. `near`: it is in the cache, or on its way.
    fn insert<'p>(
        &self,
        part: &mut [Self::Element],
        first: usize,
        near: bool,
        pages: impl Iterator<Item = Page<'p, Self::Item>>,
        news: &mut News,
    ) where
        Self::Item: 'p;

    /// Inserts keys as they come; returns how many were new.
    fn insert_each(&self, table: &mut [Self::Element], hashes: &[KeyHash]) -> u64;

    /// How much a filter's number of keys grows by inserting `keys` keys, `new` of them new.
    fn counted(keys: u64, new: u64) -> u64 {
        if Self::COUNTS_COPIES { keys } else { new }
    }
}

/// Which keys were new.
#[derive(Debug)]
pub(super) struct News {
    /// How many, of those not noted by number.
    pub count: u64,
    /// A bit for each key that is noted by number.
    pub flags: Vec<u64>,
}

/// As few keys are inserted as they come.
const MANY: u64 = if cfg!(test) { 100 } else { 1 << 16 };

/// Number of keys that are hashed at once by one thread.
const BLOCK: usize = 512;

/// Bytes of a table from which on one thread sorts: where a key is some misses of the cache.
/// Measured on an EPYC: at 17 MiB, a key of several bits takes 29 ns sorted and 37 to 50 unsorted.
const FAR_BYTES: u64 = if cfg!(test) { 1 } else { 16 << 20 };

/// Bytes of a table from which on several threads share the work.
#[cfg(feature = "rayon")]
const SHARED_BYTES: u64 = if cfg!(test) { 1 } else { 4 << 20 };

/// Keys of a segment, at least, but for small tables, where several threads share the work.
#[cfg(feature = "rayon")]
const LEAST: u64 = if cfg!(test) { 1 } else { 1 << 14 };

/// Items that a segment has for each range then, about.
#[cfg(feature = "rayon")]
const PER_RANGE: u64 = 2048;

/// Bytes that a thread sorts at a time into coarse ranges: another finds them in a cache.
#[cfg(feature = "rayon")]
const SHARE: u64 = 1 << 20;

/// Bytes of working memory in all, at most, but for pages that are not full.
const MEMORY: u64 = 56 << 20;

/// Bytes of a page, at most: the processor itself fetches what is next in it.
const PAGE: u64 = 4096;

/// Number of keys that are sorted together, at most.
pub(super) const FEW: usize = 1024;

/// Inserts hashes and returns how many were new. `len` is the filter's number of keys.
#[inline(always)]
pub(super) fn insert<P: Partition>(
    partition: &P,
    table: &mut [P::Element],
    len: &mut u64,
    hashes: Hashes<'_>,
) -> u64 {
    if hashes.about() >= MANY
        && let Some(bulk) = Bulk::new(partition, table, len, &hashes)
    {
        return bulk.insert_all(hashes);
    }
    let mut new = 0;
    hashes.for_each_block(|hashes| {
        let more = partition.insert_each(table, hashes);
        *len = len.saturating_add(P::counted(hashes.len() as u64, more));
        new += more;
    });
    new
}

impl Hashes<'_> {
    /// How many they are, if only roughly.
    #[inline(always)]
    fn about(&self) -> u64 {
        match self {
            Self::Slice(hashes) => hashes.len() as u64,
            Self::From(about, _) => *about,
            #[cfg(feature = "rayon")]
            Self::Shared(hashes) => hashes.len() as u64,
        }
    }

    /// Calls `act` for all of them, some at a time.
    #[inline(always)]
    fn for_each_block(self, mut act: impl FnMut(&[KeyHash])) {
        let mut block = |next: &mut dyn FnMut(&mut [KeyHash]) -> usize| {
            let mut hashes = [KeyHash::new(0); BLOCK];
            loop {
                match next(&mut hashes).min(BLOCK) {
                    0 => return,
                    count => act(&hashes[..count]),
                }
            }
        };
        match self {
            Self::Slice(hashes) => act(hashes),
            Self::From(_, next) => block(next),
            #[cfg(feature = "rayon")]
            Self::Shared(hashes) => {
                let mut first = 0;
                block(&mut |to| {
                    let count = to.len().min(hashes.len() - first);
                    hashes.write(first, &mut to[..count]);
                    first += count;
                    count
                });
            }
        }
    }
}

/// Keys on their way into the table.
struct Bulk<'a, P: Partition> {
    partition: &'a P,
    table: &'a mut [P::Element],
    len: &'a mut u64,
    segments: Vec<Segment<P::Item>>,
    /// Keys of a segment, at most.
    unit: usize,
    /// One for each part of the table that a thread takes at a time.
    news: Vec<News>,
    /// Ranges of such a part.
    together: usize,
    new: u64,
}

impl<'a, P: Partition> Bulk<'a, P> {
    /// `None` if it does not pay, or there is no memory for it.
    fn new(
        partition: &'a P,
        table: &'a mut [P::Element],
        len: &'a mut u64,
        hashes: &Hashes<'_>,
    ) -> Option<Self> {
        let (keys, bytes) = (hashes.about(), size_of_val(table) as u64);
        let ranges = table.len().div_ceil(partition.range());
        let items = partition.items() as u64;
        let per_key = items * size_of::<P::Item>() as u64;
        // With as much memory as the table has, few of its lines are read for one key alone.
        let memory = bytes.min(MEMORY);
        let (unit, page, count, together) = match hashes {
            #[cfg(feature = "rayon")]
            Hashes::Shared(_) if hashes.threads() > 1 => {
                let threads = hashes.threads();
                // Two threads take longer to sort the bits of a key than one takes to set them in a
                // table that the last cache holds. Counters take longer to add to.
                let pair = threads == 2 && items > 1 && !P::COUNTS_COPIES;
                if bytes < if pair { FAR_BYTES } else { SHARED_BYTES } {
                    return None;
                }
                let most = (MEMORY / 4 / (threads * per_key)).min(keys / threads / 2);
                let unit = (ranges as u64 * PER_RANGE / items).max(LEAST).min(most).max(1);
                // So that most pages of a range are full.
                let page = unit * per_key / ranges as u64 / 4;
                let page = 1 << page.clamp(PAGE / 8, PAGE).ilog2();
                let share = if partition.is_coarse() { threads * SHARE } else { memory };
                let segment = Segment::<P::Item>::bytes(ranges, unit * items, page);
                let count = memory.min(share) / segment;
                let count = count.max(1).next_multiple_of(threads).min(keys.div_ceil(unit));
                // A thread with notes on all keys takes several ranges at a time.
                let parts = if P::BY_NUMBER { 4 * threads as usize } else { ranges };
                (unit, page, count, ranges.div_ceil(parts))
            }
            _ => {
                // A key of one item is one miss of the cache, and it is fetched ahead.
                let far = if items == 1 { 6 * FAR_BYTES } else { FAR_BYTES };
                if bytes < far {
                    return None;
                }
                ((memory / per_key).min(keys).max(1), PAGE, 1, ranges)
            }
        };
        let few = partition.few() as u64 * items;
        let segment = |_| Segment::new(ranges, unit * items, few, page).ok();
        let words = if P::BY_NUMBER { (count * unit).div_ceil(64) } else { 0 };
        let news = |_| Some(News { count: 0, flags: zeroed(words).ok()? });
        Some(Self {
            partition,
            table,
            len,
            segments: (0..count).map(segment).collect::<Option<_>>()?,
            unit: unit as usize,
            news: (0..ranges.div_ceil(together)).map(news).collect::<Option<_>>()?,
            together,
            new: 0,
        })
    }

    fn insert_all(mut self, hashes: Hashes<'_>) -> u64 {
        match hashes {
            #[cfg(feature = "rayon")]
            Hashes::Shared(hashes) if self.news.len() > 1 => self.insert_shared(hashes),
            hashes => {
                self.segments[0].clear();
                hashes.for_each_block(|hashes| self.insert(hashes));
                self.flush(1);
            }
        }
        self.new
    }

    /// Sorts these hashes, and inserts what there is no more room for.
    fn insert(&mut self, mut hashes: &[KeyHash]) {
        loop {
            let segment = &mut self.segments[0];
            let room = hashes.len().min(self.unit - segment.keys());
            let mut left = &hashes[..room];
            while !left.is_empty() {
                let (few, rest) = left.split_at(left.len().min(self.partition.few()));
                let Some(mut sorter) = segment.sorter(few.len(), self.partition.items()) else {
                    break;
                };
                self.partition.sort(few, &mut sorter);
                left = rest;
            }
            hashes = &hashes[room - left.len()..];
            if hashes.is_empty() {
                return;
            }
            self.flush(1);
            self.segments[0].clear();
        }
    }

    /// Sorts and inserts on the threads of a rayon pool, in rounds of as many keys as there is
    /// memory for.
    #[cfg(feature = "rayon")]
    fn insert_shared(&mut self, hashes: &dyn amq_core::HashSource) {
        let (partition, unit, total) = (self.partition, self.unit, hashes.len());
        let mut done = 0;
        while done < total {
            let piece = |number: usize| {
                let first = (done + number * unit).min(total);
                first..(first + unit).min(total)
            };
            let segments = self.segments.par_iter_mut().enumerate().with_max_len(1);
            segments.for_each(|(number, segment)| {
                segment.clear();
                let mut some = [KeyHash::new(0); FEW];
                for first in piece(number).step_by(partition.few()) {
                    let some = &mut some[..partition.few().min(piece(number).end - first)];
                    let Some(mut sorter) = segment.sorter(some.len(), partition.items()) else {
                        break;
                    };
                    hashes.write(first, some);
                    partition.sort(some, &mut sorter);
                }
            });
            // Keys that had no room come before those of the next piece.
            let whole =
                |(number, segment): &(usize, &Segment<_>)| segment.keys() == piece(*number).len();
            let whole = self.segments.iter().enumerate().take_while(whole).count();
            done += self.flush(self.segments.len().min(whole + 1));
        }
    }

    /// Inserts what is sorted into the first segments; returns how many keys.
    fn flush(&mut self, segments: usize) -> usize {
        let Self { partition, together, .. } = *self;
        let segments = &self.segments[..segments];
        let insert = |(part, (elements, news)): (usize, (&mut [P::Element], &mut News))| {
            let ranges = elements.chunks_mut(partition.range());
            for (range, elements) in (part * together..).zip(ranges) {
                insert_range(partition, range, elements, segments, news);
            }
        };
        let (part, news) = (partition.range() * together, &mut self.news[..]);
        match news.len() {
            #[cfg(feature = "rayon")]
            2.. => {
                let parts = self.table.par_chunks_mut(part).zip(news.par_iter_mut());
                parts.enumerate().with_max_len(1).for_each(insert);
            }
            _ => self.table.chunks_mut(part).zip(&mut *news).enumerate().for_each(insert),
        }
        let keys = segments.iter().map(Segment::keys).sum();
        let new = noted(news);
        self.new += new;
        *self.len = self.len.saturating_add(P::counted(keys as u64, new));
        keys
    }
}

/// Inserts what some segments have for a range.
fn insert_range<P: Partition>(
    partition: &P,
    range: usize,
    part: &mut [P::Element],
    segments: &[Segment<P::Item>],
    news: &mut News,
) {
    let (mut items, mut first) = (0, 0);
    for segment in segments {
        items += segment.keys() * partition.items() / segment.ranges();
    }
    // In order they come sooner than one by one.
    let near = !partition.is_coarse() && items >= size_of_val(part).div_ceil(LINE);
    if near {
        let step = (LINE / size_of::<P::Element>()).max(1);
        (0..part.len()).step_by(step).for_each(|line| prefetch(part, line));
    }
    let pages = segments.iter().flat_map(|segment| {
        let pages = segment.pages(range, first);
        first += segment.keys();
        pages
    });
    partition.insert(part, range * partition.range(), near, pages, news);
}

/// How many keys were noted since it was last asked for.
fn noted(news: &mut [News]) -> u64 {
    let Some((all, others)) = news.split_first_mut() else { return 0 };
    for other in others {
        all.count += core::mem::take(&mut other.count);
        for (all, flags) in all.flags.iter_mut().zip(&mut other.flags) {
            *all |= core::mem::take(flags);
        }
    }
    let flags = all.flags.iter_mut();
    let noted: u64 = flags.map(|flags| u64::from(core::mem::take(flags).count_ones())).sum();
    core::mem::take(&mut all.count) + noted
}
