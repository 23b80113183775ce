//! Every round of a timed cell.

use crate::record::{Row, Workload};
use serde::{Deserialize, Serialize};

/// The times of a cell's rounds, in nanoseconds per operation, to four significant digits. The key
/// columns are those of the [`Row`].
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// The contender's name.
    pub contender: String,
    /// Which keys.
    pub key_set: String,
    /// Keys in the filter.
    pub keys: u64,
    /// Planned keys, if they differ.
    pub planned_keys: Option<u64>,
    /// The target rate.
    pub asked_fpr: Option<f64>,
    /// The memory budget in bits per key.
    pub asked_bits: Option<f64>,
    /// Keys over slots.
    pub load: Option<f64>,
    /// The workload.
    pub workload: Workload,
    /// The rounds in the order in which they were timed, separated by spaces.
    #[serde(with = "spaced")]
    pub ns: Vec<f64>,
    /// The reference's passes in the same rounds.
    #[serde(with = "spaced")]
    pub reference_ns: Vec<f64>,
}

impl Rounds {
    /// The rounds behind a row.
    pub fn of(row: &Row, ns: &[f64], reference_ns: &[f64]) -> Self {
        let digits = |times: &[f64]| times.iter().copied().map(four_digits).collect();
        Self {
            contender: row.contender.clone(),
            key_set: row.key_set.clone(),
            keys: row.keys,
            planned_keys: row.planned_keys,
            asked_fpr: row.asked_fpr,
            asked_bits: row.asked_bits,
            load: row.load,
            workload: row.workload,
            ns: digits(ns),
            reference_ns: digits(reference_ns),
        }
    }

    /// Whether these are the rounds of a row.
    pub fn is_of(&self, row: &Row) -> bool {
        *self
            == Self {
                ns: self.ns.clone(),
                reference_ns: self.reference_ns.clone(),
                ..Self::of(row, &[], &[])
            }
    }
}

/// The nearest number of four significant digits.
pub fn four_digits(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

/// Numbers separated by spaces, in one field.
mod spaced {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(numbers: &[f64], to: S) -> Result<S::Ok, S::Error> {
        let words: Vec<String> = numbers.iter().map(f64::to_string).collect();
        to.serialize_str(&words.join(" "))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        let text = String::deserialize(from)?;
        let numbers = text.split_ascii_whitespace().map(str::parse);
        numbers.collect::<Result<_, _>>().map_err(Error::custom)
    }
}
