//! Laws of the surface: pointers to filters, what filters print, inserting what is not there, and the
//! ways of construction.

use crate::fill::{Fill, absent, absent_hashes, all_found, filled, present, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same, unchanged};
use amq_core::{
    Budget, BuildError, BuildFilter, BuildTarget, ClearFilter, EmptyFilter, Filter, FilterExt,
    Goal, InsertFilter, Inserted, Key, KeyHash, Plan, PlanFilter, RemoveFilter,
};
use core::fmt;
use std::sync::Arc;

/// `&F`, `&mut F`, `Box<F>`, `Arc<F>` and `Box<dyn Filter>` answer as the filter they point to.
pub fn a_pointer_to_a_filter_answers_as_it_does<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + 'static,
{
    let make = || filled(fill, 1000, 0.05, 9);
    let (filter, mut twin) = (make()?, make()?);
    answers_as(&filter, &&twin, "a reference")?;
    answers_as(&filter, &&mut twin, "an exclusive reference")?;
    answers_as(&filter, &Box::new(make()?), "a box")?;
    answers_as(&filter, &Arc::new(make()?), "an Arc")?;
    let boxed: Box<dyn Filter> = Box::new(twin);
    answers_as(&filter, &boxed, "a box of dyn Filter")?;
    for i in 0..2000 {
        let what = format_args!("contains of dyn Filter at {i}");
        let behind: &dyn Filter = &*boxed;
        same(
            what,
            behind.contains(&present(i)),
            filter.contains(&present(i)),
        )?;
        same(
            what,
            behind.contains(&absent(i)),
            filter.contains(&absent(i)),
        )?;
    }
    Ok(())
}

/// `Ok` if `pointer` says of itself what `filter` does, and gives its answers.
pub fn answers_as<F: Filter, P: Filter>(filter: &F, pointer: &P, what: &str) -> Verdict {
    let of = |method: &str| format!("{method} of {what}");
    same(of("kind"), pointer.kind(), filter.kind())?;
    same(of("seed"), pointer.seed(), filter.seed())?;
    same(of("len"), pointer.len(), filter.len())?;
    same(of("is_empty"), pointer.is_empty(), filter.is_empty())?;
    same(of("capacity"), pointer.capacity(), filter.capacity())?;
    same(
        of("size_in_bytes"),
        pointer.size_in_bytes(),
        filter.size_in_bytes(),
    )?;
    same(
        of("expected_fpr"),
        pointer.expected_fpr(),
        filter.expected_fpr(),
    )?;
    same(
        of("load_factor"),
        pointer.load_factor(),
        filter.load_factor(),
    )?;
    same(of("saturated"), pointer.saturated(), filter.saturated())?;
    same(of("stats"), pointer.stats(), filter.stats())?;
    let keys: Vec<u64> = (0..1500)
        .map(present)
        .chain((0..1500).map(absent))
        .collect();
    let hashes: Vec<KeyHash> = keys.iter().map(|key| key.key_hash(filter.seed())).collect();
    let mut answers = [vec![false; keys.len()], vec![false; keys.len()]];
    pointer
        .contains_batch(&hashes, &mut answers[0])
        .and_then(|()| pointer.contains_keys(&keys, &mut answers[1]))
        .map_err(Violation::refused(of("a batch")))?;
    for (i, (key, &hash)) in keys.iter().zip(&hashes).enumerate() {
        let wanted = filter.contains_hash(hash);
        same(of("contains_hash"), pointer.contains_hash(hash), wanted)?;
        same(of("contains"), pointer.contains(key), wanted)?;
        same(of("contains_batch"), answers[0][i], wanted)?;
        same(of("contains_keys"), answers[1][i], wanted)?;
    }
    Ok(())
}

/// `&mut F` and `Box<F>` take keys, and are cleared, as the filter they point to.
pub fn a_pointer_to_a_filter_takes_keys_as_it_does<F>() -> Verdict
where
    F: EmptyFilter + Clone + PartialEq,
{
    let empty = F::empty(Goal::fpr(1000, 0.05), 4);
    let empty = empty.map_err(Violation::refused("an empty filter"))?;
    let (mut filter, mut behind) = (empty.clone(), empty.clone());
    takes_keys_as(&mut filter, &mut &mut behind, "&mut F")?;
    unchanged(&behind, &filter, "inserting through &mut F instead")?;
    let (mut filter, mut boxed) = (empty.clone(), Box::new(empty));
    takes_keys_as(&mut filter, &mut boxed, "Box<F>")?;
    unchanged(&*boxed, &filter, "inserting through Box<F> instead")
}

