//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_counting::{
    BlockedCountingBloomFilter, BlockedCountingParams, CountingBloomFilter, CountingParams,
};

suite!(
    counting: CountingBloomFilter => [empty, build, merge, remove, count, file],
    out_of_range [
        CountingParams::new(0, 7),
        CountingParams::new(640, 0),
        CountingParams::new(640, 65),
        CountingParams::new(u64::MAX, u32::MAX),
    ]
);
suite!(
    blocked: BlockedCountingBloomFilter => [empty, build, merge, remove, count, file],
    out_of_range [BlockedCountingParams::new(0), BlockedCountingParams::new(u64::MAX)]
);
