//! The contents of a file, before encoding.

use super::format::{Asked, Entry};
use crate::format::HashedBy;
use crate::header::Header;
use crate::{BuildError, DEFAULT_SEED, FilterKind, KeyEncoding, Secret, SipKey};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// A part of a table: an array of little-endian numbers.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Bytes per number.
    pub(super) width: usize,
}

impl<'a> Section<'a> {
    /// A section of these bytes, with `width` bytes per number.
    pub fn new(bytes: impl Into<Cow<'a, [u8]>>, width: usize) -> Self {
        Self { bytes: bytes.into(), width }
    }
}

/// How the keys of a file are hashed, and whether the file contains the seed or secret key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hashing {
    /// With XXH3 under the seed in the file.
    Seed,
    /// With XXH3 under a withheld seed, which the reader must supply.
    SeedWithheld,
    /// By the caller: there is no seed.
    Prehashed,
    /// With SipHash under the secret key in the file.
    Key(SipKey),
    /// With SipHash under a withheld secret key, which the reader must supply.
    KeyWithheld(SipKey),
    /// By this, under a withheld seed or secret key that the reader did not supply.
    Unknown(HashedBy),
}

impl Hashing {
    /// This hashing, with its seed or secret key withheld if `of` withholds its own.
    pub const fn told_as(self, of: Self) -> Self {
        let withhold = matches!(of, Self::SeedWithheld | Self::KeyWithheld(_));
        match self {
            Self::Seed | Self::SeedWithheld if withhold => Self::SeedWithheld,
            Self::Seed | Self::SeedWithheld => Self::Seed,
            Self::Key(key) | Self::KeyWithheld(key) if withhold => Self::KeyWithheld(key),
            Self::Key(key) | Self::KeyWithheld(key) => Self::Key(key),
            Self::Prehashed | Self::Unknown(_) => self,
        }
    }
}

impl Contents<'_> {
    /// The contents of a filter's file, without geometry and table.
    pub const fn new(
        kind: FilterKind,
        revision: u8,
        hashing: Hashing,
        header: &Header,
        keys: u64,
    ) -> Self {
        Self {
            kind,
            revision,
            hashing,
            header: *header,
            keys,
            encoding: KeyEncoding::Unknown,
            asked: [0; 8],
            entries: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// `Ok` if the filter has the public seed. Files whose keys are not hashed under a seed cannot
    /// store another.
    pub(crate) fn without_seed(self) -> Result<Self, BuildError> {
        if self.header.seed == DEFAULT_SEED { Ok(self) } else { Err(BuildError::UnusedSeed) }
    }

    /// The secret that the file contains, if any: a secret key, or a seed other than the public
    /// one.
    pub fn told_secret(&self) -> Option<Secret> {
        match self.hashing {
            Hashing::Key(key) => Some(Secret::Key(key)),
            Hashing::Seed if self.header.seed != DEFAULT_SEED => {
                Some(Secret::Seed(self.header.seed))
            }
            Hashing::Seed | Hashing::SeedWithheld | Hashing::KeyWithheld(_) => None,
            Hashing::Prehashed | Hashing::Unknown(_) => None,
        }
    }
}

/// The contents of a file.
#[derive(Clone, Debug)]
pub struct Contents<'a> {
    /// The kind of filter.
    pub kind: FilterKind,
    /// The revision of the kind's layout.
    pub revision: u8,
    /// How its keys are hashed.
    pub hashing: Hashing,
    /// Seed, capacity and budget.
    pub header: Header,
    /// The number of keys.
    pub keys: u64,
    /// How they were encoded.
    pub encoding: KeyEncoding,
    /// Requested parameters that the geometry does not contain.
    pub asked: Asked,
    /// The geometry.
    pub entries: Vec<Entry>,
    /// The table.
    pub sections: Vec<Section<'a>>,
}
