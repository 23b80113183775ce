//! Memory of filters, and errors without it; see `amq_conformance::memory`.

use amq_conformance::memory;
use amq_conformance::memory::Counting;
use amq_scalable::{ScalableBlockedBloomFilter, ScalableBloomFilter};

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(scalable: ScalableBloomFilter => [empty, merge, file]);
memory!(scalable_blocked: ScalableBlockedBloomFilter => [empty, merge, file]);
