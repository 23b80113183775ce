//! Speed against load: fills tables of slots from one load to the next.

use super::fill::OVERFILL;
use super::scenario::{FULL, ScenarioKind};
use super::script::{Check, Script, Step};
use crate::contenders::{Ability, Planned};
use crate::record::Workload;
use crate::verify::Failure;

/// The last one nearly every table reaches.
const STOPS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/// No table is filled beyond this load, where some scans would take too long.
const LAST: f64 = 0.99;
/// From the last stop to there, in this many parts.
const PARTS: usize = 20;
/// There are enough keys for a table larger by this factor.
const SPARE: f64 = 1.2;

pub const LOAD: ScenarioKind = ScenarioKind {
    workload: Workload::LoadInsert,
    admits: |info| info.can(Ability::Insert),
    of_slots: true,
    is_long: true,
    keys: |slots| [FULL, SPARE].map(|share| (slots as f64 * share) as usize),
    script: |scenario, keys, slots| {
        Failure::unless(slots.is_some(), || "claims to have slots, but has none".to_owned())?;
        let places = slots.unwrap_or_default();
        let at = |load: f64| (places as f64 * load) as usize;
        keys.suffices(at(LAST), places)?;
        let (top, last) = (at(STOPS[STOPS.len() - 1]), at(LAST));
        // Finds the load at which it refuses a key, if it does.
        let beyond = (1..=PARTS).map(|part| (top + (last - top) * part / PARTS, Check::Passage));
        let stops = STOPS.into_iter().map(|load| (at(load), Check::Rate)).chain(beyond);
        let steps = Step::inserts(keys.present, 0, stops).collect();
        Ok(Script { planned: Planned::Room(scenario.planned), slots, first: &[], steps })
    },
    ..OVERFILL
};
