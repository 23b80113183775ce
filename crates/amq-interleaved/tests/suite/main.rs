//! All integration tests of the crate, in one binary, so that shared code is compiled once.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too")]

mod as_filter;
mod conformance;
mod files;
mod laws;
mod memory;
#[cfg(feature = "rayon")]
mod threads;
