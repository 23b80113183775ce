//! Merging: a filter of half of the keys merges one of the other half, and must then contain all.

use super::fill::OVERFILL;
use super::scenario::ScenarioKind;
use super::script::{Act, Check, Script, Step};
use crate::contenders::{Ability, Planned};
use crate::record::Workload;
use std::borrow::Cow;

/// Filters planned for both halves together.
pub const MERGE: ScenarioKind = ScenarioKind {
    workload: Workload::Merge,
    admits: |info| info.can(Ability::Insert) && info.can(Ability::Merge),
    keys: |keys| [keys, keys],
    script: |scenario, keys, _| {
        let all = &keys.present[..scenario.keys];
        let (first, other) = all.split_at(scenario.keys / 2);
        let (act, holds) = (Act::Merge(other), Cow::Borrowed(all));
        let steps = vec![Step { act, holds, check: Check::Rate }];
        Ok(Script { planned: Planned::Room(scenario.planned), slots: None, first, steps })
    },
    ..OVERFILL
};
