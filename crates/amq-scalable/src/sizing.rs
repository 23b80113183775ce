//! From a goal to the parameters of a filter that begins with it.

use crate::{ScalableParams, StageFilter, StageGoal};
use amq_core::{Budget, Goal, Plan, PlanError};

/// The parameters for a goal: a rate is the compound one; a size is that of the first stage, and the compound rate follows
/// from what the first stage can do in it.
pub(crate) fn params<F: StageFilter>(goal: Goal) -> Result<ScalableParams, PlanError> {
    goal.check(1)?;
    let fpr = match goal.budget {
        Budget::Fpr(fpr) => fpr,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            compound_within::<F>(goal.items, goal.max_bits() / 8)?
        }
    };
    let params = ScalableParams::new(goal.items, fpr);
    params.check()?;
    Ok(params)
}

/// The plan of the first stage. What cannot be planned is said of the compound rate, which is what was asked for.
pub(crate) fn first_stage<F: StageFilter>(
    params: &ScalableParams,
) -> Result<Plan<F::Params>, PlanError> {
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
    F::plan(stage.goal()).map_err(|error| match error {
        PlanError::FprUnreachable { lowest, .. } => unreachable(lowest),
        // Just above the floor the stage itself may be the one that cannot.
        PlanError::FprBelowHashFloor { floor, .. } => {
            let above = Goal::fpr(stage.goal().items, floor * (1.0 + 1e-9));
            match F::plan(above) {
                Err(PlanError::FprUnreachable { lowest, .. }) => unreachable(lowest),
                _ => unreachable(floor),
            }
        }
        other => other,
    })
}

/// The compound rate of a filter whose first stage takes at most `bytes`.
fn compound_within<F: StageFilter>(items: u64, bytes: u64) -> Result<f64, PlanError> {
    let share = 1.0 - ScalableParams::new(items, 0.5).tightening;
    // Beyond, two keys in a sixth share a whole hash, and no stage has its part of any rate.
    let most = (share * (1u64 << 63) as f64) as u64;
    if items > most {
        return Err(PlanError::Items {
            items,
            min: 1,
            max: most,
        });
    }
    let stage = |fpr: f64| {
        let capacity = items;
        F::plan(StageGoal { capacity, fpr }.goal())
    };
    let fits = |fpr: f64| stage(fpr).is_ok_and(|plan| plan.bytes <= bytes);
    // The stage is planned for a few more keys than `items`, and in small tables the plan for a rate is not exactly the inverse of
    // that for a size: begin with the rate that the size gives, and raise it until it fits.
    let mut first = match F::fpr_for(items, bytes) {
        // What is the least for a stage is not enough for one with its part of a rate.
        Err(PlanError::Bytes { .. }) => share,
        first => first?,
    };
    while first < share && !fits(first) {
        first *= 1.01;
    }
    if first >= share {
        // The most that the first stage may have of any rate, so its least size.
        first = share * (1.0 - 1e-9);
        let min = stage(first)?.bytes;
        if bytes < min {
            return Err(PlanError::Bytes { bytes, min });
        }
    }
    // A hair more: the stage's rate is computed back from the compound one, and must not come out lower.
    Ok(first / share * (1.0 + 1e-12))
}
