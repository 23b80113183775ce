//! Filters of any kind as files.

use super::table::each;
use super::{AnyFile, AnyFilter, AnyView};
use crate::kinds;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use amq_core::ReadError;
use amq_core::format::HashedBy;
#[cfg(feature = "std")]
use amq_core::internal::Streaming;
use amq_core::internal::{Borrowing, Contents, Copying, Hashing, Opened, Restore, Written};
use amq_core::{BuildError, DecodeError, FilterFile, FilterKind, Keyed, Secret, SipKey};
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
    /// The filter as a file; see [`FilterFile::to_bytes`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, BuildError> {
        FilterFile::to_bytes(self)
    }

    /// Writes the filter as a file, and flushes the writer.
    #[cfg(feature = "std")]
    pub fn write_to(&self, writer: impl io::Write) -> io::Result<()> {
        FilterFile::write_to(self, writer)
    }

    /// Saves the filter as the file at `path`, whole or not at all; see [`FilterFile::save`].
    #[cfg(feature = "std")]
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        FilterFile::save(self, path)
    }

    /// Bytes of the filter as a file.
    #[must_use]
    pub fn encoded_len(&self) -> u64 {
        kinds!(each self, filter => amq_core::internal::Stored::file_len(filter))
    }

    /// The filter in these bytes, of whatever kind: one whole file and no more. Everything is
    /// checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        AnyFile::decode(bytes, None, keys).map_err(for_keys)?.of_keys()
    }

    /// Reads a file that withholds its seed, which must be `seed`. A file that stores another seed
    /// is refused as [`DecodeError::OtherSeed`].
    pub fn from_bytes_with_seed(bytes: &[u8], seed: u64) -> Result<Self, DecodeError> {
        AnyFile::decode(bytes, Some(Secret::Seed(seed)), keys)?.of_keys()
    }

    pub(super) fn copied(opened: &Opened<'_>, source: Copying<'_>) -> Result<Self, DecodeError> {
        kinds!(restored opened, source)
    }

    #[cfg(feature = "std")]
    pub(super) fn streamed<R: io::Read>(
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
        Ok(AnyFile::loaded(path.as_ref(), None, keys).map_err(read_for_keys)?.of_keys()?)
    }

    /// Reads a file that withholds its seed, which must be `seed`. A file that stores another seed
    /// is refused as [`DecodeError::OtherSeed`].
    pub fn load_with_seed(path: impl AsRef<Path>, seed: u64) -> Result<Self, ReadError> {
        Ok(AnyFile::loaded(path.as_ref(), Some(Secret::Seed(seed)), keys)?.of_keys()?)
    }

    /// Reads one filter, and no byte more.
    pub fn read_from(reader: impl io::Read) -> Result<Self, ReadError> {
        Self::read_from_within(reader, u64::MAX)
    }

    /// Reads a file that withholds its seed, which must be `seed`. A file that stores another seed
    /// is refused as [`DecodeError::OtherSeed`].
    pub fn read_from_with_seed(mut reader: impl io::Read, seed: u64) -> Result<Self, ReadError> {
        Ok(AnyFile::read(&mut reader, Some(Secret::Seed(seed)), u64::MAX, keys)?.of_keys()?)
    }

    /// Reads one filter, unless the file is larger than `max_bytes`. Memory is taken as the bytes
    /// come, not as the file claims.
    pub fn read_from_within(mut reader: impl io::Read, max_bytes: u64) -> Result<Self, ReadError> {
        Ok(AnyFile::read(&mut reader, None, max_bytes, keys).map_err(read_for_keys)?.of_keys()?)
    }
}

/// If it is asked for keys, which are hashed under a seed.
const fn keys(opened: &Opened<'_>) -> Result<(), DecodeError> {
    opened.expect_hashed_by(HashedBy::Seed)
}

/// Why a file is not read for keys.
const fn for_keys(error: DecodeError) -> DecodeError {
    Opened::refusal(error, HashedBy::Seed)
}

#[cfg(feature = "std")]
fn read_for_keys(error: ReadError) -> ReadError {
    match error {
        ReadError::Decode(error) => ReadError::Decode(for_keys(error)),
        error => error,
    }
}

impl<'a> AnyView<'a> {
    /// The filter in these bytes, which stay where they are; see [`FilterFile::view`], and its
    /// warning about mapped files. They begin at a multiple of 64.
    ///
    /// A file whose keys are hashed under a secret key is refused; see
    /// [`open_keyed`](Self::open_keyed).
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::over(bytes, true)
    }

    /// As [`open`](Self::open), but only header and directory are checked: at once, whatever the
    /// size. **A payload that was damaged since it was written then answers anything**, keys denied
    /// included.
    pub fn open_without_checking_payload(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::over(bytes, false)
    }

    /// As [`open`](Self::open), of a file whose keys are hashed under a secret key: `key` if the
    /// file omits it, `None` if the file has it.
    ///
    /// ```
    /// use amq::{AnyView, Budget, CuckooFilter, DecodeError, Keyed, SaveOptions, SipKey};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # #[repr(align(64))]
    /// # struct Map([u8; 4096]);
    /// # let random = || [7; 16];
    /// let key = SipKey::new(random()); // 16 bytes from the operating system
    /// let seen = Keyed::<CuckooFilter>::build(Budget::Fpr(0.01), key, ["a key"])?;
    /// let file = SaveOptions::new().without_secret().to_bytes(&seen)?;
    /// # let mut map = Map([0; 4096]);
    /// # map.0[..file.len()].copy_from_slice(&file);
    /// # let file = &map.0[..file.len()]; // aligned, as a map is
    ///
    /// let view = AnyView::open_keyed(&file, key)?;
    /// assert!(view.contains("a key"));
    /// assert_eq!(AnyView::open_keyed(&file, None).err(), Some(DecodeError::KeyWithheld));
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_keyed(
        bytes: &'a [u8],
        key: impl Into<Option<SipKey>>,
    ) -> Result<Keyed<Self>, DecodeError> {
        let (view, key) = Self::over_keyed(bytes, key.into())?;
        Ok(Keyed::of(view, key))
    }

    pub(super) fn over(bytes: &'a [u8], check: bool) -> Result<Self, DecodeError> {
        let (opened, payload) = Opened::in_bytes(bytes, None).map_err(for_keys)?;
        keys(&opened)?;
        Self::viewed(&opened, payload, check)
    }

    /// The view, and the secret key of its keys.
    pub(super) fn over_keyed(
        bytes: &'a [u8],
        key: Option<SipKey>,
    ) -> Result<(Self, SipKey), DecodeError> {
        let opened = Opened::in_bytes(bytes, key.map(Secret::Key));
        let (opened, payload) = opened.map_err(|error| Opened::refusal(error, HashedBy::Key))?;
        opened.expect_hashed_by(HashedBy::Key)?;
        match opened.secret() {
            Some(Secret::Key(key)) => Ok((Self::viewed(&opened, payload, true)?, key)),
            _ => Err(DecodeError::NotKeyed),
        }
    }

    fn viewed(opened: &Opened<'_>, payload: &'a [u8], check: bool) -> Result<Self, DecodeError> {
        let source = Borrowing::new(payload, opened, check)?;
        kinds!(restored opened, source)
    }
}
