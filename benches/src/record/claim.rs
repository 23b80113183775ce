//! `claims.csv`: claims that introductions repeat, each settled by formula or measurement.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A claim and what settles it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// A short name, stable from run to run.
    pub id: String,
    /// The claim, as it is repeated.
    pub claim: String,
    /// What the exact formula gives.
    pub computed: Option<f64>,
    /// What was measured.
    pub measured: Option<f64>,
    /// The unit of both.
    pub unit: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The circumstances, and what is true instead.
    pub detail: String,
}

/// Whether a claim is true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// It is.
    #[serde(rename = "holds")]
    Holds,
    /// It is not.
    #[serde(rename = "does not")]
    DoesNot,
    /// Only under the conditions in the detail.
    #[serde(rename = "depends")]
    Depends,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
