//! Laws of the surface: `Debug` and `stats`, unique inserts, and construction from goals, plans and
//! budgets.

use crate::fail::OrFail;
use crate::fill::{
    Fill, all_found, count_absent_found, empty, filled, present, present_hashes, same_answers,
};
use amq_core::{
    Budget, BuildError, BuildFilter, BuildTarget, EmptyFilter, Filter, Goal, InsertExt, Inserted,
    KeyHash, Plan, PlanFilter,
};
use core::fmt;

/// `Debug` shows neither the seed, which may be secret, nor the table, which may be gigabytes.
pub fn debug_output_is_short_and_hides_the_seed<F>(fill: Fill<F>)
where
    F: PlanFilter + fmt::Debug,
{
    const SEED: u64 = 0x5EED_0F7E_11FE_ED5E;
    let filter = filled(fill, 20_000, 0.01, SEED);
    let behind: &dyn Filter = &filter;
    for text in [
        format!("{filter:?}"),
        format!("{filter:#?}"),
        format!("{behind:?}"),
        format!("{behind:#?}"),
    ] {
        let digits = text.to_lowercase().replace('_', "");
        let told = digits.contains(&SEED.to_string()) || digits.contains(&format!("{SEED:x}"));
        assert!(!told && !text.is_empty() && text.len() < 1000, "Debug output: {text}");
    }
}

/// `stats` agrees with the methods, the load factor lies in [0, 1], and the text is one line. A
/// filter planned for many keys and given few or none reports what it holds.
pub fn stats_agree_with_the_methods_and_print<F: PlanFilter>(fill: Fill<F>) {
    for held in [0, 1, 500, 1000] {
        match fill(Goal::fpr(1000, 0.01), 3, &present_hashes(held, 3)) {
            Ok(filter) => stats_agree(&filter, held),
            // A static filter may refuse to be built of no keys.
            Err(error) => assert!(held == 0, "{held} keys are refused: {error}"),
        }
    }
}

fn stats_agree(filter: &dyn Filter, held: u64) {
    let stats = filter.stats();
    let numbers = (stats.len, stats.capacity, stats.bytes, stats.saturated);
    let wanted = (filter.len(), filter.capacity(), filter.size_in_bytes(), filter.saturated());
    assert_eq!((stats.kind, numbers), (filter.kind(), wanted), "stats of {held} keys");
    assert_eq!(stats.load_factor, filter.load_factor());
    assert_eq!(stats.expected_fpr, filter.expected_fpr());
    let share = if held == 0 { 0.0..=0.0 } else { 1e-9..=1.0 };
    assert!(share.contains(&stats.load_factor), "load of {held} keys: {}", stats.load_factor);
    if held == 0 {
        assert!(filter.is_empty() && stats.len == 0 && stats.expected_fpr == 0.0, "{stats}");
        assert_eq!(count_absent_found(filter, 100_000), 0, "keys found in an empty filter");
    }
    let text = stats.to_string();
    let of = if stats.len > stats.capacity { ", more than the" } else { " of" };
    let keys = if stats.len == 1 { "key" } else { "keys" };
    let begins = format!("{}: {} {keys}{of} {} planned", stats.kind, stats.len, stats.capacity);
    let right = text.starts_with(&begins) && text.contains(&format!("{} bytes", stats.bytes));
    assert!(right && text.lines().count() == 1, "stats as text: {text}");
}

