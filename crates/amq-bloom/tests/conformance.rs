//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_bloom::{AtomicBloomFilter, BlockedBloomFilter, BloomFilter};
use amq_conformance::suite;

suite!(bloom: BloomFilter => [empty, build, merge]);
suite!(blocked: BlockedBloomFilter => [empty, build, merge]);
suite!(atomic: AtomicBloomFilter => [empty, build, merge]);
