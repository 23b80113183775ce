//! For the layout by slot: the slots of a window, 16 bytes at a time, with NEON, which every 64-bit
//! ARM processor has.
//!
//! As with AVX2, each byte of a vector gets the eight coefficients that include its slot's, and is
//! kept if that bit is set. The twin is [`BySlot`](crate::layout::BySlot)'s own sum.

// Compiler versions differ in which of these intrinsics are unsafe.
#![allow(unused_unsafe)]

use crate::row::BITS;
use core::arch::aarch64::{
    uint8x16_t, vandq_u8, vdupq_n_u8, vdupq_n_u64, veorq_u8, vgetq_lane_u64, vld1q_u8, vqtbl1q_u8,
    vreinterpretq_u8_u64, vreinterpretq_u64_u8, vtstq_u8,
};

/// How coefficients are spread over the bytes of slots.
struct Spread<const BYTES: usize>;

impl<const BYTES: usize> Spread<BYTES> {
    /// The vectors after which slots are aligned as in the first one, eight or sixteen slots on.
    const PERIOD: usize = [1, 1, 3, 2][BYTES - 1];
    /// For each vector of 64 slots, and each of its bytes: the group of eight coefficients with its
    /// slot's.
    const FROM: [[u8; 16]; 16] = {
        let mut from = [[0; 16]; 16];
        let mut at = 0;
        while at < 64 * BYTES {
            from[at / 16][at % 16] = (at / BYTES / 8) as u8;
            at += 1;
        }
        from
    };
    /// For each byte of a vector, which of the eight bits is its slot's.
    const BIT: [[u8; 16]; 3] = {
        let mut bit = [[0; 16]; 3];
        let mut at = 0;
        while at < 48 {
            bit[at / 16][at % 16] = 1 << (at / BYTES % 8);
            at += 1;
        }
        bit
    };
}

/// The selected slots of a row that begins at this byte, reduced to eight slots. `None` if the
/// words end before it.
#[inline(always)]
pub(crate) fn sums<const BYTES: usize>(
    words: &[u8],
    place: usize,
    row: u64,
) -> Option<[u64; BYTES]> {
    let slots = words.get(place..)?.get(..BITS as usize * BYTES)?;
    // SAFETY: this module is only compiled with NEON. The loads are of arrays of 16 bytes, and of
    // 16 bytes of a slice.
    unsafe {
        let mut vectors = [vdupq_n_u8(0); 3];
        let row = vreinterpretq_u8_u64(vdupq_n_u64(row));
        for (i, slots) in slots.chunks_exact(16).enumerate() {
            let in_period = i % Spread::<BYTES>::PERIOD;
            let from = vld1q_u8(Spread::<BYTES>::FROM[i].as_ptr());
            let bit = vld1q_u8(Spread::<BYTES>::BIT[in_period].as_ptr());
            let is_set = vtstq_u8(vqtbl1q_u8(row, from), bit);
            let kept = vandq_u8(vld1q_u8(slots.as_ptr()), is_set);
            vectors[in_period] = veorq_u8(vectors[in_period], kept);
        }
        Some(eight(vectors))
    }
}

/// Reduces these vectors to eight slots.
#[inline(always)]
fn eight<const BYTES: usize>(vectors: [uint8x16_t; 3]) -> [u64; BYTES] {
    let mut sums = [0; BYTES];
    for (i, vector) in vectors[..Spread::<BYTES>::PERIOD].iter().enumerate() {
        // SAFETY: this module is only compiled with NEON.
        let halves = unsafe {
            let words = vreinterpretq_u64_u8(*vector);
            [vgetq_lane_u64::<0>(words), vgetq_lane_u64::<1>(words)]
        };
        for (half, word) in halves.into_iter().enumerate() {
            sums[(2 * i + half) % BYTES] ^= word;
        }
    }
    sums
}
