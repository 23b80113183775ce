//! Items sorted by range.

use alloc::vec::Vec;
use amq_core::BuildError;
use amq_core::internal::zeroed;
use amq_core::prefetch::prefetch;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Lines of a page that are fetched while the one before is read.
const LINES: usize = 6;

/// Items sorted by range, those of a range in the order they came: a chain of pages for each range,
/// all of them in one vector. However the items are distributed, all pages but the last of each
/// range are full (unless they are of keys far apart).
#[derive(Debug)]
pub(super) struct Segment<I> {
    items: Vec<I>,
    cursors: Vec<Cursor>,
    pages: Pages,
    /// Pages that are not given out while more keys are waiting.
    spare: usize,
    /// Number of keys sorted.
    keys: usize,
}

/// Where the next item of a range goes.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// Its index; at the beginning of a page, that page is still to be chosen.
    at: u32,
    /// The key of the last item.
    key: u32,
}

#[derive(Debug)]
struct Pages {
    /// `log2` of the items of a page.
    log: u32,
    /// The first page of each range.
    first: Vec<u32>,
    links: Vec<Link>,
    used: usize,
    /// Whether an item was lost because there was no page.
    overrun: bool,
}

/// A page within the chain of its range.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    next: u32,
    /// The key of its first item.
    key: u32,
    /// Number of its items, once there is a next page.
    len: u32,
}

/// Some items of one range, all of one segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a, I> {
    /// The items, in the order they came.
    pub(super) items: &'a [I],
    /// The number of the first's key.
    pub(super) key: usize,
}

/// Takes the items of a few keys into a segment.
#[derive(Debug)]
pub(super) struct Sorter<'a, I> {
    items: &'a mut [I],
    cursors: &'a mut [Cursor],
    pages: &'a mut Pages,
    log: u32,
    /// The number of the first key.
    pub(super) key: u32,
}

impl<I: Copy + Default> Segment<I> {
    /// Bytes of a segment, nearly.
    pub(super) fn bytes(ranges: usize, items: u64, page: u64) -> u64 {
        items * size_of::<I>() as u64 + ranges as u64 * (page + 32)
    }

    /// A segment with room for this many items, in pages of so many bytes, a power of two.
    pub(super) fn new(ranges: usize, items: u64, page: u64) -> Result<Self, BuildError> {
        let log = (page / size_of::<I>() as u64).ilog2();
        let pages = (items >> log) + ranges as u64 + 1;
        let (first, links) = (zeroed(ranges as u64)?, zeroed(pages)?);
        Ok(Self {
            items: zeroed(pages << log)?,
            cursors: zeroed(ranges as u64)?,
            pages: Pages { log, first, links, used: 0, overrun: false },
            spare: 1,
            keys: 0,
        })
    }

    /// Keeps so many pages free that the items of any keys that are let in have room.
    pub(super) fn never_overrun(mut self) -> Self {
        self.spare = 1 + self.cursors.len();
        self
    }

    pub(super) fn clear(&mut self) {
        self.cursors.fill(Cursor::default());
        (self.pages.used, self.pages.overrun, self.keys) = (0, false, 0);
    }

    /// Number of keys sorted.
    pub(super) fn keys(&self) -> usize {
        self.keys
    }

    /// Whether items were lost, and all is to be done again in another way.
    pub(super) fn overrun(&self) -> bool {
        self.pages.overrun
    }

    /// What sorts the next `keys` keys of `items` items each. `None` if there is no room for them.
    pub(super) fn sorter(&mut self, keys: usize, items: usize) -> Option<Sorter<'_, I>> {
        let free = self.pages.links.len() - self.pages.used;
        if free < ((keys * items) >> self.pages.log) + self.spare {
            return None;
        }
        let key = self.keys as u32;
        self.keys += keys;
        let Self { items, cursors, pages, .. } = self;
        Some(Sorter { items, cursors, log: pages.log, pages, key })
    }

    /// The pages of a range, in order. The first key of the segment has the number `first`.
    pub(super) fn pages(&self, range: usize, first: usize) -> impl Iterator<Item = Page<'_, I>> {
        let (end, log) = (self.cursors[range].at as usize, self.pages.log);
        let last = end.checked_sub(1).map(|last| last >> log);
        let mut page = last.map(|_| self.pages.first[range] as usize);
        core::iter::from_fn(move || {
            let this = page?;
            let link = self.pages.links[this];
            let (len, next) = match Some(this) == last {
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

impl<I> Sorter<'_, I> {
    /// Items to the line that is fetched while another is written.
    const AHEAD: usize = 2 * LINE / size_of::<I>();

    /// Adds an item to a range.
    #[inline(always)]
    pub(super) fn push(&mut self, range: usize, item: I) {
        let cursor = &mut self.cursors[range];
        let mut at = cursor.at as usize;
        if at & ((1 << self.log) - 1) == 0 {
            at = self.pages.turn(range, at, 0);
        }
        prefetch(self.items, at + Self::AHEAD);
        self.items[at] = item;
        cursor.at = at as u32 + 1;
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
        let (mut at, mut distance) = (cursor.at as usize, key.wrapping_sub(cursor.key));
        if at & ((1 << self.log) - 1) == 0 || distance > most {
            (at, distance) = (self.pages.turn(range, at, key), 0);
        }
        prefetch(self.items, at + Self::AHEAD);
        self.items[at] = item(distance);
        *cursor = Cursor { at: at as u32 + 1, key };
    }
}

impl Pages {
    /// Begins a page whose first item is of this key; returns its first index.
    #[cold]
    #[inline(never)]
    fn turn(&mut self, range: usize, at: usize, key: u32) -> usize {
        let page = self.used;
        if page + 1 == self.links.len() {
            // The last page takes what has no room.
            self.overrun = true;
        } else {
            self.used += 1;
        }
        self.links[page] = Link { next: 0, key, len: 0 };
        match at.checked_sub(1) {
            None => self.first[range] = page as u32,
            Some(last) => {
                let before = &mut self.links[last >> self.log];
                let len = (last & ((1 << self.log) - 1)) as u32 + 1;
                (before.next, before.len) = (page as u32, len);
            }
        }
        page << self.log
    }
}
