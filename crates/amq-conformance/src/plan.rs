//! Laws of plans: a plan meets its goal, and the filter its plan.

use crate::cases::cases;
use crate::fill::{Fill, filled_within};
use crate::planner::{Of, Planned, Planner, edges, names_the_goal, refused, usable};
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::{Budget, EmptyFilter, Goal, Plan, PlanError, PlanFilter};
use core::fmt;

const RATES: [f64; 9] = [0.5, 0.1, 0.0101, 0.01, 0.0079, 0.0078, 1.0 / 256.0, 1e-3, 1e-6];
const KEYS: [u64; 9] = [1, 2, 3, 10, 100, 1000, 12_345, 1_000_000, 1_000_000_000];

/// A plan for a rate has at most that rate, and it is the rate predicted for its parameters. A plan
/// within a size stays within it. More room never raises the rate, and a higher rate never takes
/// more room.
pub fn a_plan_keeps_to_its_budget<F: PlanFilter>() -> Verdict {
    plans_keep_to_their_budgets(&Of::<F>::NEW)
}

fn plans_keep_to_their_budgets(planner: &dyn Planner) -> Verdict {
    for keys in KEYS {
        let mut smaller = 0;
        for asked in cases(RATES) {
            let goal = Goal::new(keys, Budget::Fpr(asked));
            let Some(plan) = planned(planner, goal)? else {
                continue;
            };
            let rate = plan.expected_fpr;
            // Where a rate is a whole number of bits, what 64-bit hashes add is not worth another
            // bit.
            ensure(
                rate <= asked + amq_core::numeric::hash_floor(keys),
                format_args!("rate of {goal:?}"),
                rate,
                "at most that",
            )?;
            let what = format!("bytes of {goal:?}");
            ensure(plan.bytes >= smaller, what, plan.bytes, format_args!("{smaller} or more"))?;
            smaller = plan.bytes;
        }
        let mut better = 1.0;
        for bits in cases([1.0, 3.0, 8.0, 10.0, 12.5, 16.0, 24.0, 40.0]) {
            let goal = Goal::new(keys, Budget::BitsPerKey(bits));
            let Some(plan) = planned(planner, goal)? else {
                continue;
            };
            let held = plan.bytes as f64 * 8.0;
            ensure(held <= keys as f64 * bits, format_args!("bits of {goal:?}"), held, "within")?;
            not_worse(&plan, goal, &mut better)?;
        }
        let mut better = 1.0;
        for bytes in cases((0..34).map(|shift| 3 << shift)) {
            let goal = Goal::new(keys, Budget::Bytes(bytes));
            let Some(plan) = planned(planner, goal)? else {
                continue;
            };
            ensure(plan.bytes <= bytes, format_args!("bytes of {goal:?}"), plan.bytes, "within")?;
            not_worse(&plan, goal, &mut better)?;
        }
    }
    Ok(())
}

fn not_worse(plan: &Plan<Box<dyn fmt::Debug + '_>>, goal: Goal, better: &mut f64) -> Verdict {
    let rate = plan.expected_fpr;
    let what = format!("rate of {goal:?}");
    // Both rates are computed; equal ones may differ by rounding.
    ensure(rate <= *better * (1.0 + 1e-9), what, rate, format_args!("{better} or less"))?;
    *better = rate;
    Ok(())
}

/// The plan for a goal, checked itself; `None` if refused, which is an error for an ordinary goal.
fn planned(
    planner: &dyn Planner,
    goal: Goal,
) -> Result<Option<Plan<Box<dyn fmt::Debug + '_>>>, Violation> {
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
        Err(error) if ordinary => return Err(Violation::refused(format!("{goal:?}"))(error)),
        Err(error) => {
            names_the_goal(error, goal)?;
            return Ok(None);
        }
    };
    usable(&plan, goal)?;
    let predicted = predicted_fpr(goal.keys);
    let off = (predicted.mean - plan.expected_fpr).abs();
    ensure(
        off <= 1e-9 * plan.expected_fpr && predicted.sd >= 0.0,
        format_args!("expected_fpr of the plan for {goal:?}"),
        plan.expected_fpr,
        format_args!("predicted_fpr of its parameters, {predicted:?}"),
    )?;
    Ok(Some(plan))
}

/// A filter made from a plan has the plan's parameters, size and capacity, the given seed, and no
/// key.
pub fn a_filter_is_what_its_plan_says<F: EmptyFilter>() -> Verdict {
    for keys in [1, 2, 3, 10, 100, 1000, 12_345, 1_000_000] {
        for asked in cases(RATES) {
            let goal = Goal::new(keys, Budget::Fpr(asked));
            // Checked first; an error is one of a goal that may be refused.
            let (Some(_), Ok(plan)) = (planned(&Of::<F>::NEW, goal)?, F::plan(goal)) else {
                continue;
            };
            let filter = F::empty(plan, 11).map_err(refused(&plan))?;
            let what = |what| format!("{what} of {goal:?}");
            same(what("bytes"), filter.size_in_bytes(), plan.bytes)?;
            same(what("params"), filter.params(), plan.params)?;
            same(what("capacity"), filter.capacity(), keys)?;
            same(what("seed"), filter.seed(), 11)?;
            same(what("len"), filter.len(), 0)?;
        }
    }
    Ok(())
}

