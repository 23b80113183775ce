//! Speed against load: fills and queries tables of slots from one load to the next, and empties
//! them again.

use super::{Act, Check, FULL, Ground, Leg, Outline, Script, Track};
use crate::contenders::{Ability, Course, Planned};
use crate::keys::half_present;
use crate::measure::verify::Failure;
use crate::record::Workload;
use std::borrow::Cow;
use std::ops::Range;

const STOPS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
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
    slots: usize,
    queries: usize,
}

/// The way down, oldest keys first.
#[derive(Clone, PartialEq, Debug)]
pub struct Drain {
    slots: usize,
}

impl Climb {
    /// Over tables of this many slots, with this many queries at each stop.
    pub fn of_slots(slots: usize, queries: usize) -> Self {
        Self { slots, queries }
    }
}

impl Drain {
    /// Over tables of this many slots.
    pub fn of_slots(slots: usize) -> Self {
        Self { slots }
    }
}

/// Either way.
fn outline(slots: usize, ability: Ability, workloads: &'static [Workload]) -> Outline {
    let planned = (slots as f64 * FULL) as usize;
    Outline {
        course: Course::Load,
        ability: Some(ability),
        needs_slots: true,
        workloads,
        planned,
        keys: (planned as f64 / FULL * SPARE) as usize,
        is_long: true,
    }
}

/// A contender's table.
struct Table<'a> {
    slots: u64,
    keys: &'a [u64],
}

impl<'a> Table<'a> {
    fn new(ground: &'a Ground, slots: Option<u64>) -> Result<Self, Failure> {
        Failure::unless(slots.is_some(), || "claims to have slots, but has none".to_owned())?;
        let table = Self { slots: slots.unwrap_or_default(), keys: &ground.present };
        ground.suffices(table.at(LAST), table.slots)?;
        Ok(table)
    }

    /// The keys at a load.
    fn at(&self, load: f64) -> usize {
        (self.slots as f64 * load) as usize
    }

    fn insert(&self, new: Range<usize>, check: Check, workload: Workload) -> Leg<'a> {
        let holds = Cow::Borrowed(&self.keys[..new.end]);
        Leg { act: Act::Insert(&self.keys[new]), holds, check, workload }
    }

    fn script(&self, planned: usize, legs: Vec<Leg<'a>>) -> Script<'a> {
        Script { planned: Planned::Room(planned), slots: Some(self.slots), first: &[], legs }
    }
}

impl Track for Climb {
    fn outline(&self) -> Outline {
        outline(self.slots, Ability::Insert, &[Workload::LoadInsert, Workload::LoadQuery])
    }

    fn script<'a>(&self, ground: &'a Ground, slots: Option<u64>) -> Result<Script<'a>, Failure> {
        let table = Table::new(ground, slots)?;
        let (mut legs, mut held) = (Vec::new(), 0);
        for stop in STOPS {
            let to = table.at(stop);
            let leg = table.insert(held..to, Check::Rate, Workload::LoadInsert);
            let seed = ground.seed ^ to as u64;
            let queries = half_present(&leg.holds, &ground.absent, self.queries, seed);
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
        let (top, last) = (held, table.at(LAST));
        for part in 1..=PARTS {
            let to = top + (last - top) * part / PARTS;
            legs.push(table.insert(held..to, Check::Passage, Workload::LoadInsert));
            held = to;
        }
        Ok(table.script(self.outline().planned, legs))
    }
}

impl Track for Drain {
    fn outline(&self) -> Outline {
        outline(self.slots, Ability::Remove, &[Workload::LoadRemove])
    }

    fn script<'a>(&self, ground: &'a Ground, slots: Option<u64>) -> Result<Script<'a>, Failure> {
        let table = Table::new(ground, slots)?;
        let top = table.at(TOP);
        let mut legs = vec![table.insert(0..top, Check::Passage, Workload::LoadRemove)];
        let mut gone = 0;
        for stop in STOPS.into_iter().rev().filter(|&stop| stop < TOP).chain([0.0]) {
            let to = top - table.at(stop);
            legs.push(Leg {
                act: Act::Remove(&table.keys[gone..to]),
                holds: Cow::Borrowed(&table.keys[to..top]),
                check: Check::Rate,
                workload: Workload::LoadRemove,
            });
            gone = to;
        }
        Ok(table.script(self.outline().planned, legs))
    }
}
