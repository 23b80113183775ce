//! All tests of the crate that use it from outside, in one binary: what they share is compiled
//! once.

use amq_conformance::memory::Counting;

mod faithful;
mod pointers;
mod reference;
mod teeth;

#[global_allocator]
static COUNTING: Counting = Counting;
