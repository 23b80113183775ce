//! Wide-block operations with AVX-512.
//!
//! In assembly, because compilers before 1.89 lack these intrinsics, and because it can be inlined
//! into code that is compiled without AVX-512. `zmm16` and up need no `vzeroupper`.

use crate::wide_block::{SALTS64, Shape, WideBlock};
use core::arch::asm;

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
    let chosen = shape.chosen(low);
    let changed: u32;
    // SAFETY: AVX-512 is there (the caller's promise). A block is 64 bytes and exclusively
    // borrowed; the salts are 64 bytes and aligned. Only the block and the named registers are
    // written.
    unsafe {
        if !shape.twice {
            asm!(
                "vpbroadcastd zmm16, {low:e}",
                "vpmuludq zmm16, zmm16, zmmword ptr [{constants}]",
                "vpbroadcastq zmm18, qword ptr [{constants} + 64]",
                "kmovd k1, {chosen:e}",
                "vpsrlq zmm16, zmm16, 26",
                // Counts are modulo 64.
                "vprolvq zmm16 {{k1}} {{z}}, zmm18, zmm16",
                "vporq zmm16, zmm16, zmmword ptr [{block}]",
                "vpcmpneqq k1, zmm16, zmmword ptr [{block}]",
                "vmovdqu64 zmmword ptr [{block}], zmm16",
                "kmovb {changed:e}, k1",
                low = in(reg) low,
                chosen = in(reg) chosen,
                constants = in(reg) &raw const CONSTANTS,
                block = in(reg) &raw mut *block,
                changed = lateout(reg) changed,
                out("k1") _,
                out("zmm16") _,
                out("zmm18") _,
                options(nostack, preserves_flags),
            );
        } else {
            asm!(
                "vpbroadcastd zmm16, {low:e}",
                "vpmuludq zmm16, zmm16, zmmword ptr [{constants}]",
                "vpbroadcastq zmm18, qword ptr [{constants} + 64]",
                "kmovd k1, {chosen:e}",
                "vpsrlq zmm17, zmm16, 26",
                // A shuffle, because it uses another port than shifts.
                "vpshufd zmm16, zmm16, 0xF5",
                "vprolvq zmm17, zmm18, zmm17",
                "vprolvq zmm16 {{k1}} {{z}}, zmm18, zmm16",
                // The OR of all three.
                "vpternlogq zmm16, zmm17, zmmword ptr [{block}], 0xFE",
                "vpcmpneqq k1, zmm16, zmmword ptr [{block}]",
                "vmovdqu64 zmmword ptr [{block}], zmm16",
                "kmovb {changed:e}, k1",
                low = in(reg) low,
                chosen = in(reg) chosen,
                constants = in(reg) &raw const CONSTANTS,
                block = in(reg) &raw mut *block,
                changed = lateout(reg) changed,
                out("k1") _,
                out("zmm16") _,
                out("zmm17") _,
                out("zmm18") _,
                options(nostack, preserves_flags),
            );
        }
    }
    changed != 0
}

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
