//! Filters of any kind as files.

use super::table::{each, kinds};
use super::{AnyFilter, AnyView};
use alloc::vec::Vec;
#[cfg(feature = "std")]
use amq_core::ReadError;
#[cfg(feature = "std")]
use amq_core::envelope::Streaming;
use amq_core::envelope::{self, Borrowing, Copying, Restore};
use amq_core::{BuildError, DecodeError, FilterKind};
#[cfg(feature = "std")]
use std::{io, path::Path};

/// The filter of the kind that the header names, out of a source.
macro_rules! restored {
    (
        $opened:expr, $source:expr;
        $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*
    ) => {
        match FilterKind::from_number($opened.kind()) {
            $(
                #[cfg(feature = $feature)]
                Some(FilterKind::$name) => {
                    Ok(Self::$name(<$module::$type as Restore>::restore($opened, $source)?))
                }
            )*
            other => Err(not_here(other, $opened.kind())),
        }
    };
}

/// Why a file of no kind above is not read.
fn not_here(kind: Option<FilterKind>, number: u8) -> DecodeError {
    let Some(found) = kind else {
        return DecodeError::Kind { number };
    };
    let way_out = match found {
        FilterKind::RibbonMap => {
            "it gives every key a value and denies none; load it as a `RibbonMap`"
        }
        FilterKind::Sharded => "load it as a `Sharded` filter of the kind that its shards have",
        FilterKind::Rolling => {
            "load it as a `Rolling` filter of the kind that its generations have"
        }
        _ => "turn on the feature of the crate `amq` for it, or load it as its own type",
    };
    DecodeError::NotHere { found, way_out }
}

impl AnyFilter {
    /// The filter in these bytes, of whatever kind: one whole file and no more. Everything is
    /// checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::decode(bytes, None)
    }

    #[doc = amq_core::file_docs!(from_bytes_with_seed)]
    pub fn from_bytes_with_seed(bytes: &[u8], seed: u64) -> Result<Self, DecodeError> {
        Self::decode(bytes, Some(seed))
    }

    fn decode(bytes: &[u8], seed: Option<u64>) -> Result<Self, DecodeError> {
        let (opened, payload) = envelope::open(bytes, seed)?;
        let source = Copying::new(payload, &opened)?;
        kinds!(restored & opened, source)
    }

    /// Bytes of the filter as a file.
    #[must_use]
    pub fn encoded_len(&self) -> u64 {
        kinds!(each self, filter => filter.encoded_len())
    }

    /// The filter as a file. The same filter gives the same bytes on every machine.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BuildError> {
        kinds!(each self, filter => filter.to_bytes())
    }

    /// The same without the seed: whoever reads it must give the seed.
    pub fn to_bytes_without_seed(&self) -> Result<Vec<u8>, BuildError> {
        kinds!(each self, filter => filter.to_bytes_without_seed())
    }
}

#[cfg(feature = "std")]
impl AnyFilter {
    /// Loads the filter in a file, which must hold nothing else. Reads header and directory, then
    /// the table into its place: the file's bytes are never held beside the filter.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), None)
    }

    #[doc = amq_core::file_docs!(from_bytes_with_seed)]
    pub fn load_with_seed(path: impl AsRef<Path>, seed: u64) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), Some(seed))
    }

    /// Reads one filter, and no byte more.
    pub fn read_from(reader: impl io::Read) -> Result<Self, ReadError> {
        Self::read_from_within(reader, u64::MAX)
    }

    #[doc = amq_core::file_docs!(from_bytes_with_seed)]
    pub fn read_from_with_seed(mut reader: impl io::Read, seed: u64) -> Result<Self, ReadError> {
        Self::read(&mut reader, Some(seed), u64::MAX)
    }

    /// As [`read_from`](Self::read_from), unless the file is larger than `max_bytes`. Memory is
    /// taken as the bytes come, not as the file claims.
    pub fn read_from_within(mut reader: impl io::Read, max_bytes: u64) -> Result<Self, ReadError> {
        Self::read(&mut reader, None, max_bytes)
    }

    /// Writes the filter as a file, and flushes the writer.
    pub fn write_to(&self, mut writer: impl io::Write) -> io::Result<()> {
        self.write(&mut writer, false)?;
        writer.flush()
    }

    /// The same without the seed: whoever reads it must give the seed.
    pub fn write_to_without_seed(&self, mut writer: impl io::Write) -> io::Result<()> {
        self.write(&mut writer, true)?;
        writer.flush()
    }

    #[doc = amq_core::file_docs!(save)]
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.saved(path.as_ref(), false)
    }

    /// As [`save`](Self::save), without the seed: whoever loads the file must give the seed.
    pub fn save_without_seed(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.saved(path.as_ref(), true)
    }

    // Not generic: compiled here once, and not for each type of path, reader and writer.

    fn loaded(path: &Path, seed: Option<u64>) -> Result<Self, ReadError> {
        envelope::load_as(path, seed, Self::streamed)
    }

    fn read(
        mut reader: &mut dyn io::Read,
        seed: Option<u64>,
        max_bytes: u64,
    ) -> Result<Self, ReadError> {
        Ok(envelope::read_as(&mut reader, seed, max_bytes, Self::streamed)?.0)
    }

    fn streamed<R: io::Read>(
        opened: &envelope::Opened<'_>,
        source: Streaming<'_, R>,
    ) -> Result<Self, DecodeError> {
        kinds!(restored opened, source)
    }

    fn write(&self, mut writer: &mut dyn io::Write, withhold_seed: bool) -> io::Result<()> {
        kinds!(each self, filter => envelope::write(filter, &mut writer, withhold_seed))
    }

    fn saved(&self, path: &Path, withhold_seed: bool) -> io::Result<()> {
        kinds!(each self, filter => envelope::save(filter, path, withhold_seed))
    }
}

impl<'a> AnyView<'a> {
    #[doc = amq_core::file_docs!(open)]
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::over(bytes, true)
    }

    #[doc = amq_core::file_docs!(open_without_checking_payload)]
    pub fn open_without_checking_payload(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::over(bytes, false)
    }

    pub(super) fn over(bytes: &'a [u8], check: bool) -> Result<Self, DecodeError> {
        let (opened, payload) = envelope::open(bytes, None)?;
        let source = Borrowing::new(payload, &opened, check)?;
        kinds!(restored & opened, source)
    }
}
