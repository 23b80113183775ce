//! Errors of reading a filter.

use super::number::{Counted, Limit, noun};
use crate::{FilterKind, PlanError, TruncateError};
use core::fmt;

/// The bytes are not a filter, or not one that can be read here.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The first bytes are not those of a filter file.
    Magic,
    /// A transfer in text mode has changed line ends or cleared the top bits of bytes.
    TextMode,
    /// The bytes are in reverse order.
    ByteSwapped,
    /// The file has a later major version of the format.
    Version {
        /// The file's major version.
        major: u16,
        /// The file's minor version.
        minor: u16,
    },
    /// The file is cut short.
    Truncated {
        /// The number of bytes present.
        bytes: u64,
        /// The number of bytes expected: of the whole file, or of the header if that is cut short.
        needed: u64,
    },
    /// There are bytes after the end.
    Trailing {
        /// The number of these bytes.
        bytes: u64,
    },
    /// A part of the file has a wrong checksum: it was damaged.
    Checksum {
        /// `header`, `directory` or `payload`.
        part: &'static str,
    },
    /// The file holds another filter than the requested one.
    WrongKind {
        /// The kind in the file.
        found: FilterKind,
        /// The requested kind.
        wanted: FilterKind,
    },
    /// This version does not know the kind of filter.
    Kind {
        /// Its number.
        number: u8,
    },
    /// The kind is known, but not among the requested ones: a program that loads any filter may
    /// lack some kinds, and files hold more than filters.
    UnsupportedKind {
        /// The kind in the file.
        found: FilterKind,
    },
    /// This version cannot read this layout of a known kind.
    Revision {
        /// The kind.
        kind: FilterKind,
        /// The file's revision.
        found: u8,
        /// The revision that can be read.
        known: u8,
    },
    /// This version does not know the hash of the keys.
    Hash {
        /// Its number.
        id: u8,
    },
    /// The caller hashed the keys, but a filter that hashes keys was requested; or a seed or secret
    /// key was given, which does not apply to such a file.
    Prehashed,
    /// The filter hashes its keys, but a [`Prehashed`](crate::Prehashed) filter was requested.
    NotPrehashed,
    /// The keys are hashed under a 128-bit secret key, but a filter that is not
    /// [`Keyed`](crate::Keyed) was requested, or a seed was given.
    Keyed,
    /// The keys are hashed under a seed, but a [`Keyed`](crate::Keyed) filter was requested, or a
    /// secret key was given.
    NotKeyed,
    /// This version does not know the encoding of the keys.
    KeyEncoding {
        /// Its version.
        version: u8,
    },
    /// The file has flags that this version must understand but does not.
    Flags {
        /// The unknown flags.
        unknown: u32,
        /// The minor version of the file's format.
        minor: u16,
    },
    /// Bytes that must be zero are not.
    Reserved {
        /// `header`, `directory` or `payload`.
        part: &'static str,
    },
    /// The file omits its seed, and none was given.
    SeedWithheld,
    /// The given seed is not that of the file. The error omits both, since seeds may be secret.
    OtherSeed,
    /// The file omits the 128-bit secret key of its hashes, and none was given.
    KeyWithheld,
    /// The given 128-bit secret key is not that of the file.
    OtherKey,
    /// The file's 128-bit secret key is all zeros, under which no filter is saved
    /// ([`BuildError::ZeroKey`](crate::BuildError::ZeroKey)).
    ZeroKey,
    /// A number in the header or directory is invalid.
    Geometry {
        /// The field.
        field: &'static str,
        /// The number.
        value: u64,
    },
    /// The parameters are invalid.
    Params(PlanError),
    /// The payload's length does not match the geometry.
    PayloadLength {
        /// The length in the file, in bytes.
        stated: u64,
        /// The length for the geometry, in bytes.
        expected: u64,
    },
    /// No sequence of operations leads to this table.
    Structure {
        /// What is inconsistent.
        what: &'static str,
    },
    /// The file or the given bytes exceed the caller's limit.
    OverLimit {
        /// The size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The filter cannot be read within the given budget.
    Budget(TruncateError),
    /// The allocator refused.
    OutOfMemory {
        /// Bytes requested.
        bytes: u64,
    },
    /// The system reported an error while reading; see [`ReadError`](crate::ReadError).
    Interrupted,
}

