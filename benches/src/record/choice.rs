//! `choices.csv` and `engines.csv`: what the advisor answers, asked when the run is made, so that a
//! page is drawn without it and says what library and command say.

use serde::{Deserialize, Serialize};

/// What the advisor is asked.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Ask {
    /// The number of keys; where nobody knows it, the number to begin with.
    pub(crate) keys: u64,
    pub(crate) fpr: Option<f64>,
    /// The budget in bits per key.
    pub(crate) bits: Option<f64>,
    /// What it must do: words that the table of uses explains.
    pub(crate) needs: String,
    /// Nanoseconds that a false positive costs; none ranks by memory (or by rate, in a budget).
    pub(crate) cost_ns: Option<f64>,
}

/// One of the advisor's choices for an ask, or its refusal.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// `grid`, or the name of a worked example.
    pub(crate) topic: String,
    pub(crate) keys: u64,
    pub(crate) asked_fpr: Option<f64>,
    pub(crate) asked_bits: Option<f64>,
    pub(crate) needs: String,
    pub(crate) cost_ns: Option<f64>,
    /// 1 is the best; 0 where nothing is left, or where this structure falls out.
    pub(crate) rank: u64,
    /// What to take; empty where nothing is left.
    pub(crate) structure: String,
    /// The line that imports it.
    pub(crate) import: String,
    /// Bytes of its table.
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

/// The line of another engine's configuration that asks for a rate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineLine {
    pub(crate) engine: String,
    /// Keys in one filter.
    pub(crate) keys: u64,
    pub(crate) asked_fpr: f64,
    /// The line; empty if it has none.
    pub(crate) line: String,
    /// The rate that the line gives.
    pub(crate) fpr: Option<f64>,
    pub(crate) bits_per_key: Option<f64>,
    /// What to know, or why there is no line.
    pub(crate) caveat: String,
}

impl Choice {
    /// The ask that it answers.
    pub fn ask(&self) -> Ask {
        Ask {
            keys: self.keys,
            fpr: self.asked_fpr,
            bits: self.asked_bits,
            needs: self.needs.clone(),
            cost_ns: self.cost_ns,
        }
    }

    /// An answer to an ask, with nothing in it yet.
    pub fn to(topic: &str, ask: &Ask) -> Self {
        Self {
            topic: topic.to_owned(),
            keys: ask.keys,
            asked_fpr: ask.fpr,
            asked_bits: ask.bits,
            needs: ask.needs.clone(),
            cost_ns: ask.cost_ns,
            ..Self::default()
        }
    }
}
