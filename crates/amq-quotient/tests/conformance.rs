//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_quotient::QuotientFilter;

suite!(quotient: QuotientFilter => [empty, build, merge, remove, count, file]);
