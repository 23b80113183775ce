//! Times verified contenders, in rounds spread over the run.
//!
//! | part | what it is |
//! | --- | --- |
//! | `plan`, `run` | a request, looked up; a run through all of it |
//! | [`cell_group`] | the contenders that are asked for the same over the same keys |
//! | [`schedule`], `heap` | the order in which they take turns |
//! | [`cell_run`] | a turn: a filter is built, asked, emptied by half |
//! | [`scenario_run`], `runner` | a turn through a scenario |
//! | [`estimate`], [`noise`] | from all passes one number, with its interval; what is noise |
#![allow(unreachable_pub, reason = "what is public here is so for the harness alone")]

pub mod cell_group;
pub mod cell_run;
pub mod estimate;
mod heap;
pub mod noise;
mod plan;
mod run;
mod runner;
pub mod scenario_run;
pub mod schedule;
#[cfg(test)]
mod tests;

pub(crate) use plan::Plan;
pub(crate) use run::{run, verify_only};
