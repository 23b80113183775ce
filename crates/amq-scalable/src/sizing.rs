//! From a goal to the parameters of a filter, and from those to the sizes of its stages.

use crate::{OwnedStage, ScalableParams, StageGoal, theory};
use amq_core::numeric::{first_true_near, last_true};
use amq_core::{Budget, Full, Goal, Plan, PlanError};
/// Bytes counted for each stage after the first beside its table: for its place in the list of
/// stages. Rounded up, so that a limit on bytes gives the same stages on every machine.
pub(crate) const STAGE_BYTES: u64 = 128;

/// The goal and the plan of one stage.
pub(crate) type StagePlan<P> = (StageGoal, Plan<P>);

/// The plan of a filter for a goal, with its first stage.
///
/// A rate is the compound one, however far the filter grows. A size is that of the first stage, and
/// the compound rate follows from the rate the first stage can have in it.
pub fn plan<F: OwnedStage>(goal: Goal) -> Result<Plan<ScalableParams>, PlanError> {
    let goal = goal.checked()?;
    let fpr = match goal.budget {
        Budget::Fpr(fpr) => fpr,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            compound_within::<F>(goal.items, goal.max_bits() / 8)?
        }
    };
    plan_params::<F>(ScalableParams::new(goal.items, fpr), goal.items)
}

/// The plan of a filter with these parameters once it has grown to `items` keys. More keys than its
/// limits allow are refused.
pub fn plan_params<F: OwnedStage>(
    params: ScalableParams,
    items: u64,
) -> Result<Plan<ScalableParams>, PlanError> {
    // Without a first stage, it says why.
    first_stage::<F>(&params)?;
    let mut max = 0;
    for (bytes, keys) in sizes::<F>(&params) {
        if keys >= items {
            let rate = theory::fpr::<F>(&params, items).mean;
            return Ok(Plan::new(params, items).bytes(bytes).expected_fpr(rate));
        }
        max = keys;
    }
    Err(PlanError::Items { items, min: 0, max })
}

/// The sizes that a filter with these parameters comes to, with one stage, with two, and so on: its
/// bytes, and the most keys that it holds then. None for parameters out of range.
pub fn sizes<F: OwnedStage>(params: &ScalableParams) -> impl Iterator<Item = (u64, u64)> + use<F> {
    stages::<F>(*params).scan((0u64, 0u64), |(bytes, keys), (goal, plan)| {
        let beside = if *keys > 0 { STAGE_BYTES } else { 0 };
        *bytes = bytes.saturating_add(beside).saturating_add(plan.bytes);
        *keys = keys.saturating_add(goal.capacity);
        Some((*bytes, *keys))
    })
}

/// The stages of a filter that grows by these parameters, oldest first; planned one at a time.
pub(crate) fn stages<F: OwnedStage>(
    params: ScalableParams,
) -> impl Iterator<Item = StagePlan<F::Params>> {
    let (mut held, mut newest) = (0u64, None);
    (0..).map_while(move |index| {
        let (goal, plan) = match newest {
            None => first_stage::<F>(&params).ok()?,
            Some(newest) => next_stage::<F>(&params, index, newest, held).ok()?,
        };
        newest = Some(goal);
        held = held.saturating_add(plan.bytes).saturating_add(STAGE_BYTES);
        Some((goal, plan))
    })
}

/// The first stage. What cannot be planned is reported in terms of the compound rate, which is what
/// was asked for.
pub(crate) fn first_stage<F: OwnedStage>(
    params: &ScalableParams,
) -> Result<StagePlan<F::Params>, PlanError> {
    params.check()?;
    let stage = params.stage(0).map_err(|_| PlanError::Items {
        items: params.initial,
        min: 1,
        max: u64::MAX,
    })?;
    let share = stage.fpr / params.fpr;
    let unreachable = |lowest: f64| PlanError::FprUnreachable {
        fpr: params.fpr,
        lowest: lowest / share,
        items: params.initial,
    };
    let plan = F::plan(stage.goal()).map_err(|error| match error {
        PlanError::FprUnreachable { lowest, .. } => unreachable(lowest),
        // Just above the floor the stage itself may still be out of reach.
        PlanError::FprBelowHashFloor { floor, .. } => {
            let above = Budget::Fpr(floor * (1.0 + 1e-9));
            match F::plan(Goal::new(stage.goal().items, above)) {
                Err(PlanError::FprUnreachable { lowest, .. }) => unreachable(lowest),
                _ => unreachable(floor),
            }
        }
        other => other,
    })?;
    if plan.bytes > params.max_bytes {
        return Err(PlanError::Bytes { bytes: params.max_bytes, min: plan.bytes });
    }
    Ok((stage, plan))
}

