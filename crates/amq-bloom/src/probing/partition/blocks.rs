//! Tables of blocks, of which a key has one.

use super::{News, Page, Partition, Sorter, counted, many};
use amq_core::KeyHash;
use core::marker::PhantomData;

/// Hashes inserted together; a page has fewer.
const TOGETHER: usize = 1024;

/// A block of a table in which a key has one block.
pub trait Block {
    /// What a table holds for a block.
    type Element: Send;

    /// What the blocks of a table have in common.
    type Shape: Copy + Send + Sync;

    /// Whether the filter counts every copy of a key, or only keys that were new.
    const COUNTS_COPIES: bool;

    /// The block of a key, of so many.
    fn of(hash: KeyHash, blocks: u64) -> usize;

    /// Inserts keys whose blocks are in a part of the table, which begins with block `first` of
    /// `blocks`; returns how many were new.
    fn insert(
        part: &mut [Self::Element],
        shape: Self::Shape,
        first: usize,
        blocks: u64,
        hashes: &[KeyHash],
    ) -> u64;
}

/// A table of blocks, by ranges.
pub(super) struct Blocks<B: Block> {
    shape: B::Shape,
    blocks: u64,
    /// `log2` of the blocks in a range.
    shift: u32,
    of: PhantomData<fn(B)>,
}

/// Inserts many hashes and returns how many were new. `len` is the filter's number of keys.
#[inline]
pub fn insert_batch<B: Block>(
    blocks: &mut [B::Element],
    shape: B::Shape,
    len: &mut u64,
    hashes: &[KeyHash],
) -> u64 {
    many::insert_batch(&Blocks::<B>::new(shape, blocks.len() as u64), blocks, len, hashes)
}

/// Inserts the hashes that `next` writes, about `about` in all; see [`insert_batch`].
pub fn insert_from<B: Block>(
    blocks: &mut [B::Element],
    shape: B::Shape,
    len: &mut u64,
    about: u64,
    next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
) -> u64 {
    many::insert_from(&Blocks::<B>::new(shape, blocks.len() as u64), blocks, len, about, next)
}

impl<B: Block> Blocks<B> {
    /// The ranges of so many blocks.
    #[inline]
    fn new(shape: B::Shape, blocks: u64) -> Self {
        let bytes = super::range_bytes(blocks.saturating_mul(size_of::<B::Element>() as u64));
        let shift = (bytes / size_of::<B::Element>() as u64).ilog2();
        Self { shape, blocks, shift, of: PhantomData }
    }
}

impl<B: Block> Partition for Blocks<B> {
    type Element = B::Element;
    type Item = KeyHash;
    const BY_NUMBER: bool = false;

    fn range(&self) -> usize {
        1 << self.shift
    }

    #[inline(always)]
    fn items(&self) -> usize {
        1
    }

    #[inline(always)]
    fn sort(&self, hashes: &[KeyHash], sorter: &mut Sorter<'_, KeyHash>) {
        for &hash in hashes {
            sorter.push(B::of(hash, self.blocks) >> self.shift, hash);
        }
    }

    fn insert<'p>(
        &self,
        part: &mut [B::Element],
        first: usize,
        pages: impl Iterator<Item = Page<'p, KeyHash>>,
        news: &mut News,
    ) {
        // Many together, since insertion looks ahead.
        let mut hashes = [KeyHash::new(0); TOGETHER];
        let mut count = 0;
        for page in pages {
            if count + page.items.len() > TOGETHER {
                news.count += B::insert(part, self.shape, first, self.blocks, &hashes[..count]);
                count = 0;
            }
            hashes[count..count + page.items.len()].copy_from_slice(page.items);
            count += page.items.len();
        }
        news.count += B::insert(part, self.shape, first, self.blocks, &hashes[..count]);
    }

    #[inline(always)]
    fn insert_each(&self, table: &mut [B::Element], hashes: &[KeyHash]) -> u64 {
        B::insert(table, self.shape, 0, self.blocks, hashes)
    }

    fn counted(&self, keys: u64, new: u64) -> u64 {
        counted(B::COUNTS_COPIES, keys, new)
    }
}
