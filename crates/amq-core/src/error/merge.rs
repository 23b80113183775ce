//! What cannot be combined.

use super::Full;
use core::error::Error;
use core::fmt;

/// Two filters that cannot become one. Both are as they were.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum MergeError {
    /// They differ in something that must be equal.
    Mismatch {
        /// What differs.
        field: &'static str,
        /// Its value in the filter merged into; of a bound, `u64::MAX` if there is none.
        ours: u64,
        /// Its value in the filter merged from.
        theirs: u64,
    },
    /// They hash their keys with different seeds. The seeds are not told, since they may be secret.
    Seeds,
    /// They differ in a real number that must be equal.
    MismatchReal {
        /// What differs.
        field: &'static str,
        /// Its value in the filter merged into.
        ours: f64,
        /// Its value in the filter merged from.
        theirs: f64,
    },
    /// Together they would have a higher false-positive rate than was promised.
    Rate {
        /// The rate they would have.
        merged: f64,
        /// The rate promised.
        asked: f64,
    },
    /// The filter merged from tells fewer hashes apart than the one merged into: what it knows less
    /// of a key cannot be made up. The other way round
    /// they can be merged.
    Fingerprints {
        /// Different fingerprints in the filter merged into.
        ours: u64,
        /// Different fingerprints in the filter merged from.
        theirs: u64,
    },
    /// They hold too many items for one table.
    Items {
        /// Items in the filter merged into.
        ours: u64,
        /// Items in the filter merged from.
        theirs: u64,
        /// Slots there are, or may be if the filter grows. Not every last one can be used.
        slots: u64,
    },
    /// The filter merged into refuses what the other one holds.
    Full(Full),
}

impl MergeError {
    /// `Ok` if the two values of `field` are equal, the mismatch if not.
    pub fn check(field: &'static str, ours: u64, theirs: u64) -> Result<(), Self> {
        if ours == theirs {
            Ok(())
        } else {
            Err(Self::Mismatch {
                field,
                ours,
                theirs,
            })
        }
    }

    /// `Ok` if the two seeds are equal.
    pub const fn check_seeds(ours: u64, theirs: u64) -> Result<(), Self> {
        if ours == theirs {
            Ok(())
        } else {
            Err(Self::Seeds)
        }
    }

    /// The same for real numbers.
    pub fn check_real(field: &'static str, ours: f64, theirs: f64) -> Result<(), Self> {
        if ours == theirs {
            Ok(())
        } else {
            Err(Self::MismatchReal {
                field,
                ours,
                theirs,
            })
        }
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mismatch {
                field,
                ours,
                theirs,
            } => write!(
                f,
                "the filters differ in {field}: {} here, {} there; {SAME}",
                Bound(*ours),
                Bound(*theirs)
            ),
            Self::Seeds => write!(
                f,
                "the filters hash their keys with different seeds; {SAME}"
            ),
            Self::MismatchReal {
                field,
                ours,
                theirs,
            } => write!(
                f,
                "the filters differ in {field}: {ours:?} here, {theirs:?} there; {SAME}"
            ),
            Self::Rate { merged, asked } => write!(
                f,
                "together the filters would have a false-positive rate of {merged:?}, and {asked:?} was promised; keep \
                 both, or put the keys of both into a larger one"
            ),
            Self::Fingerprints { ours, theirs } => write!(
                f,
                "the filter to be merged tells only {theirs} hashes apart, and this one {ours}: merge this one into the other"
            ),
            Self::Items {
                ours,
                theirs,
                slots,
            } => write!(
                f,
                "the filters hold {ours} and {theirs} items, more than fit into {slots} slots, of which some always stay empty; keep both, or \
                 plan for {} items",
                u128::from(*ours) + u128::from(*theirs)
            ),
            Self::Full(full) => write!(f, "the filters do not fit into one: {full}"),
        }
    }
}

/// The way out of every difference.
const SAME: &str = "only filters made with the same parameters and the same seed can be combined";

/// A value that may be a bound.
struct Bound(u64);

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u64::MAX => f.write_str("none"),
            bound => bound.fmt(f),
        }
    }
}

impl Error for MergeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Full(full) => Some(full),
            _ => None,
        }
    }
}
