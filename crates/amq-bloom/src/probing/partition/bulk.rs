//! Sorting, and inserting range by range.

use super::segment::{Page, Segment, Sorter};
use super::threads::Threads;
use alloc::vec::Vec;
use amq_core::internal::{reserve, zeroed};
use amq_core::{BuildError, KeyHash};

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
}

/// Which keys were new.
#[derive(Debug, Default)]
pub(super) struct News {
    /// How many, of those not noted by number.
    pub count: u64,
    /// A bit for each key that is noted by number.
    pub flags: Vec<u8>,
}

/// Inserts many hashes and returns how many were new. `len` is the filter's number of keys.
#[inline]
pub(super) fn insert_batch<P: Partition>(
    partition: &P,
    table: &mut [P::Element],
    len: &mut u64,
    hashes: &[KeyHash],
) -> u64 {
    if hashes.len() >= MANY {
        if let Some(mut bulk) = Bulk::new(partition, table, len, hashes.len() as u64, false) {
            bulk.insert(hashes, || ());
            return bulk.finish();
        }
    }
    each(partition, table, len, hashes)
}

/// Inserts about `about` hashes, which `next` writes until it writes none; returns how many were
/// new.
pub(super) fn insert_from<P: Partition>(
    partition: &P,
    table: &mut [P::Element],
    len: &mut u64,
    about: u64,
    next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
) -> u64 {
    if about >= MANY as u64 {
        if let Some(mut bulk) = Bulk::new(partition, table, len, about, true) {
            if let (Ok(mut hashes), Ok(mut later)) = (zeroed(bulk.ahead), zeroed(bulk.ahead)) {
                let mut count = next(&mut hashes);
                while count > 0 {
                    count = bulk.insert(&hashes[..count], || next(&mut later));
                    core::mem::swap(&mut hashes, &mut later);
                }
                return bulk.finish();
            }
        }
    }
    let mut hashes = [KeyHash::new(0); BLOCK as usize];
    let mut new = 0;
    loop {
        match next(&mut hashes) {
            0 => return new,
            count => new += each(partition, table, len, &hashes[..count]),
        }
    }
}

#[inline(always)]
fn each<P: Partition>(
    partition: &P,
    table: &mut [P::Element],
    len: &mut u64,
    hashes: &[KeyHash],
) -> u64 {
    let new = partition.insert_each(table, hashes);
    *len = len.saturating_add(partition.counted(hashes.len() as u64, new));
    new
}

/// As few keys are inserted as they come.
const MANY: usize = if cfg!(test) { 100 } else { 1 << 16 };

/// Bytes of a table from which on several threads share the work.
const MANY_BYTES: u64 = if cfg!(test) { 1 } else { 4 << 20 };

/// Bytes of a table from which on one thread sorts, too: where a key is some misses of the cache.
const FAR_BYTES: u64 = if cfg!(test) { 1 } else { 24 << 20 };

/// Bytes of working memory in all, at most.
const MEMORY: u64 = 56 << 20;

/// Bytes of a page: the processor itself fetches what is next in it.
const PAGE: u64 = 4096;

/// Number of keys that are hashed ahead, at most, if there are several threads.
const AHEAD: u64 = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Number of keys that are hashed at once by one thread.
const BLOCK: u64 = 512;

/// Number of keys that are sorted together, at most.
pub(super) const FEW: usize = 1024;

/// Keys on their way into the table.
struct Bulk<'a, P: Partition> {
    partition: &'a P,
    table: &'a mut [P::Element],
    len: &'a mut u64,
    threads: Threads,
    /// Sorted keys: in the first `used`.
    segments: Vec<Segment<P::Item>>,
    used: usize,
    /// Keys of a segment, at most.
    unit: usize,
    /// Number of keys to hash while others are sorted.
    ahead: u64,
    /// One for each thread.
    news: Vec<News>,
    new: u64,
}

impl<'a, P: Partition> Bulk<'a, P> {
    /// `None` if it does not pay, or there is no memory for it.
    fn new(
        partition: &'a P,
        table: &'a mut [P::Element],
        len: &'a mut u64,
        keys: u64,
        ahead: bool,
    ) -> Option<Self> {
        let threads = Threads::available();
        let several = threads.count() > 1;
        let bytes = size_of_val(table) as u64;
        // A key of one item is one miss of the cache, and it is fetched ahead.
        let far = if partition.items() == 1 { 4 * FAR_BYTES } else { FAR_BYTES };
        if bytes < if several { MANY_BYTES } else { far } {
            return None;
        }
        let ranges = table.len().div_ceil(partition.range());
        let items = partition.items() as u64;
        // With as much memory as the table has, few of its lines are read for one key alone.
        let per_key = items * size_of::<P::Item>() as u64;
        let (unit, count, page, ahead) = if several {
            let parts = 2 * threads.count() as u64;
            let ahead = if ahead { AHEAD.min(bytes / per_key / 4).max(BLOCK) } else { 0 };
            let memory = bytes.min(MEMORY - 2 * ahead * size_of::<KeyHash>() as u64);
            let unit = if ahead > 0 { ahead } else { memory / per_key } / parts;
            let unit = unit.max(1);
            // So that most pages of a range are full.
            let page = 1 << (unit * per_key / ranges as u64 / 4).clamp(PAGE / 8, PAGE).ilog2();
            let bytes = Segment::<P::Item>::bytes(ranges, unit * items, page);
            (unit, (memory / bytes).max(threads.count() as u64), page, ahead)
        } else {
            (bytes.min(MEMORY) / per_key, 1, PAGE, BLOCK)
        };
        let unit = unit.min(keys).max(1);
        let count = count.min(keys.div_ceil(unit));
        let mut segments = Vec::new();
        reserve(&mut segments, count).ok()?;
        segments.resize_with(count as usize, || Err(BuildError::OutOfMemory { bytes: 0 }));
        // Each thread clears the memory of some.
        let mut nothing: Vec<()> = Vec::new();
        nothing.resize(threads.count(), ());
        let make = |_: &mut (), segment: &mut Result<_, _>| {
            *segment = Segment::new(ranges, unit * items, page);
        };
        threads.share(segments.iter_mut(), &mut nothing, make, || ());
        let mut segments = segments.into_iter().collect::<Result<Vec<_>, _>>().ok()?;
        if !several {
            segments = segments.into_iter().map(Segment::never_overrun).collect();
        }
        let flags = if P::BY_NUMBER { (count * unit).div_ceil(8) } else { 0 };
        let mut news = Vec::new();
        reserve(&mut news, threads.count() as u64).ok()?;
        for _ in 0..threads.count() {
            news.push(News { flags: zeroed(flags).ok()?, ..News::default() });
        }
        let unit = unit as usize;
        Some(Self { partition, table, len, threads, segments, used: 0, unit, ahead, news, new: 0 })
    }

