//! From a filter to bytes.

use super::contents::{Contents, Description};
use super::directory;
use super::format::{ALIGN, HEADER};
use super::header::FileHeader;
use super::section::{Section, to_machine_order};
use alloc::vec::Vec;
use core::convert::Infallible;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The parts of a file, ready to be written one after another.
pub(super) struct Encoded<'a> {
    header: [u8; HEADER],
    directory: Vec<u8>,
    sections: Vec<Section<'a>>,
    pub(super) len: u64,
}

impl<'a> Encoded<'a> {
    pub(super) fn of(contents: Contents<'a>) -> Self {
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
        Self { header: header.encode(), directory, sections, len }
    }

    pub(super) fn write_into(&self, buffer: &mut [u8]) {
        let mut at = 0;
        let Ok(()) = self.each(|bytes| {
            buffer[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
            Ok::<_, Infallible>(())
        });
    }

    /// Writes it all, and flushes the writer.
    #[cfg(feature = "std")]
    pub(super) fn write_to(&self, writer: &mut impl std::io::Write) -> std::io::Result<()> {
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
        if cfg!(target_endian = "little") || !section.native {
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
pub(super) fn encoded_len(description: &Description<'_>) -> u64 {
    let Description { entries, sections, .. } = description;
    let (directory, payload) = directory::encoded(sections, entries);
    HEADER as u64 + directory.len() as u64 + payload
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
