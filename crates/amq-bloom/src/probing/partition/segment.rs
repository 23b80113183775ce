//! Items sorted by range.

use alloc::vec::Vec;
use amq_core::BuildError;
use amq_core::internal::{reserve, zeroed};
use amq_core::prefetch::prefetch;

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;

/// Lines of a page that are fetched while the one before is read.
const LINES: usize = 6;

/// Items sorted by range, those of a range in the order they came: a chain of pages for each range,
/// all of them in one vector. However the items are distributed, all pages but the last of each
/// range are full (unless they are of keys far apart).
#[derive(Debug)]
pub(super) struct Segment<I> {
    /// All pages.
    items: Vec<I>,
    cursors: Vec<Cursor>,
    /// One for each page in use.
    links: Vec<Link>,
    /// `log2` of the items of a page.
    log: u32,
    /// Number of keys sorted.
    keys: usize,
}

/// Where the next item of a range goes.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// Its index. There is a page for it.
    at: u32,
    /// The key of the last item.
    key: u32,
}

/// A page within the chain of its range.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    next: u32,
    /// The key from which the first item's distance counts.
    key: u32,
    /// Number of its items, once there is a next page.
    len: u32,
}

/// Some items of one range, all of one segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a, I> {
    /// The items, in the order they came.
    pub(super) items: &'a [I],
    /// The number of the key from which the first item's distance counts.
    pub(super) key: usize,
}

/// Takes the items of a few keys into a segment.
#[derive(Debug)]
pub(super) struct Sorter<'a, I> {
    items: &'a mut [I],
    cursors: &'a mut [Cursor],
    links: &'a mut Vec<Link>,
    log: u32,
    /// The number of the first key.
    pub(super) key: u32,
}

impl<I: Copy + Default> Segment<I> {
    /// Bytes of a segment, nearly.
    #[cfg(feature = "rayon")]
    pub(super) fn bytes(ranges: usize, items: u64, page: u64) -> u64 {
        let range = page + size_of::<Cursor>() as u64 + size_of::<Link>() as u64;
        items * size_of::<I>() as u64 + ranges as u64 * range
    }

    /// A segment for this many items of keys that are spread evenly, and for as many of any keys as
    /// are sorted together, `few`; in pages of so many bytes, a power of two.
    pub(super) fn new(ranges: usize, items: u64, few: u64, page: u64) -> Result<Self, BuildError> {
        let log = (page / size_of::<I>() as u64).ilog2();
        // Each range has one that is not full, and may begin two more of which that is true.
        let pages = (items.max(few) >> log) + 3 * ranges as u64;
        let mut links = Vec::new();
        reserve(&mut links, pages)?;
        let (items, cursors) = (zeroed(pages << log)?, zeroed(ranges as u64)?);
        Ok(Self { items, cursors, links, log, keys: 0 })
    }

    /// Forgets all keys.
    pub(super) fn clear(&mut self) {
        self.keys = 0;
        self.links.clear();
        self.links.resize(self.cursors.len(), Link::default());
        for (cursor, at) in self.cursors.iter_mut().zip((0..).step_by(1 << self.log)) {
            *cursor = Cursor { at, key: 0 };
        }
    }

    /// Number of ranges.
    pub(super) fn ranges(&self) -> usize {
        self.cursors.len()
    }

    /// Number of keys sorted.
    pub(super) fn keys(&self) -> usize {
        self.keys
    }

    /// What sorts the next `keys` keys of `items` items each. `None` if there is no room for them.
    pub(super) fn sorter(&mut self, keys: usize, items: usize) -> Option<Sorter<'_, I>> {
        let free = (self.items.len() >> self.log) - self.links.len();
        if free < ((keys * items) >> self.log) + 2 * self.cursors.len() {
            return None;
        }
        let key = self.keys as u32;
        self.keys += keys;
        let Self { items, cursors, links, log, .. } = self;
        Some(Sorter { items, cursors, links, log: *log, key })
    }

    /// The pages of a range, in order. The first key of the segment has the number `first`.
    pub(super) fn pages(&self, range: usize, first: usize) -> impl Iterator<Item = Page<'_, I>> {
        let (end, log) = (self.cursors[range].at as usize, self.log);
        let mut page = Some(range);
        core::iter::from_fn(move || {
            let this = page?;
            let link = self.links[this];
            let (len, next) = match this == end >> log {
                true => (end - (this << log), None),
                false => (link.len as usize, Some(link.next as usize)),
            };
            page = next;
            if let Some(next) = next {
                // The processor itself fetches the others, if there are more.
                for line in (0..LINES).map(|line| line * LINE / size_of::<I>()) {
                    prefetch(&self.items, (next << log) + line);
                }
            }
            let items = &self.items[this << log..][..len];
            Some(Page { items, key: first + link.key as usize })
        })
    }
}

impl<I: Copy + Default> Sorter<'_, I> {
    /// Adds an item to a range.
    #[inline(always)]
    pub(super) fn push(&mut self, range: usize, item: I) {
        let cursor = &mut self.cursors[range];
        self.items[cursor.at as usize] = item;
        cursor.at += 1;
        if cursor.at & ((1 << self.log) - 1) == 0 {
            let page = (cursor.at as usize - 1) >> self.log;
            cursor.at = begin_page(self.links, page, 1 << self.log, cursor.key) << self.log;
        }
    }

    /// Adds an item to a range that says how many keys there are between its own and the last
    /// item's, at most `most`: `item(distance)`.
    #[inline(always)]
    pub(super) fn push_after(
        &mut self,
        range: usize,
        key: u32,
        most: u32,
        item: impl Fn(u32) -> I,
    ) {
        let cursor = &mut self.cursors[range];
        let mut distance = key.wrapping_sub(cursor.key);
        cursor.key = key;
        if distance > most {
            let page = cursor.at as usize >> self.log;
            let len = cursor.at & ((1 << self.log) - 1);
            cursor.at = begin_page(self.links, page, len, key) << self.log;
            distance = 0;
        }
        self.push(range, item(distance));
    }
}

/// Begins the page after page `page`, which has `len` items; returns its number. Its distances
/// count from `key`.
#[cold]
#[inline(never)]
fn begin_page(links: &mut Vec<Link>, page: usize, len: u32, key: u32) -> u32 {
    let next = links.len() as u32;
    (links[page].next, links[page].len) = (next, len);
    links.push(Link { next: 0, key, len: 0 });
    next
}
