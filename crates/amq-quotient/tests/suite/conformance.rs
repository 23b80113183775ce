//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_quotient::{ExpandableParams, ExpandableQuotientFilter, QuotientFilter, QuotientParams};

suite!(
    quotient: QuotientFilter => [empty, build, merge, remove, count, file, truncate],
    out_of_range [
        QuotientParams::new(0, 8),
        QuotientParams::new(u64::MAX, 8),
        QuotientParams::new(64, 100),
    ]
);
suite!(
    expandable: ExpandableQuotientFilter => [empty, build, remove, count, file, grow],
    out_of_range [
        ExpandableParams::new(0, 8),
        ExpandableParams::new(64, 0),
        ExpandableParams::new(64, 54),
        ExpandableParams::new(u64::MAX, 8),
        ExpandableParams::new(64, 11).with_max_doublings(43),
    ]
);
