//! The faultless reference filters pass every law: what the suite rejects, it rejects for a reason.

use crate::reference::{self, Fault, Params};
use amq_conformance::{memory, suite};

memory!(memory_of_bloom: reference::Bloom<{ Fault::None as u8 }> => [empty, build, merge]);

suite!(
    bloom: reference::Bloom<{ Fault::None as u8 }> => [empty, build, merge],
    out_of_range [Params::OUT_OF_RANGE[0], Params::OUT_OF_RANGE[1]]
);
suite!(multiset: reference::Multiset<{ Fault::None as u8 }> => [empty, merge, remove, count]);

/// A static filter, such as a ribbon filter, gets only the laws that do not insert.
mod built_only {
    use super::*;
    suite!(static_bloom: reference::Bloom<{ Fault::None as u8 }> => [build]);
}