impl From<TruncateError> for DecodeError {
    fn from(error: TruncateError) -> Self {
        Self::Budget(error)
    }
}

impl From<PlanError> for DecodeError {
    fn from(error: PlanError) -> Self {
        Self::Params(error)
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Magic => f.write_str(
                "not an amq file: wrong magic bytes. A filter's `save` and `amq build` write one",
            ),
            Self::TextMode => f.write_str(
                "this was a filter, but line ends or top bits were changed: was it transferred \
                 in text mode? Copy it again as binary",
            ),
            Self::ByteSwapped => f.write_str(
                "this is a filter with its bytes in the opposite order: copy it byte for byte",
            ),
            Self::Version { major, minor } => write!(
                f,
                "the file has format version {major}.{minor}, and this program reads {}.x: use a \
                 newer one",
                crate::envelope::MAJOR
            ),
            // The header has the length of the file.
            Self::Truncated { bytes, needed } if needed == crate::format::HEADER as u64 => write!(
                f,
                "the file is cut short within its header: it has {}, and the header alone has \
                 {needed}. Copy it again",
                Counted(bytes, "bytes")
            ),
            Self::Truncated { bytes, needed } => write!(
                f,
                "the file is cut short: it has {} of {needed}. Copy it again",
                Counted(bytes, "bytes")
            ),
            Self::Trailing { bytes } => {
                let follow = if bytes == 1 { "follows" } else { "follow" };
                write!(
                    f,
                    "{} {follow} the end of the filter: pass its bytes alone, or copy the file \
                     again",
                    Counted(bytes, "bytes")
                )
            }
            Self::Checksum { part } => {
                write!(f, "the {part} is damaged: its checksum is not the one stated. {AGAIN}")
            }
            Self::WrongKind { found, wanted } => {
                write!(f, "the file holds {}, and {} was asked for", Named(found), Named(wanted))
            }
            Self::Kind { number } => match FilterKind::withdrawn(number) {
                Some(id) => write!(
                    f,
                    "the file holds a {id} filter, written by amq up to 0.3, which is read no \
                     longer: build a `{}` filter from the keys",
                    FilterKind::Ribbon.id()
                ),
                None => write!(
                    f,
                    "the file holds a filter of kind {number}, which this program does not know: \
                     use a newer one"
                ),
            },
            Self::UnsupportedKind { found } => write!(
                f,
                "the file holds {}, which is not read here: {}",
                Named(found),
                how_to_load(found)
            ),
            Self::Revision { kind, found, known } => write!(
                f,
                "the file holds {} in layout {found}, and this program reads layout {known}: use \
                 the version that wrote it, or build it anew",
                Named(kind)
            ),
            Self::Prehashed => f.write_str(
                "the file's keys were hashed by the program that made it (hash 2): read it as a \
                 `Prehashed` filter, or one of any kind as an `AnyFile`, give no seed or secret \
                 key, and ask it by hash",
            ),
            Self::NotPrehashed => f.write_str(
                "the file's keys are hashed here, under a seed or a secret key (hash 1 or 3): \
                 read it as the filter itself or as a `Keyed` one, not as a `Prehashed` one",
            ),
            Self::Keyed => f.write_str(
                "the file's keys are hashed with SipHash under a secret key (hash 3), not under \
                 a seed: read it as a `Keyed` filter, or one of any kind as an `AnyFile`. Give \
                 no seed, but the key if the file omits it",
            ),
            Self::NotKeyed => f.write_str(
                "the file's keys are hashed with XXH3 under a seed (hash 1), not under a secret \
                 key: read it as the filter itself, or one of any kind as an `AnyFile`. Give no \
                 key, but the seed if the file omits it",
            ),
            Self::Hash { id } => write!(
                f,
                "the keys were hashed by function {id}, which this program does not know: use \
                 a newer one"
            ),
            Self::KeyEncoding { version } => write!(
                f,
                "the keys were encoded by version {version} of the rules, which this program \
                 does not know: use a newer one"
            ),
            Self::Flags { unknown, minor } => {
                f.write_str("the file needs what this program does not know: ")?;
                let bits = (0..u32::BITS).filter(|bit| unknown >> bit & 1 == 1);
                for (place, bit) in bits.enumerate() {
                    write!(f, "{}flag {bit}", if place == 0 { "" } else { ", " })?;
                }
                write!(f, " of format {}.{minor}. Use a newer one", crate::envelope::MAJOR)
            }
            Self::Reserved { part } => {
                write!(f, "bytes of the {part} that must be zero are not. {AGAIN}")
            }
            Self::SeedWithheld => f.write_str(
                "the file omits its seed: give it, by `LoadOptions::seed` or a method that takes \
                 a seed",
            ),
            Self::OtherSeed => f.write_str(
                "the seed given is not the one that the file's keys were hashed with: give that \
                 one, or find the file that belongs to this seed",
            ),
            Self::KeyWithheld => f.write_str(
                "the file omits the secret key that its keys are hashed under: give it, by \
                 `LoadOptions::key` or a method that takes a key",
            ),
            Self::OtherKey => f.write_str(
                "the secret key given is not the one that the file's keys were hashed under: \
                 give that one, or find the file that belongs to this key",
            ),
            Self::ZeroKey => write!(
                f,
                "the file's secret key is all zeros, and no filter is written under that. {AGAIN}"
            ),
            Self::Geometry { field, value } => {
                write!(f, "invalid {field}: {value}. {AGAIN}")
            }
            Self::Params(error) => write!(f, "invalid parameters: {error}. {AGAIN}"),
            Self::PayloadLength { stated, expected } => write!(
                f,
                "the file states {} where its geometry asks for {expected}. {AGAIN}",
                Counted(stated, "bytes")
            ),
            Self::Structure { what } => write!(
                f,
                "the table is inconsistent ({what}): no sequence of operations leads to it. \
                 {AGAIN}"
            ),
            Self::OverLimit { bytes, limit } => write!(
                f,
                "there {} {} to read, and `LoadOptions::max_bytes` allows {limit}: allow more if \
                 you trust where they come from",
                if bytes == 1 { "is" } else { "are" },
                Counted(bytes, "bytes")
            ),
            Self::Budget(error) => write!(f, "{error}"),
            Self::OutOfMemory { bytes } => {
                write!(
                    f,
                    "the allocator refused {} {}: free memory, or use a view",
                    Limit(bytes),
                    noun(bytes, "bytes")
                )
            }
            Self::Interrupted => f.write_str("the file could not be read to its end"),
        }
    }
}

