//! What `FORMAT.md` fixes in numbers: the version, the sizes of parts, what each number stands for.
//!
//! What readers outside the family need of it is public: [`crate::format`].

pub(super) use crate::format::{ALIGN, ENTRY, HEADER, MAGIC};

/// The format's version. Another major number cannot be read; a higher minor one can.
pub(crate) const MAJOR: u16 = 0;
/// See [`MAJOR`]. A file that uses nothing newer says this.
pub(super) const MINOR: u16 = 1;
/// The version with keyed hashes, encodings of keys, and checks of what is withheld.
pub(super) const MINOR_OF_KEYS: u16 = 2;

/// The most bytes of a directory.
pub(super) const MAX_DIRECTORY: u64 = 4 << 20;

/// The parameters that were requested, in numbers that the variant gives a meaning.
pub(super) type Asked = [u64; 8];

/// Eight numbers of geometry, little-endian in the file; what they mean the variant says.
pub type Entry = [u64; 8];

/// The hash of keys is XXH3-64 of their encoding, under the seed.
pub(super) const XXH3: u8 = 1;
/// The hash of keys is the caller's: the file cannot say which, and has no seed.
pub(super) const HASHED_BY_CALLER: u8 = 2;
/// The hash of keys is SipHash-1-3 of their encoding, under the key.
pub(super) const SIPHASH: u8 = 3;

/// The encoding of keys that [`Key`](crate::Key) documents.
pub(super) const KEY_ENCODING: u8 = 1;
/// The seed or key is not in the file: whoever reads it must give it.
pub(super) const WITHHELD: u32 = 1 << 16;
/// In its place is a check of it.
pub(super) const CHECKED: u32 = 1 << 17;
/// How the keys were encoded; a reader may ignore it.
pub(super) const ENCODING: u32 = 7;

/// Where the seed or key is, and what its check is of: all that comes before.
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
