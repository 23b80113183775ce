//! The tables of a run: what is not about one contender.

use serde::{Deserialize, Serialize};

/// A line of `theory.csv`: a point of a contender's curve, a filter that it can make with its rate
/// by the exact formula. In the record, so that the report needs no code of the filters.
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

/// A line of `claims.csv`: a claim that introductions repeat, and the formula or measurement that
/// settles it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// A short name, stable from run to run.
    pub(crate) id: String,
    pub(crate) claim: String,
    /// What the exact formula gives, and what was found, in one unit.
    pub(crate) computed: Option<f64>,
    pub(crate) measured: Option<f64>,
    pub(crate) unit: String,
    pub(crate) verdict: Verdict,
    /// The circumstances, and what is true instead.
    pub(crate) detail: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Holds,
    #[serde(rename = "does not")]
    DoesNot,
    /// Only under the conditions in the detail.
    Depends,
}

serde_plain::derive_display_from_serialize!(Verdict);

/// A line of `choices.csv`: what the advisor is asked, and one of its choices or its refusal. In
/// the record, so that a page is drawn without the advisor and says what library and command say.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// `grid`, or a worked example's.
    pub(crate) topic: String,
    /// The number of keys; where nobody knows it, the number to begin with.
    pub(crate) keys: u64,
    pub(crate) asked_fpr: Option<f64>,
    /// The budget in bits per key.
    pub(crate) asked_bits: Option<f64>,
    /// What it must do: words that the table of uses explains.
    pub(crate) needs: String,
    /// Nanoseconds that a false positive costs; none ranks by memory (or by rate, in a budget).
    pub(crate) cost_ns: Option<f64>,
    /// The first field of the answer. 1 is the best; 0 where nothing is left, or where this
    /// structure falls out.
    pub(crate) rank: u64,
    /// What to take; empty where nothing is left.
    pub(crate) structure: String,
    pub(crate) import: String,
    pub(crate) bytes: Option<u64>,
    pub(crate) bits_per_key: Option<f64>,
    /// Peak bytes while it is made.
    pub(crate) build_bytes: Option<u64>,
    pub(crate) fpr: Option<f64>,
    pub(crate) insert_ns: Option<f64>,
    pub(crate) query_ns: Option<f64>,
    /// Expected nanoseconds per query in all.
    pub(crate) total_ns: Option<f64>,
    /// Why; or why not.
    pub(crate) reason: String,
}

/// A line of `engines.csv`: how another engine's configuration asks for a rate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineLine {
    pub(crate) engine: String,
    pub(crate) keys: u64,
    pub(crate) asked_fpr: f64,
    /// The line; empty if it has none.
    pub(crate) line: String,
    pub(crate) fpr: Option<f64>,
    pub(crate) bits_per_key: Option<f64>,
    /// What to know, or why there is no line.
    pub(crate) caveat: String,
}
