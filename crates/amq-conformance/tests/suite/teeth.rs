//! Every fault is rejected by the laws about it.

use crate::reference::{Bloom, Fault, Filed, Fingerprints, Multiset, Params, filed, plant};
use amq_conformance::model::any_sequence_agrees_with_the_model as played;
use amq_conformance::rate::{self, Cell};
use amq_conformance::surface::{building_by_plan, inserting_by_plan};
use amq_conformance::{
    Abilities, Fill, Golden, at_once, build, by_inserting, edge, files, growth, insert, membership,
    memory, merge, plan, remove, surface, truncate,
};
use amq_core::{BuildFilter, EmptyFilter, Goal, InsertFilter, PlanFilter};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic;
use std::sync::Once;

thread_local! {
    /// The file in which this thread panicked last.
    static PANICKED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Whether a law says that it is broken. (A filter that panics by itself is not rejected.)
fn rejects(law: impl FnOnce()) -> bool {
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

/// A fault, and a law that must reject it.
type Row = (Fault, &'static str, fn());

macro_rules! rows {
    ($($fault:ident: $($law:expr),+;)+) => {
        &[$($((Fault::$fault, stringify!($law), || $law),)+)+]
    };
}

/// Requires that each law rejects its fault.
fn all_are_rejected(rows: &[Row]) {
    let mut passed = Vec::new();
    for &(fault, name, law) in rows {
        plant(fault);
        if !rejects(law) {
            passed.push(format!("{fault:?} passes {name}"));
        }
    }
    assert!(passed.is_empty(), "{passed:#?}");
}

fn gate<F: EmptyFilter>(cell: Cell) {
    rate::a_filter_errs_as_often_as_predicted::<F>(by_inserting, cell);
}

fn small<F: EmptyFilter>() {
    for &cell in rate::SMALL {
        rate::a_small_filter_errs_as_often_as_predicted::<F>(by_inserting, cell);
    }
}

/// What laws of plans need of a filter.
const BLOOM: &PhantomData<Bloom> = &PhantomData;

fn bloom() -> Abilities<Bloom> {
    Abilities::new(by_inserting).empty().merge()
}

fn multiset() -> Abilities<Multiset> {
    Abilities::new(by_inserting).empty().remove().count()
}

#[allow(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]
fn many(keys: u64) {
    let plan = Bloom::plan(Goal::fpr(keys, 0.1)).unwrap();
    insert::many_keys_make_the_filter_that_they_make_one_by_one::<Bloom>(
        plan.params,
        keys,
        |run| run(),
        Bloom::insert_batch,
        |plan, keys| Bloom::build_keys(plan, 1, keys),
    );
}

#[test]
fn wrong_rates_are_rejected() {
    all_are_rejected(rows![
        // Faultless, but they do not grow: the rate of one rises, and the other refuses keys.
        None: growth::a_grown_filter_errs_as_predicted_and_no_more_than_asked::<Bloom>(),
            growth::a_grown_filter_holds_every_key::<Multiset>();
        OneProbeFewer: gate::<Bloom>(rate::ONE_IN_100), gate::<Bloom>(rate::HALF_FULL);
        OneProbeMore: gate::<Bloom>(rate::ONE_IN_100), gate::<Bloom>(rate::HALF_FULL);
        HashOf32Bits: gate::<Bloom>(rate::ONE_IN_100_000);
        LowerHalfMoreOften: gate::<Bloom>(rate::ONE_IN_100), gate::<Bloom>(rate::ONE_IN_256);
        FolkloreRate: small::<Bloom>();
        SpreadDenied: small::<Bloom>(), gate::<Bloom>(rate::ONE_IN_100);
        SpreadOverstated: small::<Bloom>();
        RateOfHalfTheKeys: gate::<Bloom>(rate::ONE_IN_100),
            insert::a_full_filter_refuses_and_stays_as_it_was::<Bloom>(),
            growth::a_grown_filter_errs_as_predicted_and_no_more_than_asked::<Bloom>();
        RateCountsCopies:
            merge::merging_a_clone_leaves_the_rate_as_it_was::<Bloom>(by_inserting);
        HashFloorLeftOut:
            membership::a_rate_is_never_below_that_of_equal_hashes::<Bloom>(by_inserting);
        PredictsMoreThanOne: edge::a_predicted_rate_is_a_probability(BLOOM);
        RefusesTooEarly: gate::<Multiset>(rate::ONE_IN_100);
    ]);
}

#[test]
fn wrong_answers_and_inserts_are_rejected() {
    all_are_rejected(rows![
        ForgetsOneInAThousand: membership::every_key_is_found::<Bloom>(by_inserting),
            membership::every_key_is_found::<Bloom>(at_once),
            insert::keys_go_in_alike_in_every_way::<Bloom>();
        BatchAsksOneProbeFewer:
            membership::a_batch_answers_as_single_queries_do::<Bloom>(by_inserting);
        BatchSkipsItsLastKey: membership::every_key_is_found::<Bloom>(by_inserting),
            membership::a_batch_answers_as_single_queries_do::<Bloom>(by_inserting),
            played(&bloom());
        BatchInsertSkipsItsLastKey: membership::every_key_is_found::<Bloom>(by_inserting),
            insert::keys_go_in_alike_in_every_way::<Bloom>(), played(&bloom()), many(95);
        NewInABatchTwice: insert::keys_go_in_alike_in_every_way::<Bloom>();
        NewInABatchWithoutRoom: insert::keys_go_in_alike_in_every_way::<Bloom>();
        LengthsNotCompared:
            membership::a_batch_of_two_lengths_is_refused::<Bloom>(by_inserting);
        SeedNotKept:
            membership::a_key_is_its_hash_under_the_filters_seed::<Bloom>(by_inserting);
        SeedReachesHalf:
            membership::a_key_is_its_hash_under_the_filters_seed::<Bloom>(by_inserting);
        AlwaysNew: insert::keys_go_in_alike_in_every_way::<Bloom>(), played(&bloom());
        NeverNew: insert::keys_go_in_alike_in_every_way::<Bloom>(), played(&bloom());
        CountsRepeats: played(&bloom());
        ClearKeepsAWord: insert::a_cleared_filter_is_a_new_one::<Bloom>();
        ClearKeepsTheCount: insert::a_cleared_filter_is_a_new_one::<Bloom>(), played(&bloom());
        GrowsWithEveryInsert: insert::one_key_a_hundred_thousand_times_is_bounded::<Bloom>();
    ]);
}

#[test]
fn wrong_merges_are_rejected() {
    all_are_rejected(rows![
        MergeIgnoresSeed: merge::another_seed_is_refused_by_name::<Bloom>(by_inserting);
        MergeIgnoresGeometry:
            merge::another_geometry_is_refused_by_name_or_merged_whole::<Bloom>(by_inserting);
        MergeBeforeCheck: merge::another_seed_is_refused_by_name::<Bloom>(by_inserting),
            merge::another_geometry_is_refused_by_name_or_merged_whole::<Bloom>(by_inserting);
        MergeKeepsItsCount: played(&bloom()),
            merge::a_merged_filter_holds_the_keys_of_both::<Bloom>(by_inserting);
        MergeIntersects: played(&bloom()),
            merge::a_merged_filter_holds_the_keys_of_both::<Bloom>(by_inserting),
            merge::merging_is_commutative_and_empty_is_its_identity::<Bloom>(by_inserting);
        MergeNamesNothing:
            merge::another_geometry_is_refused_by_name_or_merged_whole::<Bloom>(by_inserting);
        CanMergeAnything: merge::another_seed_is_refused_by_name::<Bloom>(by_inserting),
            merge::another_geometry_is_refused_by_name_or_merged_whole::<Bloom>(by_inserting);
        MergeSaturates:
            merge::small_filters_of_any_geometry_lose_no_key_in_a_merge::<Multiset>(by_inserting);
        MergeAddsCapacities:
            merge::a_merged_filter_keeps_the_rate_until_it_is_full::<Bloom>(by_inserting);
    ]);
}

#[test]
fn wrong_plans_and_builds_are_rejected() {
    all_are_rejected(rows![
        PlanWordByWord: plan::plans_take_a_bounded_number_of_steps(BLOOM);
        PlanTakesAll: plan::a_budget_beyond_use_is_left(BLOOM),
            build::any_number_of_keys_can_be_built::<Bloom>();
        PlanOverBudget: plan::a_plan_keeps_to_its_budget(BLOOM);
        PlanUnderRate: plan::a_plan_keeps_to_its_budget(BLOOM), gate::<Bloom>(rate::ONE_IN_100);
        PlanAcceptsAnything: edge::an_impossible_goal_is_refused_by_name(BLOOM);
        PlanNamesAnotherGoal: plan::a_plan_keeps_to_its_budget(BLOOM),
            edge::a_goal_at_the_edge_is_planned_or_refused(BLOOM);
        PlanRefusesNoKeys: edge::no_keys_are_planned_as_one(BLOOM),
            build::any_number_of_keys_can_be_built::<Bloom>();
        SizesFall: plan::size_and_rate_are_each_others_inverse(BLOOM);
        LeastSizeUnderstated: edge::the_way_out_that_an_error_names_is_one(BLOOM);
        LeastNumberTooHigh: plan::bits_too_few_name_the_least_number_of_keys(BLOOM);
        SizeUnderstated: plan::a_filter_is_what_its_plan_says::<Bloom>(),
            plan::a_filled_filter_takes_the_planned_bytes::<Bloom>(by_inserting);
        CapacityUnderstated: plan::a_filter_is_what_its_plan_says::<Bloom>(),
            membership::the_same_seed_gives_the_same_filter::<Bloom>(at_once);
        SizeRefusedAsKeys: edge::a_plan_can_be_made_or_is_refused::<Bloom>();
        LosesTheLastOf64: build::any_number_of_keys_can_be_built::<Bloom>();
        LosesRepeatedKeys: build::repeated_keys_do_no_harm::<Bloom>();
        KeysUnderNoSeed: build::keys_build_what_their_hashes_build::<Bloom>();
        BuildCountsTwice: membership::every_key_is_found::<Bloom>(at_once);
        BuildOverBudget: plan::a_built_filter_keeps_to_its_budget::<Bloom>(at_once);
        NoKeyTakesRoom: build::a_static_filter_of_no_keys_is_always_built::<Bloom>();
        CountsOnTheSameHashes: build::keys_that_change_their_hash_do_not_panic::<Bloom>();
    ]);
}

#[test]
fn wrong_memory_is_rejected() {
    all_are_rejected(rows![
        PlanAllocates: memory::a_plan_allocates_nothing::<Bloom>();
        CopiesUnplanned: memory::the_planned_memory_is_enough_to_build::<Bloom>(),
            memory::the_planned_memory_is_enough_to_fill::<Bloom>();
        BuildsWithoutMemory: memory::a_build_without_memory_is_an_error::<Bloom>();
        RefusedMergeHalfDone: memory::a_merge_without_memory_changes_nothing::<Bloom>();
        RefusedInsertDone: memory::a_filter_that_grows_is_refused_or_grows::<Bloom>();
    ]);
}

#[test]
fn wrong_surfaces_are_rejected() {
    all_are_rejected(rows![
        DebugTellsTheSeed:
            surface::debug_output_is_short_and_hides_the_seed::<Bloom>(by_inserting);
        StatsOfOneKeyFewer:
            surface::stats_agree_with_the_methods_and_print::<Bloom>(by_inserting);
        LoadInPercent: surface::stats_agree_with_the_methods_and_print::<Bloom>(by_inserting);
        BuildTakesMore: surface::a_build_refuses_more_keys_than_planned::<Bloom>();
        BuildRefusesTheLast: surface::a_build_refuses_more_keys_than_planned::<Bloom>();
        BuildPlansAnew: surface::a_filter_built_by_its_plan_is_the_one_by_its_goal::<Bloom>();
        LargerByGoal: surface::an_empty_filter_by_its_plan_is_the_one_by_its_goal::<Bloom>();
        PlanIsTrusted:
            surface::parameters_out_of_range_are_refused(
                inserting_by_plan::<Bloom>, &Params::OUT_OF_RANGE),
            surface::parameters_out_of_range_are_refused(
                building_by_plan::<Bloom>, &Params::OUT_OF_RANGE);
        NoPlanNoKeys:
            surface::a_plan_that_was_changed_is_followed_or_refused(inserting_by_plan::<Bloom>);
    ]);
}

#[test]
fn wrong_copies_and_refusals_are_rejected() {
    all_are_rejected(rows![
        UniqueStoresCopies: surface::insert_unique_changes_nothing_when_present::<Multiset>(),
            remove::what_was_new_to_insert_unique_can_be_removed::<Multiset>(),
            played(&multiset());
        UniqueStoresNothing: surface::insert_unique_changes_nothing_when_present::<Multiset>(),
            remove::what_was_new_to_insert_unique_can_be_removed::<Multiset>(),
            played(&multiset());
        RemovesEveryCopy: remove::removing_one_copy_leaves_the_others::<Multiset>(),
            played(&multiset());
        SkipsTwins: remove::removing_one_copy_leaves_the_others::<Multiset>(),
            played(&multiset());
        RemoveOfAbsentCounts: remove::removing_an_absent_key_changes_nothing::<Multiset>(),
            played(&multiset());
        RemoveSaysNo: remove::removing_one_copy_leaves_the_others::<Multiset>(),
            played(&multiset());
        HoleNeverFilled: remove::a_filter_can_be_turned_over_for_ever::<Multiset>();
        DropsAnotherWhenFull: insert::a_full_filter_refuses_and_stays_as_it_was::<Multiset>();
        DropsTheKeyWhenFull: insert::a_full_filter_refuses_and_stays_as_it_was::<Multiset>();
        RefusesButCounts: insert::a_full_filter_refuses_and_stays_as_it_was::<Multiset>(),
            insert::one_key_a_hundred_thousand_times_is_bounded::<Multiset>(),
            played(&multiset());
        RefusesOnlyOnce: insert::a_full_filter_refuses_and_stays_as_it_was::<Multiset>(),
            insert::one_key_a_hundred_thousand_times_is_bounded::<Multiset>();
        RefusesTooEarly: insert::a_full_filter_refuses_and_stays_as_it_was::<Multiset>();
        BatchUndoneWhenFull: insert::a_full_filter_refuses_and_stays_as_it_was::<Multiset>(),
            played(&multiset());
        CountsToOne: remove::a_count_is_never_too_low_and_seldom_too_high::<Multiset>();
        CountsOneMore: remove::a_count_is_never_too_low_and_seldom_too_high::<Multiset>();
    ]);
}

#[test]
fn wrong_truncations_are_rejected() {
    all_are_rejected(rows![
        TruncatesTheOtherEnd:
            truncate::a_truncated_filter_errs_as_often_as_predicted(PRINTS),
            truncate::truncating_twice_is_truncating_once(PRINTS);
        TruncatesInNameOnly:
            truncate::a_truncated_filter_errs_as_often_as_predicted(PRINTS);
        TruncatesAlways: truncate::truncating_twice_is_truncating_once(PRINTS);
        RefusedTruncationCounts:
            truncate::truncating_twice_is_truncating_once(PRINTS);
        LargerMisnamed: truncate::a_budget_that_a_filter_lacks_is_refused_by_name(PRINTS);
        BudgetIgnored: truncate::a_file_read_within_a_budget_is_the_truncated_filter(PRINTS);
        RoomForKeysClaimed: truncate::a_damaged_file_is_refused_within_a_budget(PRINTS);
        BudgetMemoryUnnamed: truncate::a_budget_without_memory_is_an_error(PRINTS);
        // Faultless, but it takes a file whole before it truncates.
        None: truncate::a_budget_takes_the_memory_of_the_smaller_filter(PRINTS);
    ]);
}

const PRINTS: Fill<Fingerprints> = at_once;

/// What a stored list can do.
fn list() -> Abilities<Filed> {
    Abilities::new(filed).empty().remove().merge().count()
}

#[test]
fn wrong_files_are_rejected() {
    all_are_rejected(rows![
        NotedWhenReadBefore: files::what_was_written_is_read(&list());
        CapacityLost: files::what_was_written_is_read(&list());
        LimitLeftOut: files::what_was_written_is_read(&list());
        ZerosWritten: files::a_file_is_little_larger_than_its_table(filed);
        SeedTold: files::a_withheld_seed_must_be_given(filed);
        SeedGuessed: files::a_withheld_seed_must_be_given(filed);
        SeedIgnored: files::a_withheld_seed_must_be_given(filed);
        ChecksumsIgnored: files::a_damaged_file_is_refused(filed);
        ChecksumsIgnoredInStreams: files::a_damaged_file_is_refused(filed);
        TrailingBytesTaken: files::a_damaged_file_is_refused(filed);
        VersionIgnored: files::what_is_no_file_is_refused_by_name(filed);
        KindIgnored: files::what_is_no_file_is_refused_by_name(filed);
        TextModeUnnamed: files::what_is_no_file_is_refused_by_name(filed);
        RateOfTheFile: files::a_forged_file_is_refused_or_is_a_filter(&list()),
            files::a_view_of_a_forged_file_answers(filed);
        OrderNotWalked: files::a_forged_file_is_refused_or_is_a_filter(&list());
        TakesAnotherAway: files::a_forged_file_is_refused_or_is_a_filter(&list());
        MergeForgets: files::a_forged_file_is_refused_or_is_a_filter(&list());
        NoKeysNoAnswer: files::a_forged_number_changes_no_answer(filed);
        SeedMixedIn: files::a_prehashed_filter_is_the_filter_by_hash(&list());
        PrehashedUntold: files::a_prehashed_filter_is_the_filter_by_hash(&list());
        PrehashedSeedDropped: files::a_prehashed_filter_with_a_seed_has_no_file(filed);
        AnyHasher: files::a_file_of_another_hashing_is_refused_by_name(filed);
        AnyHashTaken: files::a_hash_that_is_unknown_is_refused_by_name(filed);
        ReadsAhead: files::a_stream_is_read_to_the_end_of_the_file(filed);
        StreamLimitIgnored: files::a_stream_is_read_to_the_end_of_the_file(filed);
        ViewLeavesOutTheLast: files::a_view_answers_as_the_filter(filed),
            files::a_prehashed_filter_is_the_filter_by_hash(&list());
        ClaimAllocated: memory::a_claim_is_not_taken_for_memory(filed);
        CopiedBeforeItIsRead: memory::reading_takes_little_more_than_the_file(filed);
        MemoryErrorUnnamed: memory::a_file_without_memory_is_an_error(filed);
    ]);
}

#[test]
fn a_list_without_a_fault_keeps_every_law() {
    files::what_was_written_is_read(&list());
    files::a_forged_file_is_refused_or_is_a_filter(&list());
    files::a_prehashed_filter_is_the_filter_by_hash(&list());
    for law in [
        files::a_withheld_seed_must_be_given,
        files::a_stream_is_read_to_the_end_of_the_file,
        files::a_view_answers_as_the_filter,
        files::a_damaged_file_is_refused,
        files::what_is_no_file_is_refused_by_name,
        files::a_forged_number_changes_no_answer,
        files::a_view_of_a_forged_file_answers,
        files::a_file_is_little_larger_than_its_table,
        files::a_prehashed_filter_with_a_seed_has_no_file,
        files::a_file_of_another_hashing_is_refused_by_name,
        files::a_hash_that_is_unknown_is_refused_by_name,
        memory::reading_takes_little_more_than_the_file,
        memory::a_claim_is_not_taken_for_memory,
        memory::a_file_without_memory_is_an_error,
    ] as [fn(Fill<Filed>); 14]
    {
        law(filed);
    }
}

#[test]
fn every_law_rejects_a_fault() {
    let read = |name: &str| {
        std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    };
    let teeth = read("tests/suite/teeth.rs");
    let laws = read("src/suite.rs") + &read("src/memory.rs");
    let lists = ["(@laws ", "(@filled ", "(@of ", "(@plans "].map(|list| laws.split(list).skip(1));
    let lists: Vec<&str> = lists.into_iter().flatten().collect();
    let names = lists.iter().flat_map(|list| {
        let list = list.split_once("=> {").map_or("", |(_, rest)| rest);
        list.split('}').next().unwrap_or("").split_whitespace()
    });
    let (with, without): (Vec<&str>, Vec<&str>) = names
        .filter(|name| !name.contains('$'))
        .partition(|name| teeth.contains(&format!("::{name}")));
    assert!(with.len() > 60 && without.is_empty(), "{without:?}");
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
    plant(Fault::AbortsWithoutMemory);
    memory::a_build_without_memory_is_an_error::<Bloom>();
}

#[test]
#[cfg(not(target_family = "wasm"))]
fn an_abort_for_want_of_memory_ends_the_test() {
    let mut tests = std::process::Command::new(std::env::current_exe().unwrap());
    tests.args(["--include-ignored", "--exact", "teeth::a_build_that_aborts"]);
    let aborted = tests.output().unwrap();
    let said = String::from_utf8_lossy(&aborted.stderr);
    assert!(!aborted.status.success() && said.contains("memory allocation of"), "{said}");
}