/// The advice for files that no program of the family writes.
const AGAIN: &str = "Copy the file again, or build the filter anew";

/// How to load a kind that is not read as `AnyFilter`.
const fn how_to_load(kind: FilterKind) -> &'static str {
    match kind {
        FilterKind::RibbonMap => {
            "it gives every key a value and denies none; load it as a `RibbonMap`"
        }
        FilterKind::Interleaved => {
            "it answers which of its bins may hold a key; load it as an `InterleavedBloomFilter`"
        }
        FilterKind::Sharded => {
            "load it by the whole type that was saved, such as `Sharded<CuckooFilter>`, or \
             `Sharded<Rolling<BloomFilter>>`"
        }
        FilterKind::Rolling => {
            "load it by the whole type that was saved, such as `Rolling<BloomFilter>`"
        }
        _ => "turn on the feature of the crate `amq` for it, or load it as its own type",
    }
}

/// The kind in running text, with its article.
struct Named(FilterKind);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.name();
        let article = if name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        let filter = if self.0 == FilterKind::RibbonMap { "" } else { " filter" };
        write!(f, "{article} {name}{filter}")
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for DecodeError {}

/// A filter that could not be read from a file or stream.
#[cfg(feature = "std")]
#[non_exhaustive]
pub enum ReadError {
    /// The system reported an error.
    Io(std::io::Error),
    /// The bytes read are not a filter.
    Decode(DecodeError),
}

#[cfg(feature = "std")]
impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Decode(error) => error.fmt(f),
        }
    }
}

#[cfg(feature = "std")]
impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "std")]
impl core::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            Self::Decode(_) => None,
        }
    }
}

#[cfg(feature = "std")]
impl From<std::io::Error> for ReadError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

#[cfg(feature = "std")]
impl From<DecodeError> for ReadError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}
