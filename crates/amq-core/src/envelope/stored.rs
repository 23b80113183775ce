//! What a variant says of its files: how it is written, and how it is read.

use super::format::{Asked, Entry};
use super::opened::Opened;
use super::section::Section;
use super::source::Source;
use crate::header::Header;
use crate::{BuildError, DecodeError, FilterKind};
use alloc::vec::Vec;

/// What a file says of a filter besides seed, capacity and budget.
#[derive(Clone, Debug, Default)]
pub struct Description<'a> {
    /// What the user asked for of parameters, where that is more than the geometry.
    pub asked: Asked,
    /// The geometry.
    pub entries: Vec<Entry>,
    /// The table.
    pub sections: Vec<Section<'a>>,
}

/// A filter that can be written.
pub trait Stored {
    /// The kind of filter.
    const KIND: FilterKind;
    /// The revision of its layout.
    const REVISION: u8;

    /// Seed, capacity and budget.
    fn header(&self) -> &Header;

    /// The number of keys.
    fn items(&self) -> u64;

    /// What it consists of.
    fn describe(&self) -> Description<'_>;
}

/// How the keys of a file are hashed, and whether the file tells the seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hashing {
    /// With XXH3 under the seed in the file.
    Seed,
    /// With XXH3 under a seed that whoever reads the file must give.
    SeedWithheld,
    /// By the caller: there is no seed.
    Prehashed,
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
    /// Parameters, geometry and table.
    pub description: Description<'a>,
}

/// What can be written as a file: every filter that is [`Stored`], and what is made of several.
pub trait Written {
    /// What the file says.
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError>;
}

impl<F: Stored> Written for F {
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        Ok(Contents {
            kind: F::KIND,
            revision: F::REVISION,
            hashing,
            header: *self.header(),
            keys: self.items(),
            description: self.describe(),
        })
    }
}

/// A filter that can be read.
pub trait Restore {
    /// Whether it is for keys whose hashes come from the caller.
    const PREHASHED: bool = false;

    /// The filter, over what a source's sections are held in.
    type Over<R: Source>;

    /// Puts the filter together: checks the geometry against the stated sections, takes the
    /// sections, and walks the table once if `source` was asked to check everything.
    fn restore<R: Source>(opened: &Opened<'_>, source: R) -> Result<Self::Over<R>, DecodeError>;
}
