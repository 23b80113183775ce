//! What a file says.

use super::format::{Asked, Entry};
use super::section::Section;
use crate::FilterKind;
use crate::header::Header;
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
