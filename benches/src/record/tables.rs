//! The tables of a run that are not one contender's. `reports/RECORDS.md` explains the columns.

use serde::{Deserialize, Serialize};

/// A line of `theory.csv`. In the record, so that the report needs no code of the filters.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub(crate) contender: String,
    pub(crate) keys: u64,
    pub(crate) step: Option<u64>,
    pub bits_per_key: f64,
    pub fpr: f64,
}
