//! `choices.csv` and `engines.csv`: what the advisor answers, asked when the run is made, so that a
//! page is drawn without it and says what library and command say.

use serde::{Deserialize, Serialize};

/// What the advisor is asked.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Ask {
    /// The number of keys; where nobody knows it, the number to begin with.
    pub keys: u64,
    /// The false-positive rate, or none.
    pub fpr: Option<f64>,
    /// The budget in bits per key, or none.
    pub bits: Option<f64>,
    /// What it must do: words that the table of uses explains.
    pub needs: String,
    /// Nanoseconds that a false positive costs; none ranks by memory (or by rate, in a budget).
    pub cost_ns: Option<f64>,
}

/// One of the advisor's choices for an ask, or its refusal.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// `grid`, or the name of a worked example.
    pub topic: String,
    /// See [`Ask`].
    pub keys: u64,
    /// See [`Ask`].
    pub asked_fpr: Option<f64>,
    /// See [`Ask`].
    pub asked_bits: Option<f64>,
    /// See [`Ask`].
    pub needs: String,
    /// See [`Ask`].
    pub cost_ns: Option<f64>,
    /// 1 is the best; 0 where nothing is left, or where this structure falls out.
    pub rank: u64,
    /// What to take; empty where nothing is left.
    pub structure: String,
    /// The line that imports it.
    pub import: String,
    /// Bytes of its table.
    pub bytes: Option<u64>,
    /// Bits per key.
    pub bits_per_key: Option<f64>,
    /// Peak bytes while it is made.
    pub build_bytes: Option<u64>,
    /// Its rate.
    pub fpr: Option<f64>,
    /// Nanoseconds per key put in.
    pub insert_ns: Option<f64>,
    /// Nanoseconds per query.
    pub query_ns: Option<f64>,
    /// Expected nanoseconds per query in all.
    pub total_ns: Option<f64>,
    /// Why; or why not.
    pub reason: String,
}

/// The line of another engine's configuration that asks for a rate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineLine {
    /// The engine.
    pub engine: String,
    /// Keys in one filter.
    pub keys: u64,
    /// The rate asked for.
    pub asked_fpr: f64,
    /// The line; empty if it has none.
    pub line: String,
    /// The rate that the line gives.
    pub fpr: Option<f64>,
    /// Its bits per key.
    pub bits_per_key: Option<f64>,
    /// What to know, or why there is no line.
    pub caveat: String,
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
