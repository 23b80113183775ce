//! Errors of building a filter.

use super::number::{Counted, Limit, noun};
use super::sip_key::ZERO_KEY;
use super::{BatchInsertError, PlanError, UnevenHashes};
use core::fmt;

/// The filter could not be built.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// The size or the parameters are impossible.
    Plan(PlanError),

    /// The allocator refused.
    OutOfMemory {
        /// Bytes requested in one piece.
        bytes: u64,
    },

    /// None of the internal seeds leads to a solvable system (static filters only).
    Exhausted {
        /// Number of internal seeds that were tried. They are derived from the filter's seed.
        attempts: u32,
        /// Number of keys: all of them, or those of the layer without a solution.
        keys: u64,
    },

    /// The caller's hashes are not evenly distributed.
    Uneven(UnevenHashes),

    /// Some keys hashed differently the second time they were read.
    KeysChanged {
        /// Number of keys.
        keys: u64,
    },

    /// There are more keys than the goal or plan allows.
    TooManyKeys {
        /// Number of keys planned for.
        planned: u64,
    },

    /// The filter cannot be saved while this thread visits one of its shards.
    Visited,

    /// The filter cannot be saved, because one of its parts was replaced by a filter with another
    /// seed. The error omits the seeds, which may be secret.
    PartSeeds {
        /// Index of the first such part, a shard or a generation.
        part: u64,
    },

    /// The filter cannot be saved, because it was read without its seed or secret key: no key could
    /// be looked up in the file.
    Withheld,

    /// The filter cannot be saved, because it has a seed under which its keys are not hashed: the
    /// caller hashes them, or they are hashed under a secret key. The file has no field for such a
    /// seed.
    UnusedSeed,

    /// The secret key is all zeros, which random bytes never are.
    ZeroKey,

    /// The filter refused a key while being built.
    Insert(BatchInsertError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(error) => write!(f, "{error}"),
            Self::OutOfMemory { bytes } => write!(
                f,
                "the allocator refused {} {}: free memory, or plan for fewer keys or a higher \
                 false-positive rate",
                Limit(*bytes),
                noun(*bytes, "bytes")
            ),
            Self::Exhausted { attempts, keys } => write!(
                f,
                "none of {attempts} internal seeds solves the system of {}, which does not \
                 happen by chance: build with another seed, a secret one if strangers choose the \
                 keys; if you hash the keys yourself, hash them under another seed, uniformly \
                 over all 64 bits",
                Counted(*keys, "keys")
            ),
            Self::Uneven(error) => write!(f, "{error}"),
            Self::KeysChanged { keys } => write!(
                f,
                "a key gave another hash the second time, in a build of {}: a `Key` must always \
                 give the same one; or hash each key once and build from the hashes",
                Counted(*keys, "keys")
            ),
            Self::TooManyKeys { planned } => write!(
                f,
                "there are more keys than the {planned} planned for: plan for more, or give a \
                 budget, which sizes the filter to the keys"
            ),
            Self::Visited => f.write_str(
                "this thread visits a shard of the filter, which would be missing in its file: \
                 write it after the visit",
            ),
            Self::PartSeeds { part } => write!(
                f,
                "part {part} of the filter hashes keys by another seed than the whole, so that \
                 no key of it is found and no file of it could be read: replace it by a filter \
                 of the same seed"
            ),
            Self::Withheld => f.write_str(
                "the filter was read without the seed or secret key that its file withholds, and \
                 a file of it could never be asked for keys: read it with that seed or secret \
                 key, or copy the file itself",
            ),
            Self::UnusedSeed => f.write_str(
                "the filter was made with a seed, which its keys are not hashed under, since it \
                 is in `Prehashed` or `Keyed`, and its file has no place for the seed: make it \
                 with the seed 0, as `Prehashed::new` and `Keyed::new` do",
            ),
            Self::ZeroKey => write!(f, "{ZERO_KEY}"),
            Self::Insert(error) => write!(f, "the filter cannot be built: {error}"),
        }
    }
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for BuildError {}

impl From<PlanError> for BuildError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

impl From<UnevenHashes> for BuildError {
    fn from(error: UnevenHashes) -> Self {
        Self::Uneven(error)
    }
}

impl From<BatchInsertError> for BuildError {
    fn from(error: BatchInsertError) -> Self {
        Self::Insert(error)
    }
}
