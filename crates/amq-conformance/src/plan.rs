//! Laws of plans: a plan meets its goal, and the filter its plan.

use crate::fail::OrFail;
use crate::fill::{Fill, filled_within};
use crate::planner::{Planned, Planner, cases, edges, names_the_goal, usable};
use amq_core::numeric::hash_floor;
use amq_core::{Budget, EmptyFilter, Goal, PlanError, PlanFilter};
use core::fmt::Display;
use core::marker::PhantomData;

const RATES: [f64; 9] = [0.5, 0.1, 0.0101, 0.01, 0.0079, 0.0078, 1.0 / 256.0, 1e-3, 1e-6];
const KEYS: [u64; 9] = [1, 2, 3, 10, 100, 1000, 12_345, 1_000_000, 1_000_000_000];

/// A plan for a rate has at most that rate, and it is the rate predicted for its parameters. A plan
/// within a size stays within it. More room never raises the rate, and a higher rate never takes
/// more room.
pub fn a_plan_keeps_to_its_budget(planner: &dyn Planner) {
    for keys in KEYS {
        let mut smaller = 0;
        for asked in cases(RATES) {
            let goal = Goal::new(keys, Budget::Fpr(asked));
            let Some(plan) = planned(planner, goal) else { continue };
            // Where a rate is a whole number of bits, what 64-bit hashes add is not worth another
            // bit.
            let rate = plan.expected_fpr;
            assert!(rate <= asked + hash_floor(keys), "rate of {goal:?}: {rate}");
            assert!(plan.bytes >= smaller, "{goal:?}: {} bytes, fewer than {smaller}", plan.bytes);
            smaller = plan.bytes;
        }
        let bits = cases([1.0, 3.0, 8.0, 10.0, 12.5, 16.0, 24.0, 40.0]).map(Budget::BitsPerKey);
        let bytes = cases((0..34).map(|shift| 3 << shift)).map(Budget::Bytes);
        for budgets in [bits.collect::<Vec<_>>(), bytes.collect()] {
            let mut better = 1.0;
            for budget in budgets {
                let goal = Goal::new(keys, budget);
                let Some(plan) = planned(planner, goal) else { continue };
                let most = match budget {
                    Budget::BitsPerKey(bits) => keys as f64 * bits,
                    _ => goal.max_bits() as f64,
                };
                assert!(plan.bytes as f64 * 8.0 <= most, "{goal:?}: {} bytes", plan.bytes);
                // Both rates are computed; equal ones may differ by rounding.
                let rate = plan.expected_fpr;
                assert!(rate <= better * (1.0 + 1e-9), "{goal:?}: {rate}, with less room {better}");
                better = rate;
            }
        }
    }
}

/// The plan for a goal, checked itself; `None` if refused, which is an error for an ordinary goal.
fn planned(
    planner: &dyn Planner,
    goal: Goal,
) -> Option<amq_core::Plan<Box<dyn core::fmt::Debug + '_>>> {
    let ordinary = (100..=1_000_000).contains(&goal.keys)
        && match goal.budget {
            Budget::Fpr(fpr) => (1e-3..=0.1).contains(&fpr),
            // Filters that store fingerprints need a least length, and may reserve some slots,
            // which matters at a hundred keys.
            Budget::BitsPerKey(bits) => {
                let least = if goal.keys < 1000 { 12.0 } else { 10.0 };
                (least..=24.0).contains(&bits)
            }
            Budget::Bytes(bytes) => {
                (goal.keys * 5 / 4..=4 * goal.keys).contains(&bytes) && goal.keys > 100
            }
        };
    let Planned { plan, predicted_fpr } = match planner.plan(goal) {
        Ok(planned) => planned,
        Err(error) => {
            assert!(!ordinary, "refused, though ordinary: {goal:?}: {error}");
            names_the_goal(error, goal);
            return None;
        }
    };
    usable(&plan, goal);
    let (predicted, own) = (predicted_fpr(goal.keys), plan.expected_fpr);
    let off = (predicted.mean - own).abs();
    let right = off <= 1e-9 * own && predicted.sd >= 0.0;
    assert!(right, "{goal:?}: expected_fpr {own}, predicted {predicted:?}");
    Some(plan)
}

