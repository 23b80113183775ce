//! All integration tests of the crate, in one binary, so that shared code is compiled once.

use amq_conformance::memory::Counting;

mod faithful;
mod pointers;
mod reference;
mod teeth;

#[global_allocator]
static COUNTING: Counting = Counting;
