//! Merging: a filter of half of the keys merges one of the other half, and must then be a filter of
//! all.

use super::{Act, Check, Ground, Leg, Script, Track};
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
    fn course(&self) -> Course {
        Course::Merge
    }

    fn workloads(&self) -> &'static [Workload] {
        &[Workload::Merge]
    }

    fn title(&self) -> String {
        format!("merging two halves of {} keys", self.keys)
    }

    fn planned(&self) -> usize {
        self.keys
    }

    fn keys(&self) -> usize {
        self.keys
    }

    fn script<'a>(&self, ground: &'a Ground, _slots: Option<u64>) -> Result<Script<'a>, Failure> {
        let all = &ground.present[..self.keys];
        let (first, other) = all.split_at(self.keys / 2);
        Ok(Script {
            planned: Planned::Room(self.keys),
            first,
            legs: vec![Leg {
                act: Act::Merge(other),
                holds: Cow::Borrowed(all),
                check: Check::Rate,
                workload: Workload::Merge,
                keys: self.keys,
                load: None,
            }],
            grows: true,
            weighs: false,
        })
    }
}
