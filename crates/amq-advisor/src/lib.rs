//! Which filter to use: describe the workload, get a ranked answer.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod ability;
mod answer;
mod beyond;
mod by;
mod check;
mod compared;
mod conflict;
mod consider;
mod demand;
pub mod engines;
mod exact;
mod growth;
mod how;
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
