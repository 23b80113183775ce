//! Errors of truncating a filter.

use super::PlanError;
use super::number::{Counted, Limit, noun};
use crate::{Budget, FilterKind};
use core::fmt;

/// The filter cannot be truncated as requested. It is unchanged.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum TruncateError {
    /// The budget is impossible, or too small for the filter's keys.
    Plan(PlanError),

    /// The budget is larger than the filter: only the keys could supply the missing bits.
    Larger {
        /// The requested budget.
        asked: Budget,
        /// The filter's own budget, in the same unit.
        has: Budget,
    },

    /// Filters of this kind cannot be truncated.
    Kind {
        /// The kind.
        kind: FilterKind,
    },

    /// Views cannot be truncated.
    View,

    /// The allocator refused.
    OutOfMemory {
        /// Bytes requested in one piece.
        bytes: u64,
    },
}

impl TruncateError {
    /// The error for a budget above that of the filter: a rate of `fpr`, or `bytes` for this many
    /// keys.
    #[must_use]
    pub fn larger(asked: Budget, fpr: f64, bytes: u64, keys: u64) -> Self {
        let has = match asked {
            Budget::Fpr(_) => Budget::Fpr(fpr),
            Budget::BitsPerKey(_) => Budget::BitsPerKey(bytes as f64 * 8.0 / keys.max(1) as f64),
            Budget::Bytes(_) => Budget::Bytes(bytes),
        };
        Self::Larger { asked, has }
    }
}

impl fmt::Display for TruncateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(error) => write!(f, "{error}"),
            Self::Larger { asked, has } => {
                match (asked, has) {
                    (Budget::Fpr(asked), Budget::Fpr(has)) => write!(
                        f,
                        "the filter has a false-positive rate of {has:.3e}, and truncating \
                         cannot lower it to {asked:?}: ask for a higher rate"
                    ),
                    (Budget::BitsPerKey(asked), Budget::BitsPerKey(has)) => write!(
                        f,
                        "the filter has {has:.3} bits per key, and truncating cannot give it \
                         {asked}: ask for fewer"
                    ),
                    (Budget::Bytes(asked), Budget::Bytes(has)) => write!(
                        f,
                        "the filter has {}, and truncating cannot give it {asked}: ask for fewer",
                        Counted(*has, "bytes")
                    ),
                    (asked, has) => {
                        write!(
                            f,
                            "the filter has {has:?}, which is less than {asked:?}: ask for less"
                        )
                    }
                }?;
                f.write_str(", or build the filter again from its keys")
            }
            Self::Kind { kind } => write!(
                f,
                "a filter of the kind `{}` cannot be truncated; kinds that can: `{}`, `{}`, \
                 `{}`. Build a smaller one from its keys",
                kind.id(),
                FilterKind::Ribbon.id(),
                FilterKind::Fuse.id(),
                FilterKind::Quotient.id()
            ),
            Self::View => f.write_str(
                "a view reads the bytes as they are: load the file within the budget, or save a \
                 truncated filter and view that",
            ),
            Self::OutOfMemory { bytes } => write!(
                f,
                "the allocator refused {} {}: free memory, or ask for a smaller filter",
                Limit(*bytes),
                noun(*bytes, "bytes")
            ),
        }
    }
}

impl fmt::Debug for TruncateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for TruncateError {}

impl From<PlanError> for TruncateError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}
