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

/// Whether BMI2 may be used, and BMI1, LZCNT and POPCNT with it: they came with the same processors. Asked as for AVX2.
#[inline(always)]
pub fn has_bmi2() -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    return std::is_x86_feature_detected!("bmi2")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("lzcnt")
        && std::is_x86_feature_detected!("popcnt");
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    return cfg!(all(
        target_arch = "x86_64",
        target_feature = "bmi2",
        target_feature = "bmi1",
        target_feature = "lzcnt",
        target_feature = "popcnt"
    ));
}
