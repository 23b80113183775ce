//! Reads the sections of a payload piece by piece, for truncating while loading.

use super::format::ALIGN;
use super::opened::Opened;
use super::sections::check_padding;
use crate::memory::zeroed;
use crate::{DecodeError, Table};
use alloc::vec::Vec;
use core::fmt;

/// The most bytes per call of `take`.
const MOST: usize = 512;

/// Bytes to read ahead.
const BUFFER: u64 = 1 << 16;

/// A sequential source of bytes.
pub trait ByteSource {
    /// The next bytes, at most 512.
    fn take(&mut self, bytes: usize) -> Result<&[u8], DecodeError>;
}

impl ByteSource for &[u8] {
    fn take(&mut self, bytes: usize) -> Result<&[u8], DecodeError> {
        let Some((taken, rest)) = self.split_at_checked(bytes) else {
            return Err(DecodeError::Structure { what: "bytes that changed" });
        };
        *self = rest;
        Ok(taken)
    }
}

/// Fills the buffer with the next bytes of the payload.
type Fill<'a> = &'a mut dyn FnMut(&mut [u8]) -> Result<(), DecodeError>;

/// The sections of a file's payload in their order, read piece by piece. The payload's checksum is
/// verified once all of it has been read.
pub struct SectionStream<'a> {
    opened: &'a Opened<'a>,
    fill: Fill<'a>,
    /// Whether the payload is known to be as long as stated.
    is_known: bool,
    /// The index of the section after the current one.
    next: usize,
    /// The bytes of the current section that are not in the buffer yet.
    left: u64,
    padding: usize,
    buffer: Vec<u8>,
    /// The bytes of the buffer that have not been taken.
    start: usize,
    end: usize,
}

impl<'a> SectionStream<'a> {
    /// The sections of this file. `is_known`: whether the payload is known to be as long as stated.
    pub(super) fn new(opened: &'a Opened<'a>, is_known: bool, fill: Fill<'a>) -> Self {
        let buffer = Vec::new();
        Self { opened, fill, is_known, next: 0, left: 0, padding: 0, buffer, start: 0, end: 0 }
    }

    /// Moves to the next section and skips the rest of the current one.
    pub fn turn(&mut self) -> Result<(), DecodeError> {
        self.start = self.end;
        while self.left > 0 {
            self.read_ahead()?;
            self.start = self.end;
        }
        let mut padding = [0; ALIGN];
        let padding = &mut padding[..self.padding];
        (self.fill)(padding)?;
        check_padding(padding)?;
        self.left = self.opened.section_bytes(self.next).unwrap_or(0);
        self.padding = (self.left.wrapping_neg() % ALIGN as u64) as usize;
        self.next += 1;
        Ok(())
    }

    /// The next section, whole.
    pub fn section(&mut self) -> Result<Table, DecodeError> {
        self.turn()?;
        let bytes = core::mem::take(&mut self.left);
        Table::fill(bytes, self.known(bytes), |piece| (self.fill)(piece))
    }

    /// A table of `bytes` bytes. `next` takes bytes of this section, writes at most 512 at a time,
    /// and returns how many it wrote.
    pub fn table(
        &mut self,
        bytes: u64,
        mut next: impl FnMut(&mut Self, &mut [u8; MOST]) -> Result<usize, DecodeError>,
    ) -> Result<Table, DecodeError> {
        table_of(bytes, self.known(bytes), |piece| next(self, piece))
    }

    /// Reads the rest of the payload.
    pub(super) fn finish(mut self) -> Result<(), DecodeError> {
        while self.next <= self.opened.sections() {
            self.turn()?;
        }
        Ok(())
    }

    /// `bytes` if the payload is known to be as long as stated, else 0.
    const fn known(&self, bytes: u64) -> u64 {
        if self.is_known { bytes } else { 0 }
    }

    /// Reads more of the section into the buffer.
    fn read_ahead(&mut self) -> Result<(), DecodeError> {
        if self.buffer.is_empty() {
            let refused = DecodeError::OutOfMemory { bytes: BUFFER };
            self.buffer = zeroed(BUFFER).map_err(|_| refused)?;
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let room = (self.buffer.len() - self.end) as u64;
        let more = self.left.min(room);
        let behind = self.end + more as usize;
        (self.fill)(&mut self.buffer[self.end..behind])?;
        self.left -= more;
        self.end = behind;
        Ok(())
    }
}

impl ByteSource for SectionStream<'_> {
    #[inline]
    fn take(&mut self, bytes: usize) -> Result<&[u8], DecodeError> {
        if self.end - self.start < bytes {
            self.read_ahead()?;
        }
        let taken = self.buffer[self.start..self.end].get(..bytes);
        self.start += taken.map_or(0, <[u8]>::len);
        taken.ok_or(DecodeError::Geometry { field: "bytes of a section", value: self.end as u64 })
    }
}

impl fmt::Debug for SectionStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SectionStream").field("left", &self.left).finish_non_exhaustive()
    }
}

/// A table of `bytes` bytes. `next` writes at most 512 at a time and returns how many it wrote.
/// Memory for the `known` bytes is allocated at once.
pub fn table_of(
    bytes: u64,
    known: u64,
    mut next: impl FnMut(&mut [u8; MOST]) -> Result<usize, DecodeError>,
) -> Result<Table, DecodeError> {
    let mut ready = [0; MOST];
    let (mut at, mut end) = (0, 0);
    Table::fill(bytes, known, |mut piece| {
        while !piece.is_empty() {
            if at == end {
                (at, end) = (0, next(&mut ready)?);
                if end == 0 {
                    return Err(DecodeError::Structure { what: "end of the table" });
                }
            }
            let count = (end - at).min(piece.len());
            let (now, rest) = piece.split_at_mut(count);
            now.copy_from_slice(&ready[at..at + count]);
            at += count;
            piece = rest;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_written_from_pieces_of_any_size() {
        for bytes in [0u64, 1, 511, 513, 100_000, (1 << 20) + 7] {
            let mut written = 0u64;
            let table = table_of(bytes, 0, |piece| {
                let count = 1 + (written % 500) as usize;
                for byte in &mut piece[..count] {
                    *byte = (written % 251) as u8;
                    written += 1;
                }
                Ok(count)
            });
            let table = table.unwrap();
            assert_eq!(table.len() as u64, bytes);
            assert!((0u64..).zip(&*table).all(|(at, &byte)| byte == (at % 251) as u8));
        }
        let short = table_of(10, 10, |_| Ok(0));
        assert_eq!(short, Err(DecodeError::Structure { what: "end of the table" }));
    }
}
