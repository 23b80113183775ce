//! Filters of any kind as files.

use super::table::each;
use super::{AnyError, AnyFilter, AnyView};
use crate::kinds;
#[cfg(feature = "std")]
use amq_core::ReadError;
#[cfg(feature = "std")]
use amq_core::internal::Streaming;
use amq_core::internal::{Borrowing, Contents, Copying, Hashing, Opened, Restore, Written};
use amq_core::{BuildError, DecodeError, FilterKind, MergeError, Prehashed};
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
            other => Err(unread(other, $opened.kind())),
        }
    };
}

/// Why a file of no kind above is not read.
fn unread(kind: Option<FilterKind>, number: u8) -> DecodeError {
    match kind {
        Some(found) => DecodeError::UnsupportedKind { found },
        None => DecodeError::Kind { number },
    }
}

impl Written for AnyFilter {
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        kinds!(each self, filter => filter.contents(hashing))
    }
}

impl AnyFilter {
    amq_core::methods! { to_bytes; }

    /// Bytes of the filter as a file.
    #[must_use]
    pub fn encoded_len(&self) -> u64 {
        kinds!(each self, filter => filter.encoded_len())
    }

    /// The filter in these bytes, of whatever kind: one whole file and no more. Everything is
    /// checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        AnyFile::decode(bytes, None, keys)?.of_keys()
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn from_bytes_with_seed(bytes: &[u8], seed: u64) -> Result<Self, DecodeError> {
        AnyFile::decode(bytes, Some(seed), keys)?.of_keys()
    }

    fn copied(opened: &Opened<'_>, source: Copying<'_>) -> Result<Self, DecodeError> {
        kinds!(restored opened, source)
    }

    #[cfg(feature = "std")]
    fn streamed<R: io::Read>(
        opened: &Opened<'_>,
        source: Streaming<'_, R>,
    ) -> Result<Self, DecodeError> {
        kinds!(restored opened, source)
    }
}

#[cfg(feature = "std")]
impl AnyFilter {
    /// Loads the filter in a file, which must hold nothing else. Reads header and directory, then
    /// the table into its place: the file's bytes are never held beside the filter.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Ok(AnyFile::loaded(path.as_ref(), None, keys)?.of_keys()?)
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn load_with_seed(path: impl AsRef<Path>, seed: u64) -> Result<Self, ReadError> {
        Ok(AnyFile::loaded(path.as_ref(), Some(seed), keys)?.of_keys()?)
    }

