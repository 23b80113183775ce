//! The tables of a run that belong to no single contender. `reports/RECORDS.md` explains the
//! columns.

use serde::{Deserialize, Serialize};

/// A line of `theory.csv`, recorded so that the report does not need the filters' code.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub(crate) contender: String,
    pub(crate) keys: u64,
    pub(crate) step: Option<u64>,
    pub bits_per_key: f64,
    pub fpr: f64,
}
