//! The two operations that take far fewer instructions with AVX-512: a row's coefficients are the
//! mask of a load of its slots, and the parities of eight columns are counted at once.
//!
//! Written in assembly, not only because compilers older than 1.89 lack these intrinsics: zmm0-15
//! need VZEROUPPER after every query to avoid the SSE transition penalty. zmm16-31 do not, but a
//! compiler does not prefer them.

use core::arch::asm;

/// The exclusive or of those of 64 slots of `BYTES` bytes whose coefficients are set. Slots of
/// three and four bytes, for rates near 2^-24 and 2^-32, are left to AVX2.
///
/// # Safety
/// The processor has what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks for. The 64
/// slots can be read, and eight bytes more if `BYTES` is 3.
#[inline(always)]
pub(super) unsafe fn selected<const BYTES: usize>(slots: *const u8, coefficients: u64) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        match BYTES {
            1 => selected_1(slots, coefficients),
            2 => selected_2(slots, coefficients),
            _ => super::avx2::selected::<BYTES>(slots, coefficients),
        }
    }
}

/// The carry-less product with one of these has the sum of all slots of a word in its highest slot.
static BYTES_OF_ONE: [u64; 2] = [0x0101_0101_0101_0101; 2];
static PAIRS_OF_ONE: [u64; 2] = [0x0001_0001_0001_0001; 2];

/// # Safety
/// As [`selected`].
#[inline(always)]
unsafe fn selected_1(slots: *const u8, coefficients: u64) -> u32 {
    let sum: u64;
    // SAFETY: the caller guarantees the instructions and the slots; `ones` has 16 bytes. The loads
    // need no alignment. Only the named registers are written, and no flags.
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

/// The parities of eight columns: bit i is that of the bits set both in `row[0]` and in word i of
/// the first block, or in `row[1]` and in word i of the second.
///
/// # Safety
/// The processor has what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks for. Eight
/// words can be read of both blocks.
#[inline(always)]
pub(super) unsafe fn parities(blocks: [*const [u8; 8]; 2], row: [u64; 2]) -> u32 {
    let parities: u32;
    // SAFETY: the caller guarantees the instructions and the words. The loads need no alignment.
    // Only the named registers are written, and no flags.
    unsafe {
        asm!(
            "vpbroadcastq zmm16, {here}",
            "vpbroadcastq zmm17, {next}",
            "vpandq zmm16, zmm16, zmmword ptr [{block}]",
            // The truth table of a ^ (b & c).
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
                // SAFETY: `noise` is only made with AVX-512; there are 64 slots.
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
                let blocks = [words.as_ptr(), words[11..].as_ptr()].map(|word| word.cast());
                // SAFETY: `noise` is only made with AVX-512; there are eight words at both.
                assert_eq!(unsafe { parities(blocks, row) }, twin);
            }
        }
    }
}
