//! The exact formulas, which size the filters and predict their rates; tests and reports compare
//! measurements with them.
//!
//! Notation: `m` bits, `k` probes per key, `n` distinct keys.

pub mod blocked;
pub mod classic;
mod mixture;
mod sizing;
pub mod split;
pub mod wide;
