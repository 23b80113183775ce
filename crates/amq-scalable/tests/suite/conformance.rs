//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_scalable::{ScalableBlockedBloomFilter, ScalableBloomFilter, ScalableParams};

suite!(
    scalable: ScalableBloomFilter => [empty, merge, file, grow],
    out_of_range [
        ScalableParams::new(10, 0.0),
        ScalableParams::new(10, 1.5),
        ScalableParams::new(10, 0.01).with_growth(1),
        ScalableParams::new(10, 0.01).with_tightening(1.0),
        ScalableParams::new(10, 0.01).with_max_stages(0),
        ScalableParams::new(10, 0.01).with_max_keys(9),
    ]
);
suite!(
    scalable_blocked: ScalableBlockedBloomFilter => [empty, merge, file, grow],
    out_of_range [
        ScalableParams::new(10, 0.0),
        ScalableParams::new(10, 1.5),
        ScalableParams::new(10, 0.01).with_growth(1),
        ScalableParams::new(10, 0.01).with_tightening(1.0),
        ScalableParams::new(10, 0.01).with_max_stages(0),
        ScalableParams::new(10, 0.01).with_max_keys(9),
    ]
);
