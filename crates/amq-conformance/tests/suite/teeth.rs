//! Every broken filter is rejected by the law about its fault.

use crate::reference::{Bloom, Fault, Fingerprints, Multiset, Params};
use amq_conformance::model::any_sequence_agrees_with_the_model as played;
use amq_conformance::rate::{self, Cell};
use amq_conformance::{
    Golden, at_once, build, by_inserting, edge, growth, insert, membership, memory, merge, model,
    plan, remove, surface, truncate,
};
use amq_core::{BuildFilter, Goal, InsertFilter, PlanFilter};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic;
use std::sync::Once;

thread_local! {
    /// The file in which this thread panicked last.
    static PANICKED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Whether a law says that it is broken. (A filter that panics by itself is not rejected.)
pub(crate) fn rejects(law: impl FnOnce()) -> bool {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let file = info.location().map(|at| at.file().replace('\\', "/"));
            PANICKED.set(file.unwrap_or_default());
            usual(info);
        }));
    });
    let broken = panic::catch_unwind(panic::AssertUnwindSafe(law)).is_err();
    broken && PANICKED.with_borrow(|file| file.contains("amq-conformance/src/"))
}

/// One test per fault: `test: filter with fault by { laws that must reject it }`.
macro_rules! rejected {
    ($($test:ident: $filter:ident with $fault:ident by { $($law:expr;)+ })*) => {$(
        #[test]
        fn $test() {
            type Broken = $filter<{ Fault::$fault as u8 }>;
            $({
                let law: fn() = $law;
                assert!(rejects(law), "{:?} passes {}", Fault::$fault, stringify!($law));
            })+
        }
    )*};
}

fn gate<F: amq_core::EmptyFilter>(cell: Cell) {
    rate::a_filter_errs_as_often_as_predicted::<F>(by_inserting, cell);
}

fn small<F: amq_core::EmptyFilter>() {
    for &cell in rate::SMALL {
        rate::a_small_filter_errs_as_often_as_predicted::<F>(by_inserting, cell);
    }
}

/// What laws of plans need of a filter.
const fn planner<F>() -> PhantomData<F> {
    PhantomData
}

