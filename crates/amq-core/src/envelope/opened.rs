//! A file whose header and directory have been checked, from which a variant reads its parameters.

use super::contents::Hashing;
use super::directory::Directory;
use super::format::{Asked, Entry};
use super::header::FileHeader;
use crate::format::HashedBy;
use crate::header::Header;
use crate::{DecodeError, FilterKind, KeyEncoding, Secret};
use core::ops::RangeInclusive;
use xxhash_rust::xxh3::xxh3_64;

/// A file whose header and directory have been checked.
#[derive(Clone, Copy, Debug)]
pub struct Opened<'a> {
    pub(super) file: FileHeader,
    pub(super) directory: Directory<'a>,
}

impl<'a> Opened<'a> {
    pub(super) fn new(file: FileHeader, directory: &'a [u8]) -> Result<Self, DecodeError> {
        if xxh3_64(directory) != file.directory_sum {
            return Err(DecodeError::Checksum { part: "directory" });
        }
        Ok(Self { directory: Directory::new(directory, file.payload_bytes)?, file })
    }

    /// The number of the kind of filter, known or not.
    pub const fn kind(&self) -> u8 {
        self.file.kind
    }

    /// Seed, capacity and budget.
    pub const fn header(&self) -> Header {
        self.file.filter
    }

    /// The number of keys in the filter.
    pub const fn keys(&self) -> u64 {
        self.file.keys
    }

    /// Whether the file withholds its seed or secret key, which the reader then supplied.
    pub const fn withholds_secret(&self) -> bool {
        self.file.withholds_secret()
    }

    /// The seed or secret key, from the file or from the reader.
    pub const fn secret(&self) -> Option<Secret> {
        self.file.secret()
    }

    /// How its keys were encoded.
    pub const fn encoding(&self) -> KeyEncoding {
        self.file.encoding
    }

    /// The number of sections.
    pub const fn sections(&self) -> usize {
        self.directory.sections()
    }

    /// The length of a section in bytes; `None` if `index` is out of range.
    pub fn section_bytes(&self, index: usize) -> Option<u64> {
        (index < self.sections()).then(|| self.directory.place(index).bytes)
    }

    /// The requested parameters.
    pub const fn asked(&self) -> &Asked {
        &self.file.asked
    }

    /// The number of entries.
    pub const fn entries(&self) -> usize {
        self.directory.entries()
    }

    /// An entry of the geometry.
    pub fn entry(&self, index: usize) -> Result<Entry, DecodeError> {
        self.directory
            .entry(index)
            .ok_or(DecodeError::Geometry { field: "entries", value: self.entries() as u64 })
    }

    /// The first numbers of an entry; the others must be zero.
    pub fn numbers<const N: usize>(&self, index: usize) -> Result<[u64; N], DecodeError> {
        let entry = self.entry(index)?;
        if entry[N..].iter().any(|&number| number != 0) {
            return Err(DecodeError::Reserved { part: "directory" });
        }
        Ok(core::array::from_fn(|i| entry[i]))
    }

    /// [`numbers`](Self::numbers) of the only entry; an error if there are more.
    pub fn only_entry<const N: usize>(&self) -> Result<[u64; N], DecodeError> {
        match self.entries() {
            1 => self.numbers(0),
            entries => Err(DecodeError::Geometry { field: "entries", value: entries as u64 }),
        }
    }

    /// Narrows a number of the geometry; an error if it does not fit.
    pub fn narrow<T: TryFrom<u64>>(field: &'static str, value: u64) -> Result<T, DecodeError> {
        T::try_from(value).map_err(|_| DecodeError::Geometry { field, value })
    }

    /// `Ok` if a number of the geometry is in this range.
    pub fn within(
        field: &'static str,
        value: u64,
        range: RangeInclusive<u64>,
    ) -> Result<(), DecodeError> {
        match range.contains(&value) {
            true => Ok(()),
            false => Err(DecodeError::Geometry { field, value }),
        }
    }

    /// `Ok` if the file holds this kind of filter, in the layout revision that is read here.
    pub fn expect_kind(&self, kind: FilterKind, revision: u8) -> Result<(), DecodeError> {
        if self.file.kind != kind.number() {
            return Err(match FilterKind::from_number(self.file.kind) {
                Some(found) => DecodeError::WrongKind { found, wanted: kind },
                None => DecodeError::Kind { number: self.file.kind },
            });
        }
        if self.file.revision != revision {
            return Err(DecodeError::Revision { kind, found: self.file.revision, known: revision });
        }
        Ok(())
    }

    /// How its keys are hashed.
    pub const fn hashed_by(&self) -> HashedBy {
        match self.file.hashing {
            Hashing::Seed | Hashing::SeedWithheld => HashedBy::Seed,
            Hashing::Prehashed => HashedBy::Caller,
            Hashing::Key(_) | Hashing::KeyWithheld(_) => HashedBy::Key,
            Hashing::Unknown(by) => by,
        }
    }

    /// `Ok` if its keys are hashed this way.
    pub const fn expect_hashed_by(&self, wanted: HashedBy) -> Result<(), DecodeError> {
        match (self.hashed_by(), wanted) {
            (HashedBy::Seed, HashedBy::Seed)
            | (HashedBy::Caller, HashedBy::Caller)
            | (HashedBy::Key, HashedBy::Key) => Ok(()),
            (HashedBy::Caller, _) => Err(DecodeError::Prehashed),
            (_, HashedBy::Caller) => Err(DecodeError::NotPrehashed),
            (HashedBy::Key, HashedBy::Seed) => Err(DecodeError::Keyed),
            (HashedBy::Seed, HashedBy::Key) => Err(DecodeError::NotKeyed),
        }
    }

    /// Replaces the error of a file that could not be opened, if its keys are not hashed by
    /// `wanted`: that is more informative than a missing secret.
    pub(super) const fn refusal(error: DecodeError, wanted: Option<HashedBy>) -> DecodeError {
        let Some(wanted) = wanted else { return error };
        match (error, wanted) {
            (DecodeError::SeedWithheld | DecodeError::KeyWithheld, HashedBy::Caller) => {
                DecodeError::NotPrehashed
            }
            (DecodeError::KeyWithheld, HashedBy::Seed) => DecodeError::Keyed,
            (DecodeError::SeedWithheld, HashedBy::Key) => DecodeError::NotKeyed,
            (error, _) => error,
        }
    }

    /// `Ok` if all requested parameters from index `used` on are zero.
    pub fn expect_asked(&self, used: usize) -> Result<(), DecodeError> {
        match self.file.asked[used..].iter().all(|&number| number == 0) {
            true => Ok(()),
            false => Err(DecodeError::Reserved { part: "header" }),
        }
    }

    /// `Ok` if the sections have exactly these lengths in bytes, and elements of these widths.
    ///
    /// Must be called before any section is taken: it ties the geometry to the payload's length.
    pub fn expect_sections(
        &self,
        wanted: impl ExactSizeIterator<Item = (u64, usize)>,
    ) -> Result<(), DecodeError> {
        if wanted.len() != self.directory.sections() {
            return Err(DecodeError::Geometry {
                field: "sections",
                value: self.directory.sections() as u64,
            });
        }
        for (index, (bytes, width)) in wanted.enumerate() {
            let place = self.directory.place(index);
            if place.bytes != bytes || place.width != width as u64 {
                return Err(DecodeError::PayloadLength { stated: place.bytes, expected: bytes });
            }
        }
        Ok(())
    }
}
