//! Which cells there are; each verified, then timed, then recorded.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`suite`] | the cells of each suite, and how thoroughly each is measured |
//! | [`verify`], [`interval`] | checks on all processors before anything is timed |
//! | [`field`], [`heat`] | the keys; the contenders that are asked for the same over them |
//! | [`turn`] | what is done to a filter in a heat: built, asked, emptied by half |
//! | [`courses`] | what is done to it along a course, through many states |
//! | [`race`], `heap` | both timed in rounds that sweep the run |
//! | [`estimate`] | from all passes one number, with its interval |
//! | [`twins`] | the noise |
//! | `plan`, `run` | a request, looked up; a run through all of it |
#![allow(unreachable_pub, reason = "what is public here is so for the harness alone")]

pub mod courses;
pub mod estimate;
pub mod field;
mod heap;
pub mod heat;
pub mod interval;
mod plan;
pub mod race;
mod run;
pub mod suite;
#[cfg(test)]
mod tests;
pub mod turn;
pub mod twins;
pub mod verify;

pub(crate) use plan::Plan;
pub(crate) use run::{run, verify_only};
