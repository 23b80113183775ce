//! `theory.csv`: the curves that the report draws, so that it needs no code of the filters.

use serde::{Deserialize, Serialize};

/// A point of a contender's curve: a filter that it can make, and its rate by the exact formula.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The contender's name.
    pub contender: String,
    /// Keys in the filter.
    pub keys: u64,
    /// Bits of a fingerprint, where sizes come in steps: between two of them there is no filter.
    /// Empty for a curve.
    pub step: Option<u64>,
    /// Bits per key that the filter takes.
    pub bits_per_key: f64,
    /// Its false-positive rate.
    pub fpr: f64,
}
