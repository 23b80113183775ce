//! Filters as files: the envelope that all kinds share.
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
//! A variant implements [`FileFormat`]: the contents of its file, and how to rebuild the filter. It
//! gets checked bytes only, except for the payload of an unchecked view. The same function serves a
//! slice, a pipe and a view, which differ only in the storage of the [`Sections`].

mod contents;
mod directory;
mod file_format;
mod format;
mod header;
mod opened;
#[cfg(feature = "std")]
mod path;
mod pieces;
mod read;
mod secret;
mod sections;
#[cfg(feature = "serde")]
mod serde;
mod write;

pub use contents::{Contents, Hashing, Section};
pub use file_format::FileFormat;
pub use format::Entry;
pub(crate) use format::MAJOR;
pub use opened::Opened;
#[cfg(feature = "std")]
pub use path::keep_permissions;
pub use pieces::{ByteSource, SectionStream, table_of};
pub use read::from_payload;
#[cfg(feature = "std")]
pub(crate) use read::{Limits, load, read};
pub(crate) use read::{from_bytes, truncated, view, view_shared};
pub use sections::Sections;
#[cfg(feature = "serde")]
pub use serde::{deserialize, serialize};
pub use write::to_bytes;
#[cfg(feature = "std")]
pub(crate) use write::{save, write_to};