/// `Ok` if `pointer` takes keys in each of the ways there are, and is cleared, as `filter` does. Both are
/// empty, made alike, and have room for 1000 keys.
pub fn takes_keys_as<F, P>(filter: &mut F, pointer: &mut P, what: &str) -> Verdict
where
    F: InsertFilter + ClearFilter,
    P: InsertFilter + ClearFilter,
{
    for round in 0..2 {
        let news = takes_keys(filter)?;
        same(
            format_args!("New behind {what}"),
            takes_keys(pointer)?,
            news,
        )?;
        answers_as(filter, pointer, what)?;
        if round == 0 {
            filter.clear();
            pointer.clear();
            answers_as(filter, pointer, what)?;
        }
    }
    Ok(())
}

/// Puts in 400 keys, some of them twice; how many were new, by each way of inserting.
fn takes_keys<F: InsertFilter>(filter: &mut F) -> Result<[u64; 4], Violation> {
    let refused = "some of 650 keys of 1000 planned";
    let keys = keys(400);
    let hashes = present_hashes(400, filter.seed());
    let (mut singly, mut unique) = (0, 0);
    for key in &keys[..100] {
        let inserted = filter.insert(key).map_err(Violation::refused(refused))?;
        singly += u64::from(inserted.is_new());
    }
    let batch = filter.insert_batch(&hashes[50..200]);
    for key in &keys[..250] {
        let inserted = filter.insert_unique(key);
        let inserted = inserted.map_err(Violation::refused(refused))?;
        unique += u64::from(inserted.is_new());
    }
    let batch = batch.map_err(Violation::refused(refused))?;
    let extended = filter.try_extend(&keys[250..]);
    let extended = extended.map_err(Violation::refused(refused))?;
    all_found(filter, &hashes, "inserted in each of the ways there are")?;
    Ok([singly, batch, unique, extended])
}

/// `&mut F` and `Box<F>` let go of keys as the filter they point to.
pub fn a_pointer_to_a_filter_removes_keys_as_it_does<F>() -> Verdict
where
    F: EmptyFilter + RemoveFilter + Clone + PartialEq,
{
    let mut filter =
        F::empty(Goal::fpr(1000, 0.01), 4).map_err(Violation::refused("an empty filter"))?;
    filter
        .insert_batch(&present_hashes(500, 4))
        .map_err(Violation::refused("half of the keys planned"))?;
    let (mut behind, mut boxed) = (filter.clone(), Box::new(filter.clone()));
    removes_keys_as(&mut filter.clone(), &mut &mut behind, "&mut F")?;
    removes_keys_as(&mut filter, &mut boxed, "Box<F>")?;
    unchanged(&behind, &filter, "removing through &mut F instead")?;
    unchanged(&*boxed, &filter, "removing through Box<F> instead")
}

/// `Ok` if `pointer` lets go of keys as `filter` does. Both hold the first 500 keys.
pub fn removes_keys_as<F, P>(filter: &mut F, pointer: &mut P, what: &str) -> Verdict
where
    F: RemoveFilter,
    P: RemoveFilter,
{
    for i in 0..500 {
        let key = present(2 * i);
        // Keys past the 500th are absent; those that are false positives must not be removed.
        if i >= 250 && filter.contains(&key) {
            continue;
        }
        same("remove", filter.remove(&key), i < 250)?;
        let removed = pointer.remove(&key);
        same(format_args!("remove behind {what}"), removed, i < 250)?;
    }
    answers_as(filter, pointer, what)
}

/// `Debug` shows neither the seed, which may be secret, nor the table, which may be gigabytes.
pub fn debug_output_is_short_and_hides_the_seed<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + fmt::Debug,
{
    const SEED: u64 = 0x5EED_0F7E_11FE_ED5E;
    let filter = filled(fill, 20_000, 0.01, SEED)?;
    let behind: &dyn Filter = &filter;
    for text in [
        format!("{filter:?}"),
        format!("{filter:#?}"),
        format!("{behind:?}"),
        format!("{behind:#?}"),
    ] {
        let digits: String = text.to_lowercase().replace('_', "");
        let told = digits.contains(&SEED.to_string()) || digits.contains(&format!("{SEED:x}"));
        ensure(
            !told && !text.is_empty() && text.len() < 1000,
            "Debug output",
            &text,
            "short, and without the seed",
        )?;
    }
    Ok(())
}

