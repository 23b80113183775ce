//! The tables of a run, each a CSV file with a fixed name.

use crate::record::{Choice, EngineLine};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The lines of a CSV file with a fixed name.
pub trait Table: Serialize + DeserializeOwned {
    /// The file's name, without `.csv`.
    const NAME: &'static str;
}

impl Table for Choice {
    const NAME: &'static str = "choices";
}

impl Table for EngineLine {
    const NAME: &'static str = "engines";
}

/// A point of a contender's curve: a filter that it can make, and its rate by the exact formula. In
/// the record, so that the report needs no code of the filters.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub(crate) contender: String,
    pub(crate) keys: u64,
    /// Bits of a fingerprint, where sizes come in steps: between two of them there is no filter.
    /// Empty for a curve.
    pub(crate) step: Option<u64>,
    pub(crate) bits_per_key: f64,
    pub(crate) fpr: f64,
}

impl Table for Point {
    const NAME: &'static str = "theory";
}

/// A claim that introductions repeat, and the formula or measurement that settles it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// A short name, stable from run to run.
    pub(crate) id: String,
    /// The claim, as it is repeated.
    pub(crate) claim: String,
    /// What the exact formula gives.
    pub(crate) computed: Option<f64>,
    pub(crate) measured: Option<f64>,
    /// The unit of both.
    pub(crate) unit: String,
    pub(crate) verdict: Verdict,
    /// The circumstances, and what is true instead.
    pub(crate) detail: String,
}

impl Table for Claim {
    const NAME: &'static str = "claims";
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

/// Linear systems of a ribbon filter, all of one size, tried with several seeds.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Coefficients of a row, in bits.
    pub(crate) row_bits: u64,
    /// Keys in the system, all distinct.
    pub(crate) keys: u64,
    pub(crate) slots: u64,
    /// The slots that a filter uses for one system of this many keys.
    pub(crate) built_slots: u64,
    pub(crate) seeds: Option<u64>,
    /// Seeds that left room for all keys.
    pub(crate) solved: Option<u64>,
    pub(crate) unsolved: Option<u64>,
    /// 95 % Clopper-Pearson interval of the share of seeds that leave room.
    pub(crate) solved_low: Option<f64>,
    pub(crate) solved_high: Option<f64>,
    /// Empty, or why there are no numbers.
    pub(crate) why: String,
}

impl Table for Trial {
    const NAME: &'static str = "construction";
}