/// A filter created from a plan has the plan's parameters, size and capacity, the given seed, and
/// no keys.
pub fn a_filter_is_what_its_plan_says<F: EmptyFilter>() {
    for keys in [1, 2, 3, 10, 100, 1000, 12_345, 1_000_000] {
        for asked in cases(RATES) {
            let goal = Goal::new(keys, Budget::Fpr(asked));
            // Checked first; an error is one of a goal that may be refused.
            let checked = planned(&PhantomData::<F>, goal).is_some();
            let (true, Ok(plan)) = (checked, F::plan(goal)) else { continue };
            let filter = F::empty(plan, 11).or_fail(format_args!("{plan:?}"));
            assert_eq!(filter.size_in_bytes(), plan.bytes, "bytes of {goal:?}");
            assert_eq!(filter.params(), plan.params, "params of {goal:?}");
            assert_eq!((filter.capacity(), filter.seed(), filter.len()), (keys, 11, 0), "{goal:?}");
        }
    }
}

/// A filled filter takes the planned bytes (one built at once, to within 1 %).
pub fn a_filled_filter_takes_the_planned_bytes<F: PlanFilter>(fill: Fill<F>) {
    for keys in [1000, 12_345, 100_000] {
        for budget in [Budget::Fpr(0.01), Budget::Fpr(1e-3), Budget::BitsPerKey(14.0)] {
            let goal = Goal::new(keys, budget);
            let Some(plan) = planned(&PhantomData::<F>, goal) else { continue };
            let size = filled_within(fill, keys, budget, 1).size_in_bytes() as f64;
            let planned = plan.bytes as f64;
            assert!((size - planned).abs() <= 0.01 * planned, "{goal:?}: {size}, not {planned}");
        }
    }
}

/// Numbers of keys at which a layer, block or bucket is not small against the filter.
const UNEVEN: [u64; 17] = [
    150, 333, 600, 1000, 1201, 1250, 1270, 1300, 1400, 1500, 1700, 2500, 4000, 8001, 8200, 9000,
    12_345,
];

/// A filter built within a size stays within it, whichever keys it holds. Tests every small number
/// of keys, and some larger ones with many seeds. What can be planned can be built.
pub fn a_built_filter_keeps_to_its_budget<F: PlanFilter>(fill: Fill<F>) {
    let few = (1..=150).map(|keys| (keys, 1));
    for (keys, seeds) in cases(few.chain(UNEVEN.map(|keys| (keys, 24)))) {
        for budget in
            [Budget::BitsPerKey(9.0), Budget::BitsPerKey(17.3), Budget::Bytes(2 * keys + 60)]
        {
            let goal = Goal::new(keys, budget);
            if planned(&PhantomData::<F>, goal).is_none() {
                continue;
            }
            for seed in 1000 * keys..1000 * keys + seeds {
                let filter = filled_within(fill, keys, budget, seed);
                assert_eq!(filter.seed(), seed);
                let held = filter.size_in_bytes().saturating_mul(8);
                assert!(held <= goal.max_bits(), "{goal:?}, seed {seed}: {held} bits");
            }
        }
    }
}

/// If the bits per key are too few for a small filter, the error names the least number of keys for
/// which they suffice. That number can be planned, and no smaller one from the refused one on.
pub fn bits_too_few_name_the_least_number_of_keys(planner: &dyn Planner) {
    for bits in [10.0, 16.0, 40.0] {
        let plan = |keys: u64| planner.plan(Goal::new(keys, Budget::BitsPerKey(bits)));
        for keys in cases(1..=100) {
            let Err(error) = plan(keys) else { continue };
            let PlanError::FewKeys { bits_per_key, keys: of, least } = error else {
                panic!("{keys} keys in {bits} bits each, not refused by the least number: {error}");
            };
            let first = (keys..=least).find(|&keys| plan(keys).is_ok());
            assert_eq!((bits_per_key, of, Some(least)), (bits, keys, first));
        }
    }
}

