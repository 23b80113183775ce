//! Churn: replaces keys one by one in a nearly full filter, checked against an exact model.

use super::fill::OVERFILL;
use super::scenario::{FULL, ScenarioKind};
use super::script::{Act, Check, Script, Step};
use crate::contenders::{Ability, Planned};
use crate::record::Workload;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::borrow::Cow;
use std::mem;

/// The load of the filters: the share of their slots, or of their planned keys if they have no
/// slots.
const LOAD: f64 = 0.9;
/// Replacements per planned key: five, each of two operations.
const PAIRS: usize = 5;
/// The number of comparisons with the model.
const CHECKS: usize = 10;

pub const CHURN: ScenarioKind = ScenarioKind {
    workload: Workload::Churn,
    admits: |info| info.can(Ability::Insert) && info.can(Ability::Remove),
    is_long: true,
    keys: |slots| {
        let planned = (slots as f64 * FULL) as usize;
        // Enough for a table of twice the slots.
        [planned, (PAIRS + 2) * planned]
    },
    script: |scenario, keys, slots| {
        let places = slots.unwrap_or(scenario.planned as u64);
        let (held, pairs) = ((places as f64 * LOAD) as usize, PAIRS * scenario.planned);
        keys.suffices(held + pairs, places)?;
        let (first, others) = keys.present.split_at(held);
        let mut steps = replacements(first, &others[..pairs], keys.seed);
        if let Some(last) = steps.last_mut() {
            last.check = Check::Rate;
        }
        Ok(Script { planned: Planned::Room(scenario.planned), slots, first, steps })
    },
    ..OVERFILL
};

/// The replacements in parts: each removed key is chosen at random among those present then.
fn replacements<'a>(first: &[u64], new: &'a [u64], seed: u64) -> Vec<Step<'a>> {
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
        Step { act, holds, check: Check::Part }
    };
    (0..CHECKS).filter(|_| !first.is_empty()).map(part).collect()
}
