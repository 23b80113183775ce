//! Churn: one key out, another in, many times over in a nearly full filter, checked against an
//! exact model.

use super::{Act, Check, Ground, Leg, Script, Track};
use crate::contenders::{Course, Planned};
use crate::measure::verify::Failure;
use crate::record::Workload;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::borrow::Cow;
use std::mem;

/// How full the filters are: of their slots, or of their plan if they have none.
const LOAD: f64 = 0.9;
/// The planned load of tables of a power of two, as in the course over loads.
const FULL: f64 = 0.95;
/// Replacements per planned key: five, each of two operations.
const PAIRS: usize = 5;
/// How often the filter is compared with the model.
const CHECKS: usize = 10;

/// The course.
#[derive(Clone, PartialEq, Debug)]
pub struct Churning {
    /// The keys that the filter is planned for.
    room: usize,
    /// The number of replacements.
    pairs: usize,
}

impl Churning {
    /// In tables of this many slots.
    pub fn of_slots(slots: usize) -> Self {
        let room = (slots as f64 * FULL) as usize;
        Self { room, pairs: PAIRS * room }
    }
}

impl Track for Churning {
    fn course(&self) -> Course {
        Course::Churn
    }

    fn workloads(&self) -> &'static [Workload] {
        &[Workload::Churn]
    }

    fn title(&self) -> String {
        format!("replacing {} keys at load {LOAD}, planned for {}", self.pairs, self.room)
    }

    fn planned(&self) -> usize {
        self.room
    }

    /// Enough for a table of twice the slots.
    fn keys(&self) -> usize {
        self.pairs + 2 * self.room
    }

    fn is_long(&self) -> bool {
        true
    }

    fn script<'a>(&self, ground: &'a Ground, slots: Option<u64>) -> Result<Script<'a>, Failure> {
        let places = slots.unwrap_or(self.room as u64);
        let (held, keys) = ((places as f64 * LOAD) as usize, ground.present.len());
        if held + self.pairs > keys {
            return Err(Failure::TooLarge { slots: places, keys: keys as u64 });
        }
        let (first, others) = ground.present.split_at(held);
        let leg = |(gone, new, model)| Leg {
            act: Act::Replace(gone, new),
            holds: Cow::Owned(model),
            check: Check::Present,
            workload: Workload::Churn,
            keys: held,
            load: slots.map(|slots| held as f64 / slots as f64),
        };
        let parts = replacements(first, &others[..self.pairs], ground.seed);
        let mut legs: Vec<Leg<'_>> = parts.into_iter().map(leg).collect();
        if let Some(last) = legs.last_mut() {
            last.check = Check::Rate;
        }
        Ok(Script { planned: Planned::Room(self.room), first, legs, grows: false, weighs: false })
    }
}

/// A part of the replacements: the keys to remove, each chosen at random among those present at its
/// time; the key to insert after each; and the keys then present.
type Part<'a> = (Vec<u64>, &'a [u64], Vec<u64>);

fn replacements<'a>(first: &[u64], new: &'a [u64], seed: u64) -> Vec<Part<'a>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut model = first.to_vec();
    let part = |check: usize| {
        let new = &new[new.len() * check / CHECKS..new.len() * (check + 1) / CHECKS];
        let replace = |&key: &u64| {
            let place = rng.random_range(0..model.len());
            mem::replace(&mut model[place], key)
        };
        let gone = new.iter().map(replace).collect();
        (gone, new, model.clone())
    };
    (0..CHECKS).filter(|_| !first.is_empty()).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn only_what_is_in_is_taken_out_and_the_model_is_exact() {
        let keys: Vec<u64> = (0..1000).collect();
        let (first, new) = keys.split_at(100);
        let parts = replacements(first, new, 1);
        let mut model: BTreeSet<u64> = first.iter().copied().collect();
        for (gone, new, after) in &parts {
            assert_eq!((gone.len(), new.len()), (90, 90));
            for (gone, new) in gone.iter().zip(*new) {
                assert!(model.remove(gone) && model.insert(*new));
            }
            let after: BTreeSet<u64> = after.iter().copied().collect();
            assert_eq!(after, model);
        }
        // Most of the initial keys are gone, and some new ones too.
        assert!(parts.iter().any(|(gone, ..)| gone.iter().any(|&key| key >= 100)));
        assert!(replacements(&[], new, 1).is_empty());
    }
}
