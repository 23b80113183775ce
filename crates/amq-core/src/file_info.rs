//! The contents of a file's header, to choose how to read the file.

use crate::{FilterKind, SipKey};
use core::fmt;

/// How the keys of a file are hashed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HashedBy {
    /// XXH3-64 under a seed: an ordinary filter.
    Seed,
    /// The caller: a [`Prehashed`](crate::Prehashed) filter.
    Caller,
    /// SipHash-1-3 under a secret key of 128 bits: a [`Keyed`](crate::Keyed) filter.
    Key,
}

/// How the keys of a file were encoded, so that queries can use the same encoding.
///
/// Filters ignore it. It is for programs that read keys as lines of text: a filter of integers
/// would deny the text of their digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum KeyEncoding {
    /// Not recorded.
    #[default]
    Unknown,
    /// All as byte strings; text as its UTF-8.
    Bytes,
    /// All as byte strings that were given as hexadecimal digits, such as digests. The text of the
    /// digits is a different key.
    Hex,
    /// All as integers of up to 64 bits.
    Integers,
    /// All as dates: each the integer of its days since 1970-01-01.
    Dates,
    /// All as instants: each the pair of its seconds since 1970-01-01T00:00:00Z, as an `i64`, and
    /// of the nanoseconds since then, as a `u32`.
    Instants,
    /// Some in one of these encodings and some in another.
    Mixed,
}

impl KeyEncoding {
    /// The encoding of the keys of two filters together.
    ///
    /// ```
    /// use amq_core::KeyEncoding::{Bytes, Dates, Hex, Integers, Mixed, Unknown};
    ///
    /// assert_eq!(Bytes.and(Bytes), Bytes);
    /// assert_eq!(Bytes.and(Integers), Mixed);
    /// assert_eq!(Bytes.and(Hex), Mixed);
    /// assert_eq!(Integers.and(Dates), Mixed);
    /// assert_eq!(Mixed.and(Unknown), Unknown);
    /// ```
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self.flags(), other.flags()) {
            (0, _) | (_, 0) => Self::Unknown,
            (ours, theirs) if ours == theirs => self,
            _ => Self::Mixed,
        }
    }

    /// As the lowest three flags of a file.
    pub(crate) const fn flags(self) -> u32 {
        match self {
            Self::Unknown => 0,
            Self::Bytes => 1,
            Self::Integers => 2,
            Self::Mixed => 3,
            Self::Instants => 4,
            Self::Hex => 5,
            Self::Dates => 6,
        }
    }

    /// No writer sets all three flags; if they are set, the third is ignored.
    pub(crate) const fn of_flags(flags: u32) -> Self {
        match flags & 7 {
            0 => Self::Unknown,
            1 => Self::Bytes,
            2 => Self::Integers,
            4 => Self::Instants,
            5 => Self::Hex,
            6 => Self::Dates,
            _ => Self::Mixed,
        }
    }
}

/// How a file's keys are encoded, and whether it withholds its secret.
///
/// ```
/// use amq_core::{KeyEncoding, KeyInfo};
///
/// let info = KeyInfo::from(KeyEncoding::Integers);
/// assert!(!info.withheld);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct KeyInfo {
    /// How they were encoded.
    pub encoding: KeyEncoding,
    /// Whether the file withholds its seed or secret key.
    pub withheld: bool,
}

/// For a file that contains its seed or secret key.
impl From<KeyEncoding> for KeyInfo {
    fn from(encoding: KeyEncoding) -> Self {
        Self { encoding, withheld: false }
    }
}

/// A secret that a file may withhold, and that its reader must then supply.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Secret {
    /// The seed of XXH3.
    Seed(u64),
    /// The secret key of SipHash.
    Key(SipKey),
    /// The reader does not know the secret. A filter whose file withholds it can then be inspected
    /// (how full it is, whether it is intact), but neither queried nor saved.
    Unknown,
}

/// Does not print the secret.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seed(_) => "Seed(..)",
            Self::Key(_) => "Key(..)",
            Self::Unknown => "Unknown",
        })
    }
}

/// The contents of a file's header, readable without the secret.
///
/// ```
/// use amq_core::format::{FileInfo, HashedBy};
///
/// fn how_to_load(file: &[u8]) -> Result<&'static str, amq_core::DecodeError> {
///     let info = FileInfo::of(file)?;
///     Ok(match (info.hashed_by, info.withheld) {
///         (HashedBy::Seed, false) => "BloomFilter::load",
///         (HashedBy::Seed, true) => "LoadOptions::new().seed(seed).load::<BloomFilter>",
///         (HashedBy::Key, false) => "Keyed::<BloomFilter>::load",
///         (HashedBy::Key, true) => "LoadOptions::new().key(key).load::<Keyed<BloomFilter>>",
///         (HashedBy::Caller, _) => "Prehashed::<BloomFilter>::load",
///     })
/// }
/// assert!(how_to_load(b"no filter").is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FileInfo {
    /// The kind of filter; `None` if this version does not know it.
    pub kind: Option<FilterKind>,
    /// How its keys are hashed.
    pub hashed_by: HashedBy,
    /// How they were encoded.
    pub encoding: KeyEncoding,
    /// Whether the file withholds its seed or secret key.
    pub withheld: bool,
    /// Whether a wrong seed or secret key is detected, if the file withholds it. Files up to
    /// version 0.2 cannot detect one.
    pub checked: bool,
}