/// A huge budget is planned like one that is just large enough: no key takes gigabytes.
pub fn a_budget_beyond_use_is_left(planner: &dyn Planner) {
    for keys in [1, 2, 3, 100, 12_345, 1_000_000] {
        let plan = |budget| {
            let plan = planner.plan(Goal::new(keys, budget));
            let plan = plan.or_fail(format_args!("{keys} keys, {budget:?}")).plan;
            (plan.bytes, plan.expected_fpr)
        };
        // Bytes per key, and a fixed number beside them, that no plan exceeds.
        let enough = plan(Budget::Bytes(512 * keys + 1024));
        let bytes = [1 << 32, 1 << 40, u64::MAX].map(Budget::Bytes);
        for budget in bytes.into_iter().chain([1e6, 1e300].map(Budget::BitsPerKey)) {
            assert_eq!(plan(budget), enough, "bytes and rate of {keys} keys, {budget:?}");
        }
    }
}

/// `keys_for` is the most keys that fit, and `fpr_for` of that many is at most the given rate.
pub fn size_and_rate_are_each_others_inverse(planner: &dyn Planner) {
    for bytes in [1000, 54_321, 10_000_000] {
        let rates = [0.1, 0.01, 1e-3, 0.9, 1.0 - 1e-9, 1.0 - 1e-12, 1.0 - 1e-15, 1.0 - 1e-16];
        for fpr in cases(rates) {
            let what = format!("{bytes} bytes at {fpr}");
            let keys = planner.keys_for(bytes, fpr).or_fail(&what);
            let plan = |keys| planner.plan(Goal::new(keys, Budget::Fpr(fpr)));
            let size = |keys| plan(keys).map(|planned| planned.plan.bytes);
            let fits = |keys| size(keys).is_ok_and(|size| size <= bytes);
            assert!(
                fits(keys) && !fits(keys + 1),
                "{keys} keys in {what}, which take {:?}; one more takes {:?}",
                size(keys),
                size(keys + 1)
            );
            // No larger number fits either. (The sizes of ribbon filters sometimes fall.)
            let more = (0..60).map(|part| keys + keys / 50 + keys / 1000 * part);
            let larger = more.chain((1..8).map(|shift| keys << shift)).find(|&n| fits(n));
            assert_eq!(larger, None, "more than {keys} keys fit in {what}");
            let rate = planner.fpr_for(keys, bytes).or_fail(&what);
            assert!(rate <= fpr * (1.0 + 1e-9), "rate of {keys} keys in {what}: {rate}");
        }
    }
}

/// The step limit of any plan: some 10 ms. See [`amq_core::internal::step`].
const MAX_STEPS: u64 = 300_000;

/// Plans, predictions and their inverses take a bounded number of steps: for usual goals, for the
/// smallest filters, and at the edge of the possible.
pub fn plans_take_a_bounded_number_of_steps(planner: &dyn Planner) {
    fn bounded<T>(what: impl Display, work: impl FnOnce() -> T) -> T {
        let (result, steps) = amq_core::internal::steps_of(work);
        assert!(steps <= MAX_STEPS, "{what} takes {steps} steps");
        result
    }
    let rates = [0.999_999, 0.5, 0.01, 1e-5, 1e-9, 1e-15, 1e-18];
    let small = [1, 2, 3, 5, 8, 13, 50, 200, 1000, 30_000, 1 << 20].map(|keys| {
        let sizes = (3..24).map(|bits| Budget::Bytes(1 << bits));
        let odd = (3..24).map(|bits| Budget::Bytes(5 << (bits - 2)));
        let budgets = sizes.chain(odd).chain(rates.map(Budget::Fpr));
        budgets.map(move |budget| Goal::new(keys, budget))
    });
    for goal in cases(small.into_iter().flatten()).chain(edges()) {
        let plan = bounded(format_args!("the plan for {goal:?}"), || planner.plan(goal));
        let Ok(Planned { plan, predicted_fpr }) = plan else { continue };
        for keys in [1, goal.keys, goal.keys.saturating_mul(8), 1 << 30, u64::MAX] {
            let what = format_args!("predicted_fpr of {keys} keys in {:?}", plan.params);
            bounded(what, || predicted_fpr(keys));
        }
    }
    for bytes in [1, 16, 100, 4096, 54_321, 1 << 20, 1 << 33, 1 << 50, u64::MAX] {
        for fpr in cases(rates) {
            let _ =
                bounded(format_args!("keys_for({bytes}, {fpr})"), || planner.keys_for(bytes, fpr));
        }
        for keys in [1, 100, 1 << 20, 1 << 40, u64::MAX] {
            let _ =
                bounded(format_args!("fpr_for({keys}, {bytes})"), || planner.fpr_for(keys, bytes));
        }
    }
}
