//! Laws of goals at the edge of the possible, and beyond it.

use crate::fail::OrFail;
use crate::fill::{all_found, present_hashes};
use crate::planner::{Planned, Planner, cases, edges, names_the_goal, usable};
use amq_core::numeric::hash_floor;
use amq_core::{Budget, BuildError, EmptyFilter, Goal, PlanError, PredictedFpr};

/// A goal that no filter can meet is refused, and the text names the value.
pub fn an_impossible_goal_is_refused_by_name(planner: &dyn Planner) {
    let rates = [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-300];
    let rates = rates.map(|rate| (Budget::Fpr(rate), rate));
    let bits = [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let bits = bits.map(|bits| (Budget::BitsPerKey(bits), bits));
    let bytes = [(Budget::Bytes(0), 0.0)];
    for (budget, value) in rates.into_iter().chain(bits).chain(bytes) {
        for keys in [1, 3, 1000, 1 << 40] {
            let goal = Goal::new(keys, budget);
            let Err(error) = planner.plan(goal) else {
                panic!("planned, though impossible: {goal:?}")
            };
            let text = error.to_string();
            let named = [format!("{value}"), format!("{value:e}")];
            let names_it = named.iter().any(|name| text.contains(name));
            assert!(names_it, "the error for {goal:?} does not name {value}: {text}");
        }
    }
}

/// A goal at the edge of the possible is planned or refused, without a panic and without allocating
/// the planned memory.
pub fn a_goal_at_the_edge_is_planned_or_refused(planner: &dyn Planner) {
    for goal in edges() {
        match planner.plan(goal) {
            Ok(Planned { plan, .. }) => usable(&plan, goal),
            Err(error) => names_the_goal(error, goal),
        }
    }
}

/// A goal for no keys is planned, or refused, as that for one: a program whose input is empty gets
/// the smallest filter.
pub fn no_keys_are_planned_as_one(planner: &dyn Planner) {
    for none in edges().filter(|goal| goal.keys == 0) {
        let plan = |goal| format!("{:?}", planner.plan(goal).map(|planned| planned.plan));
        assert_eq!(plan(none), plan(Goal::new(1, none.budget)), "the plan for {none:?}");
    }
}

/// For any number of keys, a predicted rate lies in [0, 1], never falls as keys are added, and is
/// at least the rate of equal 64-bit hashes; its spread is at most 0.5, as for any value in [0, 1].
pub fn a_predicted_rate_is_a_probability(planner: &dyn Planner) {
    let keys = (0..64).map(|bits| (1 << bits) - 1);
    let keys: Vec<u64> = keys.chain([u64::MAX - 1, u64::MAX]).collect();
    let goals = [1, 30, 100_000, 1 << 30].map(|keys| {
        let rates = [0.99, 0.5, 0.01, 1e-9].map(Budget::Fpr);
        let budgets = rates.into_iter().chain([Budget::BitsPerKey(9.0), Budget::Bytes(1 << 20)]);
        budgets.map(move |budget| Goal::new(keys, budget))
    });
    for goal in cases(goals.into_iter().flatten()) {
        let Ok(Planned { plan, predicted_fpr }) = planner.plan(goal) else { continue };
        let mut below = 0.0;
        for &keys in &keys {
            let PredictedFpr { mean, sd } = predicted_fpr(keys);
            // Beyond its plan a filter may refuse keys; its rate is that of the keys it holds.
            let floor = hash_floor(keys.min(plan.keys));
            let least = (0.999 * floor).max(below * (1.0 - 1e-6));
            assert!(
                (least..=1.0).contains(&mean) && (0.0..=0.5).contains(&sd),
                "predicted_fpr of {keys} keys in {:?}: {mean} +- {sd}, should be {least} or more",
                plan.params
            );
            below = mean;
        }
    }
}

/// The advice in an error works: the smallest size can be planned and one byte less cannot; a rate
/// just above the lowest can, and so can a number of keys in the range.
pub fn the_way_out_that_an_error_names_is_one(planner: &dyn Planner) {
    let rates = [0.6, 0.01, 1e-4, 1e-6, 1e-8, 1e-10, 1e-13, 1e-16, 1e-19];
    let bits = [0.01, 0.3, 1.0, 2.0, 3.0, 4.5, 6.0, 8.0];
    let bytes = [0, 1, 7, 8, 31, 63, 64, 100, 1000];
    for keys in [0, 1, 2, 3, 7, 57, 90, 1000, 123_456, 1 << 40, u64::MAX] {
        let budgets = rates.map(Budget::Fpr).into_iter();
        let budgets = budgets.chain(bits.map(Budget::BitsPerKey));
        for budget in cases(budgets.chain(bytes.map(Budget::Bytes))) {
            let goal = Goal::new(keys, budget);
            let Err(error) = planner.plan(goal) else { continue };
            let way_out = match error {
                PlanError::Keys { min, max, .. } => Goal::new(keys.clamp(min, max), budget),
                PlanError::FprUnreachable { lowest, .. } => {
                    Goal::new(keys, Budget::Fpr(lowest * (1.0 + 1e-6)))
                }
                PlanError::Bytes { min, .. } => Goal::new(keys, Budget::Bytes(min)),
                _ => continue,
            };
            match (error, planner.plan(way_out)) {
                (_, Ok(_)) => {}
                // The number of keys is possible, but not within this budget.
                (PlanError::Keys { .. }, Err(error))
                    if !matches!(error, PlanError::Keys { .. }) => {}
                // The rate would need more memory than the machine has.
                (PlanError::FprUnreachable { .. }, Err(PlanError::TooLarge { .. })) => {}
                (_, Err(again)) => panic!("{goal:?}: {error}, but {way_out:?}: {again}"),
            }
            if let PlanError::Bytes { min, .. } = error {
                let less = Goal::new(keys, Budget::Bytes(min.saturating_sub(1)));
                assert!(planner.plan(less).is_err(), "{goal:?}: {error}, but {less:?} is planned");
            }
        }
    }
}

/// Sizes in between may fit the machine, or be overcommitted, so tests do not try them.
const SMALL: u64 = 16 << 20;
const BEYOND_MEMORY: u64 = 1 << 60;

/// A filter can be made from every plan. A plan beyond all memory is refused by an error, not by an
/// abort.
pub fn a_plan_can_be_made_or_is_refused<F: EmptyFilter>() {
    for goal in edges() {
        let Ok(plan) = F::plan(goal) else { continue };
        if plan.bytes <= SMALL {
            let mut filter = F::empty(plan, 5).or_fail(format_args!("{plan:?}"));
            let hashes = present_hashes(plan.keys.min(3), 5);
            filter.insert_batch(&hashes).or_fail(format_args!("the first keys in {plan:?}"));
            all_found(&filter, &hashes, format_args!("{plan:?}"));
        } else if plan.bytes >= BEYOND_MEMORY {
            let error = F::empty(plan, 5).err();
            let too_large = matches!(
                error,
                Some(BuildError::OutOfMemory { .. } | BuildError::Plan(PlanError::TooLarge { .. }))
            );
            assert!(too_large, "{plan:?} must be refused for its size: {error:?}");
        }
    }
}
