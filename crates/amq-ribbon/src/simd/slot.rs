//! Words ordered by slot: the slots of a window, 32 bytes at a time, or with AVX-512 64 bytes.
//!
//! With AVX2 the coefficients are spread over the bytes of the slots: each byte of a vector gets
//! the eight coefficients among which its slot's is, and is compared with that one.

// Compilers differ in which of these intrinsics are unsafe.
#![allow(unused_unsafe)]

use super::avx512;
use super::x86::Vectors;
use crate::order::{BySlot, Slots, fold, fold_word};
use crate::row::{self, result};
use crate::store::Store;
use crate::system::System;
use core::arch::x86_64::*;

impl<const BYTES: usize> Vectors for BySlot<BYTES> {
    #[inline(always)]
    unsafe fn agrees<S: Store, const AVX512: bool>(system: &System<S>, window: &Slots) -> bool {
        // SAFETY: as the caller says.
        let sum = unsafe { <Self as Vectors>::value::<S, AVX512>(system, window) };
        sum == result(window.hash) & Self::MASK
    }

    #[inline(always)]
    unsafe fn value<S: Store, const AVX512: bool>(system: &System<S>, window: &Slots) -> u32 {
        let row = row::of(window.hash);
        // SAFETY: the caller says that there is AVX2, and AVX-512 if asked for, and before
        // `vector_end` all vectors of a window end in the words.
        unsafe {
            let slots = system.words().as_ptr().cast::<u8>().add(window.first * BYTES);
            match AVX512 {
                true => avx512::selected::<BYTES>(slots, row),
                false => folded::<BYTES>(selected::<BYTES>(slots, row)),
            }
        }
    }
}

/// How coefficients are spread over the bytes of slots.
struct Spread<const BYTES: usize>;

impl<const BYTES: usize> Spread<BYTES> {
    /// Eights of slots in a vector of 32 bytes, and the bytes of them.
    const EIGHTS: usize = if BYTES > 2 { 1 } else { 4 / BYTES };
    const STEP: usize = Self::EIGHTS * 8 * BYTES;
    /// For each vector, and each of its bytes: the group of eight coefficients with its slot's.
    /// Bytes that are left over get none.
    const FROM: [[u8; 32]; 8] = {
        let mut from = [[0x80; 32]; 8];
        let mut at = 0;
        while at < 8 * Self::STEP {
            from[at / Self::STEP][at % Self::STEP] =
                (at / Self::STEP * Self::EIGHTS + at % Self::STEP / BYTES / 8) as u8;
            at += 1;
        }
        from
    };
    /// For each byte of a vector, which of the eight bits is its slot's.
    const BIT: [u8; 32] = {
        let mut bit = [0; 32];
        let mut at = 0;
        while at < 32 {
            bit[at] = 1 << (at / BYTES % 8);
            at += 1;
        }
        bit
    };
}

/// The slots whose coefficients are set, of 64, exclusive-ored into 32 bytes.
///
/// # Safety
/// The processor has AVX2. The 64 slots can be read, and [`BySlot::SPARE`] bytes more.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn selected<const BYTES: usize>(slots: *const u8, coefficients: u64) -> __m256i {
    // SAFETY: the caller says that the bytes can be read; the loads need no alignment.
    unsafe {
        let row = _mm256_set1_epi64x(coefficients as i64);
        let bit = _mm256_loadu_si256(Spread::<BYTES>::BIT.as_ptr().cast());
        let mut sum = _mm256_setzero_si256();
        for (i, from) in Spread::<BYTES>::FROM[..8 / Spread::<BYTES>::EIGHTS].iter().enumerate() {
            let spread = _mm256_shuffle_epi8(row, _mm256_loadu_si256(from.as_ptr().cast()));
            let is_set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
            let slots = _mm256_loadu_si256(slots.add(i * Spread::<BYTES>::STEP).cast());
            sum = _mm256_xor_si256(sum, _mm256_and_si256(slots, is_set));
        }
        sum
    }
}

/// All slots of a vector, exclusive-ored into one.
///
/// # Safety
/// The processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn folded<const BYTES: usize>(sum: __m256i) -> u32 {
    // SAFETY: the feature is that of this function.
    unsafe {
        let (low, high) = (_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let words = |of: __m128i| [_mm_cvtsi128_si64(of), _mm_extract_epi64::<1>(of)];
        if BYTES == 3 {
            let ([a, b], c) = (words(low), _mm_cvtsi128_si64(high));
            return fold::<3>([a as u64, b as u64, c as u64]);
        }
        // Words are whole slots.
        let [a, b] = words(_mm_xor_si128(low, high));
        fold_word::<BYTES>((a ^ b) as u64)
    }
}
