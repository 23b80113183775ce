//! Errors of Spark's filters.

use std::fmt;

/// An error in making, reading or merging a filter of Spark's. Nothing has changed.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are named after what they hold, and the text says it")]
pub enum SparkError {
    /// Planned for no items.
    Items { items: u64 },
    /// No bits, or more than Spark's arrays hold.
    Bits { bits: u64 },
    /// A rate outside 0 to 1.
    Fpr { fpr: f64 },
    /// V1 has no seed.
    SeedOfV1 { seed: i32 },
    /// The bytes end within the header.
    Truncated { bytes: u64 },
    /// Neither V1 nor V2.
    Version { version: i32 },
    /// The header states another number of words than follow.
    Length { words: i32, bytes: u64 },
    /// An impossible number of probes.
    Probes { probes: i32 },
    /// Filters that differ in version, seed, probes or bits.
    Mismatch { ours: String, theirs: String },
    /// The allocation failed.
    OutOfMemory { bytes: u64 },
}

impl fmt::Display for SparkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Items { items } => {
                write!(f, "a Spark Bloom filter is planned for 1 item or more, not {items}")
            }
            Self::Bits { bits } => {
                write!(f, "a Spark Bloom filter has 1 to {} bits, not {bits}", i32::MAX as u64 * 64)
            }
            Self::Fpr { fpr } => {
                write!(f, "a false-positive rate lies between 0 and 1, without them: {fpr}")
            }
            Self::SeedOfV1 { seed } => {
                write!(f, "Spark's V1 filters have no seed, so not {seed} either: use V2")
            }
            Self::Truncated { bytes } => {
                write!(f, "not a Spark Bloom filter: {bytes} bytes are less than its header")
            }
            Self::Version { version } => write!(
                f,
                "not a Spark Bloom filter: it begins with its version, 1 or 2, as a big-endian \
                 integer of 32 bits, not {version}. (Velox's filters have another layout, and \
                 are not read. For a filter of amq use amq_contains.)"
            ),
            Self::Length { words, bytes } => write!(
                f,
                "damaged Spark Bloom filter: the header states {words} words of 8 bytes, and \
                 {bytes} bytes follow"
            ),
            Self::Probes { probes } => {
                write!(f, "damaged Spark Bloom filter: {probes} probes for a key")
            }
            Self::Mismatch { ours, theirs } => write!(
                f,
                "Spark Bloom filters of different parameters cannot be merged: {ours}; {theirs}"
            ),
            Self::OutOfMemory { bytes } => {
                write!(f, "no memory for a Spark Bloom filter of {bytes} bytes")
            }
        }
    }
}

/// The same text as `Display`, as for every error of the library: a program prints it if its `main`
/// returns the error.
impl fmt::Debug for SparkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SparkError {}