/// A filled filter takes the planned bytes (one built at once, to within 1 %).
pub fn a_filled_filter_takes_the_planned_bytes<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    for keys in [1000, 12_345, 100_000] {
        for budget in [Budget::Fpr(0.01), Budget::Fpr(1e-3), Budget::BitsPerKey(14.0)] {
            let goal = Goal::new(keys, budget);
            let Some(plan) = planned(&Of::<F>::NEW, goal)? else {
                continue;
            };
            let filter = filled_within(fill, keys, budget, 1)?;
            let (size, planned) = (filter.size_in_bytes() as f64, plan.bytes as f64);
            ensure(
                (size - planned).abs() <= 0.01 * planned,
                format_args!("bytes of a filled filter for {goal:?}"),
                size,
                planned,
            )?;
        }
    }
    Ok(())
}

/// Numbers of keys at which a layer, block or bucket is not small against the filter.
const UNEVEN: [u64; 17] = [
    150, 333, 600, 1000, 1201, 1250, 1270, 1300, 1400, 1500, 1700, 2500, 4000, 8001, 8200, 9000,
    12_345,
];

/// A filter built within a size stays within it, whichever keys it holds. Tests every small number
/// of keys, and some larger ones with many seeds. What can be planned can be built.
pub fn a_built_filter_keeps_to_its_budget<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    let few = (1..=150).map(|keys| (keys, 1));
    for (keys, seeds) in cases(few.chain(UNEVEN.map(|keys| (keys, 24)))) {
        for budget in
            [Budget::BitsPerKey(9.0), Budget::BitsPerKey(17.3), Budget::Bytes(2 * keys + 60)]
        {
            let goal = Goal::new(keys, budget);
            if planned(&Of::<F>::NEW, goal)?.is_none() {
                continue;
            }
            for seed in 0..seeds {
                let seed = 1000 * keys + seed;
                let filter = filled_within(fill, keys, budget, seed)?;
                same("the seed", filter.seed(), seed)?;
                let held = filter.size_in_bytes().saturating_mul(8);
                ensure(
                    held <= goal.max_bits(),
                    format_args!("bits held by a filter of {goal:?}, seed {seed}"),
                    held,
                    format_args!("at most {}", goal.max_bits()),
                )?;
            }
        }
    }
    Ok(())
}

/// Where the bits per key are too few for so small a filter, the error names the least number of
/// keys they suffice for. That number can be planned, and none from the refused one up to it.
pub fn bits_too_few_name_the_least_number_of_keys<F: PlanFilter>() -> Verdict {
    too_few_bits_name_the_least_number(&Of::<F>::NEW)
}

fn too_few_bits_name_the_least_number(planner: &dyn Planner) -> Verdict {
    for bits in [10.0, 16.0, 40.0] {
        let plan = |keys: u64| planner.plan(Goal::new(keys, Budget::BitsPerKey(bits)));
        for keys in cases(1..=100) {
            let what = format!("{keys} keys in {bits} bits each");
            let least = match plan(keys) {
                Ok(_) => continue,
                Err(PlanError::FewKeys { bits_per_key, keys: of, least })
                    if (bits_per_key, of) == (bits, keys) =>
                {
                    least
                }
                Err(error) => {
                    return ensure(false, what, error, "refused by the least number of keys");
                }
            };
            let first = (keys..=least).find(|&keys| plan(keys).is_ok());
            same(format_args!("{what}: the least number"), Some(least), first)?;
        }
    }
    Ok(())
}

/// Bytes per key, and a fixed number beside them, that no plan exceeds, whatever its budget.
const MOST_OF_USE: (u64, u64) = (512, 1024);

/// A budget far beyond use is planned as one that is just enough: no key takes gigabytes.
pub fn a_budget_beyond_use_is_left<F: PlanFilter>() -> Verdict {
    budgets_beyond_use_are_left(&Of::<F>::NEW)
}

fn budgets_beyond_use_are_left(planner: &dyn Planner) -> Verdict {
    for keys in [1, 2, 3, 100, 12_345, 1_000_000] {
        let (each, beside) = MOST_OF_USE;
        let enough = Goal::new(keys, Budget::Bytes(each * keys + beside));
        let plan = |goal| planner.plan(goal).map_err(Violation::refused(format!("{goal:?}")));
        let wanted = plan(enough)?.plan;
        for budget in [
            Budget::Bytes(1 << 32),
            Budget::Bytes(1 << 40),
            Budget::Bytes(u64::MAX),
            Budget::BitsPerKey(1e6),
            Budget::BitsPerKey(1e300),
        ] {
            let goal = Goal::new(keys, budget);
            let found = plan(goal)?.plan;
            same(format_args!("bytes of {goal:?}"), found.bytes, wanted.bytes)?;
            same(format_args!("rate of {goal:?}"), found.expected_fpr, wanted.expected_fpr)?;
        }
    }
    Ok(())
}

