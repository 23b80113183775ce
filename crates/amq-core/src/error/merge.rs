//! Filters that cannot be merged.

use super::InsertError;
use crate::FilterKind;
use core::fmt;

crate::impl_error! {
    /// Two filters that cannot be merged. Both are as before.
    #[derive(Clone, Copy, PartialEq)]
    #[non_exhaustive]
    pub enum MergeError {
        /// They differ in something that must be equal.
        Mismatch {
            /// What differs.
            field: &'static str,
            /// Its value in the filter merged into; for a bound, `u64::MAX` means none.
            ours: u64,
            /// Its value in the filter merged from.
            theirs: u64,
        } => "the filters differ in {field}: {} here, {} there; {SAME}",
             Bound(*ours),
             Bound(*theirs);
        /// They hash their keys with different seeds. The error does not tell them, since seeds may
        /// be secret.
        Seeds => "the filters hash their keys with different seeds; {SAME}";
        /// They hash their keys under different secret keys of 128 bits.
        SipKeys =>
            "the filters hash their keys under different secret keys, so that no key can be looked \
             up in both: build one of them again from its keys, under the secret key of the other, \
             or keep both and ask each";
        /// Their keys are hashed in different ways: under a seed, under a secret key of 128 bits,
        /// by the caller.
        Hashing =>
            "the filters hash keys in different ways (under a seed, under a secret key, or in that \
             of the program that made one), so that no key can be looked up in both: build one of \
             them again from its keys, in the way of the other, or keep both and ask each";
        /// One of them was read without its seed or secret key, so that it is not known whether
        /// they hash their keys alike.
        Withheld =>
            "a filter was read without the seed or secret key that its file withholds, so that \
             nobody knows whether both hash their keys alike: read it with that seed or secret key";
        /// They are of different kinds.
        Kinds {
            /// Of the filter merged into.
            ours: FilterKind,
            /// Of the filter merged from.
            theirs: FilterKind,
        } => "the filters are of different kinds, {ours} here, {theirs} there; {SAME}";
        /// They differ in a real number that must be equal.
        MismatchReal {
            /// What differs.
            field: &'static str,
            /// Its value in the filter merged into.
            ours: f64,
            /// Its value in the filter merged from.
            theirs: f64,
        } => "the filters differ in {field}: {ours:?} here, {theirs:?} there; {SAME}";
        /// The merged filter would have a higher false-positive rate than promised.
        Rate {
            /// The rate it would have.
            merged: f64,
            /// The rate promised.
            asked: f64,
        } =>
            "the merged filter would have a false-positive rate of {merged:?}, above the {asked:?} \
             promised; keep both, or insert the keys of both into a larger one";
        /// The filter merged from has fewer distinct fingerprints than the one merged into, and the
        /// missing bits cannot be made up. Merging the other way round works.
        Fingerprints {
            /// Distinct fingerprints of the filter merged into.
            ours: u64,
            /// Distinct fingerprints of the filter merged from.
            theirs: u64,
        } => "the filter to be merged tells only {theirs} hashes apart, and this one {ours}: \
             merge this one into the other";
        /// They hold too many keys for one table.
        Keys {
            /// Keys in the filter merged into.
            ours: u64,
            /// Keys in the filter merged from.
            theirs: u64,
            /// Number of slots, or the most there may be if the filter grows. Not every last one
            /// can be used.
            slots: u64,
        } => "the filters hold {ours} and {theirs} keys, more than fit into {slots} slots, of \
             which some always stay empty; keep both, or plan for {} keys",
             u128::from(*ours) + u128::from(*theirs);
        /// The filter merged into refuses some of the other's keys.
        Insert (error: InsertError) => "the filters do not fit into one: {error}";
    }
}

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

/// The way out of every mismatch.
const SAME: &str = "only filters made with the same parameters and the same seed can be combined";

/// A value that may be a bound; `u64::MAX` is none.
struct Bound(u64);

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u64::MAX => f.write_str("none"),
            bound => bound.fmt(f),
        }
    }
}
