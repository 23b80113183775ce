//! How a variant is put together from its file, and read in every way.

use super::opened::Opened;
#[cfg(feature = "std")]
use super::source::Streaming;
use super::source::{Borrowing, Copying, Source};
#[cfg(feature = "std")]
use crate::ReadError;
use crate::format::HashedBy;
use crate::{DecodeError, Secret};
#[cfg(feature = "std")]
use std::{
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

/// A filter that can be read.
#[doc(hidden)]
pub trait Restore {
    /// What the keys of its files are hashed by.
    const HASHED_BY: HashedBy = HashedBy::Seed;

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
        opened.expect_hashed_by(Self::HASHED_BY)?;
        Self::restore(opened, source)
    }

    /// Header and directory of the file that these bytes are, and its payload.
    fn opened(bytes: &[u8], secret: Option<Secret>) -> Result<(Opened<'_>, &[u8]), DecodeError> {
        Opened::in_bytes(bytes, secret).map_err(|error| Opened::refusal(error, Self::HASHED_BY))
    }

    /// The filter in these bytes, and nothing besides.
    fn decode_file<'a>(
        bytes: &'a [u8],
        secret: Option<Secret>,
    ) -> Result<Self::Over<Copying<'a>>, DecodeError> {
        let (opened, payload) = Self::opened(bytes, secret)?;
        Self::restore_checked(&opened, Copying::new(payload, &opened)?)
    }

    /// The filter over these bytes. Without `check` the payload is not looked at.
    fn view_file<'a>(
        bytes: &'a [u8],
        secret: Option<Secret>,
        check: bool,
    ) -> Result<Self::Over<Borrowing<'a>>, DecodeError> {
        let (opened, payload) = Self::opened(bytes, secret)?;
        Self::restore_checked(&opened, Borrowing::new(payload, &opened, check)?)
    }

    /// Reads one file, and no byte more; also gives its length. One that says it is longer than
    /// `max_bytes` is refused.
    #[cfg(feature = "std")]
    fn read_file<R: Read>(
        reader: &mut R,
        secret: Option<Secret>,
        max_bytes: u64,
    ) -> Result<(Self, u64), ReadError>
    where
        Self: for<'a> Restore<Over<Streaming<'a, R>> = Self> + Sized,
    {
        let read = Streaming::read(reader, secret, max_bytes, |opened, source| {
            Self::restore_checked(opened, source)
        });
        read.map_err(|error| refused(error, Self::HASHED_BY))
    }

    /// Reads the filter in the file at `path`, which must hold nothing else.
    #[cfg(feature = "std")]
    fn load_file(path: &Path, secret: Option<Secret>, max_bytes: u64) -> Result<Self, ReadError>
    where
        Self: for<'a> Restore<Over<Streaming<'a, BufReader<File>>> = Self> + Sized,
    {
        let load = Streaming::load(path, secret, max_bytes, |opened, source| {
            Self::restore_checked(opened, source)
        });
        load.map_err(|error| refused(error, Self::HASHED_BY))
    }
}

#[cfg(feature = "std")]
fn refused(error: ReadError, wanted: HashedBy) -> ReadError {
    match error {
        ReadError::Decode(error) => ReadError::Decode(Opened::refusal(error, wanted)),
        error => error,
    }
}
