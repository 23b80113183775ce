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

mod contents;
mod directory;
mod format;
mod header;
mod one_table;
mod opened;
#[cfg(feature = "std")]
mod path;
mod read;
mod restore;
mod secret;
mod section;
#[cfg(feature = "serde")]
mod serde;
mod source;
mod stored;
mod write;

pub use contents::{Contents, Description, Hashing};
pub use format::Entry;
pub(crate) use format::MAJOR;
pub use one_table::OneTable;
pub use opened::Opened;
#[cfg(feature = "std")]
pub use path::keep_permissions;
pub use restore::Restore;
pub use section::{Plain, Section};
#[cfg(feature = "serde")]
pub use serde::deserialize;
#[cfg(feature = "std")]
pub use source::Streaming;
pub use source::{Borrowing, Copying, Source};
pub use stored::{Stored, Written};
