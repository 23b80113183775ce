//! Which filter to use: describe the workload, get a ranked answer.
#![doc = include_str!("../README.md")]
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
