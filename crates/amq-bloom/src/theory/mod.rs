//! The exact formulas: they size the filters, predict their rates, and are what tests and reports
//! compare measurements with.
//!
//! `m` bits, `k` probes a key, `n` distinct keys.

pub mod blocked;
pub mod classic;
pub(crate) mod sizing;
pub mod split;
