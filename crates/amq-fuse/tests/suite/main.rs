//! All integration tests of the crate, in one binary, so that shared code is compiled once.

// Test helpers may panic, too; the configuration allows it only in the test functions themselves.
#![allow(clippy::unwrap_used)]

mod conformance;
mod every_number;
mod files;
mod laws;
mod memory;
mod truncating;
