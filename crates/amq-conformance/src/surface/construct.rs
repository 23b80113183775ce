//! Construction from goals, plans and budgets.

use crate::fill::{absent_hashes, all_found, present, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same, unchanged};
use amq_core::{
    Budget, BuildError, BuildFilter, BuildTarget, EmptyFilter, Filter, Goal, KeyHash, Plan,
    PlanFilter,
};

/// Every way of building from a goal or plan takes exactly the planned number of keys; one more is
/// refused with that number.
pub fn a_build_refuses_more_keys_than_planned<F: BuildFilter>() -> Verdict {
    for n in [1, 2, 100, 3000] {
        let goal = Goal::new(n, Budget::Fpr(0.01));
        let plan = F::plan(goal).map_err(Violation::refused(format!("{goal:?}")))?;
        for (target, by) in
            [(BuildTarget::from(goal), "a goal"), (BuildTarget::from(plan), "a plan")]
        {
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

/// Builds a filter of the first `n` present keys: `build(target, seed, n)`.
type Build<F> = fn(BuildTarget<<F as PlanFilter>::Params>, u64, u64) -> Result<F, BuildError>;

trait Ways: BuildFilter {
    const ALL: [(Build<Self>, &'static str); 4];
}

impl<F: BuildFilter> Ways for F {
    const ALL: [(Build<F>, &'static str); 4] = [
        (|target, seed, n| F::build_hashes(target, seed, &present_hashes(n, seed)), "hashes"),
        (|target, seed, n| F::build_keys(target, seed, &keys(n)), "a slice of keys"),
        (|target, seed, n| F::build_iter(target, seed, keys(n)), "an iterator"),
        // An iterator of unknown length.
        (
            |target, seed, n| F::build_iter(target, seed, keys(n).into_iter().filter(|_| true)),
            "a filtered iterator",
        ),
    ];
}

fn keys(n: u64) -> Vec<u64> {
    (0..n).map(present).collect()
}

/// A filter made from a plan equals the one made from the plan's goal, empty or filled.
pub fn an_empty_filter_by_its_plan_is_the_one_by_its_goal<F>() -> Verdict
where
    F: EmptyFilter + PartialEq,
{
    for goal in goals() {
        let plan = F::plan(goal).map_err(Violation::refused(format!("{goal:?}")))?;
        let refused = || Violation::refused(format!("an empty filter for {goal:?}"));
        let mut by_goal = F::empty(goal, 8).map_err(refused())?;
        let mut by_plan = F::empty(plan, 8).map_err(refused())?;
        let reference = &plan;
        let mut by_reference = F::empty(reference, 8).map_err(refused())?;
        let hashes = present_hashes(goal.keys, 8);
        for filter in [&mut by_goal, &mut by_plan, &mut by_reference] {
            same(format_args!("params for {goal:?}"), filter.params(), plan.params)?;
            same(format_args!("capacity for {goal:?}"), filter.capacity(), goal.keys)?;
            let refused = Violation::refused(format!("the keys of {goal:?}"));
            filter.insert_batch(&hashes).map_err(refused)?;
        }
        let what = format!("making a filter by its plan instead of by {goal:?}");
        unchanged(&by_plan, &by_goal, &what)?;
        unchanged(&by_reference, &by_goal, &what)?;
    }
    Ok(())
}

/// A filter built from a plan equals the one built from its goal, and, with the planned number of
/// keys, the one built from its budget.
pub fn a_filter_built_by_its_plan_is_the_one_by_its_goal<F: BuildFilter>() -> Verdict {
    for goal in goals() {
        let plan = F::plan(goal).map_err(Violation::refused(format!("{goal:?}")))?;
        for held in [goal.keys, goal.keys.div_ceil(2)] {
            let hashes = present_hashes(held, 8);
            let refused = |by: &str| Violation::refused(format!("{held} keys by {by} {goal:?}"));
            let by_goal = F::build_hashes(goal, 8, &hashes).map_err(refused("the goal"))?;
            let by_plan = F::build_hashes(plan, 8, &hashes).map_err(refused("the plan of"))?;
            all_found(&by_goal, &hashes, format_args!("{held} keys by {goal:?}"))?;
            same_answers(&by_plan, &by_goal, goal)?;
            if held == goal.keys {
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
    let budgets = [Budget::Fpr(0.1), Budget::Fpr(1e-3), Budget::BitsPerKey(14.0)];
    let of = move |keys| budgets.map(|budget| Goal::new(keys, budget));
    [1000, 12_345].into_iter().flat_map(of)
}

fn same_answers<F: PlanFilter>(one: &F, other: &F, goal: Goal) -> Verdict {
    let of = |what: &str| format!("{what} by the plan or budget of {goal:?}");
    same(of("params"), one.params(), other.params())?;
    same_numbers_and_answers(one, other, &of)
}

fn same_numbers_and_answers(
    one: &dyn Filter,
    other: &dyn Filter,
    of: &dyn Fn(&str) -> String,
) -> Verdict {
    same(of("capacity"), one.capacity(), other.capacity())?;
    same(of("len"), one.len(), other.len())?;
    same(of("size_in_bytes"), one.size_in_bytes(), other.size_in_bytes())?;
    for hash in absent_hashes(20_000, 8) {
        same(of("an answer"), one.contains_hash(hash), other.contains_hash(hash))?;
    }
    Ok(())
}

/// A plan's fields are public and may be changed. Whatever numbers and other plans' parameters it
/// is given, it makes a filter that loses no key, or an error that says why not.
pub fn a_plan_that_was_changed_is_followed_or_refused<F: PlanFilter>(make: ByPlan<F>) -> Verdict {
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
            for keys in [0, 1, plan.keys, 1 << 20, u64::MAX] {
                for bytes in [0, plan.bytes, u64::MAX] {
                    let mut changed = *plan;
                    (changed.params, changed.keys, changed.bytes) = (other.params, keys, bytes);
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

/// Parameters out of range are refused when planned, and again when a filter is made from a plan
/// with such parameters: by the same error, and before anything else.
pub fn parameters_out_of_range_are_refused<F: PlanFilter>(
    make: ByPlan<F>,
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
                same(format_args!("the refusal of {params:?} in a plan"), again, error)?;
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
