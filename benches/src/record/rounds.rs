//! Every round of a timed cell.

use crate::record::{Row, Workload};
use serde::{Deserialize, Serialize};

/// The times of a cell's rounds, in nanoseconds per operation, to four significant digits, in the
/// order in which they were timed. The other columns are those of the [`Row`].
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    pub(crate) contender: String,
    pub(crate) key_set: String,
    pub(crate) keys: u64,
    pub(crate) planned_keys: Option<u64>,
    pub(crate) asked_fpr: Option<f64>,
    pub(crate) asked_bits: Option<f64>,
    pub(crate) load: Option<f64>,
    pub(crate) workload: Workload,
    /// Separated by spaces.
    #[serde(with = "spaced")]
    pub(crate) ns: Vec<f64>,
    /// The reference's passes in the same rounds.
    #[serde(with = "spaced")]
    pub(crate) reference_ns: Vec<f64>,
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
        Self { ns: Vec::new(), reference_ns: Vec::new(), ..self.clone() } == Self::of(row, &[], &[])
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
