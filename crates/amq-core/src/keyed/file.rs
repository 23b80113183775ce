//! The filter as a file, with its key or without.

use super::Keyed;
#[cfg(feature = "std")]
use crate::ReadError;
#[cfg(feature = "std")]
use crate::envelope::Streaming;
use crate::envelope::{Borrowing, Contents, Copying, Hashing, Opened, Restore, Source, Written};
use crate::format::HashedBy;
use crate::{BuildError, DecodeError, Filter, Secret, SipKey};
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::{
    fs::File,
    io::{self, BufReader, Read, Write},
    path::Path,
};

/// Writing. **A file with the secret key is as secret as that key**; the methods that end in
/// `_without_key` leave it out, and whoever reads the file must have it. A secret key of all zeros,
/// which nobody has filled, is refused ([`BuildError::ZeroKey`]).
impl<F: Filter + Written> Keyed<F> {
    /// The filter as a file, with its secret key.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BuildError> {
        self.encode_file(Hashing::Key(self.key))
    }

    /// The filter as a file without its secret key: readers must supply it.
    pub fn to_bytes_without_key(&self) -> Result<Vec<u8>, BuildError> {
        self.encode_file(Hashing::KeyWithheld(self.key))
    }

    /// Writes the filter as a file, with its secret key, and flushes the writer.
    #[cfg(feature = "std")]
    pub fn write_to(&self, mut writer: impl Write) -> io::Result<()> {
        self.write_file(&mut writer, Hashing::Key(self.key))
    }

    /// Writes the filter as a file without its secret key: readers must supply it.
    #[cfg(feature = "std")]
    pub fn write_to_without_key(&self, mut writer: impl Write) -> io::Result<()> {
        self.write_file(&mut writer, Hashing::KeyWithheld(self.key))
    }

    #[doc = crate::docs!(save)]
    #[cfg(feature = "std")]
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.save_file(path.as_ref(), Hashing::Key(self.key))
    }

    /// As [`save`](Self::save), without the secret key: readers must supply it. The file is then
    /// not secret, and has the mode of any new file.
    #[cfg(feature = "std")]
    pub fn save_without_key(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.save_file(path.as_ref(), Hashing::KeyWithheld(self.key))
    }
}

/// Reading. A file whose keys are hashed under a seed is refused as [`DecodeError::NotKeyed`], and
/// one that was written under another secret key than the one given as [`DecodeError::OtherKey`].
/// One under a secret key of all zeros is refused, too ([`DecodeError::ZeroKey`]).
///
/// `F` is a type whose file says what it is, such as `BloomFilter`. An `AnyFilter` is none: read a
/// filter of any kind by `AnyFile::load_with_key(path, key)?.keyed()?` of the crate `amq`.
impl<F: Filter + Restore> Keyed<F> {
    /// The filter in these bytes, which must be one whole file and no more, and have the secret
    /// key. Everything is checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError>
    where
        F: for<'a> Restore<Over<Copying<'a>> = F>,
    {
        Self::decode_file(bytes, None)
    }

    /// The filter in these bytes, under this secret key; see [`from_bytes`](Self::from_bytes).
    pub fn from_bytes_with_key(bytes: &[u8], key: SipKey) -> Result<Self, DecodeError>
    where
        F: for<'a> Restore<Over<Copying<'a>> = F>,
    {
        Self::decode_file(bytes, Some(Secret::Key(key)))
    }

    /// Reads one filter, and no byte more.
    #[cfg(feature = "std")]
    pub fn read_from<R: Read>(mut reader: R) -> Result<Self, ReadError>
    where
        F: for<'a> Restore<Over<Streaming<'a, R>> = F>,
    {
        Ok(Self::read_file(&mut reader, None, u64::MAX)?.0)
    }

    /// Reads one filter under this secret key, and no byte more.
    #[cfg(feature = "std")]
    pub fn read_from_with_key<R: Read>(mut reader: R, key: SipKey) -> Result<Self, ReadError>
    where
        F: for<'a> Restore<Over<Streaming<'a, R>> = F>,
    {
        Ok(Self::read_file(&mut reader, Some(Secret::Key(key)), u64::MAX)?.0)
    }

    /// Loads the filter that [`save`](Self::save) wrote.
    #[cfg(feature = "std")]
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ReadError>
    where
        F: for<'a> Restore<Over<Streaming<'a, BufReader<File>>> = F>,
    {
        Self::load_file(path.as_ref(), None, u64::MAX)
    }

    /// Loads the filter that [`save_without_key`](Self::save_without_key) wrote, under its secret
    /// key.
    #[cfg(feature = "std")]
    pub fn load_with_key(path: impl AsRef<Path>, key: SipKey) -> Result<Self, ReadError>
    where
        F: for<'a> Restore<Over<Streaming<'a, BufReader<File>>> = F>,
    {
        Self::load_file(path.as_ref(), Some(Secret::Key(key)), u64::MAX)
    }

    /// The filter in these bytes, which stay where they are; see the method `open` of `F`'s views.
    pub fn open(bytes: &[u8]) -> Result<Keyed<F::Over<Borrowing<'_>>>, DecodeError> {
        Self::view_file(bytes, None, true)
    }

    /// The filter in these bytes under this secret key; see [`open`](Self::open).
    pub fn open_with_key(
        bytes: &[u8],
        key: SipKey,
    ) -> Result<Keyed<F::Over<Borrowing<'_>>>, DecodeError> {
        Self::view_file(bytes, Some(Secret::Key(key)), true)
    }
}

/// Whether the secret key is told is as asked; which it is the filter knows.
impl<F: Filter + Written> Written for Keyed<F> {
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        super::filled(self.key)?;
        self.filter.contents(Hashing::Key(self.key).told_as(hashing))?.without_seed()
    }
}

impl<F: Filter + Restore> Restore for Keyed<F> {
    const HASHED_BY: HashedBy = HashedBy::Key;
    type Over<R: Source> = Keyed<F::Over<R>>;

    fn restore<R: Source>(
        opened: &Opened<'_>,
        source: R,
    ) -> Result<Keyed<F::Over<R>>, DecodeError> {
        let Some(Secret::Key(key)) = opened.secret() else {
            return Err(DecodeError::NotKeyed);
        };
        Ok(Keyed { filter: F::restore(opened, source)?, key })
    }
}
