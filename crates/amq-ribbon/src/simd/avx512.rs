//! The parities of eight columns at once, with AVX-512. A query of slots gains nothing from it.

use core::arch::x86_64::{
    _mm512_and_si512, _mm512_loadu_si512, _mm512_movepi64_mask, _mm512_popcnt_epi64,
    _mm512_set1_epi64, _mm512_slli_epi64, _mm512_ternarylogic_epi64,
};

/// The parities of eight columns: bit i is that of the bits set both in `row[0]` and in word i of
/// the first block, or in `row[1]` and in word i of the second.
///
/// # Safety
/// The processor has AVX-512F, DQ and VPOPCNTDQ. Eight words can be read of both blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
pub(super) unsafe fn parities(blocks: [*const [u8; 8]; 2], row: [u64; 2]) -> u32 {
    // SAFETY: the caller guarantees the instructions and the words. The loads need no alignment.
    unsafe {
        let [here, next] = row.map(|row| _mm512_set1_epi64(row as i64));
        let [block, after] = blocks.map(|block| _mm512_loadu_si512(block.cast()));
        // The truth table of a ^ (b & c).
        let bits = _mm512_ternarylogic_epi64::<0x78>(_mm512_and_si512(block, here), after, next);
        _mm512_movepi64_mask(_mm512_slli_epi64::<63>(_mm512_popcnt_epi64(bits))).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::index::remix;

    /// Without AVX-512 there is nothing to test.
    fn noise() -> Option<[u64; 256]> {
        amq_core::internal::Cpu::has_avx512().then(|| core::array::from_fn(|i| remix(i as u64, 5)))
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
