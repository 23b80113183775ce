//! One heat: the contenders that meet over the same keys, asked for the same rate or size.

use super::field::Views;
use super::race::Race;
use super::suite::{Depth, Group, Who, words};
use super::turn::{Ready, cost_of_turn, offered};
use super::verify::{self, Failure, Subject, octave, verify, verify_removal};
use crate::contenders::{self, Ability, Contender, Family, Info, Role};
use crate::keys::{KeySet, Keys};
use crate::progress::{Progress, nanoseconds};
use crate::record::{Cell, Row, Suite, Workload};
use amq_core::Budget;
use std::collections::BTreeMap;

/// Nothing is removed from filters of more keys: it would take too long to verify.
const MOST_TO_REMOVE: usize = 20_000_000;

/// The contenders that take part in no heat of a group, by reason.
pub fn left_out(
    group: &Group,
    contenders: &[&'static dyn Contender],
) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut left_out: BTreeMap<_, Vec<_>> = BTreeMap::new();
    // An objection at the first target holds at the others too.
    let first = Heat::all(std::slice::from_ref(group)).into_iter().next();
    for info in contenders.iter().map(|contender| contender.info()) {
        if let Some(reason) = first.and_then(|heat| heat.objection(&info)) {
            left_out.entry(reason).or_default().push(info.name);
        }
    }
    left_out
}

/// A contender that takes part, and the template of its rows.
pub type Entrant = (&'static dyn Contender, Cell);

/// A heat's place in the comparison.
#[derive(Clone, Copy, Debug)]
pub struct Heat<'a> {
    /// The keys.
    pub group: &'a Group,
    /// What is asked for.
    pub target: Budget,
    /// How thoroughly.
    pub depth: Depth,
}

