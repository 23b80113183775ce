//! Block operations with AVX2, their portable twins, and dispatch.
//!
//! The only module of the crate with `unsafe` code. Every function here gives the same answers as
//! its twin in [`block`](crate::block); tests compare them. The portable twin of an operation on
//! one key is a separate function: inlined, it would make the operation too long to be inlined into
//! the caller's loop.
#![allow(unsafe_code)]

use crate::block::{self, Block, place};
use amq_bloom::probing::partition::blocks::insert_each;
use amq_core::prefetch::contains_each;
use amq_core::{KeyHash, dispatch};

/// Raises a key's counters; returns whether any was zero.
#[inline(always)]
pub(crate) fn insert(block: &mut Block, choice: u32) -> bool {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable(block: &mut Block, choice: u32) -> bool {
        block::insert(block, choice)
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
        block::contains(block, choice)
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
        block::remove(block, choice)
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { avx2::remove(block, choice) },
        portable(block, choice)
    )
}

/// Inserts many hashes into the part of a table of `count` blocks that begins with block `first`;
/// returns how many had a counter at zero.
pub(crate) fn insert_batch(
    part: &mut [Block],
    (first, count): (usize, u64),
    near: bool,
    hashes: &[KeyHash],
) -> u64 {
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { avx2::insert_batch(part, (first, count), near, hashes) },
        insert_each(part, near, hashes, place_from(first, count), block::insert)
    )
}

/// The block index of a hash, relative to block `first`, in a table of `count` blocks, and the bits
/// that choose its counters.
#[inline(always)]
fn place_from(first: usize, count: u64) -> impl Fn(KeyHash) -> (usize, u32) {
    move |hash| {
        let (block, choice) = place(hash, count);
        (block.wrapping_sub(first), choice)
    }
}

