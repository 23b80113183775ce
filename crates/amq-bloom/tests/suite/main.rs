//! All tests of the crate that use it from outside, in one binary: what they share is compiled
//! once.

mod conformance;
mod files;
mod laws;
mod many;
mod memory;
