//! Wide-block operations with AVX2: a block is two vectors.

use crate::wide_block::{Shape, WideBlock};
use core::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_andnot_si256, _mm256_load_si256, _mm256_mul_epu32,
    _mm256_or_si256, _mm256_set1_epi64x, _mm256_sllv_epi64, _mm256_srli_epi64, _mm256_srlv_epi64,
    _mm256_store_si256, _mm256_testz_si256,
};

/// The multipliers, aligned for vectors.
static SALTS64: WideBlock = WideBlock(crate::wide_block::SALTS64);

/// The numbers of the words.
static NUMBERS: WideBlock = WideBlock([0, 1, 2, 3, 4, 5, 6, 7]);

/// The bits of a key in the first half of its block, 0, or the second, 1; `chosen` are its words.
///
/// # Safety
/// The processor must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn mask(low: u32, chosen: Shape, half: usize) -> __m256i {
    // SAFETY: AVX2 is there (the caller's promise); a block is two halves of 32 bytes, aligned.
    unsafe {
        let salts = _mm256_load_si256((&raw const SALTS64).cast::<__m256i>().add(half));
        let numbers = _mm256_load_si256((&raw const NUMBERS).cast::<__m256i>().add(half));
        let (one, below_64) = (_mm256_set1_epi64x(1), _mm256_set1_epi64x(63));
        let among = |words: u8| {
            let words = _mm256_set1_epi64x(i64::from(words));
            _mm256_and_si256(_mm256_srlv_epi64(words, numbers), one)
        };
        let products = _mm256_mul_epu32(_mm256_set1_epi64x(i64::from(low)), salts);
        let first = _mm256_and_si256(_mm256_srli_epi64::<26>(products), below_64);
        if chosen.second == 0 {
            return _mm256_sllv_epi64(among(chosen.first), first);
        }
        let second = _mm256_and_si256(_mm256_srli_epi64::<32>(products), below_64);
        let second = _mm256_sllv_epi64(among(chosen.second), second);
        _mm256_or_si256(_mm256_sllv_epi64(one, first), second)
    }
}

/// # Safety
/// The processor must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn insert(block: &mut WideBlock, low: u32, shape: Shape) -> bool {
    let address: *mut __m256i = (&raw mut *block).cast();
    let chosen = shape.chosen(low);
    // SAFETY: AVX2 is there (the caller's promise); a block is 64 bytes, aligned to 64, and
    // exclusively borrowed.
    unsafe {
        let halves = [_mm256_load_si256(address), _mm256_load_si256(address.add(1))];
        let masks = [mask(low, chosen, 0), mask(low, chosen, 1)];
        let clear = [0, 1].map(|half| _mm256_andnot_si256(halves[half], masks[half]));
        _mm256_store_si256(address, _mm256_or_si256(halves[0], masks[0]));
        _mm256_store_si256(address.add(1), _mm256_or_si256(halves[1], masks[1]));
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
    let chosen = shape.chosen(low);
    // SAFETY: AVX2 is there (the caller's promise); a block is 64 bytes, aligned to 64.
    unsafe {
        let halves = [_mm256_load_si256(address), _mm256_load_si256(address.add(1))];
        let masks = [mask(low, chosen, 0), mask(low, chosen, 1)];
        let clear = [0, 1].map(|half| _mm256_andnot_si256(halves[half], masks[half]));
        let clear = _mm256_or_si256(clear[0], clear[1]);
        _mm256_testz_si256(clear, clear) != 0
    }
}

