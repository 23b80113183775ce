//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_cuckoo::{CuckooFilter, WindowedCuckooFilter};

suite!(cuckoo: CuckooFilter => [empty, build, merge, remove, count, file]);
suite!(windowed: WindowedCuckooFilter => [empty, build, merge, remove, count, file]);
