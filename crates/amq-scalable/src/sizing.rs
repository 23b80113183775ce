//! From a goal to the parameters of a filter.

use crate::growth::{first_stage, sizes};
use crate::{OwnedStage, ScalableParams, StageGoal, theory};
use amq_core::numeric::{first_true_near, last_true};
use amq_core::{Budget, Goal, Plan, PlanError};

/// The plan of a filter for a goal, with its first stage.
///
/// A rate is the compound one, however far the filter grows. A size is that of the first stage, and
/// the compound rate follows from the rate the first stage can have in it.
pub fn plan<F: OwnedStage>(goal: Goal) -> Result<Plan<ScalableParams>, PlanError> {
    let goal = goal.checked()?;
    let fpr = match goal.budget {
        Budget::Fpr(fpr) => fpr,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            compound_within::<F>(goal.keys, goal.max_bits() / 8)?
        }
    };
    plan_params::<F>(ScalableParams::new(goal.keys, fpr), goal.keys)
}

/// The plan of a filter with these parameters once it has grown to this many keys. More keys than
/// its limits allow are refused.
pub fn plan_params<F: OwnedStage>(
    params: ScalableParams,
    keys: u64,
) -> Result<Plan<ScalableParams>, PlanError> {
    // If there can be no first stage, this says why.
    first_stage::<F>(&params)?;
    let mut max = 0;
    for (bytes, held) in sizes::<F>(&params) {
        if held >= keys {
            let rate = theory::fpr::<F>(&params, keys).mean;
            return Ok(Plan::new(params, keys).with_bytes(bytes).with_expected_fpr(rate));
        }
        max = held;
    }
    Err(PlanError::Keys { keys, min: 0, max })
}

/// The compound rate of a filter whose first stage takes at most `bytes`.
fn compound_within<F: OwnedStage>(asked: u64, bytes: u64) -> Result<f64, PlanError> {
    let share = 1.0 - ScalableParams::new(asked, 0.5).tightening;
    let stage_for = |capacity, fpr| F::plan(StageGoal::new(capacity, fpr).goal());
    let stage = |fpr: f64| stage_for(asked, fpr);
    // The first stage gets less than its share of any rate: what that takes is the least.
    let most = share * (1.0 - 1e-9);
    // Beyond, two keys in a sixth share a whole hash, and no stage has its part of any rate.
    let max = (share * (1u64 << 63) as f64) as u64;
    let min = match stage(most) {
        Ok(least) if asked <= max => least.bytes,
        Err(error) if asked <= max && !matches!(error, PlanError::TooLarge { .. }) => {
            return Err(error);
        }
        _ => {
            let max = last_true(1, asked.min(max), |asked| stage_for(asked, most).is_ok());
            return Err(PlanError::Keys { keys: asked, min: 1, max });
        }
    };
    if bytes < min {
        return Err(PlanError::Bytes { bytes, min });
    }
    let rate_of = |asked: u64| match F::fpr_for(asked, bytes) {
        Err(PlanError::Bytes { .. }) => Ok(share),
        rate => rate,
    };
    // The stage is planned for a few more keys than `asked`, the more the higher its rate.
    let (mut keys, mut rate) = (asked, rate_of(asked)?);
    for _ in 0..8 {
        let planned = StageGoal::new(asked, rate).goal().keys;
        if planned == keys {
            break;
        }
        (keys, rate) = (planned, rate_of(planned)?);
    }
    // A stage leaves bytes unused that would not help it.
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
    // Slightly more: the stage's rate is computed back from the compound one, and must not come out
    // lower.
    Ok(first / share * (1.0 + 1e-12))
}

/// Difference between two rates tried, as a logarithm.
const FINE: f64 = 1e-3;
