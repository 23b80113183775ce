//! Split-block operations: a block is one AVX2 vector.

use super::BlockLayout;
use crate::block::Block;

// SAFETY: of n > 0 blocks the index is floor(h n / 2^32), h < 2^32: less than n. If the product
// wraps, n is 2^32 or more, and the index is less than 2^32. The type is `repr(transparent)`.
unsafe impl BlockLayout for Block {
    const AVX512: bool = false;

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn insert_avx2(&mut self, low: u32, (): ()) -> bool {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe { avx2::insert(self, low) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn contains_avx2(&self, low: u32, (): ()) -> bool {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe { avx2::contains(self, low) }
    }

    #[cfg(all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        not(target_feature = "avx2"),
        not(miri)
    ))]
    #[inline(always)]
    unsafe fn contains_inlined(&self, low: u32, (): ()) -> bool {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe { super::lookup::contains_split(self, low) }
    }
}

/// The bits of a key in the four 64-bit words of its block, each of two 32-bit ones.
#[cfg(target_has_atomic = "64")]
#[inline(always)]
pub(crate) fn mask64(low: u32) -> [u64; 4] {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable(low: u32) -> [u64; 4] {
        crate::block::mask64(low)
    }
    amq_core::dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { avx2::mask64(low) },
        portable(low)
    )
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use crate::block::{Block, SALTS};
    use core::arch::x86_64::{
        __m256i, _mm256_loadu_si256, _mm256_mullo_epi32, _mm256_or_si256, _mm256_set1_epi32,
        _mm256_sllv_epi32, _mm256_srli_epi32, _mm256_storeu_si256, _mm256_testc_si256,
    };

    static MULTIPLIERS: [u32; 8] = SALTS;

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn mask(low: u32) -> __m256i {
        // SAFETY: AVX2 is there (the caller's promise); the salts are 32 bytes.
        unsafe {
            let salts = _mm256_loadu_si256((&raw const MULTIPLIERS).cast());
            let product = _mm256_mullo_epi32(_mm256_set1_epi32(low as i32), salts);
            _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32::<27>(product))
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn mask64(low: u32) -> [u64; 4] {
        // SAFETY: AVX2 is there (the caller's promise); both types are 32 bytes, of which any are
        // a value. x86-64 is little-endian: the lower half of a word is the first.
        unsafe { core::mem::transmute(mask(low)) }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn insert(block: &mut Block, low: u32) -> bool {
        let address: *mut __m256i = (&raw mut *block).cast();
        // SAFETY: AVX2 is there (the caller's promise); a `Block` is 32 bytes, and exclusively
        // borrowed.
        unsafe {
            let (old, mask) = (_mm256_loadu_si256(address), mask(low));
            _mm256_storeu_si256(address, _mm256_or_si256(old, mask));
            _mm256_testc_si256(old, mask) == 0
        }
    }

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn contains(block: &Block, low: u32) -> bool {
        // SAFETY: AVX2 is there (the caller's promise); a `Block` is 32 bytes.
        unsafe {
            _mm256_testc_si256(_mm256_loadu_si256((&raw const *block).cast()), mask(low)) != 0
        }
    }
}