/// `insert_unique` inserts a key that the filter answers `false`, and otherwise changes nothing:
/// however often keys repeat, the filter stays as it is and never fills up.
pub fn insert_unique_changes_nothing_when_present<F>()
where
    F: EmptyFilter + Clone + PartialEq,
{
    for (n, fpr) in [(1, 0.5), (100, 0.1), (3000, 0.01)] {
        let (mut filter, mut keyed) = (empty::<F>(n, fpr, 6), empty::<F>(n, fpr, 6));
        let mut new = 0;
        for (i, hash) in (0..n).zip(present_hashes(n, 6)) {
            let there = filter.contains_hash(hash);
            let wanted = Ok(Inserted::from_change(!there));
            assert_eq!(filter.insert_unique_hash(hash), wanted, "key {i} of {n}");
            assert_eq!(keyed.insert_unique(&present(i)), wanted, "key {i} of {n}");
            new += u64::from(!there);
            assert_eq!(filter.len(), new, "len after {i} of {n} keys");
            all_found(&filter, &[hash], "inserted by insert_unique");
        }
        assert!(keyed == filter, "keys make another filter than their hashes");
        let before = filter.clone();
        for round in 0..20 {
            for hash in present_hashes(n, 6) {
                let inserted = filter.insert_unique_hash(hash);
                assert_eq!(inserted, Ok(Inserted::MaybePresent), "{n} keys, round {round}");
            }
        }
        assert!(filter == before, "changed by insert_unique of present keys");
    }
}

/// Builds a filter of the first `n` present keys: `build(target, seed, n)`.
type Build<F> = fn(BuildTarget<<F as PlanFilter>::Params>, u64, u64) -> Result<F, BuildError>;

/// Every way of building from a goal or plan takes exactly the planned number of keys; one more is
/// refused with that number.
pub fn a_build_refuses_more_keys_than_planned<F: BuildFilter>() {
    let builds: [(&str, Build<F>); 4] = [
        ("hashes", |target, seed, n| F::build_hashes(target, seed, &present_hashes(n, seed))),
        ("a slice", |target, seed, n| {
            F::build_keys(target, seed, &(0..n).map(present).collect::<Vec<u64>>())
        }),
        ("an iterator", |target, seed, n| F::build_iter(target, seed, (0..n).map(present))),
        // It is of unknown length.
        ("a filtered iterator", |target, seed, n| {
            F::build_iter(target, seed, (0..n).map(present).filter(|_| true))
        }),
    ];
    for n in [1, 2, 100, 3000] {
        let goal = Goal::new(n, Budget::Fpr(0.01));
        let plan = F::plan(goal).or_fail(format_args!("{goal:?}"));
        for target in [BuildTarget::from(goal), BuildTarget::from(plan)] {
            for (keys, taken) in [(n, true), (n + 1, false), (2 * n + 1, false)] {
                let hashes = present_hashes(keys, 2);
                for (of, build) in builds {
                    match build(target, 2, keys) {
                        Ok(filter) if taken => {
                            all_found(&filter, &hashes, format_args!("built of {of}"));
                            assert_eq!(filter.capacity(), n, "capacity, built of {of}");
                        }
                        Err(BuildError::TooManyKeys { planned }) if !taken => {
                            assert_eq!(planned, n, "planned, in the refusal of {keys} keys");
                        }
                        made => panic!("{keys} keys of {n} planned, of {of}: {:?}", made.err()),
                    }
                }
            }
        }
    }
}

/// A filter made from a plan equals the one made from the plan's goal, empty or filled.
pub fn an_empty_filter_by_its_plan_is_the_one_by_its_goal<F>()
where
    F: EmptyFilter + PartialEq,
{
    for goal in goals() {
        let plan = F::plan(goal).or_fail(format_args!("{goal:?}"));
        let reference = &plan;
        let made = [F::empty(goal, 8), F::empty(plan, 8), F::empty(reference, 8)];
        let [by_goal, by_plan, by_reference] = made.map(|made| {
            let mut filter = made.or_fail(format_args!("an empty filter for {goal:?}"));
            assert_eq!((filter.params(), filter.capacity()), (plan.params, goal.keys), "{goal:?}");
            filter.insert_batch(&present_hashes(goal.keys, 8)).or_fail("the keys planned for");
            filter
        });
        assert!(by_plan == by_goal && by_reference == by_goal, "{goal:?} and its plan differ");
    }
}

