//! The two things that AVX-512 does in far fewer instructions: a row's coefficients are the mask
//! under which its slots are loaded, and the parities of eight columns are counted at once.
//!
//! In assembly, not only because compilers older than 1.89 lack these instructions. Vectors 0 to 15
//! would have to be cleared after every single query, or later code that knows nothing of vectors
//! slows down; vectors 16 to 31 need not be, but a compiler does not prefer them.

// Compilers differ in which of the intrinsics are unsafe.
#![allow(unused_unsafe)]

use crate::layout::fold;
use core::arch::asm;
use core::arch::x86_64::_pdep_u64;

/// Of 64 slots of `BYTES` bytes those whose coefficients are set, exclusive-ored.
///
/// # Safety
/// The processor has what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks for. The 64
/// slots can be read.
#[inline(always)]
pub(super) unsafe fn selected<const BYTES: usize>(slots: *const u8, coefficients: u64) -> u32 {
    // SAFETY: as the caller says.
    unsafe {
        match BYTES {
            1 => selected_1(slots, coefficients),
            2 => selected_2(slots, coefficients),
            3 => selected_3(slots, coefficients),
            _ => selected_4(slots, coefficients),
        }
    }
}

/// The product by one of these, without carries, has the sum of all slots of a word as its highest
/// one.
static BYTES_OF_ONE: [u64; 2] = [0x0101_0101_0101_0101; 2];
static PAIRS_OF_ONE: [u64; 2] = [0x0001_0001_0001_0001; 2];

