//! The answer: choices, rejections with their reasons, and alternatives to compare with.

use crate::{Demand, Growth, Structure};
use amq::Goal;

/// A structure that meets the workload, and its costs.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Choice {
    /// The structure.
    pub structure: Structure,
    /// The goal to plan it with: the number of keys (or of copies) and the rate or size. `None` for
    /// an exact set and for no filter.
    pub goal: Option<Goal>,
    /// Bytes of its table with all planned keys; at the start, if it grows without a bound.
    pub bytes: u64,
    /// Bits per planned key; if it grows without a bound, the mean over its growth.
    pub bits_per_key: f64,
    /// Peak bytes while it is built or filled, including the table.
    pub build_bytes: u64,
    /// Expected false-positive rate with all planned keys. 1 for a map without check bits, which
    /// returns a value for every key.
    pub fpr: f64,
    /// Bits per key while it grows, if it grows without a bound.
    pub grown: Option<Growth>,
    /// Nanoseconds per inserted or built key; `None` if not measured.
    pub insert_ns: Option<f64>,
    /// Nanoseconds per query, with the workload's share of absent keys.
    pub query_ns: Option<f64>,
    /// Nanoseconds per removal; `None` if not measured, or if it cannot remove.
    pub remove_ns: Option<f64>,
    /// The 99.9th percentile of insert times in nanoseconds, while it is filled up to its plan;
    /// `None` if not measured.
    pub tail_ns: Option<f64>,
    /// Expected total nanoseconds per query: the query, its share of inserts and removals, and, if
    /// they have a cost, the lookups that it lets through.
    pub cost_ns: Option<f64>,
    /// Whether the times are extrapolated from smaller tables or other rates, not measured or
    /// interpolated.
    pub reckoned: bool,
    /// A sentence that describes the structure, independent of the workload.
    pub what: String,
    /// Rust that makes it: a `use` line and a statement. A filter that is built at once takes
    /// `keys`, and a map takes `pairs`. If strangers choose the keys, a line before it makes the
    /// key of `Keyed` from `secret`, 16 random bytes; for a map `secret` is its seed. Empty for an
    /// exact set, a sketch, and no filter.
    pub code: String,
    /// Why it is first, or how it compares with the first; all numbers are computed from the
    /// choices.
    pub reason: String,
}

impl Choice {
    /// Its false-positive rate; `None` for a map without check bits, which returns a value for
    /// every key.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.structure != Structure::Map || self.check_bits() > 0).then_some(self.fpr)
    }

    /// For a map, the bits that check the key, above those of the value itself: added for a rate,
    /// or for the cost of a false positive. 0 for all other structures.
    #[must_use]
    pub fn check_bits(&self) -> u32 {
        match self.structure {
            Structure::Map => -libm::log2(self.fpr) as u32,
            _ => 0,
        }
    }
}

/// A structure that does not meet the workload.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Rejection {
    /// The rejected structures.
    pub structure: Structure,
    /// The demand that it fails.
    pub demand: Demand,
    /// The rest of a sentence that begins with its name.
    pub reason: String,
}

/// The answer to a workload: choices, best first, and what was rejected.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The choices, best first; at least one.
    pub choices: Vec<Choice>,
    /// The rejected structures.
    pub rejections: Vec<Rejection>,
    /// Exact alternatives, which store the keys themselves: a hash table, and others that suit the
    /// workload, smallest first. Never empty.
    pub exact: Vec<Choice>,
    /// Expected nanoseconds per query without any filter, if a false positive has a cost.
    pub without_ns: Option<f64>,
    /// Threads that use it concurrently; the times are those of one.
    pub(crate) threads: u32,
    /// Notes in sentences, the most important first.
    pub notes: Vec<String>,
    /// How many of the first notes may change a decision.
    pub(crate) deciding: usize,
}

impl Answer {
    /// The first choice.
    #[must_use]
    pub fn best(&self) -> &Choice {
        &self.choices[0]
    }

    /// The choices that are filters, without exact sets and "no filter".
    pub fn filters(&self) -> impl Iterator<Item = &Choice> {
        self.choices.iter().filter(|choice| choice.structure.is_filter())
    }
}
