//! Courses take filters through many states, checked in each and timed from one to the next.
//!
//! A [`Course`] says who takes part and writes a [`Script`] of what is done to each contender. How
//! it is walked through (`lane`, `runner`) is the same for all. So a new course is a file here and
//! its line in [`ALL`]. All use random integers, at one rate.

pub mod churn;
mod course;
pub mod fill;
mod lane;
pub mod load;
pub mod merge;
mod runner;
mod script;
pub mod threads;

pub use course::{Course, RATE, Track};
pub use lane::Lane;

/// In the order in which they are run and listed.
pub const ALL: [Course; 7] = [
    fill::GROW,
    fill::OVERFILL,
    load::LOAD,
    churn::CHURN,
    merge::MERGE,
    threads::INSERT,
    threads::QUERY,
];

/// Those that tell something on so many cores: one has no threads to compare.
pub fn on(cores: usize) -> impl Iterator<Item = Course> {
    ALL.into_iter().filter(move |course| cores > 1 || !course.name.starts_with("threads"))
}
