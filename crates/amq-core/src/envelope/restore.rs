//! How a variant is put together from its file, and read in every way.

use super::opened::Opened;
#[cfg(feature = "std")]
use super::source::Streaming;
use super::source::{Borrowing, Copying, Source};
use crate::DecodeError;
#[cfg(feature = "std")]
use crate::ReadError;
#[cfg(feature = "std")]
use std::{
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

/// A filter that can be read.
pub trait Restore {
    /// Whether it is for keys whose hashes come from the caller.
    const PREHASHED: bool = false;

    /// The filter, over what a source's sections are held in.
    type Over<R: Source>;

    /// Puts the filter together: checks the geometry against the stated sections, takes the
    /// sections, and walks the table once if `source` was asked to check everything.
    fn restore<R: Source>(opened: &Opened<'_>, source: R) -> Result<Self::Over<R>, DecodeError>;

    /// [`restore`](Self::restore), if the file's keys are hashed in the way that this is for.
    fn restore_checked<R: Source>(
        opened: &Opened<'_>,
        source: R,
    ) -> Result<Self::Over<R>, DecodeError> {
        opened.expect_hashing(Self::PREHASHED)?;
        Self::restore(opened, source)
    }

    /// The filter in these bytes, and nothing besides.
    fn decode_file<'a>(
        bytes: &'a [u8],
        seed: Option<u64>,
    ) -> Result<Self::Over<Copying<'a>>, DecodeError> {
        let (opened, payload) = Opened::in_bytes(bytes, seed)?;
        Self::restore_checked(&opened, Copying::new(payload, &opened)?)
    }

    /// The filter over these bytes. Without `check` the payload is not looked at.
    fn view_file<'a>(
        bytes: &'a [u8],
        seed: Option<u64>,
        check: bool,
    ) -> Result<Self::Over<Borrowing<'a>>, DecodeError> {
        let (opened, payload) = Opened::in_bytes(bytes, seed)?;
        Self::restore_checked(&opened, Borrowing::new(payload, &opened, check)?)
    }

    /// Reads one file, and no byte more; also gives its length. One that says it is longer than
    /// `max_bytes` is refused.
    #[cfg(feature = "std")]
    fn read_file<R: Read>(
        reader: &mut R,
        seed: Option<u64>,
        max_bytes: u64,
    ) -> Result<(Self, u64), ReadError>
    where
        Self: for<'a> Restore<Over<Streaming<'a, R>> = Self> + Sized,
    {
        Streaming::read(reader, seed, max_bytes, |opened, source| {
            Self::restore_checked(opened, source)
        })
    }

    /// Reads the filter in the file at `path`, which must hold nothing else.
    #[cfg(feature = "std")]
    fn load_file(path: &Path, seed: Option<u64>) -> Result<Self, ReadError>
    where
        Self: for<'a> Restore<Over<Streaming<'a, BufReader<File>>> = Self> + Sized,
    {
        Streaming::load(path, seed, |opened, source| Self::restore_checked(opened, source))
    }
}
