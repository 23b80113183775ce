//! Bytes in whole cache lines.
//!
//! To cast the lines to bytes and cut those off that are not in use is safe, and costs a query of a
//! cuckoo filter 4 of 81 instructions, and `count` 18 of 137.
#![allow(unsafe_code, reason = "a slice of bytes over lines of them, without a check a query")]

use crate::memory::reserve;
use alloc::vec::Vec;
use core::slice;

/// Bytes of a line.
const LINE: usize = 64;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

/// Bytes that begin at a cache line.
#[derive(Clone, Default)]
pub(super) struct Lines {
    /// What lies behind the bytes in use is zero.
    lines: Vec<Line>,
    /// Bytes in use: at most 64 for each line.
    len: usize,
}

impl Lines {
    /// Room for so many bytes behind those that there are; the bytes if they cannot be had.
    pub(super) fn reserve(&mut self, more: u64) -> Result<(), u64> {
        let lines = (self.len as u64).saturating_add(more).div_ceil(LINE as u64);
        let lines = lines - self.lines.len() as u64;
        reserve(&mut self.lines, lines).map_err(|_| more)
    }

    /// Appends zeros up to this length.
    pub(super) fn grow(&mut self, len: usize) {
        self.lines.resize(len.div_ceil(LINE), Line([0; LINE]));
        self.len = len;
    }

    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the lines are initialised, one behind another and without padding, and have `len`
        // bytes or more. They are borrowed as long as the slice is.
        unsafe { slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }

    #[inline(always)]
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`; and any bytes are a line.
        unsafe { slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What [`Lines::bytes`] does, in safe code.
    fn safe(lines: &Lines) -> Vec<u8> {
        let all: Vec<u8> = lines.lines.iter().flat_map(|line| line.0).collect();
        all[..lines.len].into()
    }

    #[test]
    fn the_bytes_are_those_of_the_lines() {
        let mut lines = Lines::default();
        assert!(lines.bytes().is_empty() && lines.bytes_mut().is_empty());
        for len in [1, 63, 64, 65, 128, 1000] {
            lines.grow(len);
            for (at, byte) in lines.bytes_mut().iter_mut().enumerate() {
                *byte = at as u8;
            }
            assert_eq!((lines.bytes().len(), lines.bytes()), (len, &safe(&lines)[..]));
            assert_eq!(lines.bytes().as_ptr() as usize % LINE, 0);
        }
    }
}
