//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_quotient::{QuotientFilter, QuotientParams};

suite!(
    quotient: QuotientFilter => [empty, build, merge, remove, count, file],
    out_of_range [
        QuotientParams::new(0, 8),
        QuotientParams::new(u64::MAX, 8),
        QuotientParams::new(64, 100),
    ]
);
