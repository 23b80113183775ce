//! Every round of a timed cell.

use crate::record::{Row, Workload};
use serde::{Deserialize, Serialize};

/// The times of a cell's rounds, in the order in which they were timed. The other columns are those
/// of the [`Row`].
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
    /// Nanoseconds per operation, to four significant digits, separated by spaces.
    pub(crate) ns: String,
    /// The reference's passes in the same rounds.
    pub(crate) reference_ns: String,
}

impl Rounds {
    pub fn of(row: &Row, ns: &[f64], reference_ns: &[f64]) -> Self {
        let spaced = |times: &[f64]| {
            let times = times.iter().map(|&time| four_digits(time).to_string());
            times.collect::<Vec<_>>().join(" ")
        };
        Self {
            contender: row.contender.clone(),
            key_set: row.key_set.clone(),
            keys: row.keys,
            planned_keys: row.planned_keys,
            asked_fpr: row.asked_fpr,
            asked_bits: row.asked_bits,
            load: row.load,
            workload: row.workload,
            ns: spaced(ns),
            reference_ns: spaced(reference_ns),
        }
    }

    pub fn is_of(&self, row: &Row) -> bool {
        let (ns, reference_ns) = (self.ns.clone(), self.reference_ns.clone());
        *self == Self { ns, reference_ns, ..Self::of(row, &[], &[]) }
    }
}

/// The nearest number of four significant digits.
pub fn four_digits(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}
