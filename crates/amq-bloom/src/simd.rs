//! Split-block operations with AVX2, and the choice between them and their portable twins.
//!
//! The only module of the crate with `unsafe` in it, and [`wide`] inside it. Every function here
//! gives the same answers as its twin in [`block`](crate::block); the tests compare them. For
//! operations on one key the portable twin is a function of its own: inlined, its length would keep
//! the whole operation from being inlined into the caller's loop.
#![allow(unsafe_code)]

/// Operations on one key, where the code around them may lack AVX2.
#[cfg(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(target_feature = "avx2"),
    not(miri)
))]
mod inlined;

#[cfg(all(
    target_arch = "x86_64",
    any(not(target_pointer_width = "64"), target_feature = "avx2", miri)
))]
use avx2 as inlined;

pub(crate) mod wide;

use crate::block::{Block, place};
use amq_core::prefetch::{contains_each, insert_each};
use amq_core::{KeyHash, dispatch};

// SAFETY: eight `u32` without padding, for which any bits are a value, zero among them.
unsafe impl amq_core::internal::bytemuck::Zeroable for Block {}
// SAFETY: as above; it is `Copy` and `'static`.
unsafe impl amq_core::internal::bytemuck::Pod for Block {}

impl amq_core::internal::Plain for Block {
    const WIDTH: usize = 4;
}

/// The block of a hash, and the selector of its bits. The index is not checked against the bounds:
/// that took 4 to 8 % of a query's time in the cache.
///
/// # Panics
/// If there are no blocks.
#[inline(always)]
pub(crate) fn block_of(blocks: &[Block], hash: KeyHash) -> (&Block, u32) {
    let (block, low) = place(hash, blocks.len() as u64);
    if blocks.is_empty() {
        return (&blocks[block], low);
    }
    debug_assert!(block < blocks.len());
    // SAFETY: there are n > 0 blocks. The index is floor(h n / 2^32), h < 2^32: less than n. If
    // the product wraps, n is 2^32 or more, and the index is less than 2^32.
    (unsafe { blocks.get_unchecked(block) }, low)
}

/// [`block_of`], to change it.
///
/// # Panics
/// If there are no blocks.
#[inline(always)]
pub(crate) fn block_of_mut(blocks: &mut [Block], hash: KeyHash) -> (&mut Block, u32) {
    let (block, low) = place(hash, blocks.len() as u64);
    if blocks.is_empty() {
        return (&mut blocks[block], low);
    }
    debug_assert!(block < blocks.len());
    // SAFETY: as above.
    (unsafe { blocks.get_unchecked_mut(block) }, low)
}

/// Sets a key's bits in its block and returns whether any was clear.
#[inline(always)]
pub(crate) fn insert(block: &mut Block, low: u32) -> bool {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable(block: &mut Block, low: u32) -> bool {
        block.insert(low)
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { inlined::insert(block, low) },
        portable(block, low)
    )
}

/// Whether all of a key's bits are set in its block.
#[inline(always)]
pub(crate) fn contains(block: &Block, low: u32) -> bool {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable(block: &Block, low: u32) -> bool {
        block.contains(low)
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { inlined::contains(block, low) },
        portable(block, low)
    )
}

/// The bits of a key in the four 64-bit words of its block, each of two 32-bit ones.
#[cfg(target_has_atomic = "64")]
#[inline(always)]
pub(crate) fn mask64(low: u32) -> [u64; 4] {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable(low: u32) -> [u64; 4] {
        crate::block::mask64(low)
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { avx2::mask64(low) },
        portable(low)
    )
}

/// Inserts many hashes into the part of a table that begins with block `first` of `count`, and
/// returns how many changed it.
pub(crate) fn insert_batch(
    part: &mut [Block],
    first: usize,
    count: u64,
    hashes: &[KeyHash],
) -> u64 {
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { avx2::insert_batch(part, first, count, hashes) },
        insert_each(part, hashes, place_from(first, count), Block::insert)
    )
}

/// The place of a hash in the part of a table that begins with block `first` of `count`.
#[inline(always)]
fn place_from(first: usize, count: u64) -> impl Fn(KeyHash, u64) -> (usize, u32) {
    move |hash, _| {
        let (block, low) = place(hash, count);
        (block.wrapping_sub(first), low)
    }
}

/// Calls `work` compiled with BMI2, if the processor has it.
#[inline(always)]
pub(crate) fn with_bits<R>(work: impl FnOnce() -> R) -> R {
    dispatch!(
        // SAFETY: it needs BMI1, BMI2, LZCNT and POPCNT, which the processor has.
        has_bits => unsafe { bits(work) },
        work()
    )
}

