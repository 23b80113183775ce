//! The directory: where the sections lie, and the geometry of the table.

use super::contents::Section;
use super::format::{ALIGN, ENTRY, Entry, u64_at};
use crate::DecodeError;
use alloc::vec::Vec;

/// Where a section lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Offset from the payload's first byte, a multiple of 64.
    pub(super) offset: u64,
    pub(super) bytes: u64,
    pub(super) width: u64,
}

/// A directory whose checksum has been verified.
#[derive(Clone, Copy, Debug)]
pub(super) struct Directory<'a> {
    bytes: &'a [u8],
    sections: usize,
    entries: usize,
}

pub(super) fn padded(bytes: u64) -> Option<u64> {
    bytes.checked_next_multiple_of(ALIGN as u64)
}

impl<'a> Directory<'a> {
    /// Checks the numbers, and that the sections fill the payload without gaps or overlaps.
    pub(super) fn new(bytes: &'a [u8], payload: u64) -> Result<Self, DecodeError> {
        let rows = (bytes.len() / ENTRY) as u64;
        let (sections, entries) = (u64_at(bytes, 0), u64_at(bytes, 8));
        let stated = sections.checked_add(entries).and_then(|n| n.checked_add(1));
        if stated != Some(rows) || !bytes.len().is_multiple_of(ENTRY) {
            return Err(DecodeError::Geometry {
                field: "rows of the directory",
                value: stated.unwrap_or(u64::MAX),
            });
        }
        if bytes[16..ENTRY].iter().any(|&byte| byte != 0) {
            return Err(DecodeError::Reserved { part: "directory" });
        }
        let directory = Self { bytes, sections: sections as usize, entries: entries as usize };
        let mut end = 0;
        for index in 0..directory.sections {
            let row = directory.row(1 + index);
            if row[3..].iter().any(|&number| number != 0) {
                return Err(DecodeError::Reserved { part: "directory" });
            }
            let place = directory.place(index);
            let next = padded(place.bytes).and_then(|bytes| bytes.checked_add(place.offset));
            let known_width = matches!(place.width, 1 | 4 | 8 | 16);
            match next {
                Some(next) if place.offset == end && next <= payload && known_width => end = next,
                _ => {
                    return Err(DecodeError::Geometry {
                        field: "place of a section",
                        value: place.offset,
                    });
                }
            }
        }
        if end != payload {
            return Err(DecodeError::PayloadLength { stated: payload, expected: end });
        }
        Ok(directory)
    }

    fn row(&self, index: usize) -> Entry {
        core::array::from_fn(|i| u64_at(self.bytes, index * ENTRY + i * 8))
    }

    pub(super) const fn sections(&self) -> usize {
        self.sections
    }

    /// Where a section lies. `index` must be in range.
    pub(super) fn place(&self, index: usize) -> Place {
        let [offset, bytes, width, ..] = self.row(1 + index);
        Place { offset, bytes, width }
    }

    pub(super) const fn entries(&self) -> usize {
        self.entries
    }

    pub(super) fn entry(&self, index: usize) -> Option<Entry> {
        (index < self.entries).then(|| self.row(1 + self.sections + index))
    }
}

/// Encodes the directory of these sections and entries; also returns the payload's length.
pub(super) fn encoded(sections: &[Section<'_>], entries: &[Entry]) -> (Vec<u8>, u64) {
    let mut bytes = Vec::new();
    let mut row = |numbers: &[u64]| {
        let mut row = [0; ENTRY];
        for (place, number) in row.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&row);
    };
    row(&[sections.len() as u64, entries.len() as u64]);
    let mut offset = 0;
    for section in sections {
        let length = section.bytes.len() as u64;
        row(&[offset, length, section.width as u64]);
        offset += length.next_multiple_of(ALIGN as u64);
    }
    for entry in entries {
        row(entry);
    }
    (bytes, offset)
}
