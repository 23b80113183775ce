//! All tests of the crate that use it from outside, in one binary: what they share is compiled
//! once.

// Test helpers may panic, too; the configuration allows it only in the test functions themselves.
#![allow(clippy::unwrap_used)]

mod conformance;
mod every_number;
mod files;
mod laws;
mod memory;
mod truncating;
