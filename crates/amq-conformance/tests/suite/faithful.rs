//! The faultless reference filters pass every law: what the suite rejects, it rejects for a reason.

use crate::reference::{self, Params};
use amq_conformance::{at_once, memory, suite, truncate};

memory!(memory_of_bloom: reference::Bloom => [empty, build, merge]);

suite!(
    bloom: reference::Bloom => [empty, build, merge],
    out_of_range [Params::OUT_OF_RANGE[0], Params::OUT_OF_RANGE[1]]
);
suite!(multiset: reference::Multiset => [empty, merge, remove, count]);

#[test]
fn fingerprints_are_truncated() {
    truncate::a_truncated_filter_errs_as_often_as_predicted::<reference::Fingerprints>(at_once);
    truncate::truncating_twice_is_truncating_once::<reference::Fingerprints>(at_once);
}

/// A static filter, such as a ribbon filter, gets only the laws that do not insert. What stands
/// beside the suite has the names of the suite's own modules and items, which a third party's may
/// have, too.
mod built_only {
    use super::*;

    mod build {
        pub(super) use super::super::reference::*;
    }
    mod plan {
        pub(super) use super::build::Bloom;
    }
    #[allow(dead_code, reason = "only their names matter")]
    mod rate {}
    #[allow(dead_code, reason = "only their names matter")]
    type Subject = ();
    #[allow(dead_code, reason = "only their names matter")]
    const fn golden() {}

    suite!(static_bloom: plan::Bloom => [build]);
}
