//! The faultless reference filters pass every law: what the suite rejects, it rejects for a reason.

use crate::reference::{self, Params};
use amq_conformance::{Fill, at_once, memory, suite, truncate};

memory!(memory_of_bloom: reference::Bloom => [empty, build, merge]);

suite!(
    bloom: reference::Bloom => [empty, build, merge],
    out_of_range [Params::OUT_OF_RANGE[0], Params::OUT_OF_RANGE[1]]
);
suite!(multiset: reference::Multiset => [empty, merge, remove, count]);

#[test]
fn fingerprints_are_truncated() {
    for law in [
        truncate::a_truncated_filter_errs_as_often_as_predicted,
        truncate::truncating_twice_is_truncating_once,
        truncate::a_budget_that_a_filter_lacks_is_refused_by_name,
        truncate::a_file_read_within_a_budget_is_the_truncated_filter,
        truncate::a_damaged_file_is_refused_within_a_budget,
        truncate::a_budget_without_memory_is_an_error,
    ] as [fn(Fill<reference::Fingerprints>); 6]
    {
        law(at_once);
    }
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