/// A filter built from a plan equals the one built from its goal, and, with the planned number of
/// keys, the one built from its budget.
pub fn a_filter_built_by_its_plan_is_the_one_by_its_goal<F: BuildFilter>() {
    for goal in goals() {
        let plan = F::plan(goal).or_fail(format_args!("{goal:?}"));
        for held in [goal.keys, goal.keys.div_ceil(2)] {
            let hashes = present_hashes(held, 8);
            let what = format!("{held} keys by the goal {goal:?}, its plan or budget");
            let by_goal = F::build_hashes(goal, 8, &hashes).or_fail(&what);
            all_found(&by_goal, &hashes, &what);
            let mut others = vec![F::build_hashes(plan, 8, &hashes)];
            if held == goal.keys {
                others.push(F::build_hashes(goal.budget, 8, &hashes));
            }
            for other in others {
                let other = other.or_fail(&what);
                assert_eq!(other.params(), by_goal.params(), "{what}");
                assert_eq!(other.capacity(), by_goal.capacity(), "{what}");
                same_answers(&other, &by_goal, &what);
            }
        }
    }
}

fn goals() -> impl Iterator<Item = Goal> {
    let budgets = [Budget::Fpr(0.1), Budget::Fpr(1e-3), Budget::BitsPerKey(14.0)];
    let of = move |keys| budgets.map(|budget| Goal::new(keys, budget));
    [1000, 12_345].into_iter().flat_map(of)
}

/// Makes a filter from a plan, with these hashes in it.
pub type ByPlan<F> = fn(Plan<<F as PlanFilter>::Params>, &[KeyHash]) -> Result<F, BuildError>;

/// Like [`by_inserting`](crate::by_inserting), from a plan.
pub fn inserting_by_plan<F: EmptyFilter>(
    plan: Plan<F::Params>,
    hashes: &[KeyHash],
) -> Result<F, BuildError> {
    let mut filter = F::empty(plan, 5)?;
    filter.insert_batch(hashes)?;
    Ok(filter)
}

/// Like [`at_once`](crate::at_once), from a plan.
pub fn building_by_plan<F: BuildFilter>(
    plan: Plan<F::Params>,
    hashes: &[KeyHash],
) -> Result<F, BuildError> {
    F::build_hashes(plan, 5, hashes)
}

/// A plan's fields are public and may be changed. Whatever numbers and other plans' parameters it
/// is given, it makes a filter that loses no key, or an error that says why not.
pub fn a_plan_that_was_changed_is_followed_or_refused<F: PlanFilter>(make: ByPlan<F>) {
    let goals = [Goal::fpr(1, 0.5), Goal::fpr(100, 0.01), Goal::fpr(3000, 1e-4)];
    let goals = goals.into_iter().chain([Goal::bits_per_key(3000, 14.0)]);
    let plans: Vec<_> = goals.map(|goal| F::plan(goal).or_fail(format_args!("{goal:?}"))).collect();
    let hashes = present_hashes(100, 5);
    for plan in &plans {
        for other in &plans {
            for keys in [0, 1, plan.keys, 1 << 20, u64::MAX] {
                for bytes in [0, plan.bytes, u64::MAX] {
                    let mut changed = *plan;
                    (changed.params, changed.keys, changed.bytes) = (other.params, keys, bytes);
                    changed.expected_fpr = f64::NAN;
                    if let Ok(filter) = make(changed, &hashes) {
                        all_found(&filter, &hashes, format_args!("by the plan {changed:?}"));
                    }
                }
            }
        }
    }
}

/// Parameters out of range are refused when planned, and again when a filter is made from a plan
/// with such parameters: by the same error, and before anything else.
pub fn parameters_out_of_range_are_refused<F: PlanFilter>(
    make: ByPlan<F>,
    out_of_range: &[F::Params],
) {
    for &params in out_of_range {
        let Err(error) = F::plan_params(params, 10) else { panic!("planned: {params:?}") };
        let mut plan = F::plan(Goal::fpr(10, 0.01)).or_fail("10 keys at 1 %");
        plan.params = params;
        match make(plan, &present_hashes(10, 5)) {
            Err(BuildError::Plan(again)) => assert_eq!(again, error, "{params:?} in a plan"),
            made => panic!("{params:?} in a plan are not refused by it: {:?}", made.err()),
        }
    }
}
