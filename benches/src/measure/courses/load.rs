//! Speed against load: fills tables of slots from one load to the next.

use super::course::{Course, FULL};
use super::fill::OVERFILL;
use super::script::{Check, Leg, Script};
use crate::contenders::{Ability, Planned};
use crate::measure::verify::Failure;

/// The last one nearly every table reaches.
const STOPS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/// No table is filled beyond this load: some scans along the table would take too long.
const LAST: f64 = 0.99;
/// From the last stop to there, in this many parts.
const PARTS: usize = 20;
/// Keys suffice for a table larger by this factor.
const SPARE: f64 = 1.2;

pub const LOAD: Course = Course {
    name: "load_insert",
    admits: |info| info.can(Ability::Insert),
    of_slots: true,
    is_long: true,
    // At the most, tables of a few megabytes: out of the caches.
    sizes: [1 << 13, 1 << 20, 1 << 22],
    keys: |slots| [FULL, SPARE].map(|share| (slots as f64 * share) as usize),
    script: |track, ground, slots| {
        Failure::unless(slots.is_some(), || "claims to have slots, but has none".to_owned())?;
        let places = slots.unwrap_or_default();
        let at = |load: f64| (places as f64 * load) as usize;
        ground.suffices(at(LAST), places)?;
        let (top, last) = (at(STOPS[STOPS.len() - 1]), at(LAST));
        // Where it refuses, if it does.
        let beyond = (1..=PARTS).map(|part| (top + (last - top) * part / PARTS, Check::Passage));
        let stops = STOPS.into_iter().map(|load| (at(load), Check::Rate)).chain(beyond);
        let legs = Leg::inserts(ground.present, 0, stops).collect();
        Ok(Script { planned: Planned::Room(track.planned), slots, first: &[], legs })
    },
    ..OVERFILL
};
