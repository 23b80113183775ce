//! The two vector operations of a query, with AVX2. [`avx512`](super::avx512) has the second.
//!
//! The coefficients are spread over the bytes of the slots: each byte of a vector gets the eight
//! coefficients that include its slot's, and is tested for that bit.

// Compiler versions differ in which of these intrinsics are unsafe.
#![allow(unused_unsafe)]

use crate::layout::{fold, fold_word};
use core::arch::x86_64::*;

/// How coefficients are spread over the bytes of slots.
struct Spread<const BYTES: usize>;

impl<const BYTES: usize> Spread<BYTES> {
    /// Eights of slots in a vector of 32 bytes, and the bytes of them.
    const EIGHTS: usize = if BYTES > 2 { 1 } else { 4 / BYTES };
    const STEP: usize = Self::EIGHTS * 8 * BYTES;
    /// For each vector, and each of its bytes: the group of eight coefficients with its slot's.
    /// Unused bytes get none.
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

/// The exclusive or of those of 64 slots of `BYTES` bytes whose coefficients are set.
///
/// # Safety
/// The processor has AVX2. The 64 slots can be read, and eight bytes more if `BYTES` is 3.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn selected<const BYTES: usize>(slots: *const u8, coefficients: u64) -> u32 {
    // SAFETY: the caller guarantees that the bytes are readable; the loads need no alignment.
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
        folded::<BYTES>(sum)
    }
}

/// The exclusive or of all slots of a vector.
///
/// # Safety
/// The processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn folded<const BYTES: usize>(sum: __m256i) -> u32 {
    // SAFETY: this function has the feature.
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

/// The parities of eight columns: bit i is that of the bits set both in `row[0]` and in word i of
/// the first block, or in `row[1]` and in word i of the second.
///
/// # Safety
/// The processor has AVX2. Eight words can be read of both blocks.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn parities([block, after]: [*const [u8; 8]; 2], [here, next]: [u64; 2]) -> u32 {
    // SAFETY: the caller guarantees that eight words are readable; the loads need no alignment.
    unsafe {
        let here = _mm256_set1_epi64x(here as i64);
        let next = _mm256_set1_epi64x(next as i64);
        let sum = |i: usize| {
            let one = _mm256_and_si256(_mm256_loadu_si256(block.add(i).cast()), here);
            let other = _mm256_and_si256(_mm256_loadu_si256(after.add(i).cast()), next);
            _mm256_xor_si256(one, other)
        };
        odd(halved(sum(0), sum(4)))
    }
}

/// Eight columns of 64 bits, folded to 32 bits each, in order.
///
/// # Safety
/// The processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn halved(low: __m256i, high: __m256i) -> __m256i {
    // SAFETY: this function has the feature.
    unsafe {
        let (low, high) = (_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
        // The lower halves and the upper halves of columns 0, 1, 4, 5, 2, 3, 6, 7.
        let lower = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(low, high));
        let upper = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(low, high));
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_xor_si256(lower, upper))
    }
}

/// The parities of eight lanes of 32 bits, as the lowest eight bits.
///
/// # Safety
/// The processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn odd(lanes: __m256i) -> u32 {
    // SAFETY: this function has the feature.
    unsafe {
        // Folds each lane into its highest byte, and that byte into its lower half.
        let sum = _mm256_xor_si256(lanes, _mm256_slli_epi32::<16>(lanes));
        let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<8>(sum));
        let sum = _mm256_xor_si256(sum, _mm256_srli_epi32::<4>(sum));
        let halves = _mm256_and_si256(sum, _mm256_set1_epi8(15));
        // For each value of four bits, whether an odd number of them is set, as the highest
        // bit.
        const EVEN: i8 = 0;
        const ODD: i8 = i8::MIN;
        let odd = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            EVEN, ODD, ODD, EVEN, ODD, EVEN, EVEN, ODD, ODD, EVEN, EVEN, ODD, EVEN, ODD, ODD, EVEN,
        ));
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_shuffle_epi8(odd, halves))) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::index::remix;
    use std::vec::Vec;

    /// Tries windows that begin at every byte, the last of which end with the bytes; fewer under
    /// Miri, which is slow.
    fn selected_agrees<const BYTES: usize>() {
        let noise: [u64; 256] = core::array::from_fn(|i| remix(i as u64, 5));
        let bytes: Vec<u8> = noise.iter().flat_map(|word| word.to_le_bytes()).collect();
        let more = if BYTES == 3 { 8 } else { 0 };
        let windows = bytes.windows(64 * BYTES + more).enumerate().rev();
        for (at, slots) in windows.step_by(if cfg!(miri) { 199 } else { 1 }) {
            for coefficients in [noise[at % 256], 0, 1, 1 << 63, u64::MAX, 1 << (at % 64)] {
                let mut sum = [0; 4];
                for (at, byte) in slots[..64 * BYTES].iter().enumerate() {
                    if coefficients >> (at / BYTES) & 1 == 1 {
                        sum[at % BYTES] ^= byte;
                    }
                }
                // SAFETY: there is AVX2; there are 64 slots, and eight bytes more if they have 3.
                let selected = unsafe { selected::<BYTES>(slots.as_ptr(), coefficients) };
                assert_eq!(selected, u32::from_le_bytes(sum), "{BYTES} bytes");
            }
        }
    }

    #[test]
    fn selected_slots_are_those_whose_coefficients_are_set() {
        if amq_core::internal::Cpu::has_avx2() {
            selected_agrees::<1>();
            selected_agrees::<2>();
            selected_agrees::<3>();
            selected_agrees::<4>();
        }
    }
}
