//! One block of the blocked layout: eight words of sixteen counters; a key has one in each word.

use crate::counters::{MAX, above_zero, get, lowered, raised};
use amq_bloom::SALTS;
use amq_core::KeyHash;
use amq_core::index::index_and_rest;

/// One block: eight words of sixteen 4-bit counters, aligned to a cache line.
///
/// Counter `i` of a word is its four bits from bit `4 i`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C, align(64))]
pub struct Block(pub(crate) [u64; 8]);

/// A hash's block, and the bits that choose its counters: 32 of those that the choice of the block
/// leaves over.
#[inline(always)]
pub(crate) const fn place(hash: KeyHash, blocks: u64) -> (usize, u32) {
    let (block, rest) = index_and_rest(hash.get(), blocks);
    (block as usize, (rest >> 32) as u32)
}

/// Bit offset of the key's counter in each word.
#[inline(always)]
fn shifts(choice: u32) -> [u32; 8] {
    SALTS.map(|salt| choice.wrapping_mul(salt) >> 28 << 2)
}

impl Block {
    /// The block of these words.
    #[must_use]
    pub const fn new(words: [u64; 8]) -> Self {
        Self(words)
    }

    /// Its words.
    #[must_use]
    pub const fn words(&self) -> &[u64; 8] {
        &self.0
    }

    /// Raises a key's counters; returns whether any was zero.
    #[inline(always)]
    pub(crate) fn insert(&mut self, choice: u32) -> bool {
        let mut new = false;
        for (word, shift) in self.0.iter_mut().zip(shifts(choice)) {
            new |= get(*word, shift) == 0;
            *word = raised(*word, shift);
        }
        new
    }

    /// Whether all of a key's counters are above zero.
    #[inline(always)]
    pub(crate) fn contains(&self, choice: u32) -> bool {
        let mut all = true;
        for (&word, shift) in self.0.iter().zip(shifts(choice)) {
            all &= get(word, shift) != 0;
        }
        all
    }

    /// Lowers a key's counters if all are above zero; returns whether they were.
    #[inline(always)]
    pub(crate) fn remove(&mut self, choice: u32) -> bool {
        if !self.contains(choice) {
            return false;
        }
        for (word, shift) in self.0.iter_mut().zip(shifts(choice)) {
            *word = lowered(*word, shift);
        }
        true
    }

    /// The lowest of a key's counters.
    pub(crate) fn count(&self, choice: u32) -> u64 {
        let counters = self.0.iter().zip(shifts(choice));
        counters.fold(MAX, |lowest, (&word, shift)| lowest.min(get(word, shift)))
    }

    /// The share of all keys for which this block answers `true`: the product of its words' fills.
    pub(crate) fn fpr(&self) -> f64 {
        let words = self.0.iter();
        words.map(|&word| f64::from(above_zero(word).count_ones()) / 16.0).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_counter_in_each_word() {
        for choice in [0u32, 1, 0xdead_beef, u32::MAX] {
            let mut block = Block::default();
            assert!(block.insert(choice));
            assert!(block.0.iter().all(|word| above_zero(*word).count_ones() == 1));
            assert_eq!(block.count(choice), 1);
            assert!(!block.insert(choice));
            assert_eq!(block.count(choice), 2);
            assert!(block.remove(choice) && block.remove(choice));
            assert_eq!(block, Block::default());
            assert!(!block.remove(choice));
            assert_eq!(block, Block::default());
        }
    }

    #[test]
    fn block_and_counters_of_a_key_are_independent() {
        // 16 ranges of blocks by 16 counters of one word; a power of two of blocks, and not.
        for blocks in [1u64 << 20, 1_000_003] {
            for word in 0..8 {
                let mut cells = [0u64; 256];
                let samples = 1u64 << 16;
                for key in 0..samples {
                    let (block, choice) = place(KeyHash::of(&key, 3), blocks);
                    let range = block as u64 * 16 / blocks;
                    cells[(range * 16 + u64::from(shifts(choice)[word] / 4)) as usize] += 1;
                }
                let expected = samples as f64 / 256.0;
                let chi2: f64 = cells
                    .iter()
                    .map(|&c| (c as f64 - expected) * (c as f64 - expected) / expected)
                    .sum();
                // 255 degrees of freedom: sd 22.6; five on both sides.
                assert!((142.0..368.0).contains(&chi2), "chi-square {chi2}");
            }
        }
    }
}
