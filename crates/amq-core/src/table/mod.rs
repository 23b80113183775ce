//! Tables of bytes: owned by a filter, or borrowed or shared by a view.

mod aligned;

use crate::{BuildError, DecodeError};
use aligned::Aligned;
use alloc::sync::Arc;
use core::fmt;
use core::ops::{Deref, DerefMut};

/// Storage of a filter's table: an owned [`Table`], or for a view, borrowed or shared bytes, such
/// as `&[u8]`, `Arc<[u8]>` or a memory map.
///
/// Numbers in a table are little-endian, on every machine, exactly as in a file. If the bytes
/// change while a filter uses them, answers are arbitrary (keys may be denied), or the filter
/// panics; memory safety is not affected.
pub trait Bytes: AsRef<[u8]> + Send + Sync {}

impl<B: AsRef<[u8]> + Send + Sync + ?Sized> Bytes for B {}

/// A range of shared bytes, such as a memory map.
#[derive(Debug)]
pub struct SharedBytes<T: ?Sized> {
    bytes: Arc<T>,
    start: usize,
    len: usize,
}

impl<T: ?Sized> SharedBytes<T> {
    pub(crate) const fn new(bytes: Arc<T>, start: usize, len: usize) -> Self {
        Self { bytes, start, len }
    }
}

impl<T: ?Sized> Clone for SharedBytes<T> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), ..*self }
    }
}

/// Empty, if the owner now has fewer bytes than before.
impl<T: AsRef<[u8]> + ?Sized> AsRef<[u8]> for SharedBytes<T> {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        let shared = (*self.bytes).as_ref();
        shared.get(self.start..self.start + self.len).unwrap_or_default()
    }
}

/// An owned table, aligned to a cache line.
#[derive(Clone)]
pub struct Table(Aligned);

impl Table {
    /// A table of `bytes` zeros. An error if out of memory, or if the size exceeds the address
    /// space.
    pub fn zeroed(bytes: u64) -> Result<Self, BuildError> {
        Aligned::zeroed(bytes).map(Self).ok_or(BuildError::OutOfMemory { bytes })
    }

    /// A copy; an error if out of memory.
    pub fn try_clone(&self) -> Result<Self, BuildError> {
        Self::try_from(&**self)
    }

    /// Shortens the table to `bytes` bytes. The rest stays allocated.
    pub fn truncate(&mut self, bytes: u64) {
        self.0.truncate(bytes);
    }

    /// A table of `bytes` bytes, which `fill` writes piece by piece. Never allocates by a file's
    /// claim alone: only for the bytes that are `known` to exist, for a first piece, or for as many
    /// bytes again as have arrived.
    pub(crate) fn fill(
        bytes: u64,
        known: u64,
        mut fill: impl FnMut(&mut [u8]) -> Result<(), DecodeError>,
    ) -> Result<Self, DecodeError> {
        /// Bytes allocated before any have arrived.
        const FIRST: u64 = 1 << 15;
        /// The most bytes that are read at once.
        const PIECE: usize = 1 << 20;

        let mut table = Self::default();
        while (table.len() as u64) < bytes {
            let held = table.len() as u64;
            let more = (bytes - held).min(known.max(FIRST).max(held));
            table.0.reserve(more).ok_or(DecodeError::OutOfMemory { bytes: more })?;
            let end = (held + more) as usize;
            while table.len() < end {
                let start = table.len();
                table.0.grow((start + PIECE).min(end));
                fill(&mut table[start..])?;
            }
        }
        Ok(table)
    }
}

/// A copy of these bytes.
impl TryFrom<&[u8]> for Table {
    type Error = BuildError;

    fn try_from(bytes: &[u8]) -> Result<Self, BuildError> {
        let refused = BuildError::OutOfMemory { bytes: bytes.len() as u64 };
        Aligned::copy_of(bytes).map(Self).ok_or(refused)
    }
}

/// An empty table.
impl Default for Table {
    fn default() -> Self {
        Self(Aligned::new())
    }
}

impl Deref for Table {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        self.0.bytes()
    }
}

impl DerefMut for Table {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        self.0.bytes_mut()
    }
}

impl AsRef<[u8]> for Table {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Table {}

/// Does not print the bytes, which may be gigabytes.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("bytes", &self.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn a_table_begins_at_a_cache_line_and_has_the_bytes_asked() {
        for bytes in [0u64, 1, 63, 64, 65, 1000] {
            let table = Table::zeroed(bytes).unwrap();
            assert_eq!(table.as_ptr() as usize % 64, 0, "{bytes}");
            assert_eq!((table.len() as u64, table.iter().all(|&byte| byte == 0)), (bytes, true));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri ends where memory does")]
    fn memory_that_cannot_be_had_is_an_error_with_the_size_in_it() {
        for bytes in [u64::MAX, 1 << 62] {
            assert_eq!(Table::zeroed(bytes), Err(BuildError::OutOfMemory { bytes }));
        }
    }

    #[test]
    fn tables_are_equal_by_their_bytes() {
        let mut table = Table::zeroed(100).unwrap();
        let zeros = table.clone();
        table[99] = 1;
        assert_ne!(table, zeros);
        let copy = table.try_clone().unwrap();
        assert_eq!(copy, table);
        table[99] = 0;
        assert_eq!((table, copy[99]), (zeros, 1));
        assert_ne!(Table::zeroed(64).unwrap(), Table::zeroed(65).unwrap());
    }

    #[test]
    fn a_table_is_cut_off_and_never_lengthened() {
        let mut table = Table::zeroed(100).unwrap();
        table.fill(7);
        table.truncate(101);
        assert_eq!(*table, [7; 100]);
        table.truncate(65);
        assert_eq!(*table, [7; 65]);
        assert_eq!(table.clone(), table);
        table.truncate(0);
        assert!(table.is_empty());
    }

    #[test]
    fn a_claim_takes_no_more_memory_than_twice_what_has_come() {
        let source: Vec<u8> = (0..200_000u32).map(|n| n as u8).collect();
        for known in [0, source.len() as u64] {
            let mut rest = &source[..];
            let table = Table::fill(rest.len() as u64, known, |bytes| {
                let (now, later) = rest.split_at(bytes.len());
                bytes.copy_from_slice(now);
                rest = later;
                Ok(())
            });
            assert_eq!(*table.unwrap(), source[..]);
        }
        let mut most = 0;
        let refused = Table::fill(1 << 40, 0, |bytes| {
            most = most.max(bytes.len());
            Err(DecodeError::Interrupted)
        });
        assert_eq!((refused, most), (Err(DecodeError::Interrupted), 1 << 15));
    }
}
