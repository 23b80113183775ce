//! The atomic split-block Bloom filter.
#![cfg(target_has_atomic = "64")]

use crate::block::{Block, paired, unpaired};
use crate::layout::{self, Layout};
use crate::shared::{Atomic, AtomicTable};
use crate::theory::blocked as theory;
use crate::{BlockedBloomFilter, BlockedParams, simd};
use alloc::vec::Vec;
use amq_core::Table;
use amq_core::internal::{Header, reserve, step};
use amq_core::prefetch::{ahead, contains_each, insert_each, prefetch};
use amq_core::{BuildError, FilterKind, KeyHash, MergeError, PlanError};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A [`BlockedBloomFilter`] that any number of threads can insert into and query concurrently,
/// through `&self`, without locks.
///
/// A key sets eight bits in one 32-byte block, so an insert touches one cache line and needs at
/// most four atomic operations, on the 64-bit words in which a bit is clear.
///
/// - **No bit is lost.** Bits are only ever set, by atomic operations. After an insert has
///   returned, lookups of the key return `true` in every thread that synchronises with the
///   inserting one (by a lock, a channel, a join, a release/acquire pair ...). Other threads may
///   see some of its bits before others, in any order; their lookups return `false` until they see
///   all.
/// - **If threads race to insert the same new key, at least one gets [`New`]**, unless other keys
///   set all of its bits in the meantime. More than one may get it, because each may be the first
///   to change one of the four words. Without a race the answer is exact.
/// - A new key takes 3.5 atomic operations on its words, on average while a filter fills up at 1 %,
///   and one to count it. Each stalls the processor for some twenty cycles on x86-64, so inserts
///   from a single thread take several times as long as those of [`BlockedBloomFilter`]. (128-bit
///   operations would halve their number, but Rust's memory model does not allow mixing them with
///   64-bit loads.) Batches are counted with one operation. With exclusive access (`build`, or
///   generic code with `&mut`) no atomic operations are used.
/// - The struct itself takes a kilobyte, for a counter without contention; the table is on the
///   heap.
/// - The table is that of a `BlockedBloomFilter` with the same parameters, seed and keys, bit for
///   bit. They convert into each other ([`into_inner`](Atomic::into_inner), `From`), which
///   copies the table.
///
/// ```
/// use amq_bloom::{AtomicBlockedBloomFilter, Goal};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let seen = AtomicBlockedBloomFilter::new(Goal::fpr(10_000, 0.01))?;
/// std::thread::scope(|threads| {
///     for part in 0..4u64 {
///         let mut seen = &seen;
///         threads.spawn(move || seen.extend(part * 1000..(part + 1) * 1000));
///     }
/// });
/// assert!((0..4000u64).all(|key| seen.contains(&key)));
/// # Ok(())
/// # }
/// ```
///
/// Its methods are those of [`Atomic`].
///
/// [`New`]: amq_core::Inserted::New
pub type AtomicBlockedBloomFilter = Atomic<AtomicBlocks>;

/// A [`Block`] as four atomic words of 64 bits, each of two words of 32, the lower half first.
#[derive(Debug)]
#[repr(C, align(32))]
struct AtomicBlock([AtomicU64; 4]);

impl AtomicBlock {
    fn new(block: &Block) -> Self {
        Self(paired(&block.words()).map(AtomicU64::new))
    }

    /// The current words, each loaded separately.
    #[inline(always)]
    fn words(&self) -> [u64; 4] {
        core::array::from_fn(|i| self.0[i].load(Relaxed))
    }

    fn load(&self) -> Block {
        Block::new(unpaired(self.words()))
    }

    /// Sets a key's bits, and returns whether any was clear.
    ///
    /// All words are read first, because an atomic operation delays later loads. Only words that
    /// lack a bit are changed; the threads that changed the others were told so.
    #[inline(always)]
    fn insert(&self, low: u32) -> bool {
        let mask = simd::mask64(low);
        let words = self.words();
        let mut new = false;
        for i in 0..4 {
            if mask[i] & !words[i] != 0 {
                step(1);
                new |= mask[i] & !self.0[i].fetch_or(mask[i], Relaxed) != 0;
            }
        }
        new
    }

