//! Which filter to use: describe the workload, get a ranked answer.
#![doc = include_str!("../README.md")]
//!
//! ## Ranking
//!
//! 1. **Memory first**: the fewest bits at the rate, or the lowest rate in the size.
//! 2. **Time first**, if a false positive has a cost or `with_first(First::Time)` is set: the
//!    shortest expected time per query within the allowed size. It includes the query, its share of
//!    inserts and removals, and the false positives. Without a limit, the size may be
//!    [`TIME_MAY_TAKE`] times the smallest. It is doubled as long as false positives make up most
//!    of the cost and doubling halves it. Given a size but neither rate nor cost, filters whose
//!    rate exceeds [`USEFUL_FPR`] are last.
//! 3. **`First::Tail`** ranks by the tail of inserts.
//!
//! Sizes within 3 % tie, and so do times within 5 %; the other measure then decides. Filters that
//! still tie within 10 % are in the order of [`FilterKind::ALL`](amq::FilterKind::ALL), simpler
//! kinds first. Filters that grow without a bound are ranked by their mean bits per key over ten
//! doublings.
//!
//! Something else is first if it is better:
//!
//! - **the keys themselves**, if a set of them fits [`SMALL_SET_BYTES`], is no larger than the
//!   smallest filter, or fits a size given without a rate. [`Answer::exact`] lists the exact
//!   structures: a hash table, a bitmap, a sorted list. One within 1.6 times the first filter is
//!   listed right after it;
//! - **a count-min sketch**, if keys have more copies than our counters hold;
//! - **a ribbon map beside an exact map** of the changes, if few values change;
//! - **no filter**, if every queried key is present, if a filter saves no time, or if it would
//!   accept nearly every key.
//!
//! Needs that no filter of this family meets are refused, with an alternative and its size. Other
//! crates' filters are not ranked: the report compares them.
//!
//! [`Choice::code`] is the Rust code of a choice. An answer prints as a table of at most five
//! choices, one of them the fastest, and at most 100 words of notes. [`Answer`] has all choices and
//! notes. A limit in bytes is for all filters together; the answer has the bytes of one. Times are
//! for one thread on the machine of the table ([`Times`]), marked if extrapolated: use them as
//! ratios.
#![forbid(unsafe_code)]

mod abilities;
mod alternatives;
mod answer;
mod code;
mod cost;
mod demand;
mod display;
pub mod engines;
mod error;
mod exact;
mod growth;
mod levels;
mod need;
mod notes;
mod numbers;
mod rank;
mod reason;
mod size;
mod structure;
mod times;
mod tolerances;
mod unsupported;
mod workload;

pub use answer::{Answer, Choice, Rejection};
pub use demand::Demand;
pub use error::{ChooseError, Conflict};
pub use growth::Growth;
pub use levels::{Level, levels};
pub use need::{Need, NeedError};
pub use structure::Structure;
pub use times::Times;
pub use tolerances::{SMALL_SET_BYTES, TIME_MAY_TAKE, USEFUL_FPR};
pub use unsupported::Instead;
pub use workload::{DEFAULT_FPR, First, Keys, KeysBy, Workload};

/// The answer to a workload, with the times of this repository's records.
pub fn choose(workload: &Workload) -> Result<Answer, ChooseError> {
    workload.check()?;
    let unsupported = unsupported::needs(workload);
    if !unsupported.is_empty() {
        return Err(ChooseError::Unsupported(unsupported));
    }
    let answer = rank::ranked(workload);
    if answer.choices.is_empty() {
        return Err(ChooseError::Conflict(Box::new(demand::conflict(workload))));
    }
    Ok(answer)
}