/// Looks up many hashes. The slices must have the same length.
pub(crate) fn contains_batch(blocks: &[Block], hashes: &[KeyHash], answers: &mut [bool]) {
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { avx2::contains_batch(blocks, hashes, answers) },
        contains_each(blocks, hashes, answers, place, block::contains)
    )
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use crate::block::{Block, place};
    use amq_bloom::SALTS;
    use amq_bloom::probing::partition::blocks::insert_each;
    use amq_core::KeyHash;
    use amq_core::prefetch::contains_each;
    use core::arch::x86_64::{
        __m256i, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128,
        _mm256_cmpeq_epi64, _mm256_cvtepu32_epi64, _mm256_extracti128_si256, _mm256_loadu_si256,
        _mm256_mullo_epi32, _mm256_or_si256, _mm256_set1_epi32, _mm256_set1_epi64x,
        _mm256_setzero_si256, _mm256_slli_epi32, _mm256_sllv_epi64, _mm256_srli_epi32,
        _mm256_srlv_epi64, _mm256_storeu_si256, _mm256_sub_epi64, _mm256_testz_si256,
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
        fn counters(self) -> __m256i {
            let lowest = _mm256_srlv_epi64(self.words, self.shifts);
            _mm256_and_si256(lowest, _mm256_set1_epi64x(15))
        }

        /// All ones in each word whose counter is zero.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn zero(self) -> __m256i {
            _mm256_cmpeq_epi64(self.counters(), _mm256_setzero_si256())
        }

        /// A one in the lowest bit of each counter that is not saturated.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn step(self) -> __m256i {
            let sticks = _mm256_cmpeq_epi64(self.counters(), _mm256_set1_epi64x(15));
            let one = _mm256_andnot_si256(sticks, _mm256_set1_epi64x(1));
            _mm256_sllv_epi64(one, self.shifts)
        }
    }

    /// Both halves of a block, with a key's counters in them.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn halves(block: &Block, choice: u32) -> [Half; 2] {
        let (salts, address) = (SALTS, block.as_ptr().cast::<__m256i>());
        // SAFETY: the salts are 32 bytes, and a block is 64; these loads need no alignment.
        let (salts, words) = unsafe {
            (
                _mm256_loadu_si256((&raw const salts).cast()),
                [_mm256_loadu_si256(address), _mm256_loadu_si256(address.add(1))],
            )
        };
        let product = _mm256_mullo_epi32(_mm256_set1_epi32(choice as i32), salts);
        let shifts = _mm256_slli_epi32::<2>(_mm256_srli_epi32::<28>(product));
        // Not `map`: if not inlined, it compiles to a loop of calls.
        let [low, high] = [_mm256_castsi256_si128(shifts), _mm256_extracti128_si256::<1>(shifts)];
        [
            Half { words: words[0], shifts: _mm256_cvtepu32_epi64(low) },
            Half { words: words[1], shifts: _mm256_cvtepu32_epi64(high) },
        ]
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(block: &mut Block, halves: [__m256i; 2]) {
        let address: *mut __m256i = block.as_mut_ptr().cast();
        // SAFETY: a block is 64 bytes, ours to write; these stores need no alignment.
        unsafe {
            _mm256_storeu_si256(address, halves[0]);
            _mm256_storeu_si256(address.add(1), halves[1]);
        }
    }

    /// Whether none of the key's counters is zero.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn none_zero([low, high]: [Half; 2]) -> bool {
        let zero = _mm256_or_si256(low.zero(), high.zero());
        _mm256_testz_si256(zero, zero) != 0
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn insert(block: &mut Block, choice: u32) -> bool {
        let [low, high] = halves(block, choice);
        let raised =
            [_mm256_add_epi64(low.words, low.step()), _mm256_add_epi64(high.words, high.step())];
        store(block, raised);
        !none_zero([low, high])
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn contains(block: &Block, choice: u32) -> bool {
        none_zero(halves(block, choice))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn remove(block: &mut Block, choice: u32) -> bool {
        let [low, high] = halves(block, choice);
        if !none_zero([low, high]) {
            return false;
        }
        let lowered =
            [_mm256_sub_epi64(low.words, low.step()), _mm256_sub_epi64(high.words, high.step())];
        store(block, lowered);
        true
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn insert_batch(
        part: &mut [Block],
        (first, count): (usize, u64),
        near: bool,
        hashes: &[KeyHash],
    ) -> u64 {
        let place = super::place_from(first, count);
        insert_each(part, near, hashes, place, |block, choice| insert(block, choice))
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn contains_batch(blocks: &[Block], hashes: &[KeyHash], answers: &mut [bool]) {
        contains_each(blocks, hashes, answers, place, |block, choice| contains(block, choice));
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
            let mut one = vec![[0; 64]; count as usize];
            let mut portable = one.clone();
            for step in 0..steps {
                let key = KeyHash::of(&(step * step % 997), 0);
                let (block, choice) = place(key, count);
                let (ours, twin) = (&mut one[block], &mut portable[block]);
                match step / (steps / 8) % 2 {
                    0 => assert_eq!(insert(ours, choice), block::insert(twin, choice)),
                    _ => assert_eq!(remove(ours, choice), block::remove(twin, choice)),
                }
                assert_eq!(ours, twin);
                let other = choice.rotate_left(7);
                assert_eq!(contains(ours, other), block::contains(twin, other));
            }
        }
    }

    #[test]
    fn batches_agree_with_single_operations() {
        let keys = if cfg!(miri) { 90 } else { 3000 };
        let hash = |i: u64| KeyHash::of(&(i % (keys / 3 * 2)), 0);
        let hashes: Vec<KeyHash> = (0..keys).map(hash).collect();
        for count in [1u64, 7, 400] {
            let mut many = vec![[0; 64]; count as usize];
            let (mut one, mut portable) = (many.clone(), many.clone());
            let news = insert_batch(&mut many, (0, count), false, &hashes);
            assert_eq!(
                amq_core::prefetch::insert_each(&mut portable, &hashes, place, block::insert),
                news
            );
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
            contains_each(&many, &queries, &mut twin, place, block::contains);
            assert_eq!(answers, twin);
        }
    }
}
