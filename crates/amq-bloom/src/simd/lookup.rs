//! Lookups of single keys in assembly.
//!
//! The compiler cannot inline a function with vector instructions into code that is compiled
//! without them: each lookup would be a call. The gains are in time over the same instructions as
//! intrinsics in a function, in a table that fits the cache, on an AMD EPYC of family 26 (Zen 5).
//! The tests of [`simd`](crate::simd) compare these lookups with the portable code.

use crate::block::{Block, SALTS};
use crate::wide_block::{SALTS64, Shape, WideBlock};
use core::arch::asm;

#[repr(C, align(64))]
struct Constants<S, O> {
    salts: S,
    ones: O,
}

static SPLIT: Constants<[u32; 8], [u32; 8]> = Constants { salts: SALTS, ones: [1; 8] };

static WIDE: Constants<[u64; 8], u64> = Constants { salts: SALTS64, ones: 1 };

/// Whether all of a key's bits are set in its split block. Looking up integers takes 11 to 14 %
/// less time.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
#[allow(dead_code, reason = "unused where code is compiled with AVX2")]
#[allow(clippy::transmute_int_to_bool, reason = "a comparison adds two instructions to 44")]
pub(super) unsafe fn contains_split(block: &Block, low: u32) -> bool {
    let all: u8;
    // SAFETY: AVX2 is there (the caller's promise). The assembly reads the block's 32 bytes and the
    // constants, which are aligned. It writes only the named registers and the flags, and uses no
    // stack. `setb` writes 0 or 1.
    unsafe {
        asm!(
            "vmovd xmm0, {low:e}",
            "vpbroadcastd ymm0, xmm0",
            "vpmulld ymm0, ymm0, ymmword ptr [{constants}]",
            "vpsrld ymm0, ymm0, 27",
            "vmovdqa ymm1, ymmword ptr [{constants} + 32]",
            "vpsllvd ymm0, ymm1, ymm0",
            "vmovdqu ymm1, ymmword ptr [{block}]",
            "vptest ymm1, ymm0",
            // Avoids the SSE transition penalty of later code, and clears the upper halves of all
            // vector registers, so all of them are clobbered.
            "vzeroupper",
            "setb {all}",
            low = in(reg) low,
            constants = in(reg) &raw const SPLIT,
            block = in(reg) &raw const *block,
            all = lateout(reg_byte) all,
            out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _,
            out("ymm4") _, out("ymm5") _, out("ymm6") _, out("ymm7") _,
            out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
            out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
            options(pure, readonly, nostack),
        );
        core::mem::transmute::<u8, bool>(all)
    }
}

/// Whether all of a key's bits are set in its wide block. Looking up strings of 8 bytes gains 2 %.
/// `zmm16` and up need no `vzeroupper`.
///
/// # Safety
/// The processor must have what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks
/// for.
#[inline(always)]
pub(super) unsafe fn contains_wide(block: &WideBlock, low: u32, shape: Shape) -> bool {
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
                constants = in(reg) &raw const WIDE,
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
                constants = in(reg) &raw const WIDE,
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
