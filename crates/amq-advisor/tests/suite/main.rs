//! All tests of the crate that use it from outside, in one binary.

// Helpers of tests may fail as tests do; the configuration allows it only in the test functions
// themselves.
#![allow(clippy::unwrap_used)]

mod choose;
mod choose_laws;
mod code;
mod engines;
mod errors;
mod few_keys;
mod needs;
mod notes;
mod reasons;
mod records;
mod refused;
mod usage;
mod workloads;

#[global_allocator]
static ALLOCATOR: amq_conformance::memory::Counting = amq_conformance::memory::Counting;
