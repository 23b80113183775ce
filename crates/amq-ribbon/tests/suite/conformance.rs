//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_ribbon::RibbonFilter;

suite!(ribbon: RibbonFilter => [build, file, truncate]);
