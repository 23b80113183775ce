//! The answer: choices, rejections with their reasons, and what to compare with.

use crate::{Demand, Growth, Structure};
use amq::Goal;

/// A structure that does what is wanted, and what it costs.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Choice {
    /// What to take.
    pub structure: Structure,
    /// What to plan it with: the keys, or copies of keys, and the rate or size. `None` for an exact
    /// set and for nothing.
    pub goal: Option<Goal>,
    /// Bytes of its table with all planned keys in it; at the start, if it grows without a bound.
    pub bytes: u64,
    /// Bits per planned key; the mean over its growth, if that has no bound.
    pub bits_per_key: f64,
    /// Peak bytes while it is built or filled, the table included.
    pub build_bytes: u64,
    /// Expected false-positive rate with all planned keys in it. 1 for a map without check bits,
    /// which never says no.
    pub fpr: f64,
    /// Bits per key while it grows, if it grows without a bound.
    pub grown: Option<Growth>,
    /// Nanoseconds for a key inserted or built; `None` if nobody has measured it.
    pub insert_ns: Option<f64>,
    /// Nanoseconds for a query, with the workload's share of absent keys.
    pub query_ns: Option<f64>,
    /// Nanoseconds for a removal; `None` also if it cannot remove.
    pub remove_ns: Option<f64>,
    /// Nanoseconds that one insert in a thousand exceeds, while it is filled up to its plan; `None`
    /// if nobody has measured it.
    pub tail_ns: Option<f64>,
    /// Expected nanoseconds for each query in all: the query, its share of inserts and removals,
    /// and, where they have a cost, the lookups that it lets through.
    pub cost_ns: Option<f64>,
    /// Whether the times are reckoned from smaller tables or other rates, and not measured or
    /// between what was measured.
    pub reckoned: bool,
    /// What it is, in a sentence that does not depend on what was asked.
    pub what: String,
    /// Why it is first, or how it compares with the first; every number is reckoned from choices.
    pub reason: String,
}

impl Choice {
    /// Its false-positive rate; `None` for a map without check bits, which never says no.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.structure != Structure::Map || self.check_bits() > 0).then_some(self.fpr)
    }

    /// Of the bits of a map's values those that check the key, above those of the value itself: a
    /// rate asks for them, or the cost of a false positive. 0 for all but maps.
    #[must_use]
    pub fn check_bits(&self) -> u32 {
        match self.structure {
            Structure::Map => -libm::log2(self.fpr) as u32,
            _ => 0,
        }
    }
}

/// A structure that does not qualify.
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
