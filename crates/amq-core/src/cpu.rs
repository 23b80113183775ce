//! What the processor can do.

/// Whether AVX2 may be used. With the feature `std` the processor is asked (once; the answer is kept), without it the
/// answer is what the crate was compiled for.
#[inline(always)]
pub fn has_avx2() -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    return std::is_x86_feature_detected!("avx2");
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    return cfg!(all(target_arch = "x86_64", target_feature = "avx2"));
}
