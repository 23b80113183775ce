//! Laws of memory: the planned memory is enough, and a refused allocation is an error.
//!
//! They need [`Counting`] as the test binary's global allocator.
//!
//! ```ignore
//! amq_conformance::memory!(bloom: BloomFilter => [empty, build, merge]);
//! ```

mod counting;
mod files;

pub use counting::{Counting, every_refused_allocation_is_an_error, peak_of, peak_of_all_threads};
pub(crate) use counting::{counted, counts};
pub use files::*;

use crate::fail::OrFail;
use crate::fill::{all_found, by_inserting, present, present_hashes};
use amq_core::{Budget, BuildError, BuildFilter, EmptyFilter, Goal, MergeFilter, PlanFilter};
use counting::is_out_of_memory;
use std::cell::RefCell;

/// Numbers of keys; the last takes several layers, shards or runs, where a filter has them.
const KEYS: [u64; 4] = [1, 100, 2000, 40_000];

/// Planning allocates nothing.
pub fn a_plan_allocates_nothing<F: PlanFilter>() {
    for keys in [0, 1, 2, 3, 10, 100, 5000, 1_000_000, 1 << 40] {
        let rates = [0.5, 0.01, 1e-9].map(Budget::Fpr);
        let sizes = [Budget::BitsPerKey(10.0), Budget::Bytes(1000), Budget::Bytes(keys)];
        for budget in rates.into_iter().chain(sizes) {
            let goal = Goal::new(keys, budget);
            let plan = || F::plan(goal).map(|plan| F::predicted_fpr(&plan.params, keys));
            counts();
            assert_eq!(counted(u64::MAX, plan).1.calls, 0, "allocations for the plan of {goal:?}");
        }
    }
}

/// Without memory, creating and growing a filter are errors, and a filter keeps its keys.
pub fn a_filter_that_grows_is_refused_or_grows<F: EmptyFilter + Clone + PartialEq>() {
    for keys in [1, 50] {
        let make = || F::empty(Goal::fpr(keys, 0.01), 3);
        every_refused_allocation_is_an_error("an empty filter", make, |_| {});
        let mut filter = make().or_fail("an empty filter");
        // Far more than planned: a growing filter grows, another overfills or refuses.
        for hash in present_hashes(20 * keys, 3) {
            let before = filter.clone();
            for refused in 0.. {
                let (result, account) = counted(refused, || filter.insert_hash(hash));
                match result {
                    Err(full) if is_out_of_memory(&full) => {
                        assert!(refused < account.calls, "available memory: {full}");
                        assert!(filter == before, "changed by an insert that was refused memory");
                    }
                    // The filter is full.
                    Err(_) => break,
                    Ok(_) => {
                        all_found(&filter, &[hash], "inserted");
                        break;
                    }
                }
            }
        }
    }
}

/// Without memory, building from hashes or keys is an error.
pub fn a_build_without_memory_is_an_error<F: BuildFilter>() {
    for n in KEYS {
        let hashes = present_hashes(n, 3);
        let keys: Vec<u64> = (0..n).map(present).collect();
        let holds_all = |made: Option<F>| {
            if let Some(filter) = made {
                all_found(&filter, &hashes, "built with an allocation refused");
            }
        };
        let budget = Budget::Fpr(0.01);
        let build = || F::build_hashes(budget, 3, &hashes);
        every_refused_allocation_is_an_error("building", build, holds_all);
        let build = || F::build_keys(budget, 3, &keys);
        every_refused_allocation_is_an_error("building from keys", build, holds_all);
    }
}

/// Without memory, a merge changes nothing.
pub fn a_merge_without_memory_changes_nothing<F>()
where
    F: EmptyFilter + MergeFilter + Clone + PartialEq,
{
    for n in KEYS {
        let hashes = present_hashes(n, 3);
        let half =
            |hashes| by_inserting::<F>(Goal::fpr(n, 0.01), 3, hashes).or_fail("half of the keys");
        let (ours, theirs) = hashes.split_at(hashes.len() / 2);
        let (one, two) = (half(ours), half(theirs));
        let sum = RefCell::new(one.clone());
        let merge = || sum.borrow_mut().merge(&two);
        every_refused_allocation_is_an_error("a merge", merge, |merged| match merged {
            Some(()) => all_found(&sum.replace(one.clone()), &hashes, "merged"),
            None => assert!(*sum.borrow() == one, "changed by a merge that was refused memory"),
        });
    }
}

