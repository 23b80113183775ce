//! The parts of a table as plain bytes, little-endian in the file.

use alloc::borrow::Cow;
use alloc::vec::Vec;

/// An element of a section: plain bytes in little-endian order, in groups of `WIDTH`.
pub trait Plain: bytemuck::Pod + Send + Sync {
    /// Bytes of the integers it consists of: what a big-endian machine reverses.
    const WIDTH: usize;
}

impl Plain for u8 {
    const WIDTH: usize = 1;
}
impl Plain for u64 {
    const WIDTH: usize = 8;
}
impl Plain for u128 {
    const WIDTH: usize = 16;
}

/// A part of a table, as it lies in memory.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) width: usize,
    /// Whether the numbers are in the machine's order.
    pub(super) native: bool,
}

impl<'a> Section<'a> {
    /// All elements of a slice.
    pub fn of<T: Plain>(elements: &'a [T]) -> Self {
        Self { bytes: bytemuck::cast_slice(elements).into(), width: T::WIDTH, native: true }
    }

    /// A table of little-endian numbers of `width` bytes.
    pub const fn bytes(bytes: &'a [u8], width: usize) -> Self {
        Self { bytes: Cow::Borrowed(bytes), width, native: false }
    }

    /// Bytes that were made to be written.
    pub const fn made(bytes: Vec<u8>) -> Self {
        Self { bytes: Cow::Owned(bytes), width: 1, native: false }
    }
}

/// Groups of `width` bytes from little-endian to the machine's order, or back.
pub(super) fn to_machine_order(bytes: &mut [u8], width: usize) {
    if cfg!(target_endian = "big") {
        for group in bytes.chunks_exact_mut(width) {
            group.reverse();
        }
    }
}
