//! Wide-block operations with AVX-512: a block is one vector.

use crate::wide_block::{SALTS64, Shape, WideBlock};
use core::arch::asm;
use core::arch::x86_64::{
    _mm512_cmpneq_epi64_mask, _mm512_loadu_si512, _mm512_maskz_rolv_epi64, _mm512_mul_epu32,
    _mm512_or_si512, _mm512_rolv_epi64, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_shuffle_epi32,
    _mm512_srli_epi64, _mm512_storeu_si512,
};

#[repr(C, align(64))]
struct Constants {
    salts: [u64; 8],
    one: u64,
}

static CONSTANTS: Constants = Constants { salts: SALTS64, one: 1 };

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
        let salts = _mm512_loadu_si512((&raw const CONSTANTS.salts).cast());
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

/// In assembly, because the compiler cannot inline a function with AVX-512 into code without it:
/// each lookup would be a call. `zmm16` and up need no `vzeroupper`. The gains are in time, over
/// intrinsics, in a table that fits the cache, on an AMD EPYC of family 26 (Zen 5); looking up
/// strings of 8 bytes gains 2 %.
///
/// # Safety
/// The processor must have what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks
/// for.
#[inline(always)]
pub(super) unsafe fn contains(block: &WideBlock, low: u32, shape: Shape) -> bool {
    let chosen = shape.chosen(low);
    let clear: u32;
    // SAFETY: AVX-512 is there (the caller's promise). A block is 64 bytes; the salts are 64 bytes
    // and aligned. Only the named registers are written.
    unsafe {
        if !shape.twice {
            // Looking up integers gains 10 to 13 %.
            asm!(
                "vpbroadcastd zmm16, {low:e}",
                "vpmuludq zmm16, zmm16, zmmword ptr [{constants}]",
                "vmovdqu64 zmm18, zmmword ptr [{block}]",
                "kmovd k1, {chosen:e}",
                "vpsrlq zmm16, zmm16, 26",
                // Counts are modulo 64; the tested bits become the lowest.
                "vprorvq zmm16, zmm18, zmm16",
                "vptestnmq k1 {{k1}}, zmm16, qword ptr [{constants} + 64]{{1to8}}",
                "kmovb {clear:e}, k1",
                low = in(reg) low,
                chosen = in(reg) chosen,
                constants = in(reg) &raw const CONSTANTS,
                block = in(reg) &raw const *block,
                clear = lateout(reg) clear,
                out("k1") _,
                out("zmm16") _,
                out("zmm18") _,
                options(pure, readonly, nostack, preserves_flags),
            );
        } else {
            // Looking up integers gains 7 %.
            asm!(
                "vpbroadcastd zmm16, {low:e}",
                "vpmuludq zmm16, zmm16, zmmword ptr [{constants}]",
                "vmovdqu64 zmm18, zmmword ptr [{block}]",
                "kmovd k1, {chosen:e}",
                "vpsrlq zmm17, zmm16, 26",
                // A shuffle, because it uses another port than shifts.
                "vpshufd zmm16, zmm16, 0xF5",
                "vprorvq zmm17, zmm18, zmm17",
                "vprorvq zmm16, zmm18, zmm16",
                "vpandq zmm17 {{k1}}, zmm17, zmm16",
                "vptestnmq k1, zmm17, qword ptr [{constants} + 64]{{1to8}}",
                "kmovb {clear:e}, k1",
                low = in(reg) low,
                chosen = in(reg) chosen,
                constants = in(reg) &raw const CONSTANTS,
                block = in(reg) &raw const *block,
                clear = lateout(reg) clear,
                out("k1") _,
                out("zmm16") _,
                out("zmm17") _,
                out("zmm18") _,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
    }
    clear == 0
}
