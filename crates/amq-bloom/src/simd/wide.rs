//! Wide-block operations: a block is one AVX-512 vector, or two AVX2 vectors.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use super::BlockLayout;
#[cfg(target_arch = "x86_64")]
use crate::wide_block::Shape;
use crate::wide_block::WideBlock;

// SAFETY: of n > 0 blocks the index is floor(h n / 2^64), h < 2^64: less than n. The type is
// `repr(transparent)`.
unsafe impl BlockLayout for WideBlock {
    const AVX512: bool = true;

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn insert_avx2(&mut self, low: u32, shape: Shape) -> bool {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe { avx2::insert(self, low, shape) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn contains_avx2(&self, low: u32, shape: Shape) -> bool {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe { avx2::contains(self, low, shape) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn insert_avx512(&mut self, low: u32, shape: Shape) -> bool {
        // SAFETY: AVX-512 is there (the caller's promise).
        unsafe { avx512::insert(self, low, shape) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn contains_avx512(&self, low: u32, shape: Shape) -> bool {
        // SAFETY: AVX-512 is there (the caller's promise).
        unsafe { super::lookup::contains_wide(self, low, shape) }
    }
}
