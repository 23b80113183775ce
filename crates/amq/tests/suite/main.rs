//! All integration tests of the crate, in one binary, so that shared code is compiled once.
// The atomic filters and the watched ones are everywhere in these tests, and need 64-bit atomics.
#![cfg(target_has_atomic = "64")]
// Helpers of tests may fail as tests do; the configuration allows it only in the test functions
// themselves.
#![allow(clippy::unwrap_used)]

use amq_conformance::memory::Counting;

mod abilities;
mod adversary;
mod any;
mod any_file;
mod hidden;
mod keyed;
mod kinds;
mod lists;
mod lying;
mod memory;
mod monitored;
mod owned;
mod parts;
mod parts_forged;
mod parts_plans;
mod prehashed;
mod prelude;
mod reading;
mod rolling;
mod saving;
mod sharded;
mod shared;
mod sizes;
#[cfg(feature = "rayon")]
mod threads;
mod truncating;

#[global_allocator]
static COUNTING: Counting = Counting;
