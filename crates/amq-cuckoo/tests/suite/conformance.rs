//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_cuckoo::{CuckooFilter, CuckooParams, WindowedCuckooFilter};

suite!(
    cuckoo: CuckooFilter => [empty, build, merge, remove, count, file],
    out_of_range [
        CuckooParams::new(0, 8),
        CuckooParams::new(7, 8),
        CuckooParams::new(u64::MAX, 8),
        CuckooParams::new(8, 33),
    ]
);
suite!(
    windowed: WindowedCuckooFilter => [empty, build, merge, remove, count, file],
    out_of_range [
        CuckooParams::new(0, 8),
        CuckooParams::new(7, 8),
        CuckooParams::new(u64::MAX, 8),
        CuckooParams::new(8, 33),
    ]
);