/// # Safety
/// As [`selected`].
#[inline(always)]
unsafe fn selected_1(slots: *const u8, coefficients: u64) -> u32 {
    let sum: u64;
    // SAFETY: the caller says that there are the instructions and the slots; `ones` has 16 bytes.
    // The loads need no alignment. Nothing is written but the registers named, and no flags.
    unsafe {
        asm!(
            "kmovq k1, {coefficients}",
            "vmovdqu8 zmm16 {{k1}} {{z}}, zmmword ptr [{slots}]",
            // 32 bytes, 16, 8, 1.
            "vextracti64x4 ymm17, zmm16, 1",
            "vpxorq ymm16, ymm16, ymm17",
            "vextracti64x2 xmm17, ymm16, 1",
            "vpxorq xmm16, xmm16, xmm17",
            "vpshufd xmm17, xmm16, 0xEE",
            "vpxorq xmm16, xmm16, xmm17",
            "vpclmulqdq xmm16, xmm16, xmmword ptr [{ones}], 0",
            "vmovq {sum}, xmm16",
            slots = in(reg) slots,
            coefficients = in(reg) coefficients,
            ones = in(reg) &raw const BYTES_OF_ONE,
            sum = lateout(reg) sum,
            out("k1") _,
            out("zmm16") _,
            out("zmm17") _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    (sum >> 56) as u32
}

/// # Safety
/// As [`selected`].
#[inline(always)]
unsafe fn selected_2(slots: *const u8, coefficients: u64) -> u32 {
    let sum: u64;
    // SAFETY: as in `selected_1`; the slots are 128 bytes.
    unsafe {
        asm!(
            "kmovq k1, {coefficients}",
            "kshiftrq k2, k1, 32",
            "vmovdqu16 zmm16 {{k1}} {{z}}, zmmword ptr [{slots}]",
            "vmovdqu16 zmm17 {{k2}} {{z}}, zmmword ptr [{slots} + 64]",
            "vpxorq zmm16, zmm16, zmm17",
            // 32 bytes, 16, 8, 2.
            "vextracti64x4 ymm17, zmm16, 1",
            "vpxorq ymm16, ymm16, ymm17",
            "vextracti64x2 xmm17, ymm16, 1",
            "vpxorq xmm16, xmm16, xmm17",
            "vpshufd xmm17, xmm16, 0xEE",
            "vpxorq xmm16, xmm16, xmm17",
            "vpclmulqdq xmm16, xmm16, xmmword ptr [{ones}], 0",
            "vmovq {sum}, xmm16",
            slots = in(reg) slots,
            coefficients = in(reg) coefficients,
            ones = in(reg) &raw const PAIRS_OF_ONE,
            sum = lateout(reg) sum,
            out("k1") _,
            out("k2") _,
            out("zmm16") _,
            out("zmm17") _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    (sum >> 48) as u32
}

/// Slots of three bytes fill no vector. Three vectors hold 21 whole slots each; the last slot is
/// taken by itself. So nothing past the 64 slots is read.
///
/// # Safety
/// As [`selected`].
#[inline(always)]
unsafe fn selected_3(slots: *const u8, coefficients: u64) -> u32 {
    /// The first byte of each of 21 slots.
    const FIRST: u64 = 0x1249_2492_4924_9249;
    // A bit for each byte of the slots that are set.
    // SAFETY: the caller says that the processor has BMI2.
    let bytes = |coefficients: u64| unsafe { _pdep_u64(coefficients, FIRST) } * 7;
    let [low, middle, high]: [u64; 3];
    // SAFETY: as in `selected_1`; the slots are 192 bytes.
    let last = unsafe {
        asm!(
            "kmovq k1, {first}",
            "kmovq k2, {second}",
            "kmovq k3, {third}",
            "vmovdqu8 zmm16 {{k1}} {{z}}, zmmword ptr [{slots}]",
            "vmovdqu8 zmm17 {{k2}} {{z}}, zmmword ptr [{slots} + 63]",
            "vmovdqu8 zmm18 {{k3}} {{z}}, zmmword ptr [{slots} + 126]",
            // The table of a ^ b ^ c.
            "vpternlogq zmm16, zmm17, zmm18, 0x96",
            // 64 bytes are 24, 24 and 16.
            "valignq zmm17, zmm16, zmm16, 3",
            "vpxorq xmm18, xmm18, xmm18",
            "valignq zmm18, zmm18, zmm16, 6",
            "vpternlogq zmm16, zmm17, zmm18, 0x96",
            "vmovq {low}, xmm16",
            "vpextrq {middle}, xmm16, 1",
            "vextracti64x2 xmm16, ymm16, 1",
            "vmovq {high}, xmm16",
            slots = in(reg) slots,
            first = in(reg) bytes(coefficients),
            second = in(reg) bytes(coefficients >> 21),
            third = in(reg) bytes(coefficients >> 42),
            low = lateout(reg) low,
            middle = lateout(reg) middle,
            high = lateout(reg) high,
            out("k1") _,
            out("k2") _,
            out("k3") _,
            out("zmm16") _,
            out("zmm17") _,
            out("zmm18") _,
            options(pure, readonly, nostack, preserves_flags),
        );
        slots.add(188).cast::<u32>().read_unaligned() >> 8
    };
    let is_set = (coefficients >> 63) as u32;
    fold::<3>([low, middle, high]) ^ last & is_set.wrapping_neg()
}

/// # Safety
/// As [`selected`].
#[inline(always)]
unsafe fn selected_4(slots: *const u8, coefficients: u64) -> u32 {
    let sum: u64;
    // SAFETY: as in `selected_1`; the slots are 256 bytes.
    unsafe {
        asm!(
            "kmovq k1, {coefficients}",
            "kshiftrq k2, k1, 16",
            "vmovdqu32 zmm16 {{k1}} {{z}}, zmmword ptr [{slots}]",
            "vmovdqu32 zmm17 {{k2}} {{z}}, zmmword ptr [{slots} + 64]",
            "kshiftrq k2, k1, 32",
            "kshiftrq k1, k1, 48",
            // Slots that are not set stay as they are.
            "vpxord zmm16 {{k2}}, zmm16, zmmword ptr [{slots} + 128]",
            "vpxord zmm17 {{k1}}, zmm17, zmmword ptr [{slots} + 192]",
            "vpxorq zmm16, zmm16, zmm17",
            // 32 bytes, 16, 8.
            "vextracti64x4 ymm17, zmm16, 1",
            "vpxorq ymm16, ymm16, ymm17",
            "vextracti64x2 xmm17, ymm16, 1",
            "vpxorq xmm16, xmm16, xmm17",
            "vpshufd xmm17, xmm16, 0xEE",
            "vpxorq xmm16, xmm16, xmm17",
            "vmovq {sum}, xmm16",
            slots = in(reg) slots,
            coefficients = in(reg) coefficients,
            sum = lateout(reg) sum,
            out("k1") _,
            out("k2") _,
            out("zmm16") _,
            out("zmm17") _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    (sum ^ sum >> 32) as u32
}

/// The parities of eight columns: bit i is that of the bits set both in `row[0]` and in word i of
/// the first block, or in `row[1]` and in word i of the second.
///
/// # Safety
/// The processor has what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks for. Eight
/// words can be read of both blocks.
#[inline(always)]
pub(super) unsafe fn parities(blocks: [*const u64; 2], row: [u64; 2]) -> u32 {
    let parities: u32;
    // SAFETY: the caller says that there are the instructions and the words. The loads need no
    // alignment. Nothing is written but the registers named, and no flags.
    unsafe {
        asm!(
            "vpbroadcastq zmm16, {here}",
            "vpbroadcastq zmm17, {next}",
            "vpandq zmm16, zmm16, zmmword ptr [{block}]",
            // The table of a ^ (b & c).
            "vpternlogq zmm16, zmm17, zmmword ptr [{after}], 0x78",
            "vpopcntq zmm16, zmm16",
            "vpsllq zmm16, zmm16, 63",
            "vpmovq2m k1, zmm16",
            "kmovb {parities:e}, k1",
            here = in(reg) row[0],
            next = in(reg) row[1],
            block = in(reg) blocks[0],
            after = in(reg) blocks[1],
            parities = lateout(reg) parities,
            out("k1") _,
            out("zmm16") _,
            out("zmm17") _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    parities
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::index::remix;
    use std::vec::Vec;

    /// Without AVX-512 there is nothing to test.
    fn noise() -> Option<[u64; 256]> {
        amq_core::internal::Cpu::has_avx512().then(|| core::array::from_fn(|i| remix(i as u64, 5)))
    }

    /// Tries windows that begin at every byte, the last of which end with the bytes.
    fn selected_agrees<const BYTES: usize>(noise: &[u64; 256]) {
        let bytes: Vec<u8> = noise.iter().flat_map(|word| word.to_le_bytes()).collect();
        for (at, slots) in bytes.windows(64 * BYTES).enumerate() {
            for coefficients in [noise[at % 256], 0, 1, 1 << 63, u64::MAX, 1 << (at % 64)] {
                let mut sum = [0; 4];
                for (at, byte) in slots.iter().enumerate() {
                    if coefficients >> (at / BYTES) & 1 == 1 {
                        sum[at % BYTES] ^= byte;
                    }
                }
                // SAFETY: `noise` says that there is AVX-512; there are 64 slots.
                let selected = unsafe { selected::<BYTES>(slots.as_ptr(), coefficients) };
                assert_eq!(selected, u32::from_le_bytes(sum), "{BYTES} bytes");
            }
        }
    }

    #[test]
    fn selected_slots_are_those_whose_coefficients_are_set() {
        let Some(noise) = noise() else { return };
        selected_agrees::<1>(&noise);
        selected_agrees::<2>(&noise);
        selected_agrees::<3>(&noise);
        selected_agrees::<4>(&noise);
    }

    #[test]
    fn parities_are_those_of_both_blocks() {
        let Some(noise) = noise() else { return };
        for (at, words) in noise.windows(24).enumerate() {
            for row in [[noise[at], noise[at + 1]], [0, 1], [1, 0], [u64::MAX, 0], [0, u64::MAX]] {
                let odd = |i: usize| {
                    let [here, next] = [words[i] & row[0], words[i + 11] & row[1]];
                    (here.count_ones() + next.count_ones()) % 2
                };
                let twin = (0..8).fold(0, |bits, i| bits | odd(i) << i);
                let blocks = [words.as_ptr(), words[11..].as_ptr()];
                // SAFETY: `noise` says that there is AVX-512; there are eight words at both.
                assert_eq!(unsafe { parities(blocks, row) }, twin);
            }
        }
    }
}