/// `stats` is what the methods say, the share of the table in use is a share, and both print.
pub fn stats_agree_with_the_methods_and_print<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    for held in [0, 1, 500, 1000] {
        let goal = Goal::fpr(1000, 0.01);
        let filter = match fill(goal, 3, &present_hashes(held, 3)) {
            Ok(filter) => filter,
            // A static filter may refuse to be made of nothing.
            Err(_) if held == 0 => continue,
            Err(error) => return Err(Violation::refused(format!("{held} keys"))(error)),
        };
        let stats = filter.stats();
        let of = |field: &str| format!("{field} in the stats of a filter of {held} keys");
        same(of("kind"), stats.kind, filter.kind())?;
        same(of("len"), stats.len, filter.len())?;
        same(of("capacity"), stats.capacity, filter.capacity())?;
        same(of("load_factor"), stats.load_factor, filter.load_factor())?;
        same(of("saturated"), stats.saturated, filter.saturated())?;
        same(of("bytes"), stats.bytes, filter.size_in_bytes())?;
        same(
            of("expected_fpr"),
            stats.expected_fpr,
            filter.expected_fpr(),
        )?;
        let share = if held == 0 { 0.0..=0.0 } else { 1e-9..=1.0 };
        ensure(
            share.contains(&stats.load_factor),
            of("load_factor"),
            stats.load_factor,
            format_args!("in {share:?}"),
        )?;
        let text = stats.to_string();
        let begins = format!(
            "{}: {} keys of {} planned",
            stats.kind, stats.len, stats.capacity
        );
        let size = format!("{} bytes", stats.bytes);
        ensure(
            text.starts_with(&begins) && text.contains(&size) && text.lines().count() == 1,
            of("Display"),
            &text,
            format_args!("one line, \"{begins}\", with \"{size}\" in it"),
        )?;
    }
    Ok(())
}

/// `insert_unique` puts in what the filter denies, and changes nothing if it doesn't: however often keys
/// come again, a set of them stays as it is and is never full.
pub fn insert_unique_changes_nothing_when_present<F>() -> Verdict
where
    F: EmptyFilter + Clone + PartialEq,
{
    for (n, fpr) in [(1, 0.5), (100, 0.1), (3000, 0.01)] {
        let goal = Goal::fpr(n as usize, fpr);
        let empty = || F::empty(goal, 6).map_err(Violation::refused("an empty filter"));
        let (mut filter, mut keyed) = (empty()?, empty()?);
        let mut new = 0;
        for (i, hash) in (0..n).zip(present_hashes(n, 6)) {
            let (there, len) = (filter.contains_hash(hash), filter.len());
            let wanted = Inserted::from_change(!there);
            let what = format!("insert_unique of key {i} of {n}");
            let refused = || Violation::refused(&what);
            same(
                &what,
                filter.insert_unique_hash(hash).map_err(refused())?,
                wanted,
            )?;
            same(
                &what,
                keyed.insert_unique(&present(i)).map_err(refused())?,
                wanted,
            )?;
            same(
                format_args!("len after {what}"),
                filter.len(),
                len + u64::from(!there),
            )?;
            all_found(&filter, &[hash], &what)?;
            new += u64::from(!there);
        }
        same(
            format_args!("len of {n} keys, inserted once"),
            filter.len(),
            new,
        )?;
        unchanged(&keyed, &filter, "inserting keys instead of hashes")?;
        let before = filter.clone();
        for round in 0..20 {
            for hash in present_hashes(n, 6) {
                let what = format!("insert_unique of {n} keys that are in, round {round}");
                let inserted = filter.insert_unique_hash(hash);
                let inserted = inserted.map_err(Violation::refused(&what))?;
                same(&what, inserted, Inserted::MaybePresent)?;
            }
        }
        unchanged(&filter, &before, "insert_unique of keys that are in")?;
    }
    Ok(())
}

