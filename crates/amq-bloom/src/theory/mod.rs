//! The exact formulas. They size the filters and predict their rates; tests and reports compare
//! measurements with them.
//!
//! `m` bits, `k` probes a key, `n` distinct keys.

pub mod blocked;
pub mod classic;
mod mixture;
mod sizing;
pub mod split;
pub mod wide;
