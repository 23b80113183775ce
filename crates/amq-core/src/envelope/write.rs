//! From a filter to bytes.

use super::directory;
use super::format::{ALIGN, HEADER};
use super::header::FileHeader;
use super::section::{Section, to_machine_order};
use super::stored::{Description, Hashing, Stored, Written};
use crate::BuildError;
use crate::memory::zeroed;
use alloc::vec::Vec;
use core::convert::Infallible;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The parts of a file, ready to be written one after another.
struct Encoded<'a> {
    header: [u8; HEADER],
    directory: Vec<u8>,
    sections: Vec<Section<'a>>,
    len: u64,
}

impl<'a> Encoded<'a> {
    fn of<F: Written>(filter: &'a F, hashing: Hashing) -> Result<Self, BuildError> {
        let contents = filter.contents(hashing)?;
        let mut header = FileHeader::new(&contents);
        let Description { entries, sections, .. } = contents.description;
        let (directory, payload_bytes) = directory::encoded(&sections, &entries);
        let mut sum = Xxh3::new();
        let Ok(()) = payload(&sections, |bytes| {
            sum.update(bytes);
            Ok::<_, Infallible>(())
        });
        header.payload_sum = sum.digest();
        header.directory_sum = xxh3_64(&directory);
        header.directory_bytes = directory.len() as u64;
        header.payload_bytes = payload_bytes;
        let len = HEADER as u64 + header.directory_bytes + payload_bytes;
        Ok(Self { header: header.encode(), directory, sections, len })
    }

    fn write_into(&self, buffer: &mut [u8]) {
        let mut at = 0;
        let Ok(()) = self.each(|bytes| {
            buffer[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
            Ok::<_, Infallible>(())
        });
    }

    fn each<E>(&self, mut to: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        to(&self.header)?;
        to(&self.directory)?;
        payload(&self.sections, to)
    }
}

/// The payload's bytes, piece by piece.
fn payload<E>(
    sections: &[Section<'_>],
    mut to: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    for section in sections {
        if cfg!(target_endian = "little") || section.width == 1 {
            to(&section.bytes)?;
        } else {
            let mut block = [0; 4096];
            for bytes in section.bytes.chunks(block.len()) {
                let block = &mut block[..bytes.len()];
                block.copy_from_slice(bytes);
                to_machine_order(block, section.width);
                to(block)?;
            }
        }
        let length = section.bytes.len();
        to(&[0; ALIGN][..length.next_multiple_of(ALIGN) - length])?;
    }
    Ok(())
}

/// Bytes of the file.
pub fn encoded_len<F: Stored>(filter: &F) -> u64 {
    let Description { entries, sections, .. } = filter.describe();
    let (directory, payload) = directory::encoded(&sections, &entries);
    HEADER as u64 + directory.len() as u64 + payload
}

/// The file as a vector.
pub fn encode<F: Written>(filter: &F, hashing: Hashing) -> Result<Vec<u8>, BuildError> {
    let encoded = Encoded::of(filter, hashing)?;
    let mut bytes = zeroed(encoded.len)?;
    encoded.write_into(&mut bytes);
    Ok(bytes)
}

/// The file at the beginning of a buffer, and its length; `None`, and nothing written, if it has no
/// room.
pub fn encode_into<F: Stored>(filter: &F, buffer: &mut [u8]) -> Option<usize> {
    if (buffer.len() as u64) < encoded_len(filter) {
        return None;
    }
    // What is stored as it lies in memory can always be written.
    let encoded = Encoded::of(filter, Hashing::Seed).ok()?;
    encoded.write_into(buffer);
    Some(encoded.len as usize)
}

/// Writes the file, and flushes the writer.
#[cfg(feature = "std")]
pub fn write<F: Written>(
    filter: &F,
    writer: &mut impl std::io::Write,
    hashing: Hashing,
) -> std::io::Result<()> {
    let encoded = Encoded::of(filter, hashing).map_err(std::io::Error::other)?;
    encoded.each(|bytes| write_all(writer, bytes))?;
    writer.flush()
}

/// As `Write::write_all`, which panics if the writer claims to have written more than it was given.
#[cfg(feature = "std")]
fn write_all(writer: &mut impl std::io::Write, mut bytes: &[u8]) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match writer.write(bytes) {
            Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = bytes.get(written..).ok_or_else(|| {
                    std::io::Error::other(std::format!(
                        "the writer says that it wrote {written} bytes of {}: mend its `write`",
                        bytes.len()
                    ))
                })?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
