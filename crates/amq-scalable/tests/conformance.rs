//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_scalable::{ScalableBlockedBloomFilter, ScalableBloomFilter};

suite!(scalable: ScalableBloomFilter => [empty, merge, file]);
suite!(scalable_blocked: ScalableBlockedBloomFilter => [empty, merge, file]);
