//! The constants of `FORMAT.md`: version, sizes, and codes.
//!
//! Those that other readers need are public, in [`crate::format`].

pub(super) use crate::format::{ALIGN, ENTRY, HEADER, MAGIC};

/// The format's major version. Files of another major version cannot be read; those of a higher
/// minor version can.
pub(crate) const MAJOR: u16 = 0;
/// The minor version of files without newer features; see [`MAJOR`].
pub(super) const MINOR: u16 = 1;
/// The minor version that added keyed hashes, encodings of keys, and checks of withheld secrets.
pub(super) const MINOR_OF_KEYS: u16 = 2;

/// The most bytes of a directory.
pub(super) const MAX_DIRECTORY: u64 = 4 << 20;

/// The requested parameters, in numbers that each variant defines.
pub(super) type Asked = [u64; 8];

/// Eight numbers of geometry, little-endian in the file; each variant defines their meaning.
pub type Entry = [u64; 8];

/// Keys are hashed with XXH3-64 under the seed.
pub(super) const XXH3: u8 = 1;
/// Keys are hashed by the caller: the file has no seed, and does not record the hash function.
pub(super) const HASHED_BY_CALLER: u8 = 2;
/// Keys are hashed with SipHash-1-3 under the secret key.
pub(super) const SIPHASH: u8 = 3;

/// The encoding of keys that [`Key`](crate::Key) documents.
pub(super) const KEY_ENCODING: u8 = 1;
/// The seed or secret key is withheld: the reader must supply it.
pub(super) const WITHHELD: u32 = 1 << 16;
/// A check of the withheld seed or secret key is stored in its place.
pub(super) const CHECKED: u32 = 1 << 17;
/// How the keys were encoded; a reader may ignore it.
pub(super) const ENCODING: u32 = 7;

/// The bytes of the seed or secret key. A check covers all bytes before them.
pub(super) const SECRET: core::ops::Range<usize> = 40..56;
/// Flags that a reader must understand.
pub(super) const MUST_UNDERSTAND: u32 = 0xFFFF_0000;

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u64_at(bytes, at) as u32
}
