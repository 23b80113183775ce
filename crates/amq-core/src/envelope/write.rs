//! Encoding a filter as a file.

use super::contents::{Contents, Hashing, Section};
use super::directory;
use super::file_format::FileFormat;
use super::format::{ALIGN, HEADER};
use super::header::FileHeader;
use crate::BuildError;
#[cfg(feature = "std")]
use crate::error::number::Counted;
use crate::memory::zeroed;
use alloc::vec::Vec;
use core::convert::Infallible;
#[cfg(feature = "std")]
use std::{
    io::{self, Write},
    path::Path,
};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The filter's file as a vector.
pub fn to_bytes<F: FileFormat>(filter: &F, hashing: Hashing) -> Result<Vec<u8>, BuildError> {
    let encoded = Encoded::of(filter.contents(hashing)?);
    let mut bytes = zeroed(encoded.len)?;
    let mut at = 0;
    let Ok(()) = encoded.each(|piece| {
        bytes[at..at + piece.len()].copy_from_slice(piece);
        at += piece.len();
        Ok::<_, Infallible>(())
    });
    Ok(bytes)
}

/// Writes the filter's file, and flushes the writer.
#[cfg(feature = "std")]
pub(crate) fn write_to<F: FileFormat>(
    filter: &F,
    writer: &mut impl Write,
    hashing: Hashing,
) -> io::Result<()> {
    let contents = filter.contents(hashing).map_err(io::Error::other)?;
    Encoded::of(contents).write_to(writer)
}

/// Writes the filter's file to a temporary one beside `path`, syncs it, renames it, and syncs the
/// folder: after a crash, either the old or the new file exists. Refuses to replace anything but a
/// regular file: a device, a FIFO, a link. A file with a secret is readable by its owner only,
/// unless it replaces a file with the same secret.
#[cfg(feature = "std")]
pub(crate) fn save<F: FileFormat>(filter: &F, path: &Path, hashing: Hashing) -> io::Result<()> {
    let contents = filter.contents(hashing).map_err(io::Error::other)?;
    let secret = contents.told_secret();
    super::path::save(path, secret, |mut file| Encoded::of(contents).write_to(&mut file))
}

/// The parts of a file, encoded and in order.
struct Encoded<'a> {
    header: [u8; HEADER],
    directory: Vec<u8>,
    sections: Vec<Section<'a>>,
    len: u64,
}

impl<'a> Encoded<'a> {
    fn of(contents: Contents<'a>) -> Self {
        let mut header = FileHeader::new(&contents);
        let Contents { entries, sections, .. } = contents;
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
        Self { header: header.encode(), directory, sections, len }
    }

    /// Writes all parts, and flushes the writer.
    #[cfg(feature = "std")]
    fn write_to(&self, writer: &mut impl Write) -> io::Result<()> {
        self.each(|bytes| write_all(writer, bytes))?;
        writer.flush()
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
        to(&section.bytes)?;
        let length = section.bytes.len();
        to(&[0; ALIGN][..length.next_multiple_of(ALIGN) - length])?;
    }
    Ok(())
}

/// As `Write::write_all`, but returns an error where that panics: if the writer claims to have
/// written more than it was given.
#[cfg(feature = "std")]
fn write_all(writer: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match writer.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = bytes.get(written..).ok_or_else(|| {
                    io::Error::other(std::format!(
                        "the writer says that it wrote {} of {}: mend its `write`",
                        Counted(written as u64, "bytes"),
                        bytes.len()
                    ))
                })?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
