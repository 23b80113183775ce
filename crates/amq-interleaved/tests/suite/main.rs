//! All tests of the crate that use it from outside, in one binary: what they share is compiled
//! once.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too")]

mod as_filter;
mod conformance;
mod files;
mod laws;
mod memory;
#[cfg(feature = "rayon")]
mod threads;