    /// As `insert`, without atomic operations.
    #[inline(always)]
    fn insert_alone(&mut self, low: u32) -> bool {
        let mut new = 0;
        for (word, mask) in self.0.iter_mut().zip(simd::mask64(low)) {
            let word = word.get_mut();
            new |= mask & !*word;
            *word |= mask;
        }
        new != 0
    }

    /// Whether all of a key's bits are set.
    #[inline(always)]
    fn contains(&self, low: u32) -> bool {
        let (mask, words) = (simd::mask64(low), self.words());
        (0..4).fold(0, |clear, i| clear | mask[i] & !words[i]) == 0
    }
}

/// The blocks.
#[derive(Debug)]
pub struct AtomicBlocks(Vec<AtomicBlock>);

impl AtomicBlocks {
    fn loaded(&self) -> impl ExactSizeIterator<Item = Block> + Clone + '_ {
        self.0.iter().map(AtomicBlock::load)
    }
}

impl AtomicTable for AtomicBlocks {
    type Plain = BlockedBloomFilter;
    type Params = BlockedParams;
    const KIND: FilterKind = FilterKind::BlockedBloom;
    const NAME: &'static str = "AtomicBlockedBloomFilter";

    fn check(params: &BlockedParams) -> Result<(), PlanError> {
        params.check()
    }

    fn empty(params: BlockedParams) -> Result<Self, BuildError> {
        let mut blocks = Vec::new();
        reserve(&mut blocks, params.blocks)?;
        let empty = Block::default();
        blocks.extend((0..params.blocks).map(|_| AtomicBlock::new(&empty)));
        Ok(Self(blocks))
    }

    fn of(plain: BlockedBloomFilter) -> (Header, Self) {
        let blocks = simd::blocks_of(plain.as_bytes());
        (plain.header(), Self(blocks.iter().map(AtomicBlock::new).collect()))
    }

    #[inline(always)]
    fn params(&self) -> BlockedParams {
        BlockedParams::new(self.0.len() as u64)
    }

    fn size_in_bytes(&self) -> u64 {
        size_of_val(&self.0[..]) as u64
    }

    fn copied(&self) -> Self {
        Self(self.loaded().map(|block| AtomicBlock::new(&block)).collect())
    }

    fn is_same(&self, other: &Self) -> bool {
        self.loaded().eq(other.loaded())
    }

    fn check_same(&self, other: &Self) -> Result<(), MergeError> {
        self.params().check_same(&other.params())
    }

    fn snapshot(&self, header: Header, len: u64) -> Result<BlockedBloomFilter, BuildError> {
        let mut table = Table::zeroed(self.size_in_bytes())?;
        for (copy, block) in simd::blocks_of_mut(&mut table).iter_mut().zip(self.loaded()) {
            *copy = block;
        }
        Ok(BlockedBloomFilter::of(header, (), len, table))
    }

    #[inline(always)]
    fn contains(&self, hash: KeyHash) -> bool {
        let (block, low) = Block::place(hash, self.0.len() as u64);
        self.0[block].contains(low)
    }

    fn contains_each(&self, hashes: &[KeyHash], answers: &mut [bool]) {
        contains_each(&self.0, hashes, answers, Block::place, AtomicBlock::contains);
    }

    /// Sets a key's bits, and returns whether any was clear.
    #[inline(always)]
    fn set(&self, hash: KeyHash) -> bool {
        let (block, low) = Block::place(hash, self.0.len() as u64);
        self.0[block].insert(low)
    }

    /// As `set`, for many.
    fn set_each(&self, hashes: &[KeyHash]) -> u64 {
        let mut new = 0;
        ahead(
            &mut &self.0[..],
            hashes,
            |blocks, hash| prefetch(blocks, Block::place(hash, blocks.len() as u64).0),
            |_, _, hash| new += u64::from(self.set(hash)),
        );
        new
    }

    /// As `set`, without atomic operations.
    #[inline(always)]
    fn set_alone(&mut self, hash: KeyHash) -> bool {
        let (block, low) = Block::place(hash, self.0.len() as u64);
        self.0[block].insert_alone(low)
    }

    #[inline]
    fn set_each_alone(&mut self, hashes: &[KeyHash]) -> u64 {
        insert_each(&mut self.0, hashes, Block::place, AtomicBlock::insert_alone)
    }

