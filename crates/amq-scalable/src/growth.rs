//! The growth of a filter: the goal and the plan of each stage, and their total size.

use crate::rates::absorbed;
use crate::{OwnedStage, ScalableParams, StageGoal};
use amq_core::numeric::{first_true_near, last_true};
use amq_core::{Budget, Goal, InsertError, Plan, PlanError};

/// Bytes counted for each stage after the first besides its table, for its entry in the list of
/// stages. Rounded up, so that a limit on bytes gives the same stages on every machine.
pub(crate) const STAGE_BYTES: u64 = 128;

/// The largest tightening ratio of a plan: the first stage gets 1 minus the ratio of the compound
/// rate.
const MAX_TIGHTENING: f64 = 1.0 - 1.0 / 1024.0;

/// The most bytes of a stage for `capacity` keys, if its rate is a share of the rate for many more
/// keys. Near the floor of 64-bit hashes a rate would require arbitrarily many split blocks,
/// although each key uses only one: a file could make an insert allocate gigabytes for a handful of
/// keys.
const fn most_bytes(capacity: u64) -> u64 {
    capacity.saturating_mul(512).saturating_add(4096)
}

/// The most bytes of a stage after one of `bytes` bytes: `growth` times as many keys, with up to
/// eight times as many bits each. Needed because a file chooses the goals of its stages.
const fn most_after(params: &ScalableParams, bytes: u64) -> u64 {
    bytes.saturating_mul(8 * params.growth as u64).saturating_add(4096)
}

/// The goal and the plan of one stage.
pub(crate) type StagePlan<P> = (StageGoal, Plan<P>);

/// The sizes of a filter with these parameters with one stage, two, and so on: its bytes, and the
/// most keys that it then holds. Empty for parameters out of range.
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
        newest = Some((goal, plan.bytes));
        held = held.saturating_add(plan.bytes).saturating_add(STAGE_BYTES);
        Some((goal, plan))
    })
}

/// The first stage. Errors are in terms of the compound rate, which is what the user set.
pub(crate) fn first_stage<F: OwnedStage>(
    params: &ScalableParams,
) -> Result<StagePlan<F::Params>, PlanError> {
    match params.check() {
        // This floor is for the keys alone; the lowest possible rate is higher.
        Ok(()) | Err(PlanError::FprBelowHashFloor { .. }) => {}
        Err(error) => return Err(error),
    }
    PlanError::check_share("tightening", params.tightening, MAX_TIGHTENING)?;
    let stage = params.stage(0).map_err(|_| PlanError::Keys {
        keys: params.initial,
        min: 1,
        max: u64::MAX,
    })?;
    let share = stage.fpr / params.fpr;
    let unreachable = |lowest: f64| PlanError::FprUnreachable {
        fpr: params.fpr,
        lowest: lowest / share,
        keys: params.initial,
    };
    let planned = F::plan(stage.goal());
    if planned.as_ref().map_or(true, |plan| plan.bytes > most_bytes(stage.capacity)) {
        check_share::<F>(params)?;
    }
    let plan = planned.map_err(|error| match error {
        PlanError::FprUnreachable { lowest, .. } => unreachable(lowest),
        // Just above the floor the stage itself may still be impossible.
        PlanError::FprBelowHashFloor { floor, .. } => {
            let above = Budget::Fpr(floor * (1.0 + 1e-6));
            match F::plan(Goal::new(stage.goal().keys, above)) {
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

/// Refuses a bound on the keys that leaves the first stage so small a share of the rate that it
/// cannot be reached, or that it needs far more space than its keys should; the error names the
/// largest possible bound. Passes if the compound rate is just as low for the first stage's keys
/// alone: then the user chose it.
#[cold]
fn check_share<F: OwnedStage>(params: &ScalableParams) -> Result<(), PlanError> {
    let Some(max) = params.max_keys else { return Ok(()) };
    let bytes = |max_keys| {
        let stage = params.with_max_keys(max_keys).stage(0).ok()?;
        Some(F::plan(stage.goal()).ok()?.bytes)
    };
    let Some(alone) = bytes(params.initial) else { return Ok(()) };
    let most = alone.max(most_bytes(params.initial));
    let small = |max_keys| bytes(max_keys).is_some_and(|bytes| bytes <= most);
    let most = last_true(params.initial, max, small);
    PlanError::check_parameter("max_keys", max, params.initial, most)
}

/// Stage `index` of a filter with `held` bytes. `newest` is the goal and the bytes of its newest
/// stage.
///
/// A stage too large for the remaining bytes is cut to them. As the last stage, it gets the whole
/// remaining rate.
pub(crate) fn next_stage<F: OwnedStage>(
    params: &ScalableParams,
    index: u32,
    (newest, newest_bytes): (StageGoal, u64),
    held: u64,
) -> Result<StagePlan<F::Params>, InsertError> {
    let (stage, rest) = params.stage_and_rest(index)?;
    if newest.cut {
        return Err(params.too_many_bytes());
    }
    let room = params.max_bytes.saturating_sub(held);
    let limited = params.max_bytes < u64::MAX;
    match F::plan(stage.goal()) {
        Ok(plan)
            if plan.bytes > most_bytes(stage.capacity).min(most_after(params, newest_bytes)) =>
        {
            Err(InsertError::Stages { stages: index.into() })
        }
        Ok(plan) if plan.bytes <= room => Ok((stage, plan)),
        Err(error) if !(limited && matches!(error, PlanError::TooLarge { .. })) => {
            // The remaining rate is below the floor of 64-bit hashes.
            let stages = index.into();
            Err(InsertError::Stages { stages })
        }
        _ => last_stage::<F>(rest, room).ok_or(params.too_many_bytes()),
    }
}

/// A stage for the most keys that fit in `room` bytes at the rate of `rest`; `None` if not even one
/// fits.
fn last_stage<F: OwnedStage>(rest: StageGoal, room: u64) -> Option<StagePlan<F::Params>> {
    let goal = |capacity| StageGoal { cut: true, ..StageGoal::new(capacity, rest.fpr) };
    let within = |capacity| {
        let plan = F::plan(goal(capacity).goal()).ok()?;
        (plan.bytes <= room).then_some(plan)
    };
    let distinct = F::keys_for(room, rest.fpr).ok()? as f64;
    let guess = (distinct / (1.0 + absorbed(rest.fpr))) as u64;
    let over = |capacity| within(capacity).is_none();
    let most = rest.capacity.saturating_add(1);
    let capacity = first_true_near(1, most, guess.saturating_add(1), over) - 1;
    Some((goal(capacity), within(capacity)?))
}
