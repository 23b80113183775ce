//! Parameters of the layouts, their limits, and folding.

use amq_core::Table;
use amq_core::internal::Header;
use amq_core::numeric::{PredictedFpr, first_true_near};
use amq_core::{Budget, MergeError, PlanError};
use core::fmt;

/// The most probes per key: enough for a rate of 2^-64, the lowest possible with 64-bit hashes.
pub const MAX_PROBES: u32 = 64;

/// The most bits per key of the wide-block layout: two in each word.
pub const MAX_WIDE_PROBES: u32 = 16;

/// The most blocks of both layouts. The split-block layout chooses a block by 32 bits of the hash;
/// the wide-block layout chooses the bits by the other 32.
pub const MAX_BLOCKS: u64 = 1 << 31;

/// The most bits of a table, in whole words: the same on every machine, so that plans are the same.
/// The allocator refuses what this machine cannot hold.
pub(crate) fn max_bits() -> u64 {
    (i64::MAX as u64).saturating_mul(8) / 64 * 64
}

/// The parameters of a classic table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct BloomParams {
    /// Bits in the table, 1 or more.
    pub bits: u64,
    /// Bits per key, 1 to [`MAX_PROBES`].
    pub probes: u32,
}

amq_core::parameters!(BloomParams { bits: "bits", probes: "bits per key" });

impl BloomParams {
    /// A table of `bits` bits, with `probes` of them per key. Does not check the ranges.
    #[must_use]
    pub const fn new(bits: u64, probes: u32) -> Self {
        Self { bits, probes }
    }

    /// Checks the ranges; nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("bits", self.bits, 1, max_bits())?;
        PlanError::check_parameter("probes", self.probes.into(), 1, MAX_PROBES.into())
    }

    /// `Ok` if both make the same table, else what differs.
    pub(crate) fn check_same(&self, theirs: &Self) -> Result<(), MergeError> {
        MergeError::check("bits", self.bits, theirs.bits)?;
        MergeError::check("probes", self.probes.into(), theirs.probes.into())
    }
}

/// The parameters of a split-block table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct BlockedParams {
    /// Blocks of 32 bytes in the table, 1 to [`MAX_BLOCKS`].
    pub blocks: u64,
}

amq_core::parameters!(BlockedParams { blocks: "32-byte blocks" });

impl BlockedParams {
    /// A table of this many `blocks`. Does not check the range.
    #[must_use]
    pub const fn new(blocks: u64) -> Self {
        Self { blocks }
    }

    /// Checks the range; nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("blocks", self.blocks, 1, MAX_BLOCKS)
    }

    /// `Ok` if both make the same table.
    pub(crate) fn check_same(&self, theirs: &Self) -> Result<(), MergeError> {
        MergeError::check("blocks", self.blocks, theirs.blocks)
    }
}

/// The parameters of a wide-block table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct WideBlockedParams {
    /// Blocks of 64 bytes in the table, 1 to [`MAX_BLOCKS`].
    pub blocks: u64,
    /// Bits per key, 1 to [`MAX_WIDE_PROBES`].
    pub probes: u32,
}

amq_core::parameters!(WideBlockedParams { blocks: "64-byte blocks", probes: "bits per key" });

impl WideBlockedParams {
    /// A table of this many `blocks`, with `probes` bits per key in one of them. Does not check the
    /// ranges.
    #[must_use]
    pub const fn new(blocks: u64, probes: u32) -> Self {
        Self { blocks, probes }
    }

    /// Checks the ranges; nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("blocks", self.blocks, 1, MAX_BLOCKS)?;
        PlanError::check_parameter("probes", self.probes.into(), 1, MAX_WIDE_PROBES.into())
    }

    /// `Ok` if both make the same table, else what differs.
    pub(crate) fn check_same(&self, theirs: &Self) -> Result<(), MergeError> {
        MergeError::check("blocks", self.blocks, theirs.blocks)?;
        MergeError::check("probes", self.probes.into(), theirs.probes.into())
    }
}

/// The header of a filter folded by `factor` to `bytes` bytes: its capacity is the number of keys
/// that the budget allows in the smaller table, whose rate `fpr` predicts from a number of keys.
///
/// A rate allows the most keys within it. Any other budget keeps the bits per key, and so, very
/// nearly, the rate. A capacity of 0 (unknown) stays 0.
pub(crate) fn folded(
    header: &Header,
    factor: u64,
    bytes: u64,
    fpr: impl Fn(u64) -> PredictedFpr,
) -> Header {
    let share = header.capacity / factor;
    let (keys, budget) = match header.budget {
        Some(Budget::Fpr(most)) => {
            let first_above = first_true_near(1, u64::MAX, share, |keys| fpr(keys).mean > most);
            (first_above - 1, header.budget)
        }
        Some(Budget::Bytes(_)) => (share, Some(Budget::Bytes(bytes))),
        budget => (share, budget),
    };
    // A known capacity must not become 0 (unknown), even if the table is too small for one key.
    Header { capacity: keys.max(header.capacity.min(1)), budget, ..*header }
}

/// Why a filter cannot be folded, or expanded.
///
/// Folding by d maps index i to i / d. This is exact only if d divides the number of bits or
/// blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FoldError {
    /// The factor does not divide the table.
    Factor {
        /// `bits` or `blocks`.
        places: &'static str,
        /// Their number.
        count: u64,
        /// The requested factor.
        factor: u64,
    },
    /// The factor for expanding is zero, or the table would exceed the largest.
    Expand {
        /// `bits` or `blocks`.
        places: &'static str,
        /// Their number.
        count: u64,
        /// The requested factor.
        factor: u64,
    },
    /// The allocator refused.
    OutOfMemory {
        /// Bytes requested, for the new table.
        bytes: u64,
    },
}

impl FoldError {
    pub(crate) fn check(places: &'static str, count: u64, factor: u64) -> Result<(), Self> {
        if factor != 0 && count.is_multiple_of(factor) {
            Ok(())
        } else {
            Err(Self::Factor { places, count, factor })
        }
    }

    /// A table of zeros.
    pub(crate) fn zeroed(bytes: u64) -> Result<Table, Self> {
        Table::zeroed(bytes).map_err(|_| Self::OutOfMemory { bytes })
    }
}

impl fmt::Display for FoldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Factor { places, count, factor } => {
                write!(
                    f,
                    "a table of {count} {places} cannot be folded by {factor}: the factor must \
                     divide their number"
                )?;
                if places == "bits" {
                    f.write_str(
                        ", as 2, 4, 8, 16, 32 and 64 do if the table was planned by this crate",
                    )?;
                }
                Ok(())
            }
            Self::Expand { places, count, factor } => {
                let most = if places == "bits" { max_bits() } else { MAX_BLOCKS } / count.max(1);
                write!(
                    f,
                    "a table of {count} {places} cannot be expanded by {factor}: the factor must \
                     be from 1 to {most}"
                )
            }
            Self::OutOfMemory { bytes } => write!(
                f,
                "the allocator refused {bytes} bytes for the new table: free memory, or choose a \
                 factor that makes it smaller"
            ),
        }
    }
}

impl fmt::Debug for FoldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for FoldError {}