    fn load_factor(&self) -> f64 {
        layout::load_factor(self.loaded())
    }

    fn expected_fpr(&self) -> f64 {
        layout::expected_fpr(self.loaded(), ())
    }

    fn saturated(&self) -> u64 {
        layout::saturated(self.loaded())
    }

    fn cardinality(&self) -> f64 {
        theory::keys_of_fill(self.0.len() as u64, self.load_factor())
    }

    fn merge(&mut self, other: &Self) {
        for (block, theirs) in self.0.iter_mut().zip(&other.0) {
            for (word, theirs) in block.0.iter_mut().zip(theirs.words()) {
                *word.get_mut() |= theirs;
            }
        }
    }

    fn clear(&mut self) {
        for word in self.0.iter_mut().flat_map(|block| &mut block.0) {
            *word.get_mut() = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::{ClearFilter, Filter, Goal, InsertFilter, Inserted};
    use std::thread;

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "there are no threads")]
    fn threads_that_insert_at_once_lose_no_bit() {
        let goal = Goal::fpr(40_000, 0.01);
        let filter = AtomicBlockedBloomFilter::new(goal).unwrap();
        thread::scope(|threads| {
            for part in 0..4u64 {
                let filter = &filter;
                threads.spawn(move || {
                    // The parts overlap, so that threads also insert the same keys.
                    let keys: Vec<_> = (part * 8000..part * 8000 + 16_000).collect();
                    for key in &keys[..8000] {
                        filter.insert(key);
                    }
                    filter.insert_keys(&keys[8000..]);
                });
            }
        });
        let mut alone = BlockedBloomFilter::new(goal).unwrap();
        for key in 0..40_000u64 {
            alone.insert(&key);
        }
        assert_eq!(filter.snapshot().unwrap().as_bytes(), alone.as_bytes());
        assert_eq!(filter.into_inner().as_bytes(), alone.as_bytes());
    }

    #[test]
    fn an_insert_takes_at_most_four_atomic_operations() {
        let mut filter = AtomicBlockedBloomFilter::new(Goal::fpr(20_000, 0.01)).unwrap();
        let hashes: Vec<_> = (0..20_000u64).map(|key| KeyHash::of(&key, 0)).collect();
        let mut steps = 0;
        for &hash in &hashes {
            let (_, of_this) = amq_core::internal::steps_of(|| filter.insert_hash(hash));
            assert!(of_this <= 4);
            steps += of_this;
        }
        // Four words, times the mean probability that a 64-bit word lacks one of its two bits.
        let mean = steps as f64 / 20_000.0;
        assert!((3.5..3.58).contains(&mean), "{mean}");
        assert_eq!(amq_core::internal::steps_of(|| filter.insert_batch(&hashes)), (0, 0));
        filter.clear();
        let alone = || InsertFilter::insert_hash(&mut filter, hashes[0]);
        assert_eq!(amq_core::internal::steps_of(alone), (Ok(Inserted::New), 0));
    }

    #[test]
    fn alone_it_is_the_plain_filter() {
        let goal = Goal::fpr(1000, 0.01);
        let mut plain = BlockedBloomFilter::new(goal).unwrap();
        let mut atomic = AtomicBlockedBloomFilter::new(goal).unwrap();
        for key in (0..1000u64).chain(500..1500) {
            assert_eq!(plain.insert(&key), atomic.insert(&key));
        }
        let hashes: Vec<_> = (1400..1800u64).map(|key| KeyHash::of(&key, plain.seed())).collect();
        let shared = atomic.clone();
        let new = plain.insert_batch(&hashes).unwrap();
        assert_eq!(shared.insert_batch(&hashes), new);
        assert_eq!(InsertFilter::insert_batch(&mut atomic, &hashes), Ok(new));
        assert_eq!(atomic, shared);
        assert_eq!(atomic.len(), plain.len());
        assert_eq!(atomic.load_factor(), plain.load_factor());
        assert_eq!(atomic.expected_fpr(), plain.expected_fpr());
        assert_eq!(atomic.snapshot().unwrap(), plain);
        assert_eq!(AtomicBlockedBloomFilter::from(plain.clone()), atomic);
        assert_eq!(atomic.clone().into_inner(), plain);
    }
}
