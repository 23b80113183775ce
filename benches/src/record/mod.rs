//! The record of a run: the wall between measuring and drawing.
//!
//! `<records>/<machine>/<date>/` holds counts, not rates; names include units.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `machine.toml` | the [`Machine`] |
//! | `run.toml` | the [`Run`]: options, code, key sets, contenders, noise |
//! | `<contender>.csv` | a [`Row`] a cell; a file each, so that one can be measured again alone |
//! | `theory.csv` | a [`Point`] of a contender's curve a line |
#![allow(unreachable_pub, reason = "what is public here is so for the harness alone")]

mod facts;
mod machine;
mod program;
mod row;
mod run;
mod store;
mod tables;
mod workload;

pub use facts::{Ability, Family, Info, KeySetFacts, Role, SET_KEYS};
pub use machine::Machine;
pub use program::{OWN_REPORTS, repeating, root, today};
pub use row::{Cell, Row, State};
pub use run::{Noise, Options, Run, SCHEMA, Suite};
pub use store::{Records, write_atomically};
pub use tables::Point;
pub use workload::Workload;

#[cfg(test)]
mod tests;
