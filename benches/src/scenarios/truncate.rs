//! Truncating: one filter of a low rate serves at several higher ones, without its keys.

use super::merge::MERGE;
use super::scenario::ScenarioKind;
use super::script::{Act, Check, Script, Step};
use crate::contenders::{Ability, Planned};
use crate::record::Workload;
use std::borrow::Cow;

/// A decade apart, from the largest filter to the smallest.
const RATES: [f64; 4] = [1e-4, 1e-3, 1e-2, 1e-1];

/// A filter for a rate a decade below them, truncated to each in turn.
pub const TRUNCATE: ScenarioKind = ScenarioKind {
    workload: Workload::Truncate,
    rate: 1e-5,
    admits: |info| info.can(Ability::Truncate),
    is_long: true,
    script: |scenario, keys, _| {
        let all = &keys.present[..scenario.keys];
        let (holds, check) = (Cow::Borrowed(all), Check::Rate);
        let steps = RATES.map(|rate| Step {
            act: Act::Truncate(rate, all.len()),
            holds: holds.clone(),
            check,
        });
        Ok(Script { planned: Planned::Keys, slots: None, first: all, steps: steps.to_vec() })
    },
    reference: "quotient",
    ..MERGE
};
