//! Single-key operations with AVX2, inlined into code that is compiled without it.
//!
//! In assembly, because the compiler cannot inline a function with AVX2 into one without: each
//! operation would be a call. The tests of [`simd`](crate::simd) compare it with the portable code.
#![allow(
    clippy::transmute_int_to_bool,
    reason = "a comparison with zero adds two instructions to a loop of 44"
)]

use crate::block::{Block, SALTS};
use core::arch::asm;

#[repr(C, align(32))]
struct Constants {
    salts: [u32; 8],
    ones: [u32; 8],
}

static CONSTANTS: Constants = Constants { salts: SALTS, ones: [1; 8] };

/// Tests whether a block has all bits of a key, and evaluates to the given condition code: `b` is
/// true if it has all, `ae` if it lacks one. `then` is executed in between, with the block in
/// `ymm1` and the key's bits in `ymm0`.
///
/// `vzeroupper` avoids the SSE transition penalty of later code. It clears the upper halves of all
/// vector registers, so all of them are clobbered.
macro_rules! tested {
    ($block:expr, $low:expr, $then:literal, $flag:literal, [$($options:ident),*]) => {{
        let flag: u8;
        asm!(
            "vmovd xmm0, {low:e}",
            "vpbroadcastd ymm0, xmm0",
            "vpmulld ymm0, ymm0, ymmword ptr [{constants}]",
            "vpsrld ymm0, ymm0, 27",
            "vmovdqa ymm1, ymmword ptr [{constants} + 32]",
            "vpsllvd ymm0, ymm1, ymm0",
            "vmovdqu ymm1, ymmword ptr [{block}]",
            "vptest ymm1, ymm0",
            $then,
            "vzeroupper",
            concat!("set", $flag, " {flag}"),
            low = in(reg) $low,
            constants = in(reg) &raw const CONSTANTS,
            block = in(reg) $block,
            flag = lateout(reg_byte) flag,
            out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _,
            out("ymm4") _, out("ymm5") _, out("ymm6") _, out("ymm7") _,
            out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
            out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
            options($($options),*),
        );
        // `setcc` writes 0 or 1.
        core::mem::transmute::<u8, bool>(flag)
    }};
}

/// Whether all of a key's bits are set in its block.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
pub(super) unsafe fn contains(block: &Block, low: u32) -> bool {
    // SAFETY: AVX2 is there (the caller's promise). The assembly reads the block's 32 bytes and the
    // constants, which are aligned. It writes only the named registers and the flags, and uses no
    // stack.
    unsafe { tested!(&raw const *block, low, "", "b", [pure, readonly, nostack]) }
}

/// Sets a key's bits in its block and returns whether any was clear.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
pub(super) unsafe fn insert(block: &mut Block, low: u32) -> bool {
    // SAFETY: as above, and the block, which is exclusively borrowed, is written.
    unsafe {
        tested!(
            &raw mut *block,
            low,
            "vpor ymm0, ymm0, ymm1\nvmovdqu ymmword ptr [{block}], ymm0",
            "ae",
            [nostack]
        )
    }
}