/// # Safety
/// The processor must have BMI1, BMI2, LZCNT and POPCNT.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn bits<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Answers many hashes; the slices are equally long.
pub(crate) fn contains_batch(blocks: &[Block], hashes: &[KeyHash], answers: &mut [bool]) {
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { avx2::contains_batch(blocks, hashes, answers) },
        contains_each(blocks, hashes, answers, place, Block::contains)
    )
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use crate::block::{Block, SALTS, place};
    use amq_core::KeyHash;
    use amq_core::prefetch::{contains_each, insert_each};
    use core::arch::x86_64::{
        __m256i, _mm256_load_si256, _mm256_mullo_epi32, _mm256_or_si256, _mm256_set1_epi32,
        _mm256_sllv_epi32, _mm256_srli_epi32, _mm256_store_si256, _mm256_testc_si256,
    };

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn mask(low: u32) -> __m256i {
        let salts = Block(SALTS);
        // SAFETY: AVX2 is there (the caller's promise); a `Block` is 32 bytes, aligned to 32.
        unsafe {
            let salts = _mm256_load_si256((&raw const salts).cast());
            let product = _mm256_mullo_epi32(_mm256_set1_epi32(low as i32), salts);
            _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32::<27>(product))
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn mask64(low: u32) -> [u64; 4] {
        // SAFETY: AVX2 is there (the caller's promise); both types are 32 bytes, of which any are
        // a value. x86-64 is little-endian: the lower half of a word is the first.
        unsafe { core::mem::transmute(mask(low)) }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn insert(block: &mut Block, low: u32) -> bool {
        let address: *mut __m256i = (&raw mut *block).cast();
        // SAFETY: AVX2 is there (the caller's promise); a `Block` is 32 bytes, aligned to 32, and
        // exclusively borrowed.
        unsafe {
            let (old, mask) = (_mm256_load_si256(address), mask(low));
            _mm256_store_si256(address, _mm256_or_si256(old, mask));
            _mm256_testc_si256(old, mask) == 0
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn contains(block: &Block, low: u32) -> bool {
        // SAFETY: AVX2 is there (the caller's promise); a `Block` is 32 bytes, aligned to 32.
        unsafe { _mm256_testc_si256(_mm256_load_si256((&raw const *block).cast()), mask(low)) != 0 }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn insert_batch(
        part: &mut [Block],
        first: usize,
        count: u64,
        hashes: &[KeyHash],
    ) -> u64 {
        insert_each(part, hashes, super::place_from(first, count), |block, low| {
            // SAFETY: AVX2 is there (the caller's promise).
            unsafe { insert(block, low) }
        })
    }

    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn contains_batch(
        blocks: &[Block],
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) {
        contains_each(blocks, hashes, answers, place, |block, low| {
            // SAFETY: AVX2 is there (the caller's promise).
            unsafe { contains(block, low) }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    fn hashes(n: u64) -> Vec<KeyHash> {
        (0..n).map(|i| KeyHash::of(&(i % (n / 2 + 1)), 0)).collect()
    }

    #[test]
    fn the_block_of_any_hash_is_one_of_the_table() {
        for count in [1u64, 2, 3, 7, 64, 1000] {
            let mut blocks = vec![Block::default(); count as usize];
            let ends = [0, u64::MAX, u64::MAX << 32, u64::from(u32::MAX)].map(KeyHash::new);
            for hash in hashes(100).into_iter().chain(ends) {
                let (wanted, selector) = place(hash, count);
                let (block, low) = block_of(&blocks, hash);
                assert!(core::ptr::eq(block, &blocks[wanted]) && low == selector);
                let block: *const Block = block_of_mut(&mut blocks, hash).0;
                assert!(core::ptr::eq(block, &blocks[wanted]));
            }
        }
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn of_no_blocks_none_is_read() {
        block_of(&[], KeyHash::new(0));
    }

    #[test]
    fn dispatched_operations_agree_with_their_portable_twins() {
        // On a processor without AVX2 this compares the portable code with itself.
        for count in [1u64, 3, 100] {
            let hashes = hashes(if cfg!(miri) { 100 } else { 3000 });
            let mut one = vec![Block::default(); count as usize];
            let mut many = one.clone();
            let mut portable = one.clone();
            let mut news = 0;
            for &hash in &hashes {
                #[cfg(target_has_atomic = "64")]
                {
                    let low = hash.get() as u32;
                    assert_eq!(mask64(low), crate::block::mask64(low));
                }
                let (block, low) = place(hash, count);
                let new = portable[block].insert(low);
                assert_eq!(insert(&mut one[block], low), new);
                news += u64::from(new);
                // Half a table later.
                let (block, low) = place(KeyHash::new(hash.get().rotate_left(17)), count);
                assert_eq!(contains(&one[block], low), portable[block].contains(low));
            }
            assert_eq!(insert_batch(&mut many, 0, count, &hashes), news);
            assert_eq!(one, portable);
            assert_eq!(many, portable);
            let queries: Vec<_> =
                hashes.iter().map(|h| KeyHash::new(h.get().rotate_left(9))).collect();
            let mut answers = vec![false; queries.len()];
            contains_batch(&many, &queries, &mut answers);
            let mut twin = vec![true; queries.len()];
            contains_each(&portable, &queries, &mut twin, place, Block::contains);
            assert_eq!(answers, twin);
        }
    }
}
