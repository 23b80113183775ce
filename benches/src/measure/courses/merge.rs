//! Merging: a filter of half of the keys merges one of the other half, and must then be a filter of
//! all.

use super::{Act, Check, Ground, Leg, Script, Track};
use crate::contenders::{Ability, Course, Planned};
use crate::measure::verify::Failure;
use crate::record::Workload;
use std::borrow::Cow;

/// The course over filters planned for this many keys, both halves together.
pub fn merge(keys: usize) -> Track {
    Track {
        course: Course::Merge,
        ability: Ability::Merge,
        workloads: &[Workload::Merge],
        planned: keys,
        keys,
        is_long: false,
        script,
    }
}

fn script<'a>(track: &Track, ground: &'a Ground, _: Option<u64>) -> Result<Script<'a>, Failure> {
    let all = &ground.present[..track.keys];
    let (first, other) = all.split_at(track.keys / 2);
    let (act, holds) = (Act::Merge(other), Cow::Borrowed(all));
    let leg = Leg { act, holds, check: Check::Rate, workload: Workload::Merge };
    Ok(Script { planned: Planned::Room(track.planned), slots: None, first, legs: vec![leg] })
}
