//! Wide-block operations with AVX2: two vectors per block.

use crate::wide_block::{SALTS64, Shape, WideBlock};
use core::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_andnot_si256, _mm256_loadu_si256, _mm256_mul_epu32,
    _mm256_or_si256, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_shuffle_epi32,
    _mm256_sllv_epi64, _mm256_srli_epi64, _mm256_srlv_epi64, _mm256_storeu_si256,
    _mm256_testz_si256,
};

static MULTIPLIERS: [u64; 8] = SALTS64;

/// Row `n` has ones for `n` neighbouring words (row 0 for all eight), repeated with period eight.
/// The eight elements from index `7 - s` on have the ones in word `s` and those after it.
static NEIGHBOURS: [[u64; 16]; 8] = {
    let mut rows = [[1; 16]; 8];
    let mut number = 1;
    while number < 8 {
        let mut at = 0;
        while at < 16 {
            rows[number][at] = ((at + 1) % 8 < number) as u64;
            at += 1;
        }
        number += 1;
    }
    rows
};

/// Three values per word: 1 if the key has one more bit in it, else 0; the number of its first bit;
/// and the number of its second.
///
/// # Safety
/// The processor must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn bits(low: u32, shape: Shape) -> [[__m256i; 2]; 3] {
    let salts: *const __m256i = (&raw const MULTIPLIERS).cast();
    let row = &NEIGHBOURS[shape.probes() as usize % 8];
    let chosen: *const __m256i = row[(!low & 7) as usize..].as_ptr().cast();
    // SAFETY: AVX2 is there (the caller's promise). The salts are 64 bytes. Eight
    // of a row's 16 words are read, from the eighth on at most.
    unsafe {
        let salts = [_mm256_loadu_si256(salts), _mm256_loadu_si256(salts.add(1))];
        let chosen = [_mm256_loadu_si256(chosen), _mm256_loadu_si256(chosen.add(1))];
        // `vpmuludq` ignores the upper halves.
        let low = [_mm256_set1_epi32(low as i32); 2];
        let products = [_mm256_mul_epu32(low[0], salts[0]), _mm256_mul_epu32(low[1], salts[1])];
        let below_64 = [_mm256_set1_epi64x(63); 2];
        let first = [_mm256_srli_epi64::<26>(products[0]), _mm256_srli_epi64::<26>(products[1])];
        let second =
            [_mm256_shuffle_epi32::<0xF5>(products[0]), _mm256_shuffle_epi32::<0xF5>(products[1])];
        [
            chosen,
            [_mm256_and_si256(first[0], below_64[0]), _mm256_and_si256(first[1], below_64[1])],
            [_mm256_and_si256(second[0], below_64[0]), _mm256_and_si256(second[1], below_64[1])],
        ]
    }
}

/// # Safety
/// The processor must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn insert(block: &mut WideBlock, low: u32, shape: Shape) -> bool {
    let address: *mut __m256i = (&raw mut *block).cast();
    // SAFETY: AVX2 is there (the caller's promise); a block is 64 bytes, and exclusively
    // borrowed.
    unsafe {
        let [chosen, first, second] = bits(low, shape);
        let mask = if shape.twice {
            let one = [_mm256_set1_epi64x(1); 2];
            let first = [_mm256_sllv_epi64(one[0], first[0]), _mm256_sllv_epi64(one[1], first[1])];
            let second =
                [_mm256_sllv_epi64(chosen[0], second[0]), _mm256_sllv_epi64(chosen[1], second[1])];
            [_mm256_or_si256(first[0], second[0]), _mm256_or_si256(first[1], second[1])]
        } else {
            [_mm256_sllv_epi64(chosen[0], first[0]), _mm256_sllv_epi64(chosen[1], first[1])]
        };
        let old = [_mm256_loadu_si256(address), _mm256_loadu_si256(address.add(1))];
        let new = [_mm256_or_si256(old[0], mask[0]), _mm256_or_si256(old[1], mask[1])];
        _mm256_storeu_si256(address, new[0]);
        _mm256_storeu_si256(address.add(1), new[1]);
        let clear = [_mm256_andnot_si256(old[0], mask[0]), _mm256_andnot_si256(old[1], mask[1])];
        let clear = _mm256_or_si256(clear[0], clear[1]);
        _mm256_testz_si256(clear, clear) == 0
    }
}

/// # Safety
/// The processor must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn contains(block: &WideBlock, low: u32, shape: Shape) -> bool {
    let address: *const __m256i = (&raw const *block).cast();
    // SAFETY: AVX2 is there (the caller's promise); a block is 64 bytes.
    unsafe {
        let [chosen, first, second] = bits(low, shape);
        let words = [_mm256_loadu_si256(address), _mm256_loadu_si256(address.add(1))];
        // Shift the tested bits to the lowest position.
        let first = [_mm256_srlv_epi64(words[0], first[0]), _mm256_srlv_epi64(words[1], first[1])];
        let clear = if shape.twice {
            let one = [_mm256_set1_epi64x(1); 2];
            let second =
                [_mm256_srlv_epi64(words[0], second[0]), _mm256_srlv_epi64(words[1], second[1])];
            let first =
                [_mm256_andnot_si256(first[0], one[0]), _mm256_andnot_si256(first[1], one[1])];
            let second = [
                _mm256_andnot_si256(second[0], chosen[0]),
                _mm256_andnot_si256(second[1], chosen[1]),
            ];
            [_mm256_or_si256(first[0], second[0]), _mm256_or_si256(first[1], second[1])]
        } else {
            [_mm256_andnot_si256(first[0], chosen[0]), _mm256_andnot_si256(first[1], chosen[1])]
        };
        let clear = _mm256_or_si256(clear[0], clear[1]);
        _mm256_testz_si256(clear, clear) != 0
    }
}
