//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_counting::{BlockedCountingBloomFilter, CountingBloomFilter};

suite!(counting: CountingBloomFilter => [empty, build, merge, remove, count, file]);
suite!(blocked: BlockedCountingBloomFilter => [empty, build, merge, remove, count, file]);
