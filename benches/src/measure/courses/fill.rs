//! Fills filters beyond their plan.
//!
//! `grow` plans the filter for a hundredth of the keys and goes up to all of them; `overfill`
//! starts from the planned number of keys and goes up to five times that. One that grows must keep
//! its target rate. One that does not must have its formula's rate for the keys it holds, or
//! refuse, and then still find every key it took.

use super::course::{Course, Track};
use super::script::{Check, Leg, Script};
use crate::contenders::{Ability, Planned};
use crate::measure::field::Ground;
use crate::measure::race::REMOVER;
use std::iter;

/// Stops in each doubling of the keys, over the last two doublings: where a filter grows by
/// doubling, their mean is its size for a number of keys not known before.
const PER_DOUBLING: i32 = 8;

/// Growing a hundredfold: in steps of about three, then finely over two doublings.
pub const GROW: Course = Course {
    name: "grow",
    admits: |info| info.can(Ability::Grow),
    keys: |keys| [(keys / 100).max(1), keys],
    script: |track, ground, _| {
        let fine = (0..=2 * PER_DOUBLING).rev();
        let fine = fine.map(|step| (f64::from(step) / f64::from(PER_DOUBLING)).exp2());
        let parts = [32.0, 10.0].into_iter().chain(fine);
        let stops = parts.map(|part| (track.keys as f64 / part).round() as usize);
        Ok(script(track, ground, Check::Target, stops))
    },
    ..OVERFILL
};

pub const OVERFILL: Course = Course {
    name: "overfill",
    admits: |info| info.can(Ability::Insert) && !info.can(Ability::Grow),
    of_slots: false,
    is_long: false,
    sizes: [1_000, 100_000, 1_000_000],
    keys: |keys| [keys, 5 * keys],
    script: |track, ground, _| {
        let stops = [3, 4, 6, 10].map(|halves| track.planned * halves / 2);
        Ok(script(track, ground, Check::Rate, stops.into_iter()))
    },
    reference: REMOVER,
};

/// From the planned keys, where it stops first, to each of the others.
fn script<'a>(
    track: &Track,
    ground: Ground<'a>,
    check: Check,
    stops: impl Iterator<Item = usize>,
) -> Script<'a> {
    let first = &ground.present[..track.planned];
    let stops = iter::once(first.len()).chain(stops).map(|stop| (stop, check));
    let legs = Leg::inserts(ground.present, first.len(), stops).collect();
    Script { planned: Planned::First, slots: None, first, legs }
}
