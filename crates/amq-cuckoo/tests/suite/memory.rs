//! Memory of filters, and errors without it; see `amq_conformance::memory`.

use amq_conformance::memory;
use amq_conformance::memory::Counting;
use amq_cuckoo::{CuckooFilter, WindowedCuckooFilter};

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(cuckoo: CuckooFilter => [empty, build, merge, file]);
memory!(windowed: WindowedCuckooFilter => [empty, build, merge, file]);
