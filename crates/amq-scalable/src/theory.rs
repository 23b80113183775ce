//! The compound rate of a filter that grows.
//!
//! Stage i has its own exact rate `p_i` ([`amq_bloom::theory`]). The stages are independent,
//! because the hash is remixed for each. An absent key is a false positive if it is one in any
//! stage:
//!
//! ```text
//! P = 1 - prod_i (1 - p_i)  <=  sum_i p_i
//! ```
//!
//! *Without a bound* (Almeida, Baquero, Preguica, Hutchison 2007) stage i gets
//! `p_i = P (1 - r) r^i`. For any number of stages, these sum to at most P, the *compound* rate.
//! (If the first stage got the whole of P, the sum would grow to `P / (1 - r)`.) *With a bound N*
//! stage i gets a share of P in proportion to its capacity's share of N. Most keys are in the last
//! stage, which gets most of P; the small stages get low rates, which are cheap for few keys:
//!
//! | bits per key at 1 %, all stages full | s = 2 | s = 4 | s = 8 |
//! | --- | --- | --- | --- |
//! | without a bound, grown 1000 times, best r | 16.1 | 15.1 | 14.2 |
//! | with a bound | 12.5 | 11.1 | 10.5 |
//! | a filter of the right size from the start | 9.6 | 9.6 | 9.6 |
//!
//! *With a limit on bytes* the last stage is cut to the remaining bytes. No stage follows it, so it
//! gets the whole rest of P: `P r^i` without a bound.
//!
//! Only inserts that set a bit count against a stage's capacity. While a stage fills, a few of the
//! distinct keys that reach it are false positives in it and set no bit. So it gets slightly more
//! distinct keys than it counts, and is planned for that number.

pub use crate::growth::sizes;
pub use crate::rates::{absorbed, compound};
pub use crate::sizing::{plan, plan_params};

use crate::{OwnedStage, ScalableParams, growth};
use amq_core::PredictedFpr;

/// The exact compound rate of filters with these parameters after this many distinct keys: mean and
/// standard deviation over all seeds. NaN if there is no such filter.
pub fn fpr<F: OwnedStage>(params: &ScalableParams, keys: u64) -> PredictedFpr {
    let mut stages = growth::stages::<F>(*params).peekable();
    if stages.peek().is_none() {
        return PredictedFpr { mean: f64::NAN, sd: f64::NAN };
    }
    let mut left = keys as f64;
    // The logarithm of the fraction of keys that no stage so far contains, and the relative
    // variance of that fraction.
    let (mut log_clear, mut variance) = (0.0, 0.0);
    for (goal, plan) in stages {
        // Only keys that no earlier stage contains reach this one.
        let clear = libm::exp(log_clear);
        let reach = (left * clear).min(goal.distinct());
        let stage = between::<F>(&plan.params, reach);
        if stage.mean >= 1.0 {
            return PredictedFpr { mean: 1.0, sd: 0.0 };
        }
        left -= reach / clear;
        log_clear += libm::log1p(-stage.mean);
        variance += (stage.sd / (1.0 - stage.mean)) * (stage.sd / (1.0 - stage.mean));
        if left < 1e-9 * keys as f64 || left <= 0.0 {
            break;
        }
    }
    PredictedFpr {
        mean: 0.0 - libm::expm1(log_clear),
        sd: libm::exp(log_clear) * libm::sqrt(variance),
    }
}

/// The rate at a mean number of keys, which need not be an integer.
fn between<F: OwnedStage>(params: &F::Params, keys: f64) -> PredictedFpr {
    let low = libm::floor(keys);
    let part = keys - low;
    let here = F::predicted_fpr(params, low as u64);
    if part < 1e-9 {
        return here;
    }
    let above = F::predicted_fpr(params, (low as u64).saturating_add(1));
    PredictedFpr {
        mean: here.mean + part * (above.mean - here.mean),
        sd: here.sd + part * (above.sd - here.sd),
    }
}

/// Bits per key when the first `stages` stages are full.
pub fn bits_per_key<F: OwnedStage>(params: &ScalableParams, stages: u32) -> f64 {
    let (mut bytes, mut keys) = (0.0, 0.0);
    for (goal, plan) in growth::stages::<F>(*params).take(stages as usize) {
        bytes += plan.bytes as f64;
        keys += goal.capacity as f64;
    }
    bytes * 8.0 / keys
}
