//! Speed against load: fills tables of slots from one load to the next.

use super::{Check, FULL, Leg, Script, Track};
use crate::contenders::Planned;
use crate::measure::verify::Failure;
use crate::record::Workload;

/// The last one nearly every table reaches.
const STOPS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/// No table is filled beyond this load: some scans along the table would take too long.
const LAST: f64 = 0.99;
/// From the last stop to there, in this many parts.
const PARTS: usize = 20;
/// Keys suffice for a table larger by this factor.
const SPARE: f64 = 1.2;

pub fn load(slots: usize) -> Track {
    Track {
        workload: Workload::LoadInsert,
        planned: (slots as f64 * FULL) as usize,
        keys: (slots as f64 * SPARE) as usize,
        script: |track, ground, slots| {
            Failure::unless(slots.is_some(), || "claims to have slots, but has none".to_owned())?;
            let places = slots.unwrap_or_default();
            let at = |load: f64| (places as f64 * load) as usize;
            ground.suffices(at(LAST), places)?;
            let (top, last) = (at(STOPS[STOPS.len() - 1]), at(LAST));
            // Where it refuses, if it does.
            let beyond =
                (1..=PARTS).map(|part| (top + (last - top) * part / PARTS, Check::Passage));
            let stops = STOPS.into_iter().map(|load| (at(load), Check::Rate)).chain(beyond);
            let legs = Leg::inserts(ground.present, 0, stops).collect();
            Ok(Script { planned: Planned::Room(track.planned), slots, first: &[], legs })
        },
    }
}
