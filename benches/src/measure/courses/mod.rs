//! Courses take filters through many states, checked in each and timed from one to the next.
//!
//! A course says who takes part and what is done to a filter: a [`Track`] writes a [`Script`] for
//! each contender. How it is walked through (`lane`, `runner`) is the same for all. So a new course
//! is a file here, a line in [`Suite::courses`] and a file that draws it. All use random integers,
//! at one rate.
//!
//! [`Suite::courses`]: crate::record::Suite::courses

pub mod churn;
pub mod fill;
mod lane;
pub mod load;
pub mod merge;
mod runner;
mod script;

pub use lane::Lane;
pub use script::{Act, Check, Leg, Script};

pub use super::field::Ground;
use super::verify::{Failure, build};
use crate::contenders::{Contender, Order, Planned};
use crate::keys::Keys;
use crate::record::Workload;
use amq_core::Budget;

pub const RATE: f64 = 0.01;
/// A table of a power of two has this load when it holds all planned keys, so that tables with and
/// without power-of-two sizes are compared at the same load.
const FULL: f64 = 0.95;

#[derive(Clone, Copy, Debug)]
pub struct Track {
    pub workload: Workload,
    pub planned: usize,
    /// The keys that it needs; a contender limited to fewer takes no part.
    pub keys: usize,
    /// Writes the script for a filter with this many slots, if it has any.
    pub script: for<'a> fn(&Self, Ground<'a>, Option<u64>) -> Result<Script<'a>, Failure>,
}

impl Track {
    /// Whether a contender that is asked for this takes part.
    pub fn takes(&self, contender: &Contender, budget: Option<Budget>) -> bool {
        // A failure while probing is left for the course to report.
        let has_slots = || !matches!(slots(contender, budget, 1), Ok(None));
        contender.info.goes(self.workload) && (self.workload != Workload::LoadInsert || has_slots())
    }
}

impl Ground<'_> {
    /// Fails if a table of these slots needs more keys.
    fn suffices(&self, needed: usize, slots: u64) -> Result<(), Failure> {
        let keys = self.present.len();
        Failure::unless(needed <= keys, || {
            format!("has {slots} slots, too many for the {keys} keys of this course")
        })
    }
}

/// The slots of an empty filter for `room` keys.
fn slots(
    contender: &Contender,
    budget: Option<Budget>,
    room: usize,
) -> Result<Option<u64>, Failure> {
    let order = Order { planned: Planned::Room(room), budget, seed: 0 };
    Ok(build(contender, Keys::U64(&[]), &order)?.slots())
}
