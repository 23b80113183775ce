//! What a file says.

use super::format::{Asked, Entry};
use crate::format::HashedBy;
use crate::header::Header;
use crate::{BuildError, DEFAULT_SEED, FilterKind, KeyEncoding, Secret, SipKey};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// A part of a table: little-endian numbers.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Bytes of a number.
    pub(super) width: usize,
}

impl<'a> Section<'a> {
    /// These bytes, of numbers of `width` bytes.
    pub fn new(bytes: impl Into<Cow<'a, [u8]>>, width: usize) -> Self {
        Self { bytes: bytes.into(), width }
    }
}

/// How the keys of a file are hashed, and whether the file tells the seed or key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hashing {
    /// With XXH3 under the seed in the file.
    Seed,
    /// With XXH3 under a seed that whoever reads the file must give.
    SeedWithheld,
    /// By the caller: there is no seed.
    Prehashed,
    /// With SipHash under the key in the file.
    Key(SipKey),
    /// With SipHash under a key that whoever reads the file must give.
    KeyWithheld(SipKey),
    /// By this, under a seed or key that is neither in the file nor known.
    Unknown(HashedBy),
}

impl Hashing {
    /// This hashing; its seed or key is withheld if that of `of` is.
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
    /// What the file of a filter says besides geometry and table.
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

    /// The same, if the filter has the public seed. Files whose keys are not hashed under a seed
    /// have no place for another.
    pub(crate) fn without_seed(self) -> Result<Self, BuildError> {
        if self.header.seed == DEFAULT_SEED { Ok(self) } else { Err(BuildError::UnusedSeed) }
    }

    /// What the file tells that is secret: a secret key, or a seed that is not the public one.
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

/// All that a file says.
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
    /// What the user asked for of parameters, where that is more than the geometry.
    pub asked: Asked,
    /// The geometry.
    pub entries: Vec<Entry>,
    /// The table.
    pub sections: Vec<Section<'a>>,
}