    /// Sorts these hashes, and inserts what there is no more room for. This thread calls
    /// `meanwhile` first.
    fn insert<R>(&mut self, hashes: &[KeyHash], meanwhile: impl FnOnce() -> R) -> R {
        let (mut done, result) = self.sort(hashes, meanwhile);
        while done < hashes.len() {
            self.flush();
            let more = self.sort(&hashes[done..], || ()).0;
            done += more;
            if more == 0 {
                // Keys that were chosen for that.
                let few = &hashes[done..][..self.unit.min(hashes.len() - done)];
                self.new += each(self.partition, self.table, self.len, few);
                done += few.len();
            }
        }
        result
    }

    /// Sorts as many of the hashes as there is room for; returns how many.
    fn sort<R>(&mut self, hashes: &[KeyHash], meanwhile: impl FnOnce() -> R) -> (usize, R) {
        let (partition, unit) = (self.partition, self.unit);
        let sort = |segment: &mut Segment<P::Item>, hashes: &[KeyHash]| {
            let mut done = 0;
            let room = unit - segment.keys();
            for hashes in hashes[..hashes.len().min(room)].chunks(partition.few()) {
                let Some(mut sorter) = segment.sorter(hashes.len(), partition.items()) else {
                    break;
                };
                partition.sort(hashes, &mut sorter);
                done += hashes.len();
            }
            done
        };
        if let ([segment], 1) = (&mut self.segments[..], self.threads.count()) {
            self.used = 1;
            let done = sort(segment, hashes);
            return (done, meanwhile());
        }
        let free = &mut self.segments[self.used..];
        let pieces = free.iter_mut().zip(hashes.chunks(unit));
        let work = |_: &mut News, (segment, hashes): (&mut Segment<_>, &[KeyHash])| {
            sort(segment, hashes);
        };
        let result = self.threads.share(pieces, &mut self.news, work, meanwhile);
        // What comes after keys that had no room waits with them.
        let mut done = 0;
        for hashes in hashes.chunks(unit) {
            match self.segments.get(self.used) {
                Some(segment) if !segment.overrun() && segment.keys() == hashes.len() => {}
                _ => break,
            }
            done += hashes.len();
            self.used += 1;
        }
        self.segments[self.used..].iter_mut().for_each(Segment::clear);
        (done, result)
    }

    /// Inserts what is sorted.
    fn flush(&mut self) {
        let (partition, segments) = (self.partition, &self.segments[..self.used]);
        let parts = self.table.chunks_mut(partition.range()).enumerate();
        let insert = |news: &mut News, (range, part): (usize, &mut [P::Element])| {
            let pages = segments.iter().scan(0, |first, segment| {
                let pages = segment.pages(range, *first);
                *first += segment.keys();
                Some(pages)
            });
            partition.insert(part, range * partition.range(), pages.flatten(), news);
        };
        self.threads.share(parts, &mut self.news, insert, || ());
        let keys = segments.iter().map(|segment| segment.keys() as u64).sum();
        let new = self.count();
        self.new += new;
        *self.len = self.len.saturating_add(partition.counted(keys, new));
        self.segments[..self.used].iter_mut().for_each(Segment::clear);
        self.used = 0;
    }

    /// The number of new keys that the threads noted since it was last asked for.
    fn count(&mut self) -> u64 {
        let Some((all, others)) = self.news.split_first_mut() else { return 0 };
        for news in others {
            all.count += core::mem::take(&mut news.count);
            for (all, flags) in all.flags.iter_mut().zip(&mut news.flags) {
                *all |= core::mem::take(flags);
            }
        }
        let flags = all.flags.iter_mut();
        let noted: u64 = flags.map(|flags| u64::from(core::mem::take(flags).count_ones())).sum();
        core::mem::take(&mut all.count) + noted
    }

    fn finish(mut self) -> u64 {
        self.flush();
        self.new
    }
}
