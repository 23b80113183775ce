//! The operations on blocks with AVX2, and the choice between them and their portable twins.
//!
//! This is the only module of the crate that has `unsafe` code. Every function here gives the same
//! answers as its twin in [`block`](crate::block); the tests compare them. The portable twin of an
//! operation on one key is a separate function: inlined, it would make the operation too long to be
//! inlined into the caller's loop.
#![allow(unsafe_code)]

use crate::block::{Block, place};
use amq_core::prefetch::{contains_each, insert_each};
use amq_core::{KeyHash, dispatch};

// SAFETY: eight `u64` without padding, for which any bits are a value, zero among them.
unsafe impl amq_core::internal::bytemuck::Zeroable for Block {}
// SAFETY: as above; it is `Copy` and `'static`.
unsafe impl amq_core::internal::bytemuck::Pod for Block {}

impl amq_core::internal::Plain for Block {
    const WIDTH: usize = 8;
}

/// Raises a key's counters; returns whether any was zero.
#[inline(always)]
pub(crate) fn insert(block: &mut Block, choice: u32) -> bool {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable(block: &mut Block, choice: u32) -> bool {
        block.insert(choice)
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { avx2::insert(block, choice) },
        portable(block, choice)
    )
}

/// Whether all of a key's counters are above zero.
#[inline(always)]
pub(crate) fn contains(block: &Block, choice: u32) -> bool {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable(block: &Block, choice: u32) -> bool {
        block.contains(choice)
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { avx2::contains(block, choice) },
        portable(block, choice)
    )
}

/// Lowers a key's counters if all are above zero; returns whether they were.
#[inline(always)]
pub(crate) fn remove(block: &mut Block, choice: u32) -> bool {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable(block: &mut Block, choice: u32) -> bool {
        block.remove(choice)
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { avx2::remove(block, choice) },
        portable(block, choice)
    )
}

/// Inserts many hashes into the part of a table that begins with block `first` of `count`; returns
/// how many had a counter at zero.
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
        let (block, choice) = place(hash, count);
        (block.wrapping_sub(first), choice)
    }
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
// Vector functions without pointers are safe from Rust 1.86 on, but not with the oldest compiler.
#[allow(unused_unsafe)]
mod avx2 {
    use crate::block::{Block, place};
    use amq_bloom::SALTS;
    use amq_core::KeyHash;
    use amq_core::prefetch::{contains_each, insert_each};
    use core::arch::x86_64::{
        __m256i, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128,
        _mm256_cmpeq_epi64, _mm256_cvtepu32_epi64, _mm256_extracti128_si256, _mm256_load_si256,
        _mm256_loadu_si256, _mm256_mullo_epi32, _mm256_or_si256, _mm256_set1_epi32,
        _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_slli_epi32, _mm256_sllv_epi64,
        _mm256_srli_epi32, _mm256_srlv_epi64, _mm256_store_si256, _mm256_sub_epi64,
        _mm256_testz_si256,
    };

    /// Half a block: its words, and the bit offset of the key's counter in each.
    #[derive(Clone, Copy)]
    struct Half {
        words: __m256i,
        shifts: __m256i,
    }

    impl Half {
        /// The key's counters.
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn counters(self) -> __m256i {
            // SAFETY: AVX2 is there (the caller's promise).
            unsafe {
                let lowest = _mm256_srlv_epi64(self.words, self.shifts);
                _mm256_and_si256(lowest, _mm256_set1_epi64x(15))
            }
        }

        /// All ones in each word whose counter is zero.
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn zero(self) -> __m256i {
            // SAFETY: AVX2 is there (the caller's promise).
            unsafe { _mm256_cmpeq_epi64(self.counters(), _mm256_setzero_si256()) }
        }

        /// A one in the lowest bit of each counter that is not saturated.
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn step(self) -> __m256i {
            // SAFETY: AVX2 is there (the caller's promise).
            unsafe {
                let sticks = _mm256_cmpeq_epi64(self.counters(), _mm256_set1_epi64x(15));
                let one = _mm256_andnot_si256(sticks, _mm256_set1_epi64x(1));
                _mm256_sllv_epi64(one, self.shifts)
            }
        }
    }

