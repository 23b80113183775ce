//! Merging: a filter of half of the keys merges one of the other half, and must then be a filter of
//! all.

use super::course::Course;
use super::fill::OVERFILL;
use super::script::{Act, Check, Leg, Script};
use crate::contenders::{Ability, Planned};
use std::borrow::Cow;

/// Filters planned for both halves together.
pub const MERGE: Course = Course {
    name: "merge",
    admits: |info| info.can(Ability::Insert) && info.can(Ability::Merge),
    keys: |keys| [keys, keys],
    script: |track, ground, _| {
        let all = &ground.present[..track.keys];
        let (first, other) = all.split_at(track.keys / 2);
        let (act, holds) = (Act::Merge(other), Cow::Borrowed(all));
        let legs = vec![Leg { act, holds, check: Check::Rate }];
        Ok(Script { planned: Planned::Room(track.planned), slots: None, first, legs })
    },
    ..OVERFILL
};
