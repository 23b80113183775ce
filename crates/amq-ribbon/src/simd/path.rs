//! Which code looks keys up one by one.

#[cfg(target_arch = "x86_64")]
use amq_core::internal::Cpu;

/// The code that looks up the keys of a system. It is chosen once, when the system is put together,
/// so that a query asks neither for the order nor for the processor.
///
/// A path is proof that the processor has the features of its code: nothing outside this file makes
/// one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Path(Code);

/// See [`Path`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Code {
    /// Slots of one byte, with AVX-512.
    #[cfg(target_arch = "x86_64")]
    Bytes,
    /// Columns, with AVX-512.
    #[cfg(target_arch = "x86_64")]
    Columns,
    /// Slots of several bytes, with AVX-512.
    #[cfg(target_arch = "x86_64")]
    Wide,
    /// Any order, with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Any order, on any processor.
    Portable,
}

impl Path {
    /// The path on this processor for slots of this many bytes, or columns if that is zero.
    pub(crate) fn new(slot_bytes: u32) -> Self {
        #[cfg(target_arch = "x86_64")]
        return Self(match slot_bytes {
            0 if Cpu::has_avx512() => Code::Columns,
            1 if Cpu::has_avx512() => Code::Bytes,
            _ if Cpu::has_avx512() => Code::Wide,
            _ if Cpu::has_avx2_and_bits() => Code::Avx2,
            _ => Code::Portable,
        });
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = slot_bytes;
            Self(Code::Portable)
        }
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(super) fn code(self) -> Code {
        self.0
    }
}