impl Heat<'_> {
    /// All heats of some groups, in order.
    pub fn all(groups: &[Group]) -> Vec<Heat<'_>> {
        let heats = groups.iter().flat_map(|group| {
            let targets = group.targets.iter();
            targets.map(move |&(target, depth)| Heat { group, target, depth })
        });
        heats.collect()
    }

    /// The contenders that take part, and their cells. One without a target rate takes part once
    /// per group.
    pub fn entrants(&self, contenders: &[&'static dyn Contender]) -> Vec<Entrant> {
        let entry = |contender: &&'static dyn Contender| {
            let info = contender.info();
            let fits = match self.target {
                Budget::BitsPerKey(_) => info.bits_budget,
                target => info.takes_rate || self.group.target_of_fixed() == Some(target),
            };
            let takes_part = fits && self.objection(&info).is_none();
            takes_part.then(|| (*contender, self.cell(&info)))
        };
        contenders.iter().filter_map(entry).collect()
    }

    /// Why a contender that could be asked for this takes no part.
    fn objection(&self, info: &Info) -> Option<&'static str> {
        if info.max_keys < self.group.keys as u64 {
            Some("not with so many keys")
        } else if info.slow && !self.is_for_the_slow() {
            Some("slow: random keys only")
        } else if self.group.who != Who::All && !contenders::speaks_for_family(info) {
            Some("peers: only the first of each family")
        } else if self.group.who == Who::Compact && !is_compact(info) {
            Some("so many keys only with one filter of each compact kind")
        } else {
            None
        }
    }

    /// At the first target of each group only, and only with the keys compared at all sizes, or the
    /// user's.
    fn is_for_the_slow(&self) -> bool {
        let first = self.group.targets.first().map(|(target, _)| *target);
        first == Some(self.target)
            && matches!(self.group.key_set, KeySet::RandomU64 | KeySet::File(_))
    }

    fn cell(&self, info: &Info) -> Cell {
        let mut cell = Cell {
            key_set: self.group.key_set.name().to_owned(),
            keys: self.group.keys as u64,
            ..Cell::default()
        };
        match self.target {
            Budget::BitsPerKey(bits) => cell.asked_bits = Some(bits),
            Budget::Fpr(rate) if info.takes_rate => cell.asked_fpr = Some(rate),
            _ => {}
        }
        cell
    }

    /// Its label in the progress bar.
    pub fn title(&self) -> String {
        let Group { key_set, keys, .. } = self.group;
        format!("{}, {keys} keys, {}", key_set.name(), words(self.target))
    }

    /// Verifies the contenders. The rows of those that fail say why; the others are ready to race.
    pub fn verify<'v>(
        &self,
        entrants: Vec<Entrant>,
        views: &'v Views<'_>,
        (suite, rounds, seed): (Suite, u64, u64),
        progress: &Progress,
    ) -> (Race<'v>, Vec<Row>) {
        progress.begin(&self.title());
        let (mut ready, mut rows) = (Vec::new(), Vec::new());
        for (contender, cell) in entrants {
            progress.now(&format!("{}: verifying {}", self.title(), contender.info().name));
            ready.extend(self.verify_one(contender, cell, views, (suite, seed), &mut rows));
            progress.did(self.cost_of_verifying());
        }
        let (subject, rounds) = (views.subject(None, seed), self.depth.rounds(rounds));
        (Race::new(ready, views.queries(), subject, rounds), rows)
    }

    /// Verifies one contender and adds its rows; ready if it passed and is to be timed.
    fn verify_one(
        &self,
        contender: &'static dyn Contender,
        cell: Cell,
        views: &Views<'_>,
        (suite, seed): (Suite, u64),
        rows: &mut Vec<Row>,
    ) -> Option<Ready> {
        let (info, timed) = (contender.info(), self.depth != Depth::Facts);
        let subject = views.subject(budget(&cell), seed);
        let effort = suite.effort(self.group.keys);
        let outcome = verify(contender, &subject, &effort).and_then(|mut verified| {
            if let Some(range) = self.octave(contender, &subject, views) {
                verified.with_octave(range?);
            }
            Ok(verified)
        });
        rows.push(verify::row(&info, &cell, &outcome));
        let verified = match outcome {
            Ok(verified) => verified,
            Err(failure) => {
                let untimed = |workload| failure.untime(Row::new(info.name, &cell, workload));
                rows.extend(offered(&info).filter(|_| timed).map(untimed));
                return None;
            }
        };
        if !timed {
            return None;
        }
        let removal = self.removes(&info).then(|| verify_removal(contender, &subject, &effort));
        if let Some(Err(failure)) = &removal {
            rows.push(failure.mark(Row::new(info.name, &cell, Workload::Remove)));
        }
        let answers = views.answers(&verified.absent);
        let answers = (info.role != Role::Floor).then_some(&answers);
        let (order, removal) = (subject.order(seed), removal.and_then(Result::ok));
        Some(Ready::new(contender, cell, order, self.group.queries, answers, removal))
    }

    fn removes(&self, info: &Info) -> bool {
        info.can(Ability::Remove) && self.group.keys <= MOST_TO_REMOVE
    }

    /// The sizes over an octave, for a contender whose size jumps, at the main target.
    fn octave(
        &self,
        contender: &dyn Contender,
        subject: &Subject<'_>,
        views: &Views<'_>,
    ) -> Option<Result<(u64, u64), Failure>> {
        let is_first = self.group.targets.first().map(|(target, _)| *target) == Some(self.target);
        if !is_first || !contender.info().jumps {
            return None;
        }
        let pool = views.pool()?;
        Some(octave(contender, Keys::U64(&pool), self.group.keys, subject))
    }

    /// The estimated duration of one contender in a run of so many rounds, in nanoseconds.
    pub fn cost(&self, info: &Info, rounds: u64) -> u64 {
        let Group { keys, queries, .. } = *self.group;
        let turn = cost_of_turn(keys, queries, self.removes(info));
        self.cost_of_verifying() + self.depth.rounds(rounds) * turn
    }

    /// The estimated duration of verifying one contender, in nanoseconds.
    fn cost_of_verifying(&self) -> u64 {
        let Group { keys, queries, .. } = *self.group;
        let seeds = if keys < 5_000_000 { 2 } else { 1 };
        nanoseconds(keys, seeds * (9 * keys / 2 + 3 * queries))
    }
}

/// Whether it is one of each kind that takes few bits a key.
fn is_compact(info: &Info) -> bool {
    let large = [Family::Counting, Family::Scalable, Family::Exact].contains(&info.family);
    let again = info.role == Role::Twin || info.can(Ability::ConcurrentInsert);
    !large && !again && info.role != Role::Map
}

/// What a cell asks for.
pub fn budget(cell: &Cell) -> Option<Budget> {
    let bits = cell.asked_bits.map(Budget::BitsPerKey);
    bits.or(cell.asked_fpr.map(Budget::Fpr))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders::ALL;
    #[test]
    fn whoever_is_left_out_of_a_group_is_named_with_the_reason() {
        let mut groups = Suite::Quick.groups(None);
        groups.extend(Suite::Full.groups(None));
        for group in groups {
            let left_out = left_out(&group, &ALL);
            let heats = Heat::all(std::slice::from_ref(&group));
            for contender in ALL.iter() {
                let info = contender.info();
                let takes_part = heats.iter().any(|heat| !heat.entrants(&[*contender]).is_empty());
                let named = left_out.values().flatten().any(|name| *name == info.name);
                assert_ne!(takes_part, named, "{} in {group:?}", info.name);
            }
            let too_many = ALL.iter().any(|one| one.info().max_keys < group.keys as u64);
            assert_eq!(left_out.contains_key("not with so many keys"), too_many);
        }
    }
}
