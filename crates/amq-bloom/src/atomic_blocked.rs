//! The split-block Bloom filter, shared by threads.
#![cfg(target_has_atomic = "64")]

use crate::block::{Block, paired, place, unpaired};
use crate::tally::Tally;
use crate::theory::blocked as theory;
use crate::{BlockedBloomFilter, BlockedParams, simd};
use alloc::vec::Vec;
use amq_core::internal::{Header, OneTable, step};
use amq_core::prefetch::{ahead, contains_each, insert_each, prefetch};
use amq_core::{
    BatchInsertError, BuildError, ClearFilter, EmptyFilter, Filter, FilterKind, InsertError,
    InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError, MergeFilter, Target,
};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A [`BlockedBloomFilter`] that any number of threads insert into and query at once, through
/// `&self`, without locks.
///
/// A key is eight bits in one 32-byte block, so an insert waits for one cache line and takes at
/// most four atomic operations, on the words of 64 bits in which a bit is clear.
///
/// - **No bit is lost.** Bits are only ever set, by atomic operations. Once an insert has returned,
///   every thread that has learned of it (through a lock, a channel, a join, a release/acquire pair
///   ...) gets `true` for the key. A thread that has not may see some of its bits and not others,
///   in any order, and answers `false` until it sees all.
/// - **Of racing inserters of one new key, at least one is told [`Inserted::New`]**, unless other
///   keys covered all of its bits in the meantime. Exactly one cannot be promised, since each racer
///   may be the first at one of the four words. Without a race the answer is exact.
/// - A new key takes 3.5 atomic operations on its words, on average while a filter fills up at 1 %,
///   and one to count it. A processor does nothing else meanwhile, for some twenty cycles each on
///   x86-64; so from one thread alone inserts take several times as long as those of
///   [`BlockedBloomFilter`]. (Operations on 128 bits would halve their number, but Rust's memory
///   model does not allow them beside loads of 64.) Batches are counted at once. Whoever has the
///   filter to itself, as generic code with `&mut` and `build` have, needs none at all.
/// - The struct itself takes a kilobyte, for a counter that threads do not contend for; the table
///   is on the heap.
/// - The table is that of a `BlockedBloomFilter` with the same parameters, seed and keys, bit for
///   bit. They convert into each other ([`AtomicBlockedBloomFilter::into_inner`], `From`), which
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
pub struct AtomicBlockedBloomFilter {
    header: Header,
    len: Tally,
    blocks: Vec<AtomicBlock>,
}

/// A [`Block`] as four atomic words of 64 bits, each of two words of 32, the lower half first.
#[derive(Debug)]
#[repr(C, align(32))]
struct AtomicBlock([AtomicU64; 4]);

impl AtomicBlock {
    fn new(block: &Block) -> Self {
        Self(paired(&block.0).map(AtomicU64::new))
    }

    /// The words as they are now, one after another.
    #[inline(always)]
    fn words(&self) -> [u64; 4] {
        core::array::from_fn(|i| self.0[i].load(Relaxed))
    }

    fn load(&self) -> Block {
        Block::new(unpaired(self.words()))
    }

    /// Sets a key's bits, and returns whether any was clear.
    ///
    /// All words are read first: an atomic operation holds up the loads after it. Then only those
    /// that lack a bit are changed. Whoever set the others was told so.
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

    /// As `insert`, through `&mut self`: without atomic operations.
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

impl AtomicBlockedBloomFilter {
    amq_core::methods! {
        new: BlockedParams;
        build: BlockedParams;
        plan: BlockedParams;
        insert shared;
    }

    /// Inserts the key with this hash, from any thread; see [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&self, hash: KeyHash) -> Inserted {
        let new = self.set(hash);
        if new {
            self.len.add(Some(&hash), 1);
        }
        Inserted::from_change(new)
    }

