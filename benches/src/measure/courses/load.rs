//! Speed against load: fills and queries tables of slots from one load to the next, and empties
//! them again.

use super::{Act, Check, FULL, Ground, Leg, Script, Track, Write};
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

/// The way up, over tables of this many slots.
pub fn climb(slots: usize) -> Track {
    track(slots, Ability::Insert, &[Workload::LoadInsert, Workload::LoadQuery], up)
}

/// The way down, oldest keys first.
pub fn drain(slots: usize) -> Track {
    track(slots, Ability::Remove, &[Workload::LoadRemove], down)
}

fn track(slots: usize, ability: Ability, workloads: &'static [Workload], script: Write) -> Track {
    let planned = (slots as f64 * FULL) as usize;
    Track {
        course: Course::Load,
        ability,
        workloads,
        planned,
        keys: (planned as f64 / FULL * SPARE) as usize,
        is_long: true,
        script,
    }
}

/// The slots of a table that the keys suffice for, and the keys at a load.
fn table(ground: &Ground, slots: Option<u64>) -> Result<(u64, impl Fn(f64) -> usize), Failure> {
    Failure::unless(slots.is_some(), || "claims to have slots, but has none".to_owned())?;
    let slots = slots.unwrap_or_default();
    let at = move |load: f64| (slots as f64 * load) as usize;
    ground.suffices(at(LAST), slots)?;
    Ok((slots, at))
}

fn insert(ground: &Ground, new: Range<usize>, check: Check, workload: Workload) -> Leg<'_> {
    let holds = Cow::Borrowed(&ground.present[..new.end]);
    Leg { act: Act::Insert(&ground.present[new]), holds, check, workload }
}

fn up<'a>(track: &Track, ground: &'a Ground, slots: Option<u64>) -> Result<Script<'a>, Failure> {
    let (slots, at) = table(ground, slots)?;
    let (mut legs, mut held) = (Vec::new(), 0);
    for to in STOPS.map(&at) {
        let leg = insert(ground, held..to, Check::Rate, Workload::LoadInsert);
        let (absent, seed) = (&ground.absent, ground.seed ^ to as u64);
        let queries = half_present(&leg.holds, absent, absent.len() / 2, seed);
        let (act, holds) = (Act::Ask(queries), leg.holds.clone());
        let asked = Leg { act, holds, check: Check::Present, workload: Workload::LoadQuery };
        legs.extend([leg, asked]);
        held = to;
    }
    // Where it refuses, if it does.
    let (top, last) = (held, at(LAST));
    for part in 1..=PARTS {
        let to = top + (last - top) * part / PARTS;
        legs.push(insert(ground, held..to, Check::Passage, Workload::LoadInsert));
        held = to;
    }
    Ok(Script { planned: Planned::Room(track.planned), slots: Some(slots), first: &[], legs })
}

fn down<'a>(track: &Track, ground: &'a Ground, slots: Option<u64>) -> Result<Script<'a>, Failure> {
    let (slots, at) = table(ground, slots)?;
    let (top, mut gone) = (at(TOP), 0);
    let mut legs = vec![insert(ground, 0..top, Check::Passage, Workload::LoadRemove)];
    for stop in STOPS.into_iter().rev().filter(|&stop| stop < TOP).chain([0.0]) {
        let to = top - at(stop);
        let act = Act::Remove(&ground.present[gone..to]);
        let holds = Cow::Borrowed(&ground.present[to..top]);
        legs.push(Leg { act, holds, check: Check::Rate, workload: Workload::LoadRemove });
        gone = to;
    }
    Ok(Script { planned: Planned::Room(track.planned), slots: Some(slots), first: &[], legs })
}
