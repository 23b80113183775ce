//! Filters as files: the envelope around every table, written and read in one place.
//!
//! `FORMAT.md` beside this crate's sources defines the format. In short, three parts, each 64-byte
//! aligned:
//!
//! ```text
//! header, 192 bytes   what it is, how long the rest is, checksums of all three parts
//! directory           the realised geometry: sections of the payload, then 64-byte entries
//! payload             the sections, each padded with zeros to 64 bytes
//! ```
//!
//! A variant says what its table consists of ([`Stored`]) and how it is put together again
//! ([`Restore`]), or both in one if it has one table ([`OneTable`]). It never sees bytes that have
//! not been checked. The same `restore` serves a slice, a pipe and a view: they differ in the
//! [`Source`] that the sections come from.

mod directory;
mod header;
mod one_table;
#[cfg(feature = "std")]
mod path;
mod read;
#[cfg(feature = "serde")]
pub mod serde;
mod source;
mod write;

pub use directory::{ENTRY, Entry};
pub use header::{ALIGN, Asked, HEADER, MAGIC, MAJOR, MINOR, Opened, narrow};
pub(crate) use header::{HASHED_BY_CALLER, hash_id};
pub use one_table::OneTable;
#[cfg(feature = "std")]
pub use path::{keep_permissions, load, load_as, save};
pub use read::{decode, open, view, withholds_seed};
#[cfg(feature = "std")]
pub use read::{read, read_as};
#[cfg(feature = "std")]
pub use source::Streaming;
pub use source::{Borrowing, Copying, Source};
#[cfg(feature = "std")]
pub use write::write;
pub use write::{encode, encode_into, encoded_len};

use crate::shell::{Header, Shell};
use crate::{DecodeError, FilterKind};
use alloc::vec::Vec;

/// An element of a section: plain bytes in little-endian order, in groups of `WIDTH`.
pub trait Plain: bytemuck::Pod + Send + Sync {
    /// Bytes of the integers it consists of: what a big-endian machine reverses.
    const WIDTH: usize;
}

impl Plain for u8 {
    const WIDTH: usize = 1;
}
impl Plain for u64 {
    const WIDTH: usize = 8;
}
impl Plain for u128 {
    const WIDTH: usize = 16;
}

/// A part of a table, as it lies in memory.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl<'a> Section<'a> {
    /// All elements of a slice.
    pub fn of<T: Plain>(elements: &'a [T]) -> Self {
        Self { bytes: bytemuck::cast_slice(elements), width: T::WIDTH }
    }
}

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
pub trait Stored: Shell {
    /// The revision of its layout.
    const REVISION: u8;

    /// What it consists of.
    fn describe(&self) -> Description<'_>;
}

/// All that a file says.
#[derive(Clone, Debug)]
pub struct Contents<'a> {
    /// The kind of filter.
    pub kind: FilterKind,
    /// The revision of the kind's layout.
    pub revision: u8,
    /// Seed, capacity and budget.
    pub header: Header,
    /// The number of keys.
    pub items: u64,
    /// Parameters, geometry and table.
    pub description: Description<'a>,
}

/// What can be written as a file: every filter that is [`Stored`], and what is made of several.
pub trait Written {
    /// What the file says.
    fn contents(&self) -> Contents<'_>;
}

impl<F: Stored> Written for F {
    fn contents(&self) -> Contents<'_> {
        Contents {
            kind: F::KIND,
            revision: F::REVISION,
            header: *self.header(),
            items: self.items(),
            description: self.describe(),
        }
    }
}

/// A filter that can be read.
pub trait Restore {
    /// The filter, over what a source's sections are held in.
    type Over<R: Source>;

    /// Puts the filter together: checks the geometry against the stated sections, takes the
    /// sections, and walks the table once if `source` was asked to check everything.
    fn restore<R: Source>(opened: &Opened<'_>, source: R) -> Result<Self::Over<R>, DecodeError>;
}
