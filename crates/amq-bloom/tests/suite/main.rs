//! All integration tests of the crate, in one binary, so that shared code is compiled once.

// Helpers of tests may fail as tests do; the configuration allows it only in the test functions
// themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod combining;
mod conformance;
mod files;
mod laws;
mod layouts;
mod many;
mod memory;
mod rates;
mod sizes;