/// `keys_for` is the most keys that fit, and `fpr_for` of that many is at most the rate it was
/// given.
pub fn size_and_rate_are_each_others_inverse<F: PlanFilter>() -> Verdict {
    size_and_rate_are_inverse(&Of::<F>::NEW)
}

fn size_and_rate_are_inverse(planner: &dyn Planner) -> Verdict {
    for bytes in [1000, 54_321, 10_000_000] {
        let rates = [0.1, 0.01, 1e-3, 0.9, 1.0 - 1e-9, 1.0 - 1e-12, 1.0 - 1e-15, 1.0 - 1e-16];
        for fpr in cases(rates) {
            let what = format!("keys in {bytes} bytes at {fpr}");
            let keys = planner.keys_for(bytes, fpr).map_err(Violation::refused(&what))?;
            let plan = |keys| planner.plan(Goal::new(keys, Budget::Fpr(fpr)));
            let size = |keys| plan(keys).map(|planned| planned.plan.bytes);
            let fits = |keys| size(keys).is_ok_and(|size| size <= bytes);
            ensure(
                fits(keys) && !fits(keys + 1),
                what,
                keys,
                format_args!(
                    "the last that fits: they take {:?}, one more {:?}",
                    size(keys),
                    size(keys + 1)
                ),
            )?;
            // Nor does any that is larger. (The sizes of ribbon filters fall now and then.)
            let more = (0..60).map(|part| keys + keys / 50 + keys / 1000 * part);
            let larger = more.chain((1..8).map(|shift| keys << shift)).find(|&n| fits(n));
            same(format_args!("more keys in {bytes} bytes at {fpr}"), larger, None)?;
            let what = format!("rate of {keys} keys in {bytes} bytes");
            let rate = planner.fpr_for(keys, bytes).map_err(Violation::refused(&what))?;
            ensure(rate <= fpr * (1.0 + 1e-9), what, rate, format_args!("{fpr} or less"))?;
        }
    }
    Ok(())
}

/// The step limit of any plan: some 10 ms. See [`amq_core::internal::step`].
const MAX_STEPS: u64 = 300_000;

/// Plans, predictions and their inverses take a bounded number of steps: for usual goals, for the
/// smallest filters, and at the edge of the possible.
pub fn plans_take_a_bounded_number_of_steps<F: PlanFilter>() -> Verdict {
    steps_are_bounded(&Of::<F>::NEW)
}

fn steps_are_bounded(planner: &dyn Planner) -> Verdict {
    fn bounded<T>(what: impl fmt::Display, work: impl FnOnce() -> T) -> Result<T, Violation> {
        let (result, steps) = amq_core::internal::steps_of(work);
        let wanted = format_args!("at most {MAX_STEPS}");
        ensure(steps <= MAX_STEPS, format_args!("steps of {what}"), steps, wanted)?;
        Ok(result)
    }
    let rates = [0.999_999, 0.5, 0.01, 1e-5, 1e-9, 1e-15, 1e-18];
    let small = [1, 2, 3, 5, 8, 13, 50, 200, 1000, 30_000, 1 << 20].map(|keys| {
        let sizes = (3..24).map(move |bits| Goal::new(keys, Budget::Bytes(1 << bits)));
        let odd = (3..24).map(move |bits| Goal::new(keys, Budget::Bytes(5 << (bits - 2))));
        let rates = rates.map(move |rate| Goal::new(keys, Budget::Fpr(rate)));
        sizes.chain(odd).chain(rates)
    });
    for goal in cases(small.into_iter().flatten()).chain(edges()) {
        let plan = bounded(format_args!("the plan for {goal:?}"), || planner.plan(goal));
        let Ok(Planned { plan, predicted_fpr }) = plan? else { continue };
        for keys in [1, goal.keys, goal.keys.saturating_mul(8), 1 << 30, u64::MAX] {
            let what = format!("predicted_fpr of {keys} keys in {:?}", plan.params);
            bounded(what, || predicted_fpr(keys))?;
        }
    }
    for bytes in [1, 16, 100, 4096, 54_321, 1 << 20, 1 << 33, 1 << 50, u64::MAX] {
        for fpr in cases(rates) {
            let what = format!("keys_for({bytes}, {fpr})");
            let _ = bounded(what, || planner.keys_for(bytes, fpr))?;
        }
        for keys in [1, 100, 1 << 20, 1 << 40, u64::MAX] {
            let what = format!("fpr_for({keys}, {bytes})");
            let _ = bounded(what, || planner.fpr_for(keys, bytes))?;
        }
    }
    Ok(())
}