rejected! {
    // Faultless, but they do not grow: the rate of one rises, and the other refuses keys.
    a_filter_that_errs_more_and_more: Bloom with None by {
        || growth::a_grown_filter_errs_as_predicted_and_no_more_than_asked::<Broken>();
    }
    a_filter_that_stays_as_small_as_planned: Multiset with None by {
        || growth::a_grown_filter_holds_every_key::<Broken>();
    }
    a_key_of_one_probe_fewer: Bloom with OneProbeFewer by {
        || gate::<Broken>(rate::ONE_IN_100);
        || gate::<Broken>(rate::HALF_FULL);
    }
    a_key_of_one_probe_more: Bloom with OneProbeMore by {
        || gate::<Broken>(rate::ONE_IN_100);
        || gate::<Broken>(rate::HALF_FULL);
    }
    a_hash_cut_to_32_bits: Bloom with HashOf32Bits by {
        || gate::<Broken>(rate::ONE_IN_100_000);
    }
    an_index_that_prefers_the_lower_half: Bloom with LowerHalfMoreOften by {
        || gate::<Broken>(rate::ONE_IN_100);
        || gate::<Broken>(rate::ONE_IN_256);
    }
    the_folklore_formula: Bloom with FolkloreRate by {
        || small::<Broken>();
    }
    a_formula_that_denies_the_spread: Bloom with SpreadDenied by {
        || small::<Broken>();
        || gate::<Broken>(rate::ONE_IN_100);
    }
    a_formula_that_overstates_the_spread: Bloom with SpreadOverstated by {
        || small::<Broken>();
    }
    an_expected_rate_of_its_own: Bloom with RateOfHalfTheKeys by {
        || gate::<Broken>(rate::ONE_IN_100);
        || insert::an_overfull_filter_says_so::<Broken>();
        || growth::a_grown_filter_errs_as_predicted_and_no_more_than_asked::<Broken>();
    }

    a_rate_that_counts_keys_twice: Bloom with RateCountsCopies by {
        || merge::merging_a_clone_leaves_the_rate_as_it_was::<Broken>(by_inserting);
    }
    a_rate_without_that_of_equal_hashes: Bloom with HashFloorLeftOut by {
        || membership::a_rate_is_never_below_that_of_equal_hashes::<Broken>(by_inserting);
    }
    a_predicted_rate_above_one: Bloom with PredictsMoreThanOne by {
        || edge::a_predicted_rate_is_a_probability(&planner::<Broken>());
    }

    a_filter_that_forgets_one_key_in_a_thousand: Bloom with ForgetsOneInAThousand by {
        || membership::every_key_is_found::<Broken>(by_inserting);
        || membership::every_key_is_found::<Broken>(at_once);
        || insert::an_insert_says_whether_the_key_was_there::<Broken>();
    }
    a_batch_that_asks_less: Bloom with BatchAsksOneProbeFewer by {
        || membership::a_batch_answers_as_single_queries_do::<Broken>(by_inserting);
    }
    a_batch_that_leaves_an_answer_out: Bloom with BatchSkipsItsLastKey by {
        || membership::a_batch_answers_as_single_queries_do::<Broken>(by_inserting);
        || membership::every_key_is_found::<Broken>(by_inserting);
        || played(model::Abilities::<Broken>::empty());
    }
    a_batch_that_leaves_a_key_out: Bloom with BatchInsertSkipsItsLastKey by {
        || membership::every_key_is_found::<Broken>(by_inserting);
        || played(model::Abilities::<Broken>::empty());
        || {
            let plan = Broken::plan(Goal::fpr(95, 0.1)).unwrap();
            insert::many_keys_make_the_filter_that_they_make_one_by_one::<Broken>(
                plan.params,
                95,
                |run| run(),
                Broken::insert_batch,
                |plan, keys| Broken::build_keys(plan, 1, keys),
            )
        };
    }
    a_batch_in_which_a_key_is_new_twice: Bloom with NewInABatchTwice by {
        || insert::a_batch_says_which_keys_were_new::<Broken>();
    }
    a_batch_with_too_few_answers: Bloom with NewInABatchWithoutRoom by {
        || insert::a_batch_says_which_keys_were_new::<Broken>();
    }
    a_batch_of_two_lengths: Bloom with LengthsNotCompared by {
        || membership::a_batch_of_two_lengths_is_refused::<Broken>(by_inserting);
    }
    a_seed_that_is_dropped: Bloom with SeedNotKept by {
        || membership::a_key_is_its_hash_under_the_filters_seed::<Broken>(by_inserting);
    }
    a_seed_of_which_half_is_used: Bloom with SeedReachesHalf by {
        || membership::a_key_is_its_hash_under_the_filters_seed::<Broken>(by_inserting);
    }
    a_build_that_fails_for_some_numbers: Bloom with LosesTheLastOf64 by {
        || build::any_number_of_keys_can_be_built::<Broken>();
    }
    a_build_that_miscounts: Bloom with BuildCountsTwice by {
        || membership::every_key_is_found::<Broken>(at_once);
    }

    an_insert_that_always_says_new: Bloom with AlwaysNew by {
        || insert::an_insert_says_whether_the_key_was_there::<Broken>();
        || played(model::Abilities::<Broken>::empty());
    }
    an_insert_that_never_says_new: Bloom with NeverNew by {
        || insert::an_insert_says_whether_the_key_was_there::<Broken>();
        || played(model::Abilities::<Broken>::empty());
    }
    a_length_that_counts_repeats: Bloom with CountsRepeats by {
        || played(model::Abilities::<Broken>::empty());
    }
    a_clear_that_keeps_a_word: Bloom with ClearKeepsAWord by {
        || insert::a_cleared_filter_is_a_new_one::<Broken>();
        || growth::a_grown_filter_that_is_cleared_is_a_new_one::<Broken>();
    }
    a_clear_that_keeps_the_count: Bloom with ClearKeepsTheCount by {
        || insert::a_cleared_filter_is_a_new_one::<Broken>();
        || played(model::Abilities::<Broken>::empty());
    }
    a_table_that_grows_with_every_copy: Bloom with GrowsWithEveryInsert by {
        || insert::one_key_a_hundred_thousand_times_is_bounded::<Broken>();
    }

    a_merge_that_ignores_the_seed: Bloom with MergeIgnoresSeed by {
        || merge::another_seed_is_refused_by_name::<Broken>(by_inserting);
    }
    a_merge_that_ignores_the_geometry: Bloom with MergeIgnoresGeometry by {
        || merge::another_geometry_is_refused_by_name_or_merged_whole::<Broken>(by_inserting);
    }
    a_merge_that_fails_half_way: Bloom with MergeBeforeCheck by {
        || merge::another_seed_is_refused_by_name::<Broken>(by_inserting);
        || merge::another_geometry_is_refused_by_name_or_merged_whole::<Broken>(by_inserting);
    }
    a_merge_with_a_wrong_count: Bloom with MergeKeepsItsCount by {
        || merge::a_merged_filter_holds_the_keys_of_both::<Broken>(by_inserting);
        || played(model::Abilities::<Broken>::empty().merge());
    }
    a_merge_that_intersects: Bloom with MergeIntersects by {
        || merge::a_merged_filter_holds_the_keys_of_both::<Broken>(by_inserting);
        || merge::merging_is_commutative_and_empty_is_its_identity::<Broken>(by_inserting);
        || played(model::Abilities::<Broken>::empty().merge());
    }
    a_merge_that_names_the_wrong_field: Bloom with MergeNamesNothing by {
        || merge::another_geometry_is_refused_by_name_or_merged_whole::<Broken>(by_inserting);
    }
    a_can_merge_that_promises_too_much: Bloom with CanMergeAnything by {
        || merge::another_seed_is_refused_by_name::<Broken>(by_inserting);
        || merge::another_geometry_is_refused_by_name_or_merged_whole::<Broken>(by_inserting);
    }

    a_merge_from_too_few_fingerprints: Multiset with MergeSaturates by {
        || merge::small_filters_of_any_geometry_lose_no_key_in_a_merge::<Broken>(by_inserting);
    }

    a_merge_that_is_not_good_to_the_end: Bloom with MergeAddsCapacities by {
        || merge::a_merged_filter_keeps_the_rate_until_it_is_full::<Broken>(by_inserting);
    }

    a_plan_that_tries_word_after_word: Bloom with PlanWordByWord by {
        || plan::plans_take_a_bounded_number_of_steps(&planner::<Broken>());
    }

    a_plan_of_any_size: Bloom with PlanTakesAll by {
        || plan::a_budget_beyond_use_is_left(&planner::<Broken>());
    }
    a_plan_over_its_budget: Bloom with PlanOverBudget by {
        || plan::a_plan_keeps_to_its_budget(&planner::<Broken>());
    }
    a_plan_that_misses_the_rate: Bloom with PlanUnderRate by {
        || plan::a_plan_keeps_to_its_budget(&planner::<Broken>());
        || gate::<Broken>(rate::ONE_IN_100);
    }
    a_plan_for_an_impossible_rate: Bloom with PlanAcceptsAnything by {
        || edge::an_impossible_goal_is_refused_by_name(&planner::<Broken>());
    }
    a_plan_for_another_goal: Bloom with PlanNamesAnotherGoal by {
        || edge::a_goal_at_the_edge_is_planned_or_refused(&planner::<Broken>());
        || plan::a_plan_keeps_to_its_budget(&planner::<Broken>());
    }
    a_plan_that_refuses_no_keys: Bloom with PlanRefusesNoKeys by {
        || edge::no_keys_are_planned_as_one(&planner::<Broken>());
        || build::any_number_of_keys_can_be_built::<Broken>();
    }
    a_least_size_that_is_not_enough: Bloom with LeastSizeUnderstated by {
        || edge::the_way_out_that_an_error_names_is_one(&planner::<Broken>());
    }
    a_size_that_is_not_the_planned_one: Bloom with SizeUnderstated by {
        || plan::a_filter_is_what_its_plan_says::<Broken>();
        || plan::a_filled_filter_takes_the_planned_bytes::<Broken>(by_inserting);
    }
    a_least_number_of_keys_that_is_not_the_least: Bloom with LeastNumberTooHigh by {
        || plan::bits_too_few_name_the_least_number_of_keys(&planner::<Broken>());
    }
    a_build_that_now_and_then_is_over_its_budget: Bloom with BuildOverBudget by {
        || plan::a_built_filter_keeps_to_its_budget::<Broken>(at_once);
    }
    a_filter_of_no_key_that_is_refused: Bloom with NoKeyTakesRoom by {
        || build::a_static_filter_of_no_keys_is_always_built::<Broken>();
    }
    a_build_that_panics_at_another_hash: Bloom with CountsOnTheSameHashes by {
        || build::keys_that_change_their_hash_do_not_panic::<Broken>();
    }

    a_plan_that_allocates: Bloom with PlanAllocates by {
        || memory::a_plan_allocates_nothing::<Broken>();
    }
    a_build_that_takes_more_than_planned: Bloom with CopiesUnplanned by {
        || memory::the_planned_memory_is_enough_to_build::<Broken>();
    }
    a_build_that_leaves_keys_out_without_memory: Bloom with BuildsWithoutMemory by {
        || memory::a_build_without_memory_is_an_error::<Broken>();
    }
    a_refused_merge_that_is_half_done: Bloom with RefusedMergeHalfDone by {
        || memory::a_merge_without_memory_changes_nothing::<Broken>();
    }
    a_refused_insert_that_is_done: Bloom with RefusedInsertDone by {
        || memory::a_filter_that_grows_is_refused_or_grows::<Broken>();
    }
    a_capacity_that_is_not_the_planned_one: Bloom with CapacityUnderstated by {
        || plan::a_filter_is_what_its_plan_says::<Broken>();
        || membership::the_same_seed_gives_the_same_filter::<Broken>(at_once);
    }

    a_debug_output_with_the_seed: Bloom with DebugTellsTheSeed by {
        || surface::debug_output_is_short_and_hides_the_seed::<Broken>(by_inserting);
    }
    stats_of_another_moment: Bloom with StatsOfOneKeyFewer by {
        || surface::stats_agree_with_the_methods_and_print::<Broken>(by_inserting);
    }
    a_load_in_percent: Bloom with LoadInPercent by {
        || surface::stats_agree_with_the_methods_and_print::<Broken>(by_inserting);
    }
    a_build_of_more_keys_than_planned: Bloom with BuildTakesMore by {
        || surface::a_build_refuses_more_keys_than_planned::<Broken>();
    }
    a_build_that_takes_one_fewer_than_planned: Bloom with BuildRefusesTheLast by {
        || surface::a_build_refuses_more_keys_than_planned::<Broken>();
    }
    a_build_that_does_not_follow_the_plan: Bloom with BuildPlansAnew by {
        || surface::a_filter_built_by_its_plan_is_the_one_by_its_goal::<Broken>();
    }
    a_goal_that_is_planned_twice: Bloom with LargerByGoal by {
        || surface::an_empty_filter_by_its_plan_is_the_one_by_its_goal::<Broken>();
    }
    a_plan_that_is_not_checked_again: Bloom with PlanIsTrusted by {
        || surface::parameters_out_of_range_are_refused(
            surface::inserting_by_plan::<Broken>,
            &Params::OUT_OF_RANGE,
        );
        || surface::parameters_out_of_range_are_refused(
            surface::building_by_plan::<Broken>,
            &Params::OUT_OF_RANGE,
        );
    }
    a_planned_number_that_stands_for_the_keys: Bloom with NoPlanNoKeys by {
        || surface::a_plan_that_was_changed_is_followed_or_refused(
            surface::inserting_by_plan::<Broken>,
        );
    }
    an_insert_unique_that_stores_copies: Multiset with UniqueStoresCopies by {
        || surface::insert_unique_changes_nothing_when_present::<Broken>();
        || remove::what_was_new_to_insert_unique_can_be_removed::<Broken>();
        || played(model::Abilities::<Broken>::empty().remove());
    }
    an_insert_unique_that_stores_nothing: Multiset with UniqueStoresNothing by {
        || surface::insert_unique_changes_nothing_when_present::<Broken>();
        || remove::what_was_new_to_insert_unique_can_be_removed::<Broken>();
        || played(model::Abilities::<Broken>::empty().remove());
    }

    a_remove_that_takes_every_copy: Multiset with RemovesEveryCopy by {
        || remove::removing_one_copy_leaves_the_others::<Broken>();
        || played(model::Abilities::<Broken>::empty().remove());
    }
    an_insert_that_skips_a_twin: Multiset with SkipsTwins by {
        || remove::removing_one_copy_leaves_the_others::<Broken>();
        || played(model::Abilities::<Broken>::empty().remove());
    }
    a_remove_of_nothing_that_counts: Multiset with RemoveOfAbsentCounts by {
        || remove::removing_an_absent_key_changes_nothing::<Broken>();
        || played(model::Abilities::<Broken>::empty().remove());
    }
    a_remove_that_says_it_did_nothing: Multiset with RemoveSaysNo by {
        || remove::removing_one_copy_leaves_the_others::<Broken>();
        || played(model::Abilities::<Broken>::empty().remove());
    }
    a_hole_that_is_never_filled_again: Multiset with HoleNeverFilled by {
        || remove::a_filter_can_be_turned_over_for_ever::<Broken>();
    }
    a_full_filter_that_drops_another_key: Multiset with DropsAnotherWhenFull by {
        || insert::a_full_filter_refuses_and_stays_as_it_was::<Broken>();
    }
    a_full_filter_that_drops_the_new_key: Multiset with DropsTheKeyWhenFull by {
        || insert::a_full_filter_refuses_and_stays_as_it_was::<Broken>();
    }
    a_refusal_that_changes_the_count: Multiset with RefusesButCounts by {
        || insert::a_full_filter_refuses_and_stays_as_it_was::<Broken>();
        || insert::one_key_a_hundred_thousand_times_is_bounded::<Broken>();
        || played(model::Abilities::<Broken>::empty().remove());
    }
    a_refusal_that_does_not_stand: Multiset with RefusesOnlyOnce by {
        || insert::a_full_filter_refuses_and_stays_as_it_was::<Broken>();
        || insert::one_key_a_hundred_thousand_times_is_bounded::<Broken>();
    }
    a_refusal_before_the_planned_number: Multiset with RefusesTooEarly by {
        || insert::a_full_filter_refuses_and_stays_as_it_was::<Broken>();
        || gate::<Broken>(rate::ONE_IN_100);
    }
    a_refused_batch_that_is_undone: Multiset with BatchUndoneWhenFull by {
        || insert::a_full_filter_refuses_and_stays_as_it_was::<Broken>();
        || played(model::Abilities::<Broken>::empty().remove());
    }
    a_count_that_stops_at_one: Multiset with CountsToOne by {
        || remove::a_count_is_never_too_low_and_seldom_too_high::<Broken>();
    }
    a_truncation_that_keeps_the_wrong_bits: Fingerprints with TruncatesTheOtherEnd by {
        || truncate::a_truncated_filter_errs_as_often_as_predicted::<Broken>(at_once);
        || truncate::truncating_twice_is_truncating_once::<Broken>(at_once);
    }
    a_truncation_in_name_only: Fingerprints with TruncatesInNameOnly by {
        || truncate::a_truncated_filter_errs_as_often_as_predicted::<Broken>(at_once);
    }
    a_truncation_that_takes_a_bit_each_time: Fingerprints with TruncatesAlways by {
        || truncate::truncating_twice_is_truncating_once::<Broken>(at_once);
    }
    a_refused_truncation_that_changes_the_filter: Fingerprints with RefusedTruncationCounts by {
        || truncate::truncating_twice_is_truncating_once::<Broken>(at_once);
    }
    a_count_that_is_one_too_high: Multiset with CountsOneMore by {
        || remove::a_count_is_never_too_low_and_seldom_too_high::<Broken>();
    }
}