/// A goal or plan given to `build` takes exactly as many keys as it is for, by every way of building;
/// one more is refused with that number.
pub fn a_build_refuses_more_keys_than_planned<F: BuildFilter>() -> Verdict {
    for n in [1, 2, 100, 3000] {
        let goal = Goal::fpr(n as usize, 0.01);
        let plan = F::plan(goal).map_err(Violation::refused(format!("{goal:?}")))?;
        for (target, by) in [
            (BuildTarget::from(goal), "a goal"),
            (BuildTarget::from(plan), "a plan"),
        ] {
            for (keys, taken) in [(n, true), (n + 1, false), (2 * n + 1, false)] {
                let hashes = present_hashes(keys, 2);
                for (build, of) in F::ALL {
                    let what = format!("{keys} keys, as {of}, by {by} for {n}");
                    match build(target, 2, keys) {
                        Ok(filter) if taken => {
                            all_found(&filter, &hashes, &what)?;
                            same(format!("capacity: {what}"), filter.capacity(), n)?;
                        }
                        Err(BuildError::TooManyKeys { planned }) if !taken => {
                            same(format!("planned, in the refusal of {what}"), planned, n)?;
                        }
                        Ok(_) => return Err(Violation::Accepted { what }),
                        Err(error) => return Err(Violation::refused(what)(error)),
                    }
                }
            }
        }
    }
    Ok(())
}

/// Builds of the first so many present keys.
type Build<F> = fn(BuildTarget<<F as PlanFilter>::Params>, u64, u64) -> Result<F, BuildError>;

