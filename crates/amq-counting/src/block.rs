//! One block of the blocked layout: eight words of sixteen counters. A key has one counter in each
//! word.

use crate::counters::{MAX, above_zero, get, lowered, raised, words};
use amq_bloom::SALTS;
use amq_core::KeyHash;
use amq_core::index::index_and_rest;

/// A block in a table: eight little-endian words of sixteen counters.
pub(crate) type Block = [u8; 64];

/// A hash's block, and the 32 bits that choose its counters, which are independent of the choice of
/// the block.
#[inline(always)]
pub(crate) const fn place(hash: KeyHash, blocks: u64) -> (usize, u32) {
    let (block, rest) = index_and_rest(hash.get(), blocks);
    (block as usize, (rest >> 32) as u32)
}

/// A hash's block, and the bits that choose its counters.
#[inline(always)]
pub(crate) fn of_key(table: &[u8], hash: KeyHash) -> (&Block, u32) {
    let blocks = table.as_chunks().0;
    let (block, choice) = place(hash, blocks.len() as u64);
    (blocks.get(block).unwrap_or_else(|| no_blocks()), choice)
}

/// [`of_key`], mutably.
#[inline(always)]
pub(crate) fn of_key_mut(table: &mut [u8], hash: KeyHash) -> (&mut Block, u32) {
    let blocks = table.as_chunks_mut().0;
    let (block, choice) = place(hash, blocks.len() as u64);
    (blocks.get_mut(block).unwrap_or_else(|| no_blocks()), choice)
}

/// Panics like an index out of bounds. The call is shorter, so that insertion is still inlined into
/// loops.
#[cold]
#[inline(never)]
#[expect(clippy::panic, reason = "a table whose bytes are gone cannot answer")]
fn no_blocks() -> ! {
    panic!("the filter's table has no blocks: its bytes have changed since it was made")
}

/// Bit offset of the key's counter in each word.
#[inline(always)]
fn shifts(choice: u32) -> [u32; 8] {
    SALTS.map(|salt| choice.wrapping_mul(salt) >> 28 << 2)
}

/// Raises a key's counters; returns whether any was zero.
#[inline(always)]
pub(crate) fn insert(block: &mut Block, choice: u32) -> bool {
    let mut new = false;
    for (word, shift) in block.as_chunks_mut().0.iter_mut().zip(shifts(choice)) {
        let old = u64::from_le_bytes(*word);
        new |= get(old, shift) == 0;
        *word = raised(old, shift).to_le_bytes();
    }
    new
}

/// Whether all of a key's counters are above zero.
#[inline(always)]
pub(crate) fn contains(block: &Block, choice: u32) -> bool {
    let mut all = true;
    for (word, shift) in words(block).zip(shifts(choice)) {
        all &= get(word, shift) != 0;
    }
    all
}

/// Lowers a key's counters if all are above zero; returns whether they were.
#[inline(always)]
pub(crate) fn remove(block: &mut Block, choice: u32) -> bool {
    if !contains(block, choice) {
        return false;
    }
    for (word, shift) in block.as_chunks_mut().0.iter_mut().zip(shifts(choice)) {
        *word = lowered(u64::from_le_bytes(*word), shift).to_le_bytes();
    }
    true
}

/// The lowest of a key's counters.
pub(crate) fn count(block: &Block, choice: u32) -> u64 {
    let counters = words(block).zip(shifts(choice));
    counters.fold(MAX, |lowest, (word, shift)| lowest.min(get(word, shift)))
}

/// The fraction of all keys for which this block answers `true`: the product of the fills of its
/// words.
pub(crate) fn fpr(block: &Block) -> f64 {
    words(block).map(|word| f64::from(above_zero(word).count_ones()) / 16.0).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_counter_in_each_word() {
        for choice in [0u32, 1, 0xdead_beef, u32::MAX] {
            let mut block = [0; 64];
            assert!(insert(&mut block, choice));
            assert!(words(&block).all(|word| above_zero(word).count_ones() == 1));
            assert_eq!(count(&block, choice), 1);
            assert!(!insert(&mut block, choice));
            assert_eq!(count(&block, choice), 2);
            assert!(remove(&mut block, choice) && remove(&mut block, choice));
            assert_eq!(block, [0; 64]);
            assert!(!remove(&mut block, choice));
            assert_eq!(block, [0; 64]);
        }
    }

    #[test]
    fn block_and_counters_of_a_key_are_independent() {
        // 16 ranges of blocks by 16 counters of one word, for numbers of blocks that are and are
        // not a power of two.
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
