//! The exact formulas: they size the filters, predict their rates, and are what tests and reports
//! compare measurements with.
//!
//! `m` counters, `k` probes a key, `n` keys.

pub mod blocked;
pub mod classic;
