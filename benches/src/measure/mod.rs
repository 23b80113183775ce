//! Which cells there are; each verified, then timed, then recorded.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`suite`] | the cells of each suite, and how thoroughly each is measured |
//! | [`verify`], [`interval`] | checks before anything is timed: a wrong answer is never a number |
//! | [`field`], [`heat`] | the keys; the contenders that are asked for the same over them |
//! | [`turn`], [`race`] | what is timed of a contender; in rounds, spread over the run |
//! | [`clock`], `heap`, [`estimate`] | passes, and from them one number with its interval |
//! | [`courses`] | filters through many states |
//! | [`construction`] | how often a ribbon system can be solved |
//! | [`instructions`] | how many instructions an operation takes |
//! | [`theory`], [`twins`], [`fit`] | curves; the noise; the facade's cost table |
//! | [`choices`], [`claims`] | the advisor's answers; what introductions repeat, settled |
//! | `plan`, `run` | a request, looked up; a run through all of it |
#![allow(unreachable_pub, reason = "what is public here is so for the harness alone")]

#[cfg(test)]
mod broken;
pub mod choices;
pub mod claims;
pub mod clock;
pub mod construction;
pub mod courses;
pub mod estimate;
pub mod field;
pub mod fit;
mod heap;
pub mod heat;
pub mod instructions;
pub mod interval;
mod plan;
pub mod race;
mod run;
pub mod suite;
pub mod theory;
pub mod turn;
pub mod twins;
pub mod verify;

pub(crate) use plan::Plan;
pub(crate) use run::{Found, run, verify_only};
