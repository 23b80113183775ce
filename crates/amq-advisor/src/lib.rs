//! Which filter: from what it is wanted for to a ranked answer.
//!
//! A [`Workload`] says what is wanted; [`choose`] tries every variant this program was built with,
//! plans each by its own exact formulas, and returns an [`Answer`]: the [`Choice`]s, best first,
//! with bytes, rate, times and a sentence of reason; a [`Rejection`] for each variant that falls
//! out; and what to know besides. If nothing is left, the error names two demands that conflict.
//!
//! ```
//! use amq::FilterKind;
//! use amq_advisor::{Keys, Need, Structure, Workload, choose};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The filter of one sorted file of a database: made with the file, 10 bits per key at most. A
//! // false positive reads a block for nothing, 20 microseconds; nine queries in ten are for keys
//! // that are elsewhere, and each key is asked for ten times before the file is compacted away.
//! let file = Workload::new(Keys::Exactly(1_000_000))
//!     .bits_per_key(10.0)
//!     .built_once()
//!     .need(Need::Files)
//!     .absent(0.9)
//!     .false_positive_ns(20_000.0)
//!     .queries_per_key(10.0);
//! let answer = choose(&file)?;
//! assert_eq!(answer.best().structure, Structure::Filter(FilterKind::BumpedRibbon));
//! println!("{answer}");
//!
//! // What does not go together is named.
//! let error = choose(&file.fpr(0.01).bits_per_key(2.0)).unwrap_err().to_string();
//! assert!(error.contains("a false-positive rate of 1 % and at most 2 bits per key"));
//! # Ok(())
//! # }
//! ```
//!
//! # How it ranks
//!
//! If a false positive has a cost, choices are ranked by the expected nanoseconds for each query:
//! the query itself, the false positives and true lookups that it lets through, and its share of
//! inserts (and removals, where they are needed). If not, they are ranked by bytes where a rate was
//! asked for, and by rate where a size was. What differs by less than 3 % is a tie, which the other
//! measure decides: bytes after time, and time after bytes or rate.
//!
//! What grows without a bound counts with its mean bits per key over ten doublings, in which every
//! number of keys weighs as much as its double ([`Growth`]), not with those of its first table: it
//! takes twice or three times as many each time that it has just grown.
//!
//! An exact set comes first where the keys are so few that it fits 16 KiB, or where it is no larger
//! than the smallest filter. No filter at all comes first where every query is for a key that is
//! in, or where the costs say that a filter takes more time than it saves.
//!
//! # Where the numbers come from
//!
//! Bytes, build memory and rates are the variants' own plans. Times are interpolated between
//! figures measured on one machine ([`times_source`]): take them for ratios, not for promises.
//!
//! [`engines`] says what to set in the engines of other people.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod ability;
mod cost;
mod demand;
pub mod engines;
mod growth;
mod numbers;
mod rank;
mod reason;
mod show;
mod size;
mod structure;
mod workload;

pub use demand::{ChooseError, Conflict, Demand, Invalid};
pub use growth::Growth;
pub use structure::Structure;
pub use workload::{Keys, KeysBy, Need, Workload};

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// The rate planned for where neither a rate nor a size is asked for.
pub const DEFAULT_FPR: f64 = 0.01;

/// An exact set of at most this many bytes comes before any filter: it stays in the first-level
/// cache, and saves next to nothing.
pub const SMALL_SET_BYTES: u64 = 16 << 10;

/// The record that the times come from.
#[must_use]
pub const fn times_source() -> &'static str {
    cost::source()
}

/// A structure that does what is wanted, and what it costs.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Choice {
    /// What to take.
    pub structure: Structure,
    /// Bytes of its table with all planned keys in it; at the start, if it grows without a bound.
    pub bytes: u64,
    /// Bits per planned key; the mean over its growth, if that has no bound.
    pub bits_per_key: f64,
    /// Peak bytes while it is built or filled, the table included.
    pub build_bytes: u64,
    /// Expected false-positive rate with all planned keys in it. 1 for a map, which never says no.
    pub fpr: f64,
    /// Bits per key while it grows, if it grows without a bound.
    pub grown: Option<Growth>,
    /// Nanoseconds for a key inserted or built; `None` if nobody has measured it.
    pub insert_ns: Option<f64>,
    /// Nanoseconds for a query, with the workload's share of absent keys.
    pub query_ns: Option<f64>,
    /// Nanoseconds for a removal; `None` also if it cannot remove.
    pub remove_ns: Option<f64>,
    /// Expected nanoseconds for each query in all: the query, its share of inserts and removals,
    /// and, where they have a cost, the lookups that it lets through.
    pub cost_ns: Option<f64>,
    /// A sentence of reason.
    pub reason: String,
}

/// A structure that falls out.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Rejection {
    /// What falls out.
    pub structure: Structure,
    /// The demand that it fails.
    pub demand: Demand,
    /// The rest of a sentence that begins with its name.
    pub reason: String,
}

/// The exact set of the same keys, to compare with.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct ExactSet {
    /// Bytes of a hash table of the keys.
    pub bytes: u64,
    /// Nanoseconds for a query.
    pub query_ns: Option<f64>,
}

/// What to take, best first.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The choices, best first; at least one.
    pub choices: Vec<Choice>,
    /// What falls out.
    pub rejections: Vec<Rejection>,
    /// The exact set of the same keys.
    pub exact_set: ExactSet,
    /// Expected nanoseconds for each query without any filter, where a false positive has a cost.
    pub without_ns: Option<f64>,
    /// Sentences on what to know besides.
    pub notes: Vec<String>,
}

impl Answer {
    /// The first choice.
    #[must_use]
    pub fn best(&self) -> &Choice {
        &self.choices[0]
    }

