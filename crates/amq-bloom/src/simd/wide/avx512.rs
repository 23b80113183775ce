//! Wide-block operations with AVX-512: a block is one vector.

use crate::wide_block::{SALTS64, Shape, WideBlock};
use core::arch::x86_64::{
    _mm512_cmpneq_epi64_mask, _mm512_loadu_si512, _mm512_maskz_rolv_epi64, _mm512_mul_epu32,
    _mm512_or_si512, _mm512_rolv_epi64, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_shuffle_epi32,
    _mm512_srli_epi64, _mm512_storeu_si512,
};

static SALTS: [u64; 8] = SALTS64;

/// # Safety
/// The processor must have what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks
/// for.
#[inline(always)]
pub(super) unsafe fn insert(block: &mut WideBlock, low: u32, shape: Shape) -> bool {
    // SAFETY: AVX-512 is there (the caller's promise).
    unsafe { insert_in(block, low, shape.chosen(low) as u8, shape.twice) }
}

/// # Safety
/// The processor must have AVX-512F.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn insert_in(block: &mut WideBlock, low: u32, chosen: u8, twice: bool) -> bool {
    let address = (&raw mut *block).cast();
    // SAFETY: AVX-512 is there (the caller's promise). A block is 64 bytes and exclusively
    // borrowed; the salts are 64 bytes.
    unsafe {
        let salts = _mm512_loadu_si512((&raw const SALTS).cast());
        // `vpmuludq` ignores the upper halves.
        let product = _mm512_mul_epu32(_mm512_set1_epi32(low as i32), salts);
        let (first, one) = (_mm512_srli_epi64::<26>(product), _mm512_set1_epi64(1));
        // Rotations count modulo 64.
        let mask = if twice {
            let second = _mm512_shuffle_epi32::<0xF5>(product);
            let second = _mm512_maskz_rolv_epi64(chosen, one, second);
            _mm512_or_si512(_mm512_rolv_epi64(one, first), second)
        } else {
            _mm512_maskz_rolv_epi64(chosen, one, first)
        };
        let old = _mm512_loadu_si512(address);
        let new = _mm512_or_si512(old, mask);
        _mm512_storeu_si512(address, new);
        _mm512_cmpneq_epi64_mask(old, new) != 0
    }
}
