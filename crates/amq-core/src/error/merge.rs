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
        /// Its value in the filter merged into.
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
    /// Together they are more than the filter can hold.
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
                "the filters differ in {field}: {ours} here, {theirs} there; only filters made with the same \
                 parameters and seed can be combined"
            ),
            Self::Seeds => f.write_str(
                "the filters hash their keys with different seeds; only filters made with the same parameters and seed can be \
                 combined",
            ),
            Self::MismatchReal {
                field,
                ours,
                theirs,
            } => write!(
                f,
                "the filters differ in {field}: {ours:e} here, {theirs:e} there; only filters made with the same \
                 parameters and seed can be combined"
            ),
            Self::Rate { merged, asked } => write!(
                f,
                "together the filters would have a false-positive rate of {merged:e}, and {asked:e} was promised; keep \
                 both, or put the keys of both into a larger one"
            ),
            Self::Full(full) => write!(f, "the filters do not fit into one: {full}"),
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
