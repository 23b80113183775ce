//! Which filter to use: describe the workload, get a ranked answer.
//!
//! A [`Workload`] says what is wanted; [`choose`] tries every variant this program was built with,
//! plans each by its own exact formulas, and returns an [`Answer`]: the [`Choice`]s, best first,
//! with bytes, rate, times and a reason in a sentence; a [`Rejection`] for each variant that does
//! not qualify; and what else to know. If nothing is left, the error names two demands that
//! conflict.
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
//!     .with_bits_per_key(10.0)
//!     .built_once()
//!     .need(Need::Files)
//!     .with_absent(0.9)
//!     .with_false_positive_ns(20_000.0)
//!     .with_queries_per_key(10.0);
//! let answer = choose(&file)?;
//! assert_eq!(answer.best().structure, Structure::Filter(FilterKind::BumpedRibbon));
//! println!("{answer}");
//!
//! // What does not go together is named.
//! let error = choose(&file.with_fpr(0.01).with_bits_per_key(2.0)).unwrap_err().to_string();
//! assert!(error.contains("a false-positive rate of 1 % and at most 2 bits per key"));
//! # Ok(())
//! # }
//! ```
//!
//! # How it ranks
//!
//! One rule, the same in library, command and page:
//!
//! 1. If memory comes first, by bits per key at the rate; in a size without a rate, by rate.
//! 2. If time comes first ([`First`]; naming the cost of a false positive says so), by the expected
//!    nanoseconds for each query: the query itself, its share of inserts (and removals, where they
//!    are needed), and the false positives and true lookups that it lets through. Each kind has the
//!    parameters that cost least within the size allowed, and if none is, within
//!    [`TIME_MAY_TAKE`] times the bits of the smallest that keeps the rate, and so many times that
//!    again as long as errors are most of what the best costs. In a size without a rate and without
//!    that cost, what errs on more than [`USEFUL_FPR`] of absent keys comes last. The tail of
//!    inserts can take the place of the time.
//! 3. If a bit has a price ([`Workload::with_bit_ns`]), by the sum of time and memory.
//!
//! What differs by less than 3 % is a tie, which the other measure decides: bits after time, and
//! time after bits or rate. What differs by less than 10 % there comes in the order of
//! [`FilterKind::ALL`](amq::FilterKind::ALL), the simpler first. [`Answer::front`] has what no
//! other choice beats in both, from the smallest to the quickest.
//!
//! A filter that grows without a bound is ranked by its mean bits per key over ten doublings, in
//! which every number of keys weighs as much as its double ([`Growth`]), not by those of its first
//! table: each time that it has just grown, it takes twice or three times as many.
//!
//! The keys themselves come first where they are so few that a set of them fits
//! [`SMALL_SET_BYTES`]; where they take no more than the smallest filter, as a set or, if they are
//! integers, as a bitmap or a sorted list; where they fit a size that no rate was named for; and,
//! where time comes first, if the filter that errs as seldom as its errors' cost calls for takes
//! about as much. A count-min sketch comes first where keys have more copies than this family's
//! counters hold, and their slots would take more. No filter at all comes first where every query
//! is for a key that is in, or where the costs say that a filter takes more time than it saves.
//! What no filter of this family does is refused with what does, and its bytes ([`Unserved`]).
//! Filters of other crates take no part: the advisor plans by exact formulas, which it has for this
//! family alone; the report compares with them.
//!
//! # Where the numbers come from
//!
//! Bytes, build memory and rates are the variants' own plans. Times are interpolated in a table
//! that the harness measured ([`Times`]): that of this repository, or one of your own machine for
//! [`choose_by`]. Take them for ratios, not for promises; those beyond the table are marked
//! ([`Choice::reckoned`]).
//!
//! [`engines`] says what to set in other people's engines.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod ability;
mod answer;
mod beyond;
mod by;
mod compared;
mod conflict;
mod consider;
mod demand;
pub mod engines;
mod exact;
mod growth;
mod instead;
mod invalid;
mod needs;
mod notes;
mod numbers;
mod plan;
mod rank;
mod reason;
mod show;
mod size;
mod structure;
mod times;
mod unserved;
mod workload;

pub use answer::{Answer, Choice, Rejection};
pub use beyond::Beyond;
pub use by::{TIME_MAY_TAKE, USEFUL_FPR};
pub use conflict::{ChooseError, Conflict};
pub use demand::Demand;
pub use growth::Growth;
pub use instead::SMALL_SET_BYTES;
pub use invalid::{Contradiction, Invalid};
pub use needs::NeedError;
pub use structure::Structure;
pub use times::{Times, TimesError};
pub use unserved::{Instead, Unserved};
pub use workload::{DEFAULT_FPR, First, Keys, KeysBy, Need, Workload};

use alloc::boxed::Box;

/// What to take for a workload, by the times of this repository's records.
pub fn choose(workload: &Workload) -> Result<Answer, ChooseError> {
    choose_by(workload, &Times::committed())
}

/// What to take for a workload, by the times of a machine of your own.
pub fn choose_by(workload: &Workload, times: &Times) -> Result<Answer, ChooseError> {
    workload.check()?;
    if let Some(unserved) = unserved::unserved(workload) {
        return Err(unserved.into());
    }
    let answer = rank::ranked(workload, times);
    if answer.choices.is_empty() {
        return Err(ChooseError::Conflict(Box::new(conflict::conflict(workload, times))));
    }
    Ok(answer)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
