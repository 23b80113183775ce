//! Operations on a bin that were refused.

use amq_core::{BuildError, PlanError};
use core::fmt;

/// An operation on a bin, or on the answer of an object store, that was refused. Nothing changed.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum BinError {
    /// There is no bin of this number.
    NoSuchBin {
        /// The number given.
        bin: usize,
        /// The number of bins; the first is 0.
        bins: u64,
    },
    /// The blocks of a single filter are no multiple of those of a bin, so it cannot be folded.
    Blocks {
        /// Blocks of the single filter.
        filter: u64,
        /// Blocks of a bin.
        bin: u64,
    },
    /// A single filter hashes its keys by another seed. The seeds may be secret and are not named.
    OtherSeed,
    /// There are not as many names as bins.
    Names {
        /// Names given; one more than the bins if there were more.
        names: u64,
        /// The number of bins.
        bins: u64,
    },
    /// A range of a file has another length than [`row_range`](crate::InterleavedParams::row_range)
    /// says.
    RangeLength {
        /// Bytes given.
        bytes: u64,
        /// Bytes of the range.
        expected: u64,
    },
    /// The sizes are impossible, or there is no memory.
    Build(BuildError),
}

impl BinError {
    /// `Ok` if there is such a bin.
    #[inline]
    pub(crate) const fn check_bin(bin: usize, bins: u64) -> Result<(), Self> {
        if (bin as u64) < bins { Ok(()) } else { Err(Self::NoSuchBin { bin, bins }) }
    }
}

impl fmt::Display for BinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchBin { bin, bins } => write!(
                f,
                "there is no bin {bin}: the filter has {bins}, counted from 0; `add_bin` adds one"
            ),
            Self::Blocks { filter, bin } => write!(
                f,
                "a filter of {filter} blocks cannot be folded into a bin of {bin}: its blocks must \
                 be a multiple of the bin's, as they are if both follow one plan"
            ),
            Self::OtherSeed => f.write_str(
                "the single filter hashes its keys by another seed: build it with the seed of the \
                 interleaved filter",
            ),
            Self::Names { names, bins } => {
                write!(
                    f,
                    "names: {names}, bins: {bins}; give each bin one name, which may be empty"
                )
            }
            Self::RangeLength { bytes, expected } => write!(
                f,
                "{bytes} bytes were given, and the range has {expected}: read the file from \
                 `row_range(hash).start` up to its `end`"
            ),
            Self::Build(error) => fmt::Display::fmt(error, f),
        }
    }
}

/// The text: `unwrap`, and a `main` that returns an error, print errors by `Debug`.
impl fmt::Debug for BinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for BinError {}

impl From<BuildError> for BinError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<PlanError> for BinError {
    fn from(error: PlanError) -> Self {
        Self::Build(error.into())
    }
}
