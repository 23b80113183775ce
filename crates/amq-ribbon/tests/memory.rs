//! What filters take of memory, and what they do without; see `amq_conformance::memory`.
//!
//! With the feature `parallel` other threads take part, whose allocations are not counted, and the thread pool's own cannot be refused.
#![cfg(not(feature = "parallel"))]

use amq_conformance::memory;
use amq_conformance::memory::Counting;
use amq_ribbon::{BumpedRibbonFilter, NarrowRibbonFilter, RibbonFilter, WideBumpedRibbonFilter};

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(standard: RibbonFilter => [build]);
memory!(narrow: NarrowRibbonFilter => [build]);
memory!(bumped: BumpedRibbonFilter => [build]);
memory!(wide: WideBumpedRibbonFilter => [build]);
