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
//! If a false positive has a cost, choices are ranked by the expected nanoseconds for each query:
//! the query itself, the false positives and true lookups that it lets through, and its share of
//! inserts (and removals, where they are needed). If not, they are ranked by bytes where a rate was
//! asked for, and by rate where a size was. Differences of less than 3 % are ties, which the other
//! measure decides: bytes after time, and time after bytes or rate.
//!
//! A filter that grows without a bound is ranked by its mean bits per key over ten doublings, in
//! which every number of keys weighs as much as its double ([`Growth`]), not by those of its first
//! table: each time that it has just grown, it takes twice or three times as many.
//!
//! An exact set comes first where the keys are so few that it fits 16 KiB, or where it is no larger
//! than the smallest filter. No filter at all comes first where every query is for a key that is
//! in, or where the costs say that a filter takes more time than it saves.
//!
//! # Where the numbers come from
//!
//! Bytes, build memory and rates are the variants' own plans. Times are interpolated between
//! figures measured on one machine ([`times_source`]): read them as ratios, not as promises.
//!
//! [`engines`] says what to set in other people's engines.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod ability;
mod answer;
mod conflict;
mod consider;
mod cost;
mod demand;
pub mod engines;
mod growth;
mod invalid;
mod numbers;
mod plan;
mod rank;
mod reason;
mod show;
mod size;
mod structure;
mod workload;

pub use answer::{Answer, Choice, ExactSet, Rejection};
pub use conflict::{ChooseError, Conflict};
pub use demand::Demand;
pub use growth::Growth;
pub use invalid::Invalid;
pub use rank::SMALL_SET_BYTES;
pub use structure::Structure;
pub use workload::{DEFAULT_FPR, Keys, KeysBy, Need, Workload};

use alloc::boxed::Box;

/// The record that the times come from.
#[must_use]
pub const fn times_source() -> &'static str {
    cost::source()
}

/// What to use for a workload.
pub fn choose(workload: &Workload) -> Result<Answer, ChooseError> {
    workload.check()?;
    let answer = rank::ranked(workload);
    if answer.choices.is_empty() {
        return Err(ChooseError::Conflict(Box::new(conflict::conflict(workload))));
    }
    Ok(answer)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
