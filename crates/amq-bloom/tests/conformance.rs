//! The laws that every filter of the family keeps; see `amq-conformance`.

#[cfg(target_has_atomic = "64")]
use amq_bloom::AtomicBloomFilter;
use amq_bloom::{BlockedBloomFilter, BloomFilter};
use amq_conformance::suite;

suite!(bloom: BloomFilter => [empty, build, merge]);
suite!(blocked: BlockedBloomFilter => [empty, build, merge]);
#[cfg(target_has_atomic = "64")]
suite!(atomic: AtomicBloomFilter => [empty, build, merge]);
