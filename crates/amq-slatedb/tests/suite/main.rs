//! Tests of the policy by itself and in the engine.

mod blocks;
mod builders;
mod cached;
mod crash;
mod engine;
mod memory;
mod policy;
mod prefixes;
#[path = "../../examples/measure/store.rs"]
mod store;
mod support;

#[global_allocator]
static ALLOCATOR: amq_conformance::memory::Counting = amq_conformance::memory::Counting;