    /// Both halves of a block, with a key's counters in them.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn halves(block: &Block, choice: u32) -> [Half; 2] {
        let address: *const __m256i = (&raw const *block).cast();
        let salts = SALTS;
        // SAFETY: AVX2 is there (the caller's promise); a `Block` is 64 bytes, aligned to 64; the
        // salts are 32 bytes.
        unsafe {
            let salts = _mm256_loadu_si256((&raw const salts).cast());
            let product = _mm256_mullo_epi32(_mm256_set1_epi32(choice as i32), salts);
            let shifts = _mm256_slli_epi32::<2>(_mm256_srli_epi32::<28>(product));
            // No `map`: where it is not inlined, it is a loop of calls.
            let [low, high] =
                [_mm256_castsi256_si128(shifts), _mm256_extracti128_si256::<1>(shifts)];
            [
                Half { words: _mm256_load_si256(address), shifts: _mm256_cvtepu32_epi64(low) },
                Half {
                    words: _mm256_load_si256(address.add(1)),
                    shifts: _mm256_cvtepu32_epi64(high),
                },
            ]
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store(block: &mut Block, halves: [__m256i; 2]) {
        let address: *mut __m256i = (&raw mut *block).cast();
        // SAFETY: AVX2 is there (the caller's promise); a `Block` is 64 bytes, aligned to 64, and
        // ours to write.
        unsafe {
            _mm256_store_si256(address, halves[0]);
            _mm256_store_si256(address.add(1), halves[1]);
        }
    }

    /// Whether none of the key's counters is zero.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn none_zero([low, high]: [Half; 2]) -> bool {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe {
            let zero = _mm256_or_si256(low.zero(), high.zero());
            _mm256_testz_si256(zero, zero) != 0
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn insert(block: &mut Block, choice: u32) -> bool {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe {
            let [low, high] = halves(block, choice);
            let raised = [
                _mm256_add_epi64(low.words, low.step()),
                _mm256_add_epi64(high.words, high.step()),
            ];
            store(block, raised);
            !none_zero([low, high])
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn contains(block: &Block, choice: u32) -> bool {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe { none_zero(halves(block, choice)) }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn remove(block: &mut Block, choice: u32) -> bool {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe {
            let [low, high] = halves(block, choice);
            if !none_zero([low, high]) {
                return false;
            }
            let lowered = [
                _mm256_sub_epi64(low.words, low.step()),
                _mm256_sub_epi64(high.words, high.step()),
            ];
            store(block, lowered);
            true
        }
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
        insert_each(part, hashes, super::place_from(first, count), |block, choice| {
            // SAFETY: AVX2 is there (the caller's promise).
            unsafe { insert(block, choice) }
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
        contains_each(blocks, hashes, answers, place, |block, choice| {
            // SAFETY: AVX2 is there (the caller's promise).
            unsafe { contains(block, choice) }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn dispatched_operations_agree_with_their_portable_twins() {
        // On a processor without AVX2 this compares the portable code with itself. Few blocks and
        // many repeats, so that counters reach 15 and return to 0.
        let steps = if cfg!(miri) { 240 } else { 40_000 };
        for count in [1u64, 3, 50] {
            let mut one = vec![Block::default(); count as usize];
            let mut portable = one.clone();
            for step in 0..steps {
                let key = KeyHash::of(&(step * step % 997), 0);
                let (block, choice) = place(key, count);
                let (ours, twin) = (&mut one[block], &mut portable[block]);
                match step / (steps / 8) % 2 {
                    0 => assert_eq!(insert(ours, choice), twin.insert(choice)),
                    _ => assert_eq!(remove(ours, choice), twin.remove(choice)),
                }
                assert_eq!(ours, twin);
                let other = choice.rotate_left(7);
                assert_eq!(contains(ours, other), twin.contains(other));
            }
        }
    }

    #[test]
    fn batches_agree_with_single_operations() {
        let keys = if cfg!(miri) { 90 } else { 3000 };
        let hash = |i: u64| KeyHash::of(&(i % (keys / 3 * 2)), 0);
        let hashes: Vec<KeyHash> = (0..keys).map(hash).collect();
        for count in [1u64, 7, 400] {
            let mut many = vec![Block::default(); count as usize];
            let (mut one, mut portable) = (many.clone(), many.clone());
            let news = insert_batch(&mut many, 0, count, &hashes);
            assert_eq!(insert_each(&mut portable, &hashes, place, Block::insert), news);
            let mut counted = 0;
            for &hash in &hashes {
                let (block, choice) = place(hash, count);
                counted += u64::from(insert(&mut one[block], choice));
            }
            assert_eq!(counted, news);
            assert_eq!(one, many);
            assert_eq!(portable, many);
            let queries: Vec<KeyHash> = (0..=keys).map(|i| KeyHash::of(&(i * 3), 0)).collect();
            let mut answers = vec![false; queries.len()];
            contains_batch(&many, &queries, &mut answers);
            let mut twin = vec![true; queries.len()];
            contains_each(&many, &queries, &mut twin, place, Block::contains);
            assert_eq!(answers, twin);
        }
    }
}
