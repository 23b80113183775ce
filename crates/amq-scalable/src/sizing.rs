//! From a goal to the parameters of a filter that begins with it.

use crate::{ScalableParams, StageFilter, StageGoal};
use amq_core::numeric::{first_true_near, last_true};
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
    let stage_for = |capacity: u64, fpr: f64| F::plan(StageGoal { capacity, fpr }.goal());
    let stage = |fpr: f64| stage_for(items, fpr);
    let fits = |fpr: f64| stage(fpr).is_ok_and(|plan| plan.bytes <= bytes);
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
    // The stage is planned for a few more keys than `items`, and for more the higher its rate is.
    let (mut keys, mut rate) = (items, rate_of(items)?);
    for _ in 0..8 {
        let planned = StageGoal {
            capacity: items,
            fpr: rate,
        }
        .goal()
        .items;
        if planned == keys {
            break;
        }
        (keys, rate) = (planned, rate_of(planned)?);
    }
    // In small tables the plan for a rate is not exactly the inverse of that for a size: take the lowest rate that fits, to within a thousandth.
    let below_share = |steps: u64| share * libm::exp(-(steps as f64) * FINE);
    let lowest = (70.0 / FINE) as u64;
    let guess = -libm::log(rate / share) / FINE;
    let too_low = |steps: u64| !fits(below_share(steps));
    let first = match first_true_near(1, lowest, guess as u64 + 1, too_low) {
        1 => most,
        steps => below_share(steps - 1),
    };
    // A hair more: the stage's rate is computed back from the compound one, and must not come out lower.
    Ok(first / share * (1.0 + 1e-12))
}

/// Between two rates that are tried, as a logarithm.
const FINE: f64 = 1e-3;