    /// Inserts many hashes, from any thread, and returns how many were new.
    pub fn insert_batch(&self, hashes: &[KeyHash]) -> u64 {
        let mut new = 0;
        ahead(
            &mut &self.blocks[..],
            hashes,
            |blocks, hash| prefetch(blocks, place(hash, blocks.len() as u64).0),
            |_, _, hash| new += u64::from(self.set(hash)),
        );
        self.len.add(hashes.first(), new);
        new
    }

    amq_core::methods! {
        contains;
        /// Number of inserts that answered [`Inserted::New`]; see [`BlockedBloomFilter::len`].
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// The exact rate of this filter with the bits it has set; see
        /// [`BlockedBloomFilter::expected_fpr`]. Reads the whole table.
        expected_fpr;
        clear;
        /// The union: afterwards `self` contains whatever either contained. All or nothing. See
        /// [`BlockedBloomFilter::merge`].
        merge;
    }

    /// The parameters of its table.
    #[inline(always)]
    #[must_use]
    pub fn params(&self) -> BlockedParams {
        BlockedParams::new(self.blocks.len() as u64)
    }

    /// A copy of the present state: it has every insert this thread has learned of, and of inserts
    /// under way perhaps some bits. An error if there is no memory for it.
    pub fn snapshot(&self) -> Result<BlockedBloomFilter, BuildError> {
        let mut blocks = amq_core::internal::zeroed(self.blocks.len() as u64)?;
        for (copy, block) in blocks.iter_mut().zip(&self.blocks) {
            *copy = block.load();
        }
        let len = self.len.total();
        Ok(<BlockedBloomFilter>::over(self.header, self.params(), len, blocks))
    }

    /// The plain filter with the same table.
    #[must_use]
    pub fn into_inner(self) -> BlockedBloomFilter {
        let blocks: Vec<Block> = self.loaded().collect();
        <BlockedBloomFilter>::over(self.header, self.params(), self.len.total(), blocks)
    }

    /// Estimated number of distinct keys, from the share of bits set; see
    /// [`BlockedBloomFilter::estimated_cardinality`].
    #[must_use]
    pub fn estimated_cardinality(&self) -> f64 {
        theory::keys_of_fill(self.blocks.len() as u64, self.load_factor())
    }

    fn loaded(&self) -> impl Iterator<Item = Block> + '_ {
        self.blocks.iter().map(AtomicBlock::load)
    }

    /// Sets a key's bits, and returns whether any was clear.
    #[inline(always)]
    fn set(&self, hash: KeyHash) -> bool {
        let (block, low) = place(hash, self.blocks.len() as u64);
        self.blocks[block].insert(low)
    }
}

impl From<BlockedBloomFilter> for AtomicBlockedBloomFilter {
    fn from(filter: BlockedBloomFilter) -> Self {
        Self {
            header: *filter.header(),
            len: Tally::starting_at(filter.len()),
            blocks: filter.blocks().iter().map(AtomicBlock::new).collect(),
        }
    }
}

impl Clone for AtomicBlockedBloomFilter {
    fn clone(&self) -> Self {
        Self {
            header: self.header,
            len: Tally::starting_at(self.len.total()),
            blocks: self.loaded().map(|block| AtomicBlock::new(&block)).collect(),
        }
    }
}

impl PartialEq for AtomicBlockedBloomFilter {
    fn eq(&self, other: &Self) -> bool {
        self.header == other.header && self.len() == other.len() && self.loaded().eq(other.loaded())
    }
}

impl Filter for AtomicBlockedBloomFilter {
    fn kind(&self) -> FilterKind {
        FilterKind::BlockedBloom
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.header.seed
    }

    fn len(&self) -> u64 {
        self.len.total()
    }

    fn capacity(&self) -> u64 {
        self.header.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        size_of_val(&self.blocks[..]) as u64
    }

    fn expected_fpr(&self) -> f64 {
        let blocks = self.blocks.len() as u64;
        let rate = self.loaded().map(|block| block.fpr()).sum::<f64>() / blocks as f64;
        theory::LAYOUT.fpr_of_table(blocks, rate, self.load_factor())
    }

