//! Reading what a file holds.

use super::super::AnyFilter;
use super::AnyFile;
#[cfg(feature = "std")]
use amq_core::ReadError;
#[cfg(feature = "std")]
use amq_core::internal::Streaming;
use amq_core::internal::{Copying, Opened};
use amq_core::{DecodeError, Secret, SipKey};
#[cfg(feature = "std")]
use std::{io, path::Path};

/// Whether a file is read whose header and directory are checked: before its table is.
pub(in crate::any) type Accept = fn(&Opened<'_>) -> Result<(), DecodeError>;

/// However its keys are hashed.
const fn all(_: &Opened<'_>) -> Result<(), DecodeError> {
    Ok(())
}

impl AnyFile {
    /// What these bytes hold: one whole file and no more. Everything is checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::decode(bytes, None, all)
    }

    /// Reads a file that withholds its seed, which must be `seed`. A file that stores another seed
    /// is refused as [`DecodeError::OtherSeed`].
    pub fn from_bytes_with_seed(bytes: &[u8], seed: u64) -> Result<Self, DecodeError> {
        Self::decode(bytes, Some(Secret::Seed(seed)), all)
    }

    /// Reads a file that omits its secret key, which must be `key`. One under another secret key is
    /// refused as [`DecodeError::OtherKey`], and one under a seed as [`DecodeError::NotKeyed`].
    pub fn from_bytes_with_key(bytes: &[u8], key: SipKey) -> Result<Self, DecodeError> {
        Self::decode(bytes, Some(Secret::Key(key)), all)
    }

    /// What these bytes hold, which omit their seed or secret key; see
    /// [`from_bytes`](Self::from_bytes).
    pub fn from_bytes_with(bytes: &[u8], secret: Secret) -> Result<Self, DecodeError> {
        Self::decode(bytes, Some(secret), all)
    }

    pub(in crate::any) fn decode(
        bytes: &[u8],
        secret: Option<Secret>,
        accept: Accept,
    ) -> Result<Self, DecodeError> {
        let (opened, payload) = Opened::in_bytes(bytes, secret)?;
        accept(&opened)?;
        let source = Copying::new(payload, &opened)?;
        Ok(Self::of(AnyFilter::copied(&opened, source)?, &opened))
    }
}

#[cfg(feature = "std")]
impl AnyFile {
    /// Loads what is in a file, which must hold nothing else.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), None, all)
    }

    /// Reads a file that withholds its seed, which must be `seed`. A file that stores another seed
    /// is refused as [`DecodeError::OtherSeed`].
    pub fn load_with_seed(path: impl AsRef<Path>, seed: u64) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), Some(Secret::Seed(seed)), all)
    }

    /// Loads what is in a file that omits its secret key, which must be `key`; see
    /// [`from_bytes_with_key`](Self::from_bytes_with_key).
    pub fn load_with_key(path: impl AsRef<Path>, key: SipKey) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), Some(Secret::Key(key)), all)
    }

    /// Loads what is in a file that omits its seed or secret key; see [`load`](Self::load).
    pub fn load_with(path: impl AsRef<Path>, secret: Secret) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), Some(secret), all)
    }

    /// Reads one filter, and no byte more.
    pub fn read_from(mut reader: impl io::Read) -> Result<Self, ReadError> {
        Self::read(&mut reader, None, u64::MAX, all)
    }

    /// Reads a file that withholds its seed, which must be `seed`. A file that stores another seed
    /// is refused as [`DecodeError::OtherSeed`].
    pub fn read_from_with_seed(mut reader: impl io::Read, seed: u64) -> Result<Self, ReadError> {
        Self::read(&mut reader, Some(Secret::Seed(seed)), u64::MAX, all)
    }

    /// Reads one filter whose file omits its secret key, which must be `key`, and no byte more.
    pub fn read_from_with_key(mut reader: impl io::Read, key: SipKey) -> Result<Self, ReadError> {
        Self::read(&mut reader, Some(Secret::Key(key)), u64::MAX, all)
    }

    /// Reads one filter whose file omits its seed or secret key, and no byte more.
    pub fn read_from_with(mut reader: impl io::Read, secret: Secret) -> Result<Self, ReadError> {
        Self::read(&mut reader, Some(secret), u64::MAX, all)
    }

    // Not generic: compiled here once, and not for each type of path and reader.

    pub(in crate::any) fn loaded(
        path: &Path,
        secret: Option<Secret>,
        accept: Accept,
    ) -> Result<Self, ReadError> {
        Streaming::load(path, secret, u64::MAX, |opened, source| {
            Self::streamed(opened, source, accept)
        })
    }

    pub(in crate::any) fn read(
        mut reader: &mut dyn io::Read,
        secret: Option<Secret>,
        max_bytes: u64,
        accept: Accept,
    ) -> Result<Self, ReadError> {
        let streamed =
            |opened: &Opened<'_>, source: Streaming<'_, _>| Self::streamed(opened, source, accept);
        Ok(Streaming::read(&mut reader, secret, max_bytes, streamed)?.0)
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
