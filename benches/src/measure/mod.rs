//! Which cells there are; each verified, then timed, then recorded.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`suite`] | the cells of each suite, and how thoroughly each is measured |
//! | [`verify`], [`interval`] | checks before anything is timed: a wrong answer is never a number |
//! | [`clock`], [`estimate`] | paired passes, and from them one number with its interval |
//! | [`heat`], [`race`] | contenders over the same keys; their rounds beside the reference's |
//! | [`courses`] | filters through many states |
//! | [`construction`] | how often a ribbon system can be solved |
//! | [`instructions`] | how many instructions an operation takes |
//! | [`theory`], [`twins`], [`fit`] | curves; the noise; the facade's cost table |
//! | [`claims`] | what introductions repeat, settled |
//! | [`run`](mod@run) | a run through all of it |

#[cfg(test)]
mod broken;
pub mod choices;
pub mod claims;
pub mod clock;
pub mod construction;
pub mod courses;
pub mod estimate;
pub mod fit;
pub mod heat;
pub mod instructions;
pub mod interval;
pub mod race;
pub mod run;
pub mod suite;
pub mod theory;
pub mod twins;
pub mod verify;

pub use run::{Found, Plan, Request, run, verify_only};