    /// The choices that are filters: without an exact set, and without no filter at all.
    pub fn filters(&self) -> impl Iterator<Item = &Choice> {
        self.choices.iter().filter(|choice| choice.structure.is_filter())
    }
}

/// What to take for a workload.
pub fn choose(workload: &Workload) -> Result<Answer, ChooseError> {
    workload.check()?;
    let answer = answer(workload);
    if answer.choices.is_empty() {
        return Err(ChooseError::Conflict(Box::new(demand::conflict(workload))));
    }
    Ok(answer)
}

/// The same, possibly without any choice.
fn answer(workload: &Workload) -> Answer {
    let (mut choices, mut rejections) = (Vec::new(), Vec::new());
    for structure in Structure::candidates(workload) {
        match consider(structure, workload) {
            Ok(choice) => choices.push(choice),
            Err(rejection) => rejections.push(rejection),
        }
    }
    rank::rank(&mut choices, workload);
    let exact_set = exact_set(workload);
    let without_ns = without(workload);
    let notes = reason::notes(workload, &choices, &exact_set);
    let mut answer = Answer { choices, rejections, exact_set, without_ns, notes };
    instead(&mut answer, workload);
    answer
}

/// What one structure comes to.
fn consider(structure: Structure, workload: &Workload) -> Result<Choice, Rejection> {
    if let Some(rejection) = ability::lacking(structure, workload) {
        return Err(rejection);
    }
    let size = size::size(structure, workload).map_err(|(demand, reason)| Rejection {
        structure,
        demand,
        reason,
    })?;
    let times = cost::times(structure, size.bytes, size.fpr, workload);
    let fpr = size.fpr.min(1.0);
    let at_first = size.bytes as f64 * 8.0 / workload.keys.planned() as f64;
    Ok(Choice {
        structure,
        bytes: size.bytes,
        bits_per_key: size.grown.map_or(at_first, |growth| growth.mean),
        build_bytes: size.build_bytes,
        fpr,
        grown: size.grown,
        insert_ns: times.map(|times| times.insert),
        query_ns: times.map(|times| times.query),
        remove_ns: times.and_then(|times| times.remove),
        cost_ns: times.map(|times| cost(&times, fpr, workload)),
        reason: reason::of(structure, &size, workload),
    })
}

/// Nanoseconds for each query: see [`Choice::cost_ns`].
fn cost(times: &cost::Times, fpr: f64, workload: &Workload) -> f64 {
    let removal = if workload.needs_remove() { times.remove.unwrap_or(0.0) } else { 0.0 };
    let own = times.query + (times.insert + removal) / workload.queries_per_key;
    own + fpr * without(workload).map_or(0.0, |_| missed(workload)) + found(workload)
}

/// What a filter that says yes to every absent key lets through, for each query.
fn missed(workload: &Workload) -> f64 {
    workload.absent * workload.false_positive_ns.unwrap_or(0.0)
}

/// The true lookups, for each query.
fn found(workload: &Workload) -> f64 {
    (1.0 - workload.absent) * workload.lookup_ns
}

/// Nanoseconds for each query without a filter.
fn without(workload: &Workload) -> Option<f64> {
    workload.false_positive_ns?;
    Some(missed(workload) + found(workload))
}

fn exact_set(workload: &Workload) -> ExactSet {
    let bytes = size::exact_set(workload);
    let times = cost::times(Structure::ExactSet, bytes, DEFAULT_FPR, workload);
    ExactSet { bytes, query_ns: times.map(|times| times.query) }
}

/// Puts an exact set, or no filter at all, first where that is the better answer.
fn instead(answer: &mut Answer, workload: &Workload) {
    let Some(best) = answer.filters().next() else {
        return;
    };
    let smallest = answer.filters().map(|choice| choice.bytes).min().unwrap_or(0);
    let set = answer.exact_set.bytes;
    let tells_more = workload.value_bits().is_some() || workload.counts();
    let saves_nothing = match (answer.without_ns, best.cost_ns) {
        (Some(without), Some(with)) => with >= without,
        _ => false,
    };
    let first = if workload.absent == 0.0 && !tells_more {
        nothing(workload, "Every query is for a key that is in: a filter would say yes to each.")
    } else if saves_nothing && !tells_more {
        nothing(workload, "A filter takes more time than the lookups that it saves.")
    } else if (set <= SMALL_SET_BYTES || set <= smallest) && size::exact_set_serves(workload) {
        small_set(answer, workload)
    } else {
        return;
    };
    answer.choices.insert(0, first);
}

fn nothing(workload: &Workload, reason: &str) -> Choice {
    Choice {
        structure: Structure::Nothing,
        bytes: 0,
        bits_per_key: 0.0,
        build_bytes: 0,
        fpr: 1.0,
        grown: None,
        insert_ns: Some(0.0),
        query_ns: Some(0.0),
        remove_ns: None,
        cost_ns: without(workload),
        reason: reason.into(),
    }
}

fn small_set(answer: &Answer, workload: &Workload) -> Choice {
    let bytes = answer.exact_set.bytes;
    let times = cost::times(Structure::ExactSet, bytes, DEFAULT_FPR, workload);
    Choice {
        structure: Structure::ExactSet,
        bytes,
        bits_per_key: bytes as f64 * 8.0 / workload.keys.planned() as f64,
        build_bytes: bytes,
        fpr: 0.0,
        grown: None,
        insert_ns: times.map(|times| times.insert),
        query_ns: times.map(|times| times.query),
        remove_ns: times.and_then(|times| times.remove),
        cost_ns: times.map(|times| cost(&times, 0.0, workload)),
        reason: "So few keys fit a cache as they are: the set never errs, and removes, lists and \
                 counts whatever you like."
            .into(),
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
