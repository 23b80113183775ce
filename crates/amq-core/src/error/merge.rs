//! Errors of merging filters.

use super::InsertError;
use super::number::Counted;
use crate::FilterKind;
use core::fmt;

/// The filters cannot be merged. Both are unchanged.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum MergeError {
    /// Neither size is a multiple of the other.
    Sizes {
        /// The unit of the sizes, in the plural.
        field: &'static str,
        /// Of the filter merged into.
        ours: u64,
        /// Of the filter merged from.
        theirs: u64,
        /// The nearest smaller size that would merge.
        below: u64,
        /// The nearest larger size that would merge.
        above: u64,
    },

    /// They differ in something that must be equal.
    Mismatch {
        /// What differs.
        field: &'static str,
        /// Its value in the filter merged into; for a bound, `u64::MAX` means none.
        ours: u64,
        /// Its value in the filter merged from.
        theirs: u64,
    },

    /// They hash their keys under different seeds. The error omits them, since seeds may be secret.
    Seeds,

    /// They hash their keys under different 128-bit secret keys.
    SipKeys,

    /// Their keys are hashed in different ways: under a seed, under a 128-bit secret key, or by the
    /// caller.
    Hashing,

    /// One of them was read without its seed or secret key, so it is unknown whether they hash keys
    /// alike.
    Withheld,

    /// They are of different kinds.
    Kinds {
        /// Of the filter merged into.
        ours: FilterKind,
        /// Of the filter merged from.
        theirs: FilterKind,
    },

    /// They differ in a real number that must be equal.
    MismatchReal {
        /// What differs.
        field: &'static str,
        /// Its value in the filter merged into.
        ours: f64,
        /// Its value in the filter merged from.
        theirs: f64,
    },

    /// The merged filter would have a higher false-positive rate than planned.
    Rate {
        /// The rate it would have.
        merged: f64,
        /// The planned rate.
        asked: f64,
    },

    /// The filter merged from has shorter fingerprints than the one merged into, and the missing
    /// bits are unknown. Merging the other way round works.
    Fingerprints {
        /// Distinct fingerprints of the filter merged into.
        ours: u64,
        /// Distinct fingerprints of the filter merged from.
        theirs: u64,
    },

    /// They hold too many keys for one table.
    Keys {
        /// Keys in the filter merged into.
        ours: u64,
        /// Keys in the filter merged from.
        theirs: u64,
        /// Number of slots, or the most slots if the filter grows. Not all of them can be used.
        slots: u64,
    },

    /// The filter merged into refuses some of the other's keys.
    Insert(InsertError),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sizes { field, ours, theirs, below, above } => write!(
                f,
                "the filters differ in {field}: {ours} here, {theirs} there, and neither number \
                 is a multiple of the other: beside {ours} a filter of {below} or {above} can be \
                 merged. Plan each for the number of keys in all of them"
            ),
            Self::Mismatch { field, ours, theirs } => write!(
                f,
                "the filters differ in {field}: {} here, {} there; {SAME}",
                Bound(*ours),
                Bound(*theirs)
            ),
            Self::Seeds => write!(f, "the filters hash their keys with different seeds; {SAME}"),
            Self::SipKeys => f.write_str(
                "the filters hash their keys under different secret keys, so that no key can be \
                 looked up in both: build one of them again from its keys, under the secret key \
                 of the other, or keep both and ask each",
            ),
            Self::Hashing => f.write_str(
                "the filters hash keys in different ways (under a seed, under a secret key, or \
                 in that of the program that made one), so that no key can be looked up in both: \
                 build one of them again from its keys, in the way of the other, or keep both \
                 and ask each",
            ),
            Self::Withheld => f.write_str(
                "a filter was read without the seed or secret key that its file withholds, so \
                 that nobody knows whether both hash their keys alike: read it with that seed or \
                 secret key",
            ),
            Self::Kinds { ours, theirs } => {
                write!(f, "the filters are of different kinds, {ours} here, {theirs} there; {SAME}")
            }
            Self::MismatchReal { field, ours, theirs } => {
                write!(f, "the filters differ in {field}: {ours:?} here, {theirs:?} there; {SAME}")
            }
            Self::Rate { merged, asked } => write!(
                f,
                "the merged filter would have a false-positive rate of {merged:?}, above the \
                 {asked:?} promised; keep both, or insert the keys of both into a larger one"
            ),
            Self::Fingerprints { ours, theirs } => write!(
                f,
                "the filter to be merged tells only {theirs} hashes apart, and this one {ours}: \
                 merge this one into the other"
            ),
            Self::Keys { ours, theirs, slots } => write!(
                f,
                "the filters hold {ours} and {theirs} keys, more than fit into {}, of which some \
                 always stay empty; keep both, or plan for {} keys",
                Counted(*slots, "slots"),
                u128::from(*ours) + u128::from(*theirs)
            ),
            Self::Insert(error) => write!(f, "the filters do not fit into one: {error}"),
        }
    }
}

impl fmt::Debug for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for MergeError {}

impl MergeError {
    /// `Ok` if the two values of `field` are equal, else the mismatch.
    pub fn check(field: &'static str, ours: u64, theirs: u64) -> Result<(), Self> {
        if ours == theirs { Ok(()) } else { Err(Self::Mismatch { field, ours, theirs }) }
    }

    /// `Ok` if the two seeds are equal.
    pub const fn check_seeds(ours: u64, theirs: u64) -> Result<(), Self> {
        if ours == theirs { Ok(()) } else { Err(Self::Seeds) }
    }

    /// Errors if two real numbers differ.
    pub fn check_real(field: &'static str, ours: f64, theirs: f64) -> Result<(), Self> {
        if ours == theirs { Ok(()) } else { Err(Self::MismatchReal { field, ours, theirs }) }
    }
}

/// The advice for every mismatch.
const SAME: &str = "only filters made with the same parameters and the same seed can be combined";

/// A value that may be a limit; `u64::MAX` means none.
struct Bound(u64);

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u64::MAX => f.write_str("none"),
            bound => bound.fmt(f),
        }
    }
}
