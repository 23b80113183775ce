//! Speed against load: fills and queries tables of slots from one load to the next, and empties
//! them again.
//!
//! The plan brings a table of a power of two to load 0.95 when it holds all planned keys, so that
//! tables with and without power-of-two sizes are compared at the same load.

use super::{Act, Check, Ground, Leg, Script, Track};
use crate::contenders::{Ability, Course, Info, Planned};
use crate::keys::half_present;
use crate::measure::verify::Failure;
use crate::record::Workload;
use std::borrow::Cow;

const STOPS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/// The planned load.
const FULL: f64 = 0.95;
/// No table is filled beyond this load: some scans along the table would take too long.
const LAST: f64 = 0.99;
/// From the last stop to there, in this many parts.
const PARTS: usize = 20;
/// Where the way down begins: nearly every table comes that far.
const TOP: f64 = 0.9;
/// Keys suffice for a table larger by this factor.
const SPARE: f64 = 1.2;

/// The way up.
#[derive(Clone, PartialEq, Debug)]
pub struct Climb {
    room: usize,
    queries: usize,
}

/// The way down, oldest keys first.
#[derive(Clone, PartialEq, Debug)]
pub struct Drain {
    room: usize,
}

/// The keys for a table planned for these.
fn needed(room: usize) -> usize {
    (room as f64 / FULL * SPARE) as usize
}

/// The keys at a load.
fn at(slots: u64, load: f64) -> usize {
    (slots as f64 * load) as usize
}

/// The slots, unless there are none or too many.
fn fitting(ground: &Ground, slots: Option<u64>) -> Result<u64, Failure> {
    let slots = slots.ok_or(Failure::NoSlots)?;
    let keys = ground.present.len() as u64;
    if at(slots, LAST) as u64 > keys {
        return Err(Failure::TooLarge { slots, keys });
    }
    Ok(slots)
}

impl Climb {
    /// Over tables of this many slots, with this many queries at each stop.
    pub fn of_slots(slots: usize, queries: usize) -> Self {
        Self { room: (slots as f64 * FULL) as usize, queries }
    }
}

impl Drain {
    /// Over tables of this many slots.
    pub fn of_slots(slots: usize) -> Self {
        Self { room: (slots as f64 * FULL) as usize }
    }
}

/// From `before` keys to `to`.
fn insert(ground: &Ground, before: usize, to: usize, slots: u64, check: Check) -> Leg<'_> {
    Leg {
        act: Act::Insert(&ground.present[before..to]),
        holds: Cow::Borrowed(&ground.present[..to]),
        check,
        workload: Workload::LoadInsert,
        keys: to,
        load: Some(to as f64 / slots as f64),
    }
}

impl Track for Climb {
    fn course(&self) -> Course {
        Course::Load
    }

    fn workloads(&self) -> &'static [Workload] {
        &[Workload::LoadInsert, Workload::LoadQuery]
    }

    fn title(&self) -> String {
        format!("load by load, planned for {} keys", self.room)
    }

    fn planned(&self) -> usize {
        self.room
    }

    fn keys(&self) -> usize {
        needed(self.room)
    }

    fn needs_slots(&self) -> bool {
        true
    }

    fn is_long(&self) -> bool {
        true
    }

    fn script<'a>(&self, ground: &'a Ground, slots: Option<u64>) -> Result<Script<'a>, Failure> {
        let slots = fitting(ground, slots)?;
        let Ground { present, absent, seed } = ground;
        let (mut legs, mut held) = (Vec::new(), 0);
        for stop in STOPS {
            let to = at(slots, stop);
            let leg = insert(ground, held, to, slots, Check::Rate);
            let queries = half_present(&present[..to], absent, self.queries, seed ^ to as u64);
            let asked = Leg {
                act: Act::Ask(queries),
                check: Check::Present,
                workload: Workload::LoadQuery,
                ..leg.clone()
            };
            legs.extend([leg, asked]);
            held = to;
        }
        // Where it refuses, if it does.
        let (top, last) = (held, at(slots, LAST));
        for part in 1..=PARTS {
            let to = top + (last - top) * part / PARTS;
            legs.push(insert(ground, held, to, slots, Check::Passage));
            held = to;
        }
        Ok(Script {
            planned: Planned::Room(self.room),
            first: &[],
            legs,
            grows: false,
            weighs: false,
        })
    }
}

impl Track for Drain {
    fn course(&self) -> Course {
        Course::Load
    }

    fn workloads(&self) -> &'static [Workload] {
        &[Workload::LoadRemove]
    }

    fn title(&self) -> String {
        format!("emptied load by load, planned for {} keys", self.room)
    }

    fn planned(&self) -> usize {
        self.room
    }

    fn keys(&self) -> usize {
        needed(self.room)
    }

    fn takes(&self, info: &Info) -> bool {
        info.can(Ability::Remove)
    }

    fn needs_slots(&self) -> bool {
        true
    }

    fn is_long(&self) -> bool {
        true
    }

    fn script<'a>(&self, ground: &'a Ground, slots: Option<u64>) -> Result<Script<'a>, Failure> {
        let slots = fitting(ground, slots)?;
        let top = at(slots, TOP);
        let workload = Workload::LoadRemove;
        let mut legs = vec![Leg { workload, ..insert(ground, 0, top, slots, Check::Passage) }];
        let mut gone = 0;
        let below = STOPS.iter().rev().filter(|&&stop| stop < TOP);
        for stop in below.chain(&[0.0]) {
            let keys = at(slots, *stop);
            legs.push(Leg {
                act: Act::Remove(&ground.present[gone..top - keys]),
                holds: Cow::Borrowed(&ground.present[top - keys..top]),
                check: Check::Rate,
                workload,
                keys,
                load: Some(keys as f64 / slots as f64),
            });
            gone = top - keys;
        }
        Ok(Script {
            planned: Planned::Room(self.room),
            first: &[],
            legs,
            grows: false,
            weighs: false,
        })
    }
}
