//! The exact formulas, which size the filters and predict their rates; tests and reports compare
//! measurements with them.
//!
//! Notation: `m` counters, `k` probes per key, `n` keys.

pub mod blocked;
pub mod classic;
