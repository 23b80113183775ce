//! Constants of the file format, for programs that recognise, map or skip files, and the contents
//! of the header ([`FileInfo`]).
//!
//! `FORMAT.md` beside this crate's sources defines the format. A file is a header of [`HEADER`]
//! bytes, a directory of rows of [`ENTRY`] bytes, and the payload; each begins at a multiple of
//! [`ALIGN`].
//!
//! ```
//! use amq_core::format;
//!
//! fn is_filter(file: &[u8]) -> bool {
//!     file.starts_with(&format::MAGIC)
//! }
//! assert!(is_filter(b"\x89AMQ\r\n\x1a\n, and so on"));
//! assert!(!is_filter(b"\x89PNG\r\n\x1a\n, and so on"));
//! ```

pub use crate::file_info::{FileInfo, HashedBy};

/// The first eight bytes of every file. The first byte has its top bit set, and the last four are
/// line endings of all kinds, which expose damage by a transfer in text mode.
pub const MAGIC: [u8; 8] = [0x89, b'A', b'M', b'Q', 0x0D, 0x0A, 0x1A, 0x0A];

/// Bytes of the header.
pub const HEADER: usize = 192;

/// Every part, and every section of the payload, begins at a multiple of this. A view is fastest if
/// its bytes begin at one, as a mapped file does.
pub const ALIGN: usize = 64;

/// Bytes of a row of the directory: the head, the place of a section, or an entry of the geometry.
pub const ENTRY: usize = 64;
