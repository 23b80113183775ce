//! Churn: a nearly full filter replaces its keys many times over, checked against an exact model.

use super::tally::{Answers, Tally, no_false_negative};
use super::{Effort, Failure, Subject, guarded, seed_of, with_room};
use crate::contender::{Built, Contender};
use crate::keys::Keys;
use crate::record::Row;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::mem;
use std::ops::Range;

/// How often the filter is compared with the model.
const CHECKS: usize = 10;

/// A sequence of replacements.
#[derive(Clone, Debug)]
pub struct Script {
    /// The initial keys.
    pub first: Vec<u64>,
    /// The keys to remove, in order, each chosen at random among those present at its time.
    pub gone: Vec<u64>,
    /// The key to insert after each.
    pub new: Vec<u64>,
    /// Checkpoints: replacements so far, and the keys then present.
    checks: Vec<(usize, Vec<u64>)>,
    /// The final keys.
    pub last: Vec<u64>,
}

/// The parameters of churn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Churning {
    /// The keys that the filter is planned for.
    pub room: usize,
    /// Its load: of its slots, or of its plan if it has none.
    pub load: f64,
    /// The number of replacements.
    pub pairs: usize,
}

/// A contender that passed.
#[derive(Clone, Copy, Debug)]
pub struct Borne {
    /// Keys in the filter throughout.
    pub held: usize,
    /// The same over its slots, if it has any.
    pub load: Option<f64>,
    answers: Answers,
}

impl Script {
    /// From distinct keys: the first `held` are present, the next `pairs` come in.
    pub fn new(keys: &[u64], held: usize, pairs: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let held = held.min(keys.len());
        let (first, others) = keys.split_at(held);
        // An empty filter has nothing to replace.
        let pairs = if first.is_empty() { 0 } else { pairs };
        let new = others[..pairs.min(others.len())].to_vec();
        let mut model = first.to_vec();
        let mut gone = Vec::with_capacity(new.len());
        let mut checks = Vec::with_capacity(CHECKS);
        for check in 1..=CHECKS {
            let to = new.len() * check / CHECKS;
            for &key in &new[gone.len()..to] {
                let place = rng.random_range(0..model.len());
                gone.push(mem::replace(&mut model[place], key));
            }
            checks.push((to, model.clone()));
        }
        Self {
            first: first.to_vec(),
            gone,
            new,
            checks,
            last: model,
        }
    }
}

impl Churning {
    /// The keys it holds, and its load if it has slots.
    pub fn held(
        &self,
        contender: &dyn Contender,
        subject: &Subject<'_>,
    ) -> Result<(usize, Option<f64>), Failure> {
        let none = subject.present.first(0);
        let filter = with_room(contender, self.room, none, subject, subject.seed)?;
        let places = filter.slots().unwrap_or(self.room as u64);
        let held = (places as f64 * self.load) as usize;
        let keys = subject.present.len() as u64;
        if (held + self.pairs) as u64 > keys {
            return Err(Failure::TooLarge {
                slots: places,
                keys,
            });
        }
        Ok((held, filter.slots().map(|slots| held as f64 / slots as f64)))
    }

    /// The script for a filter that holds `held` keys.
    pub fn script(&self, subject: &Subject<'_>, held: usize) -> Script {
        let keys = match subject.present {
            Keys::U64(keys) => keys,
            Keys::Bytes(_) => &[],
        };
        Script::new(keys, held, self.pairs, subject.seed)
    }
}

/// Runs filters of several seeds through the script and compares each with the model, several times
/// along the way and at the end.
pub fn verify_churn(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    churning: &Churning,
    effort: &Effort,
) -> Result<Borne, Failure> {
    let info = contender.info();
    let (held, load) = churning.held(contender, subject)?;
    let script = churning.script(subject, held);
    let mut tally = Tally::default();
    for filter in 0..effort.of(&info).min_seeds.max(1) {
        let seed = seed_of(subject.seed, filter);
        let first = Keys::U64(&script.first);
        let mut filter = with_room(contender, churning.room, first, subject, seed)?;
        let mut replaced = 0;
        for (to, model) in &script.checks {
            replace(&mut *filter, &script, replaced..*to, seed)?;
            replaced = *to;
            no_false_negative(&*filter, Keys::U64(model), seed)?;
        }
        tally.take(&*filter, Keys::U64(&script.last), subject.absent, seed)?;
    }
    Ok(Borne {
        held,
        load,
        answers: tally.judged(info.ours)?,
    })
}

/// Replaces these of a script's keys.
pub fn replace(
    filter: &mut dyn Built,
    script: &Script,
    part: Range<usize>,
    seed: u64,
) -> Result<(), Failure> {
    let keys = part.len() as u64;
    let (gone, new) = (&script.gone[part.clone()], &script.new[part]);
    let replaced = guarded(|| filter.replace(Keys::U64(gone), Keys::U64(new)))?;
    let replaced = replaced.ok_or(Failure::Unable { what: "replace" })?;
    if replaced == keys {
        return Ok(());
    }
    Err(Failure::Replaced {
        replaced,
        keys,
        seed,
    })
}

impl Borne {
    /// Writes the result into the row of its times.
    pub fn write(&self, row: &mut Row) {
        row.keys = self.held as u64;
        row.load = self.load;
        self.answers.write(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_takes_out_only_what_is_in_and_its_model_is_exact() {
        let keys: Vec<u64> = (0..1000).collect();
        let script = Script::new(&keys, 100, 900, 1);
        assert_eq!((script.gone.len(), script.new.len()), (900, 900));
        let mut model: std::collections::BTreeSet<u64> = script.first.iter().copied().collect();
        for (place, (gone, new)) in script.gone.iter().zip(&script.new).enumerate() {
            assert!(model.remove(gone) && model.insert(*new), "{place}");
        }
        let sorted = |mut keys: Vec<u64>| {
            keys.sort_unstable();
            keys
        };
        let last: Vec<u64> = model.into_iter().collect();
        assert_eq!(sorted(script.last.clone()), last);
        let (all, at_last) = script.checks.last().cloned().unwrap();
        assert_eq!((all, sorted(at_last)), (900, last));
        let (some, early) = script.checks.first().cloned().unwrap();
        let added = early.iter().filter(|&&key| key >= 100).count();
        assert!(some == 90 && (1..=90).contains(&added), "{added}");
        // Most of the initial keys are gone, and some new ones too.
        assert!(script.gone.iter().any(|&key| key >= 100));
        assert!(Script::new(&keys, 0, 10, 1).new.is_empty());
    }
}