/// A plan's `build_bytes` is enough to build a filter at once, from hashes or keys.
pub fn the_planned_memory_is_enough_to_build<F: BuildFilter>() {
    for n in [1, 2, 10, 100, 1000, 1300, 8100, 15_500, 35_000, 50_000, 100_000, 300_000] {
        let hashes = present_hashes(n, 3);
        let keys: Vec<u64> = (0..n).map(present).collect();
        for budget in [Budget::Fpr(0.3), Budget::Fpr(0.01), Budget::BitsPerKey(40.0)] {
            let goal = Goal::new(n, budget);
            let Ok(plan) = F::plan(goal) else { continue };
            let planned = plan.build_bytes;
            let of_hashes = peak(&goal, || F::build_hashes(budget, 3, &hashes));
            let of_keys = peak(&goal, || F::build_keys(budget, 3, &keys));
            let enough = of_hashes.max(of_keys) <= planned;
            // And not much more than needed, except in small filters, whose working memory
            // outweighs the table. Checked for keys, since the plan must include their hashes in
            // case the build keeps them.
            let near = planned <= 2 * of_keys + 65_536;
            assert!(enough && near, "{goal:?}: {of_hashes} and {of_keys} bytes, {planned} planned");
        }
    }
}

/// The most bytes held while a filter is built.
fn peak<F>(goal: &Goal, make: impl FnOnce() -> Result<F, BuildError>) -> u64 {
    let (made, peak) = peak_of(make);
    made.or_fail(format_args!("{goal:?}"));
    peak
}

/// The planned memory is enough for a filter filled key by key.
pub fn the_planned_memory_is_enough_to_fill<F: EmptyFilter>() {
    for n in [1, 100, 10_000, 100_000] {
        let hashes = present_hashes(n, 3);
        for fpr in [0.3, 0.01] {
            let goal = Goal::fpr(n, fpr);
            let Ok(plan) = F::plan(goal) else { continue };
            let peak = peak(&goal, || by_inserting::<F>(goal, 3, &hashes));
            assert!(
                peak <= plan.build_bytes,
                "{goal:?}: {peak} bytes, {} planned",
                plan.build_bytes
            );
        }
    }
}

/// Makes a module with one test for each memory law of a filter with these abilities. Like
/// [`suite!`](crate::suite), for a binary whose global allocator is [`Counting`].
#[macro_export]
macro_rules! memory {
    ($name:ident: $filter:ty => [$first:ident $(, $ability:ident)* $(,)?]) => {
        mod $name {
            #[allow(unused_imports, reason = "the type may be given by a full path")]
            use super::*;
            type AmqSubject = $filter;
            const AMQ_FILL: $crate::Fill<AmqSubject> = $crate::suite!(@fill $first);

            $crate::suite!(@laws memory => { a_plan_allocates_nothing });
            $crate::memory!(@ability $first);
            $($crate::memory!(@ability $ability);)*
            $($crate::memory!(@claims $first $ability);)*
        }
    };
    (@ability empty) => { $crate::suite!(@laws memory => {
        a_filter_that_grows_is_refused_or_grows
        the_planned_memory_is_enough_to_fill
    }); };
    (@ability build) => { $crate::suite!(@laws memory => {
        a_build_without_memory_is_an_error
        the_planned_memory_is_enough_to_build
    }); };
    (@ability merge) => { $crate::suite!(@laws memory => {
        a_merge_without_memory_changes_nothing
    }); };
    (@ability file) => { $crate::suite!(@filled memory => {
        reading_takes_little_more_than_the_file
        a_file_without_memory_is_an_error
    }); };
    (@ability truncate) => { $crate::suite!(@filled truncate => {
        a_budget_takes_the_memory_of_the_smaller_filter
        a_budget_without_memory_is_an_error
    }); };
    // In a static filter's file more numbers must agree: see its own tests.
    (@claims empty file) => { $crate::suite!(@filled memory => {
        a_claim_is_not_taken_for_memory
    }); };
    (@claims $first:ident $other:ident) => {};
}
