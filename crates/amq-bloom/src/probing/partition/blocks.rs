//! Tables of blocks, of which a key has one.

use super::bulk::{self, News, Partition};
use super::{Hashes, Page, Sorter};
use amq_core::KeyHash;
use core::marker::PhantomData;

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

    /// Inserts keys whose blocks are in a part of the table; returns how many were new. `range` is
    /// the first block of the part, and the number of blocks of the table. `near`: the part is in
    /// the cache, or on its way.
    fn insert(
        part: &mut [Self::Element],
        shape: Self::Shape,
        range: (usize, u64),
        near: bool,
        hashes: &[KeyHash],
    ) -> u64;
}

/// Inserts each hash into its block and returns how many `insert` reported as new. Looks ahead
/// unless the blocks are near.
#[inline(always)]
pub fn insert_each<B>(
    blocks: &mut [B],
    near: bool,
    hashes: &[KeyHash],
    place: impl Fn(KeyHash) -> (usize, u32),
    mut insert: impl FnMut(&mut B, u32) -> bool,
) -> u64 {
    if !near {
        return amq_core::prefetch::insert_each(blocks, hashes, |hash, _| place(hash), insert);
    }
    let mut new = 0;
    for &hash in hashes {
        let (block, choice) = place(hash);
        new += u64::from(insert(&mut blocks[block], choice));
    }
    new
}

/// Bytes of a table up to which threads divide it coarsely: the wait for a block is so short that a
/// prefetch hides it, and finer ranges only take longer to sort by.
const COARSE_BYTES: u64 = if cfg!(test) { 32 << 10 } else { 96 << 20 };

/// A table of blocks, by ranges.
pub(super) struct Blocks<B: Block> {
    shape: B::Shape,
    blocks: u64,
    /// `log2` of the blocks in a range.
    shift: u32,
    coarse: bool,
    of: PhantomData<fn(B)>,
}

/// Inserts hashes and returns how many were new. `len` is the filter's number of keys.
#[inline]
pub fn insert<B: Block>(
    blocks: &mut [B::Element],
    shape: B::Shape,
    len: &mut u64,
    hashes: Hashes<'_>,
) -> u64 {
    let threads = hashes.threads();
    bulk::insert(&Blocks::<B>::new(shape, blocks.len() as u64, threads), blocks, len, hashes)
}

impl<B: Block> Blocks<B> {
    /// The ranges of so many blocks, for so many threads.
    #[inline]
    fn new(shape: B::Shape, blocks: u64, threads: u64) -> Self {
        let table = blocks.saturating_mul(size_of::<B::Element>() as u64);
        let coarse = threads > 1 && table < COARSE_BYTES;
        let ranges = if coarse { 8 * threads } else { super::RANGES };
        let bytes = super::range_bytes(table, ranges);
        let shift = (bytes / size_of::<B::Element>() as u64).ilog2();
        Self { shape, blocks, shift, coarse, of: PhantomData }
    }
}

impl<B: Block> Partition for Blocks<B> {
    type Element = B::Element;
    type Item = KeyHash;
    const COUNTS_COPIES: bool = B::COUNTS_COPIES;
    const BY_NUMBER: bool = false;

    fn range(&self) -> usize {
        1 << self.shift
    }

    fn is_coarse(&self) -> bool {
        self.coarse
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
        near: bool,
        pages: impl Iterator<Item = Page<'p, KeyHash>>,
        news: &mut News,
    ) {
        for page in pages {
            news.count += B::insert(part, self.shape, (first, self.blocks), near, page.items);
        }
    }

    #[inline(always)]
    fn insert_each(&self, table: &mut [B::Element], hashes: &[KeyHash]) -> u64 {
        B::insert(table, self.shape, (0, self.blocks), false, hashes)
    }
}
