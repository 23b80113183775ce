//! What a variant says of its files, and how they are written.

use super::contents::{Contents, Description, Hashing};
use super::write::{self, Encoded};
use crate::header::Header;
use crate::memory::zeroed;
use crate::{BuildError, FilterKind, KeyEncoding};
use alloc::vec::Vec;

/// A filter that can be written.
#[doc(hidden)]
pub trait Stored {
    /// The kind of filter.
    const KIND: FilterKind;
    /// The revision of its layout.
    const REVISION: u8;

    /// Seed, capacity and budget.
    fn header(&self) -> &Header;

    /// The number of keys.
    fn items(&self) -> u64;

    /// What it consists of.
    fn describe(&self) -> Description<'_>;

    /// Bytes of the file.
    fn file_len(&self) -> u64 {
        write::encoded_len(&self.describe())
    }

    /// Writes the file at the beginning of a buffer, and returns its length; `None`, and nothing is
    /// written, if there is less room than that.
    fn encode_file_into(&self, buffer: &mut [u8]) -> Option<usize>
    where
        Self: Sized,
    {
        if (buffer.len() as u64) < self.file_len() {
            return None;
        }
        // What is stored as it lies in memory can always be written.
        let encoded = Encoded::of(self.contents(Hashing::Seed).ok()?);
        encoded.write_into(buffer);
        Some(encoded.len as usize)
    }
}

/// What can be written as a file: every filter that is [`Stored`], and what is made of several.
#[doc(hidden)]
pub trait Written {
    /// What the file says.
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError>;

    /// The file as a vector.
    fn encode_file(&self, hashing: Hashing) -> Result<Vec<u8>, BuildError> {
        let encoded = Encoded::of(self.contents(hashing)?);
        let mut bytes = zeroed(encoded.len)?;
        encoded.write_into(&mut bytes);
        Ok(bytes)
    }

    /// Writes the file, and flushes the writer.
    #[cfg(feature = "std")]
    fn write_file(
        &self,
        writer: &mut impl std::io::Write,
        hashing: Hashing,
    ) -> std::io::Result<()> {
        let contents = self.contents(hashing).map_err(std::io::Error::other)?;
        Encoded::of(contents).write_to(writer)
    }

    /// Writes the file as a byte string of another format.
    #[cfg(feature = "serde")]
    fn serialize_file<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.encode_file(Hashing::Seed).map_err(serde::ser::Error::custom)?;
        serializer.serialize_bytes(&bytes)
    }

    /// Writes the file to a temporary one beside `path`, syncs it, renames it, and syncs the
    /// folder: after a crash there is the old file or the new one. What is neither absent nor a
    /// regular file is refused: a device, a FIFO, a link. A file that tells a secret is for its
    /// owner alone, unless it replaces a file that told the same one.
    #[cfg(feature = "std")]
    fn save_file(&self, path: &std::path::Path, hashing: Hashing) -> std::io::Result<()> {
        let contents = self.contents(hashing).map_err(std::io::Error::other)?;
        let secret = contents.told_secret();
        super::path::save(path, secret, |mut file| Encoded::of(contents).write_to(&mut file))
    }
}

impl<F: Stored> Written for F {
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        Ok(Contents {
            kind: F::KIND,
            revision: F::REVISION,
            hashing,
            header: *self.header(),
            keys: self.items(),
            encoding: KeyEncoding::Unknown,
            description: self.describe(),
        })
    }
}