#[test]
fn golden_counts_that_are_missing_or_changed_are_reported() {
    if std::env::var_os("AMQ_BLESS").is_some() {
        return;
    }
    let root = env!("CARGO_TARGET_TMPDIR");
    let folder = std::path::Path::new(root).join("tests/golden");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("rates-some.txt"), "# cell: counts\n1e-2: 3 4\n").unwrap();
    let compare = |name: &str, cell: &str, counts: &str| {
        rejects(|| Golden::new(root, name).compare(cell, counts))
    };
    assert!(!compare("some", "1e-2", "3 4"));
    assert!(compare("some", "1e-2", "3 5"));
    assert!(compare("some", "1e-3", "1") && compare("none", "1e-2", "1"));
}

/// Not a test of its own: [`an_abort_for_want_of_memory_ends_the_test`] runs it in a process that
/// must abort.
#[test]
#[ignore = "aborts, and must"]
fn a_build_that_aborts() {
    type Broken = Bloom<{ Fault::AbortsWithoutMemory as u8 }>;
    memory::a_build_without_memory_is_an_error::<Broken>();
}

#[test]
#[cfg(not(target_family = "wasm"))]
fn an_abort_for_want_of_memory_ends_the_test() {
    let run = |name: &str| {
        let mut tests = std::process::Command::new(std::env::current_exe().unwrap());
        let name = format!("teeth::{name}");
        tests.args(["--include-ignored", "--exact", &name]).output().unwrap()
    };
    let aborted = run("a_build_that_aborts");
    let said = String::from_utf8_lossy(&aborted.stderr);
    assert!(!aborted.status.success() && said.contains("memory allocation of"), "{said}");
    let passed = run("a_plan_that_allocates");
    let said = String::from_utf8_lossy(&passed.stdout);
    assert!(passed.status.success() && said.contains("1 passed"), "{said}");
}
