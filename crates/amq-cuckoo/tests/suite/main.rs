//! All integration tests of the crate, in one binary, so that shared code is compiled once.

// Helpers of tests may fail as tests do; the configuration allows it only in the test functions
// themselves.
#![allow(clippy::unwrap_used)]

mod conformance;
mod files;
mod laws;
mod memory;
