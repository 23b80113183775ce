//! Churn: one key out, another in, many times over in a nearly full filter, checked against an
//! exact model.

use super::course::{Course, FULL};
use super::fill::OVERFILL;
use super::script::{Act, Check, Leg, Script};
use crate::contenders::{Ability, Planned};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::borrow::Cow;
use std::mem;

/// How full the filters are: of their slots, or of their plan if they have none.
const LOAD: f64 = 0.9;
/// Replacements per planned key: five, each of two operations.
const PAIRS: usize = 5;
/// How often the filter is compared with the model.
const CHECKS: usize = 10;

pub const CHURN: Course = Course {
    name: "churn",
    admits: |info| info.can(Ability::Insert) && info.can(Ability::Remove),
    is_long: true,
    sizes: [1 << 10, 1 << 17, 1 << 18],
    keys: |slots| {
        let planned = (slots as f64 * FULL) as usize;
        // Enough for a table of twice the slots.
        [planned, (PAIRS + 2) * planned]
    },
    script: |track, ground, slots| {
        let places = slots.unwrap_or(track.planned as u64);
        let (held, pairs) = ((places as f64 * LOAD) as usize, PAIRS * track.planned);
        ground.suffices(held + pairs, places)?;
        let (first, others) = ground.present.split_at(held);
        let mut legs = replacements(first, &others[..pairs], ground.seed);
        if let Some(last) = legs.last_mut() {
            last.check = Check::Rate;
        }
        Ok(Script { planned: Planned::Room(track.planned), slots, first, legs })
    },
    ..OVERFILL
};

/// The replacements in parts: each removed key is chosen at random among those present at its time.
fn replacements<'a>(first: &[u64], new: &'a [u64], seed: u64) -> Vec<Leg<'a>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut model = first.to_vec();
    let part = |check: usize| {
        let new = &new[new.len() * check / CHECKS..new.len() * (check + 1) / CHECKS];
        let replace = |&key: &u64| {
            let place = rng.random_range(0..model.len());
            mem::replace(&mut model[place], key)
        };
        let act = Act::Replace(new.iter().map(replace).collect(), new);
        let holds = Cow::Owned(model.clone());
        Leg { act, holds, check: Check::Part }
    };
    (0..CHECKS).filter(|_| !first.is_empty()).map(part).collect()
}
