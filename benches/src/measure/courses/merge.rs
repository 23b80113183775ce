//! Merging: a filter of half of the keys merges one of the other half, and must then be a filter of
//! all.

use super::{Act, Check, Leg, Script, Track};
use crate::contenders::Planned;
use crate::record::Workload;
use std::borrow::Cow;

/// The course over filters planned for this many keys, both halves together.
pub fn merge(keys: usize) -> Track {
    Track {
        workload: Workload::Merge,
        planned: keys,
        keys,
        script: |track, ground, _| {
            let all = &ground.present[..track.keys];
            let (first, other) = all.split_at(track.keys / 2);
            let (act, holds) = (Act::Merge(other), Cow::Borrowed(all));
            let legs = vec![Leg { act, holds, check: Check::Rate }];
            Ok(Script { planned: Planned::Room(track.planned), slots: None, first, legs })
        },
    }
}
