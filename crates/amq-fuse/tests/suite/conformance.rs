//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_fuse::FuseFilter;

suite!(fuse: FuseFilter => [build, file, truncate]);