    /// Reads one filter, and no byte more.
    pub fn read_from(reader: impl io::Read) -> Result<Self, ReadError> {
        Self::read_from_within(reader, u64::MAX)
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn read_from_with_seed(mut reader: impl io::Read, seed: u64) -> Result<Self, ReadError> {
        Ok(AnyFile::read(&mut reader, Some(seed), u64::MAX, keys)?.of_keys()?)
    }

    /// Reads one filter, unless the file is larger than `max_bytes`. Memory is taken as the bytes
    /// come, not as the file claims.
    pub fn read_from_within(mut reader: impl io::Read, max_bytes: u64) -> Result<Self, ReadError> {
        Ok(AnyFile::read(&mut reader, None, max_bytes, keys)?.of_keys()?)
    }
}

/// Whether a file is read whose header and directory are checked: before its table is.
type Accept = fn(&Opened<'_>) -> Result<(), DecodeError>;

/// If it is asked for keys.
const fn keys(opened: &Opened<'_>) -> Result<(), DecodeError> {
    opened.expect_hashing(false)
}

/// However its keys are hashed.
const fn all(_: &Opened<'_>) -> Result<(), DecodeError> {
    Ok(())
}

/// What a file can hold: a filter that is asked for keys, or one of the caller's hashes.
#[derive(Clone, PartialEq, Debug)]
pub enum AnyFile {
    /// A filter of keys.
    Keys(AnyFilter),
    /// A filter of hashes.
    Hashes(Prehashed<AnyFilter>),
}

impl AnyFile {
    /// What these bytes hold: one whole file and no more. Everything is checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::decode(bytes, None, all)
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn from_bytes_with_seed(bytes: &[u8], seed: u64) -> Result<Self, DecodeError> {
        Self::decode(bytes, Some(seed), all)
    }

    /// The filter, however its keys are hashed: for what does not depend on that, such as its size.
    #[must_use]
    pub const fn filter(&self) -> &AnyFilter {
        match self {
            Self::Keys(filter) => filter,
            Self::Hashes(filter) => filter.get_ref(),
        }
    }

    /// The filter of keys; [`DecodeError::Prehashed`] if it is one of hashes.
    pub fn of_keys(self) -> Result<AnyFilter, DecodeError> {
        match self {
            Self::Keys(filter) => Ok(filter),
            Self::Hashes(_) => Err(DecodeError::Prehashed),
        }
    }

    /// Adds every key of `other`. All or nothing.
    pub fn merge(&mut self, other: &Self) -> Result<(), AnyError> {
        match (self, other) {
            (Self::Keys(ours), Self::Keys(theirs)) => ours.merge(theirs),
            (Self::Hashes(ours), Self::Hashes(theirs)) => ours.get_mut().merge(theirs.get_ref()),
            _ => Err(MergeError::Hashing.into()),
        }
    }

    amq_core::methods! { to_bytes; }

    fn of(filter: AnyFilter, opened: &Opened<'_>) -> Self {
        match opened.is_prehashed() {
            false => Self::Keys(filter),
            true => Self::Hashes(Prehashed::of(filter)),
        }
    }

    fn decode(bytes: &[u8], seed: Option<u64>, accept: Accept) -> Result<Self, DecodeError> {
        let (opened, payload) = Opened::in_bytes(bytes, seed)?;
        accept(&opened)?;
        let source = Copying::new(payload, &opened)?;
        Ok(Self::of(AnyFilter::copied(&opened, source)?, &opened))
    }
}

impl Written for AnyFile {
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        match self {
            Self::Keys(filter) => filter.contents(hashing),
            Self::Hashes(filter) => filter.contents(hashing),
        }
    }
}

#[cfg(feature = "std")]
impl AnyFile {
    /// Loads what is in a file, which must hold nothing else.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), None, all)
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn load_with_seed(path: impl AsRef<Path>, seed: u64) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), Some(seed), all)
    }

    /// Reads one filter, and no byte more.
    pub fn read_from(mut reader: impl io::Read) -> Result<Self, ReadError> {
        Self::read(&mut reader, None, u64::MAX, all)
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn read_from_with_seed(mut reader: impl io::Read, seed: u64) -> Result<Self, ReadError> {
        Self::read(&mut reader, Some(seed), u64::MAX, all)
    }

    // Not generic: compiled here once, and not for each type of path and reader.

    fn loaded(path: &Path, seed: Option<u64>, accept: Accept) -> Result<Self, ReadError> {
        Streaming::load(path, seed, |opened, source| Self::streamed(opened, source, accept))
    }

    fn read(
        mut reader: &mut dyn io::Read,
        seed: Option<u64>,
        max_bytes: u64,
        accept: Accept,
    ) -> Result<Self, ReadError> {
        let streamed =
            |opened: &Opened<'_>, source: Streaming<'_, _>| Self::streamed(opened, source, accept);
        Ok(Streaming::read(&mut reader, seed, max_bytes, streamed)?.0)
    }

    fn streamed<R: io::Read>(
        opened: &Opened<'_>,
        source: Streaming<'_, R>,
        accept: Accept,
    ) -> Result<Self, DecodeError> {
        accept(opened)?;
        Ok(Self::of(AnyFilter::streamed(opened, source)?, opened))
    }
}

impl<'a> AnyView<'a> {
    #[doc = amq_core::docs!(open)]
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::over(bytes, true)
    }

    #[doc = amq_core::docs!(open_without_checking_payload)]
    pub fn open_without_checking_payload(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::over(bytes, false)
    }

    pub(super) fn over(bytes: &'a [u8], check: bool) -> Result<Self, DecodeError> {
        let (opened, payload) = Opened::in_bytes(bytes, None)?;
        keys(&opened)?;
        let source = Borrowing::new(payload, &opened, check)?;
        kinds!(restored & opened, source)
    }
}
