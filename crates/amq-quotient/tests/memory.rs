//! What filters take of memory, and what they do without; see `amq_conformance::memory`.

use amq_conformance::memory;
use amq_conformance::memory::Counting;
use amq_quotient::QuotientFilter;

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(quotient: QuotientFilter => [empty, build, merge]);
