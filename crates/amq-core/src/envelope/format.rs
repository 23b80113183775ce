//! What `FORMAT.md` fixes in numbers: the version, the sizes of parts, what each number stands for.

/// The first eight bytes. The first has its top bit set, and line ends of all kinds follow: a
/// transfer in text mode shows.
pub const MAGIC: [u8; 8] = [0x89, b'A', b'M', b'Q', 0x0D, 0x0A, 0x1A, 0x0A];

/// The format's version. Another major number cannot be read; a higher minor one can.
pub(crate) const MAJOR: u16 = 0;
/// See [`MAJOR`].
pub(super) const MINOR: u16 = 1;

/// Bytes of the header.
pub const HEADER: usize = 192;

/// Every part, and every section of the payload, begins at a multiple of this.
pub const ALIGN: usize = 64;

/// Bytes of an entry, of a section's description, and of the directory's head.
pub const ENTRY: usize = 64;

/// The most bytes of a directory.
pub(super) const MAX_DIRECTORY: u64 = 4 << 20;

/// What the user asked for, in numbers that the variant gives a meaning.
pub type Asked = [u64; 8];

/// Eight numbers of geometry, little-endian in the file; what they mean the variant says.
pub type Entry = [u64; 8];

/// The hash of keys is XXH3-64 of their encoding, under the seed.
pub(super) const XXH3: u8 = 1;
/// The hash of keys is the caller's: the file cannot say which, and has no seed.
pub(super) const HASHED_BY_CALLER: u8 = 2;

/// The encoding of keys that [`Key`](crate::Key) documents.
pub(super) const KEY_ENCODING: u8 = 1;
/// The seed is not in the file: whoever reads it must give it.
pub(super) const SEED_WITHHELD: u32 = 1 << 16;
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
