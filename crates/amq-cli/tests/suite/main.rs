//! All integration tests of the crate, in one binary, so that shared code is compiled once.

// Helpers of tests may fail as tests do; the configuration allows it only in the test functions
// themselves.
#![allow(clippy::unwrap_used)]

mod bins;
mod build;
mod change;
mod choose;
mod copies;
mod defects;
mod encodings;
mod engines;
mod exact;
mod examples;
mod fields;
mod keys;
mod look;
mod many;
mod output;
mod room;
mod rules;
mod schema;
mod secrets;
mod several;
mod strangers;
mod together;
mod workloads;
