//! Sizing: from a goal to the parameters of a filter.

use crate::growth::{first_stage, sizes};
use crate::{OwnedStage, ScalableParams, StageGoal, theory};
use amq_core::numeric::{first_true_near, last_true};
use amq_core::{Budget, Goal, Plan, PlanError};

/// The plan of a filter for a goal, with its first stage.
///
/// A rate is the compound rate, however far the filter grows. A size is that of the first stage;
/// the compound rate follows from the rate that the first stage can have in that size.
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

/// The plan of a filter with these parameters that has grown to this many keys. More keys than its
/// limits allow are an error.
pub fn plan_params<F: OwnedStage>(
    params: ScalableParams,
    keys: u64,
) -> Result<Plan<ScalableParams>, PlanError> {
    // If the first stage is impossible, this returns the reason.
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

/// The compound rate of a filter whose first stage has at most `bytes` bytes.
fn compound_within<F: OwnedStage>(asked: u64, bytes: u64) -> Result<f64, PlanError> {
    let share = 1.0 - ScalableParams::new(asked, 0.5).tightening;
    let stage_for = |capacity, fpr| F::plan(StageGoal::new(capacity, fpr).goal());
    let stage = |fpr: f64| stage_for(asked, fpr);
    // The rate of the first stage is below its share of 1, which bounds the size from below.
    let most = share * (1.0 - 1e-9);
    // Beyond this number of keys, collisions of hashes leave no stage its share of any rate.
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
    // The stage is planned for slightly more keys than `asked`; the higher its rate, the more.
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
    // Rounded up: the stage's rate, computed from the compound one, must not be lower than `first`.
    Ok(first / share * (1.0 + 1e-12))
}

/// The step between the rates that are tried, as a logarithm.
const FINE: f64 = 1e-3;
