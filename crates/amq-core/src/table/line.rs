//! A cache line of bytes.
#![allow(unsafe_code, reason = "plain bytes, which bytemuck casts to slices of bytes")]

/// Bytes of a line.
pub(super) const LINE: usize = 64;

/// The bytes of one cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line([u8; LINE]);

impl Line {
    pub(super) const ZERO: Self = Self([0; LINE]);
}

// SAFETY: zeros are a value of an array of bytes.
unsafe impl bytemuck::Zeroable for Line {}

// SAFETY: it is an array of 64 bytes and nothing else. Its size is its alignment, so there is no
// padding, and any bytes are a value.
unsafe impl bytemuck::Pod for Line {}

#[inline(always)]
pub(super) fn bytes_of(lines: &[Line]) -> &[u8] {
    bytemuck::cast_slice(lines)
}

#[inline(always)]
pub(super) fn bytes_of_mut(lines: &mut [Line]) -> &mut [u8] {
    bytemuck::cast_slice_mut(lines)
}