trait Ways: BuildFilter {
    const ALL: [(Build<Self>, &'static str); 4];
}

impl<F: BuildFilter> Ways for F {
    const ALL: [(Build<F>, &'static str); 4] = [
        (
            |target, seed, n| F::build_hashes(target, seed, &present_hashes(n, seed)),
            "hashes",
        ),
        (
            |target, seed, n| F::build_keys(target, seed, &keys(n)),
            "a slice of keys",
        ),
        (
            |target, seed, n| F::build_iter(target, seed, keys(n)),
            "an iterator",
        ),
        // An iterator that knows nothing of its length.
        (
            |target, seed, n| F::build_iter(target, seed, keys(n).into_iter().filter(|_| true)),
            "a filtered iterator",
        ),
    ];
}

fn keys(n: u64) -> Vec<u64> {
    (0..n).map(present).collect()
}

/// A filter made from a plan is the one made from the plan's goal, empty or filled.
pub fn an_empty_filter_by_its_plan_is_the_one_by_its_goal<F>() -> Verdict
where
    F: EmptyFilter + PartialEq,
{
    for goal in goals() {
        let plan = F::plan(goal).map_err(Violation::refused(format!("{goal:?}")))?;
        let refused = || Violation::refused(format!("an empty filter for {goal:?}"));
        let mut by_goal = F::empty(goal, 8).map_err(refused())?;
        let mut by_plan = F::empty(plan, 8).map_err(refused())?;
        let mut by_reference = F::empty(&plan, 8).map_err(refused())?;
        let hashes = present_hashes(goal.items, 8);
        for filter in [&mut by_goal, &mut by_plan, &mut by_reference] {
            same(
                format_args!("params for {goal:?}"),
                filter.params(),
                plan.params,
            )?;
            same(
                format_args!("capacity for {goal:?}"),
                filter.capacity(),
                goal.items,
            )?;
            let refused = Violation::refused(format!("the keys of {goal:?}"));
            filter.insert_batch(&hashes).map_err(refused)?;
        }
        let what = format!("making a filter by its plan instead of by {goal:?}");
        unchanged(&by_plan, &by_goal, &what)?;
        unchanged(&by_reference, &by_goal, &what)?;
    }
    Ok(())
}

/// A filter built by a plan is the one built by the plan's goal; and the one built by its budget, if the
/// keys are as many as were planned.
pub fn a_filter_built_by_its_plan_is_the_one_by_its_goal<F: BuildFilter>() -> Verdict {
    for goal in goals() {
        let plan = F::plan(goal).map_err(Violation::refused(format!("{goal:?}")))?;
        for held in [goal.items, goal.items.div_ceil(2)] {
            let hashes = present_hashes(held, 8);
            let refused = |by: &str| Violation::refused(format!("{held} keys by {by} {goal:?}"));
            let by_goal = F::build_hashes(goal, 8, &hashes).map_err(refused("the goal"))?;
            let by_plan = F::build_hashes(plan, 8, &hashes).map_err(refused("the plan of"))?;
            all_found(&by_goal, &hashes, format_args!("{held} keys by {goal:?}"))?;
            same_answers(&by_plan, &by_goal, goal)?;
            if held == goal.items {
                let budget = goal.budget;
                let by_budget =
                    F::build_hashes(budget, 8, &hashes).map_err(refused("budget of"))?;
                same_answers(&by_budget, &by_goal, goal)?;
            }
        }
    }
    Ok(())
}

fn goals() -> impl Iterator<Item = Goal> {
    let budgets = [
        Budget::Fpr(0.1),
        Budget::Fpr(1e-3),
        Budget::BitsPerKey(14.0),
    ];
    let of = move |items| budgets.map(|budget| Goal::new(items, budget));
    [1000, 12_345].into_iter().flat_map(of)
}

fn same_answers<F: PlanFilter>(one: &F, other: &F, goal: Goal) -> Verdict {
    let of = |what: &str| format!("{what} by the plan or budget of {goal:?}");
    same(of("params"), one.params(), other.params())?;
    same(of("capacity"), one.capacity(), other.capacity())?;
    same(of("len"), one.len(), other.len())?;
    same(
        of("size_in_bytes"),
        one.size_in_bytes(),
        other.size_in_bytes(),
    )?;
    for hash in absent_hashes(20_000, 8) {
        same(
            of("an answer"),
            one.contains_hash(hash),
            other.contains_hash(hash),
        )?;
    }
    Ok(())
}

/// A plan's fields are public, and may be changed: whatever parameters of other plans are put in, and
/// whatever numbers, a filter is made that loses no key, or an error tells why not.
pub fn a_plan_that_was_changed_is_followed_or_refused<F: PlanFilter>(
    make: fn(Plan<F::Params>, &[KeyHash]) -> Result<F, BuildError>,
) -> Verdict {
    let goals = [
        Goal::fpr(1, 0.5),
        Goal::fpr(100, 0.01),
        Goal::fpr(3000, 1e-4),
        Goal::bits_per_key(3000, 14.0),
    ];
    let mut plans = Vec::new();
    for goal in goals {
        plans.push(F::plan(goal).map_err(Violation::refused(format!("{goal:?}")))?);
    }
    for plan in &plans {
        for other in &plans {
            for items in [0, 1, plan.items, 1 << 20, u64::MAX] {
                for bytes in [0, plan.bytes, u64::MAX] {
                    let mut changed = *plan;
                    (changed.params, changed.items, changed.bytes) = (other.params, items, bytes);
                    changed.expected_fpr = f64::NAN;
                    let hashes = present_hashes(100, 5);
                    if let Ok(filter) = make(changed, &hashes) {
                        all_found(&filter, &hashes, format_args!("by the plan {changed:?}"))?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// As [`by_inserting`](crate::by_inserting), by a plan.
pub fn inserting_by_plan<F: EmptyFilter>(
    plan: Plan<F::Params>,
    hashes: &[KeyHash],
) -> Result<F, BuildError> {
    let mut filter = F::empty(plan, 5)?;
    filter.insert_batch(hashes)?;
    Ok(filter)
}

/// As [`at_once`](crate::at_once), by a plan.
pub fn building_by_plan<F: BuildFilter>(
    plan: Plan<F::Params>,
    hashes: &[KeyHash],
) -> Result<F, BuildError> {
    F::build_hashes(plan, 5, hashes)
}

/// Parameters out of their range are refused where they are planned with, and again where a filter is
/// made from a plan that was given them: by the same error, and before anything else.
pub fn parameters_out_of_range_are_refused<F: PlanFilter>(
    make: fn(Plan<F::Params>, &[KeyHash]) -> Result<F, BuildError>,
    out_of_range: &[F::Params],
) -> Verdict {
    let good = F::plan(Goal::fpr(10, 0.01)).map_err(Violation::refused("10 keys at 1 %"))?;
    for &params in out_of_range {
        let Err(error) = F::plan_params(params, 10) else {
            let what = format!("a plan with {params:?}");
            return Err(Violation::Accepted { what });
        };
        let mut plan = good;
        plan.params = params;
        match make(plan, &present_hashes(10, 5)) {
            Err(BuildError::Plan(again)) => {
                same(
                    format_args!("the refusal of {params:?} in a plan"),
                    again,
                    error,
                )?;
            }
            Err(error) => {
                let what = "the refusal of a plan with parameters out of range";
                ensure(false, what, error, "an error of the parameter")?;
            }
            Ok(_) => {
                let what = format!("a filter by a plan with {params:?}");
                return Err(Violation::Accepted { what });
            }
        }
    }
    Ok(())
}