    fn load_factor(&self) -> f64 {
        let ones: u64 = self.loaded().map(|block| block.count_ones()).sum();
        ones as f64 / (self.blocks.len() as f64 * 256.0)
    }

    /// Blocks whose bits are all set.
    fn saturated(&self) -> u64 {
        let full = Block::new([u32::MAX; 8]);
        self.loaded().filter(|&block| block == full).count() as u64
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        let (block, low) = place(hash, self.blocks.len() as u64);
        self.blocks[block].contains(low)
    }

    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        contains_each(&self.blocks, hashes, answers, place, AtomicBlock::contains);
        Ok(())
    }
}

impl EmptyFilter for AtomicBlockedBloomFilter {
    fn empty(target: impl Into<Target<BlockedParams>>, seed: u64) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check()?;
        let mut blocks = Vec::new();
        amq_core::internal::reserve(&mut blocks, plan.params.blocks)?;
        let empty = Block::default();
        blocks.extend((0..plan.params.blocks).map(|_| AtomicBlock::new(&empty)));
        Ok(Self { header: Header::new(&plan, seed), len: Tally::starting_at(0), blocks })
    }
}

/// Without atomic operations: nobody else has the filter.
impl InsertFilter for AtomicBlockedBloomFilter {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        let (block, low) = place(hash, self.blocks.len() as u64);
        let new = self.blocks[block].insert_alone(low);
        self.len.add_alone(new.into());
        Ok(Inserted::from_change(new))
    }

    #[inline]
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let new = insert_each(&mut self.blocks, hashes, place, AtomicBlock::insert_alone);
        self.len.add_alone(new);
        Ok(new)
    }
}

/// For code that is generic over filters: a shared reference takes keys, too.
impl InsertFilter for &AtomicBlockedBloomFilter {
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Ok(AtomicBlockedBloomFilter::insert_hash(self, hash))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        Ok(AtomicBlockedBloomFilter::insert_batch(self, hashes))
    }
}

impl<K: Key> Extend<K> for &AtomicBlockedBloomFilter {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(&key);
        }
    }
}

impl ClearFilter for AtomicBlockedBloomFilter {
    fn clear(&mut self) {
        for word in self.blocks.iter_mut().flat_map(|block| &mut block.0) {
            *word.get_mut() = 0;
        }
        self.len = Tally::starting_at(0);
    }
}

impl MergeFilter for AtomicBlockedBloomFilter {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        let [ours, theirs] = [self, other].map(|filter| filter.blocks.len() as u64);
        MergeError::check("blocks", ours, theirs)?;
        self.header.check_seeds(&other.header)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (block, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            for (word, theirs) in block.0.iter_mut().zip(theirs.words()) {
                *word.get_mut() |= theirs;
            }
        }
        self.len = Tally::starting_at(self.len.total().saturating_add(other.len.total()));
        Ok(())
    }
}

amq_core::traits! {
    [] AtomicBlockedBloomFilter, owned [] AtomicBlockedBloomFilter: BlockedParams;
    debug "AtomicBlockedBloomFilter";
    plan theory;
    build by filling;
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::Goal;
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
                    // Overlapping parts, so that threads also meet at the same keys.
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
        assert_eq!(filter.snapshot().unwrap().blocks(), alone.blocks());
        assert_eq!(filter.into_inner().blocks(), alone.blocks());
    }

    #[test]
    fn an_insert_takes_at_most_four_atomic_operations_and_none_alone() {
        let mut filter = AtomicBlockedBloomFilter::new(Goal::fpr(20_000, 0.01)).unwrap();
        let hashes: Vec<_> = (0..20_000u64).map(|key| KeyHash::of(&key, 0)).collect();
        let mut steps = 0;
        for &hash in &hashes {
            let (_, of_this) = amq_core::internal::steps_of(|| filter.insert_hash(hash));
            assert!(of_this <= 4);
            steps += of_this;
        }
        // Four times the mean share of words of 64 bits that lack one of two.
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
        let new = plain.insert_batch(&hashes);
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
