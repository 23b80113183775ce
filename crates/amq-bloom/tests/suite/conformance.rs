//! The laws that every filter of the family keeps; see `amq-conformance`.

#[cfg(target_has_atomic = "64")]
use amq_bloom::{AtomicBlockedBloomFilter, AtomicBloomFilter};
use amq_bloom::{
    BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams, MAX_BLOCKS,
    WideBlockedBloomFilter, WideBlockedParams,
};
use amq_conformance::suite;

const OUT_OF_RANGE: [BloomParams; 4] = [
    BloomParams::new(0, 7),
    BloomParams::new(640, 0),
    BloomParams::new(640, 65),
    BloomParams::new(u64::MAX, u32::MAX),
];

suite!(
    bloom: BloomFilter => [empty, build, merge, file],
    out_of_range OUT_OF_RANGE
);
suite!(
    blocked: BlockedBloomFilter => [empty, build, merge, file],
    out_of_range [BlockedParams::new(0), BlockedParams::new(MAX_BLOCKS + 1)]
);
suite!(
    wide_blocked: WideBlockedBloomFilter => [empty, build, merge, file],
    out_of_range [
        WideBlockedParams::new(0, 8),
        WideBlockedParams::new(MAX_BLOCKS + 1, 8),
        WideBlockedParams::new(1, 0),
        WideBlockedParams::new(1, 17),
        WideBlockedParams::new(1, u32::MAX),
    ]
);
#[cfg(target_has_atomic = "64")]
suite!(
    atomic: AtomicBloomFilter => [empty, build, merge],
    out_of_range OUT_OF_RANGE
);
#[cfg(target_has_atomic = "64")]
suite!(
    atomic_blocked: AtomicBlockedBloomFilter => [empty, build, merge],
    out_of_range [BlockedParams::new(0), BlockedParams::new(MAX_BLOCKS + 1)]
);