/// Stage `index` of a filter whose newest stage is for `newest`, with `held` bytes taken.
///
/// A stage too large for the bytes that are left is cut to them. Since it is the last, it may have
/// all that is left of the rate.
pub(crate) fn next_stage<F: OwnedStage>(
    params: &ScalableParams,
    index: u32,
    newest: StageGoal,
    held: u64,
) -> Result<StagePlan<F::Params>, Full> {
    let (stage, rest) = params.stage_and_rest(index)?;
    if newest.cut {
        return Err(params.too_many_bytes());
    }
    let room = params.max_bytes.saturating_sub(held);
    let limited = params.max_bytes < u64::MAX;
    match F::plan(stage.goal()) {
        Ok(plan) if plan.bytes <= room => Ok((stage, plan)),
        Err(error) if !(limited && matches!(error, PlanError::TooLarge { .. })) => {
            // What is left of the rate is below what 64-bit hashes can give.
            let stages = index.into();
            Err(Full::Stages { stages })
        }
        _ => last_stage::<F>(rest, room).ok_or(params.too_many_bytes()),
    }
}

/// The most keys that `room` bytes hold at the rate of `rest`; none if not even one.
fn last_stage<F: OwnedStage>(rest: StageGoal, room: u64) -> Option<StagePlan<F::Params>> {
    let goal = |capacity| StageGoal { cut: true, ..StageGoal::new(capacity, rest.fpr) };
    let within = |capacity| {
        let plan = F::plan(goal(capacity).goal()).ok()?;
        (plan.bytes <= room).then_some(plan)
    };
    let distinct = F::items_for(room, rest.fpr).ok()? as f64;
    let guess = (distinct / (1.0 + theory::absorbed(rest.fpr))) as u64;
    let over = |capacity| within(capacity).is_none();
    let most = rest.capacity.saturating_add(1);
    let capacity = first_true_near(1, most, guess.saturating_add(1), over) - 1;
    Some((goal(capacity), within(capacity)?))
}

/// The compound rate of a filter whose first stage takes at most `bytes`.
fn compound_within<F: OwnedStage>(items: u64, bytes: u64) -> Result<f64, PlanError> {
    let share = 1.0 - ScalableParams::new(items, 0.5).tightening;
    let stage_for = |capacity, fpr| F::plan(StageGoal::new(capacity, fpr).goal());
    let stage = |fpr: f64| stage_for(items, fpr);
    // The first stage may have less than its share of any rate: what that takes is the least.
    let most = share * (1.0 - 1e-9);
    // Beyond, two keys in a sixth share a whole hash, and no stage has its part of any rate.
    let max = (share * (1u64 << 63) as f64) as u64;
    let min = match stage(most) {
        Ok(least) if items <= max => least.bytes,
        Err(error) if items <= max && !matches!(error, PlanError::TooLarge { .. }) => {
            return Err(error);
        }
        _ => {
            let max = last_true(1, items.min(max), |items| stage_for(items, most).is_ok());
            return Err(PlanError::Items { items, min: 1, max });
        }
    };
    if bytes < min {
        return Err(PlanError::Bytes { bytes, min });
    }
    let rate_of = |items: u64| match F::fpr_for(items, bytes) {
        Err(PlanError::Bytes { .. }) => Ok(share),
        rate => rate,
    };
    // The stage is planned for a few more keys than `items`, the more the higher its rate.
    let (mut keys, mut rate) = (items, rate_of(items)?);
    for _ in 0..8 {
        let planned = StageGoal::new(items, rate).goal().items;
        if planned == keys {
            break;
        }
        (keys, rate) = (planned, rate_of(planned)?);
    }
    // A stage leaves what is of no use to it.
    let used = F::plan(Goal::new(keys, Budget::Bytes(bytes))).map_or(bytes, |plan| plan.bytes);
    let fits = |fpr: f64| stage(fpr).is_ok_and(|plan| plan.bytes <= used.max(min));
    // For small tables the plan for a rate is not exactly the inverse of that for a size: take the
    // lowest rate that fits, to within a thousandth.
    let below_share = |steps: u64| share * libm::exp(-(steps as f64) * FINE);
    let lowest = (70.0 / FINE) as u64;
    let guess = -libm::log(rate / share) / FINE;
    let too_low = |steps: u64| !fits(below_share(steps));
    let first = match first_true_near(1, lowest, guess as u64 + 1, too_low) {
        1 => most,
        steps => below_share(steps - 1),
    };
    // A hair more: the stage's rate is computed back from the compound one, and must not come out
    // lower.
    Ok(first / share * (1.0 + 1e-12))
}

/// Difference between two rates tried, as a logarithm.
const FINE: f64 = 1e-3;
