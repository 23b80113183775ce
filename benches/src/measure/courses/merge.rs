//! Merging: a filter of half of the keys merges one of the other half, and must then be a filter of
//! all.

use super::{Act, Check, Ground, Leg, Outline, Script, Track};
use crate::contenders::{Course, Planned};
use crate::measure::verify::Failure;
use crate::record::Workload;
use std::borrow::Cow;

/// The course over this many keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merging {
    /// Keys in both halves together; each filter is planned for all of them.
    pub keys: usize,
}

impl Track for Merging {
    fn outline(&self) -> Outline {
        Outline {
            course: Course::Merge,
            ability: None,
            needs_slots: false,
            workloads: &[Workload::Merge],
            planned: self.keys,
            keys: self.keys,
            is_long: false,
        }
    }

    fn script<'a>(&self, ground: &'a Ground, _slots: Option<u64>) -> Result<Script<'a>, Failure> {
        let all = &ground.present[..self.keys];
        let (first, other) = all.split_at(self.keys / 2);
        let (act, holds) = (Act::Merge(other), Cow::Borrowed(all));
        let leg = Leg { act, holds, check: Check::Rate, workload: Workload::Merge };
        Ok(Script { planned: Planned::Room(self.keys), slots: None, first, legs: vec![leg] })
    }
}
