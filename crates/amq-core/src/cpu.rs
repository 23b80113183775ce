//! CPU feature detection and dispatch.
//!
//! With the feature `std`, detection runs once and is cached in one byte, so later checks cost one
//! load. Without `std`, the compile-time target features decide.

/// Evaluates `fast` if the CPU has the named features and returns its value from the enclosing
/// function; otherwise evaluates to `portable`. Modules with `unsafe` code dispatch with this
/// macro, or once per filter.
///
/// `dispatch!(has_avx2 => unsafe { fast() }, portable())`: `fast` is a function with
/// `#[target_feature(enable = "avx2")]`, which exists on x86-64 only. The macro only checks the
/// features: the `unsafe` block is written at the call.
#[cfg_attr(
    target_arch = "x86_64",
    doc = r#"
```compile_fail,E0133
fn read() -> u8 {
    amq_core::dispatch!(has_avx2 => core::ptr::read(8 as *const u8), 0)
}
```
"#
)]
#[doc(hidden)]
#[macro_export]
macro_rules! dispatch {
    ($has:ident => $fast:expr, $portable:expr) => {{
        #[cfg(target_arch = "x86_64")]
        if $crate::internal::Cpu::$has() {
            return $fast;
        }
        $portable
    }};
}

/// Features of the CPU that the program runs on.
#[derive(Clone, Copy, Debug)]
pub struct Cpu;

impl Cpu {
    /// Whether AVX2 may be used.
    #[inline(always)]
    #[must_use]
    pub fn has_avx2() -> bool {
        COMPILED & AVX2 != 0 || found(AVX2)
    }

    /// Whether BMI1, BMI2, LZCNT and POPCNT may be used.
    #[inline(always)]
    #[must_use]
    pub fn has_bits() -> bool {
        COMPILED & BITS != 0 || found(BITS)
    }

    /// Whether AVX2, BMI1, BMI2, LZCNT and POPCNT may be used.
    #[inline(always)]
    #[must_use]
    pub fn has_avx2_and_bits() -> bool {
        COMPILED & AVX2_AND_BITS != 0 || found(AVX2_AND_BITS)
    }

    /// Whether AVX-512 may be used, in the version of Intel Ice Lake and AMD Zen 4: F, BW, DQ, VL,
    /// VPOPCNTDQ and VPCLMULQDQ, and all of [`has_avx2_and_bits`](Self::has_avx2_and_bits). Earlier
    /// CPUs reduce their clock for AVX-512.
    #[inline(always)]
    #[must_use]
    pub fn has_avx512() -> bool {
        COMPILED & AVX512 != 0 || found(AVX512)
    }
}

const ASKED: u8 = 1;
const AVX2: u8 = 2;
const BITS: u8 = 4;
/// A separate bit, so that testing one bit is enough.
const AVX2_AND_BITS: u8 = 8;
const AVX512: u8 = 16;

const fn features(avx2: bool, bits: bool, avx512: bool) -> u8 {
    let both = avx2 && bits;
    // The assembly assumes 64-bit addresses.
    let avx512 = both && avx512 && cfg!(target_pointer_width = "64");
    (avx2 as u8 * AVX2)
        | (bits as u8 * BITS)
        | (both as u8 * AVX2_AND_BITS)
        | (avx512 as u8 * AVX512)
}

/// The compile-time target features.
const COMPILED: u8 = features(
    cfg!(all(target_arch = "x86_64", target_feature = "avx2")),
    cfg!(all(
        target_arch = "x86_64",
        target_feature = "bmi1",
        target_feature = "bmi2",
        target_feature = "lzcnt",
        target_feature = "popcnt"
    )),
    cfg!(all(
        target_arch = "x86_64",
        target_feature = "avx512f",
        target_feature = "avx512bw",
        target_feature = "avx512dq",
        target_feature = "avx512vl",
        target_feature = "avx512vpopcntdq",
        target_feature = "vpclmulqdq"
    )),
);

#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[inline(always)]
fn found(feature: u8) -> bool {
    use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
    static FOUND: AtomicU8 = AtomicU8::new(0);

    #[cold]
    fn ask() -> u8 {
        use std::is_x86_feature_detected as has;
        let bits = has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
        let avx512 = has!("avx512f")
            && has!("avx512bw")
            && has!("avx512dq")
            && has!("avx512vl")
            && has!("avx512vpopcntdq")
            && has!("vpclmulqdq");
        let found = ASKED | features(has!("avx2"), bits, avx512);
        FOUND.store(found, Relaxed);
        found
    }

    // Test the feature first: if it is present, no second test is needed.
    let found = FOUND.load(Relaxed);
    found & feature != 0 || (found == 0 && ask() & feature != 0)
}

#[cfg(not(all(target_arch = "x86_64", feature = "std")))]
#[inline(always)]
fn found(feature: u8) -> bool {
    let _ = (feature, ASKED);
    false
}

/// Which threads do the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// The calling thread alone.
    One,
    /// All threads of a rayon pool.
    #[cfg(feature = "rayon")]
    Pool,
}

#[cfg(all(test, target_arch = "x86_64", feature = "std"))]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_the_standard_librarys() {
        for _ in 0..2 {
            assert_eq!(Cpu::has_avx2(), std::is_x86_feature_detected!("avx2"));
            let bits = std::is_x86_feature_detected!("bmi1")
                && std::is_x86_feature_detected!("bmi2")
                && std::is_x86_feature_detected!("lzcnt")
                && std::is_x86_feature_detected!("popcnt");
            assert_eq!(Cpu::has_bits(), bits);
            assert_eq!(Cpu::has_avx2_and_bits(), bits && Cpu::has_avx2());
            let avx512 = std::is_x86_feature_detected!("avx512bw")
                && std::is_x86_feature_detected!("avx512dq")
                && std::is_x86_feature_detected!("avx512vl")
                && std::is_x86_feature_detected!("avx512vpopcntdq")
                && std::is_x86_feature_detected!("vpclmulqdq");
            // Where there is BW there is F.
            assert_eq!(Cpu::has_avx512(), avx512 && bits && Cpu::has_avx2());
        }
    }
}
