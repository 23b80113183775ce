//! The exact formulas. They size the filters and predict their rates, and tests and reports compare
//! measurements with them.
//!
//! `m` counters, `k` probes a key, `n` keys.

pub mod blocked;
pub mod classic;
