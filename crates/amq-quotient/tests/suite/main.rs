//! All integration tests of the crate, in one binary, so that shared code is compiled once.

// Test helpers may panic, too; the configuration allows it only in the test functions themselves.
#![allow(clippy::unwrap_used)]

mod conformance;
mod errors;
mod expandable;
mod expandable_files;
mod expandable_rates;
mod files;
mod laws;
mod memory;
mod resizing;
mod truncating;
