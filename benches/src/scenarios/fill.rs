//! Fills filters beyond their plan.
//!
//! `grow` plans the filter for a hundredth of the keys and inserts all of them; `overfill` starts
//! from the planned number of keys and goes up to five times that. A growing filter must keep its
//! target rate. Others must have their formula's rate for the keys they hold, or refuse a key, and
//! then still find every accepted key.

use super::scenario::{RATE, REMOVER, Scenario, ScenarioKind};
use super::script::{Check, Script, Step};
use crate::contenders::{Ability, Planned};
use crate::record::Workload;
use crate::scenarios::dataset::ScenarioKeys;
use std::iter;

/// Stops in each doubling of the keys, over the last two doublings: where a filter grows by
/// doubling, their mean is its size for a number of keys not known before.
const PER_DOUBLING: i32 = 8;

/// Grows a hundredfold: in steps of about three, then finely over two doublings.
pub const GROW: ScenarioKind = ScenarioKind {
    workload: Workload::Grow,
    admits: |info| info.can(Ability::Grow),
    keys: |keys| [(keys / 100).max(1), keys],
    script: |scenario, keys, _| {
        let fine = (0..=2 * PER_DOUBLING).rev();
        let fine = fine.map(|step| (f64::from(step) / f64::from(PER_DOUBLING)).exp2());
        let parts = [32.0, 10.0].into_iter().chain(fine);
        let stops = parts.map(|part| (scenario.keys as f64 / part).round() as usize);
        Ok(script(scenario, keys, Check::Target, stops))
    },
    ..OVERFILL
};

pub const OVERFILL: ScenarioKind = ScenarioKind {
    workload: Workload::Overfill,
    rate: RATE,
    admits: |info| info.can(Ability::Insert) && !info.can(Ability::Grow),
    of_slots: false,
    is_long: false,
    keys: |keys| [keys, 5 * keys],
    script: |scenario, keys, _| {
        let stops = [3, 4, 6, 10].map(|halves| scenario.planned * halves / 2);
        Ok(script(scenario, keys, Check::Rate, stops.into_iter()))
    },
    reference: REMOVER,
};

/// Inserts from the planned keys, the first stop, to each of the others.
fn script<'a>(
    scenario: &Scenario,
    keys: ScenarioKeys<'a>,
    check: Check,
    stops: impl Iterator<Item = usize>,
) -> Script<'a> {
    let first = &keys.present[..scenario.planned];
    let stops = iter::once(first.len()).chain(stops).map(|stop| (stop, check));
    let steps = Step::inserts(keys.present, first.len(), stops).collect();
    Script { planned: Planned::First, slots: None, first, steps }
}
