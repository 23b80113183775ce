//! Memory of filters, and errors without it; see `amq_conformance::memory`.

use amq_conformance::memory;
use amq_conformance::memory::Counting;
use amq_counting::{BlockedCountingBloomFilter, CountingBloomFilter};

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(counting: CountingBloomFilter => [empty, build, merge, file]);
memory!(blocked: BlockedCountingBloomFilter => [empty, build, merge, file]);
