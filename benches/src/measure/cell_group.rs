//! A benchmark group: contenders with the same keys and the same rate, size or scenario.

use super::cell_run::{CellRun, offered};
use super::scenario_run::ScenarioRun;
use super::schedule::{REFERENCE, REFERENCE_RATE, Schedule, TakesTurns};
use crate::contenders::{self, Ability, Contender, Family, Info, Role};
use crate::progress::{self, nanoseconds};
use crate::record::{Cell, Options, Row, State, Workload};
use crate::scenarios::dataset::{Subject, Views};
use crate::scenarios::keys::KeySet;
use crate::scenarios::scenario::{REMOVER, Scenario};
use crate::scenarios::{DatasetSpec, Rounds, Who, words};
use crate::verify::{Effort, Verified, octave, verify};
use crate::workers;
use amq_core::Budget;
use indicatif::ProgressBar;
use std::time::Duration;
use std::{ptr, slice};

/// No removals from filters of more keys: they would take too long to verify.
const MOST_TO_REMOVE: usize = 20_000_000;
/// Filters of more keys are verified one at a time.
const MOST_SIDE_BY_SIDE: usize = 2_000_000;

pub type Entrant = (&'static Contender, Cell);
/// The rows of a contender's verification; and the contender, if it is to be timed.
type Entered<'v> = (Vec<Row>, Option<Box<dyn TakesTurns + 'v>>);

/// A group and its place in the comparison. In a scenario, too, all contenders have the same keys.
#[derive(Clone, Copy, Debug)]
pub struct CellGroup<'a> {
    pub spec: &'a DatasetSpec,
    pub target: Budget,
    pub rounds: Rounds,
}

impl CellGroup<'_> {
    /// All groups of some specs, in order.
    pub fn all(specs: &[DatasetSpec]) -> impl Iterator<Item = CellGroup<'_>> {
        specs.iter().flat_map(|spec| {
            let targets = spec.targets.iter();
            targets.map(move |&(target, rounds)| CellGroup { spec, target, rounds })
        })
    }

    pub fn meets(&self, other: &Self) -> bool {
        ptr::eq(self.spec, other.spec)
    }

    /// The contenders that take part, and their cells. Contenders without a target rate take part
    /// once per spec.
    pub fn entrants(&self, contenders: &[&'static Contender]) -> Vec<Entrant> {
        let entry = |&contender: &&'static Contender| {
            let info = contender.info;
            let cell = self.cell(info);
            let fits = match self.target {
                Budget::BitsPerKey(_) => info.bits_budget,
                target => !info.fixed_rate || self.spec.target_of_fixed() == Some(target),
            };
            let asked = (!info.fixed_rate).then_some(self.target);
            let takes_part = fits
                && self.admits(info)
                && self.spec.scenario.is_none_or(|scenario| scenario.takes(contender, asked));
            takes_part.then_some((contender, cell))
        };
        contenders.iter().filter_map(entry).collect()
    }

    /// Whether a contender that could be asked for this takes part. Slow ones do at the first
    /// target of each dataset only, and only with the keys compared at all sizes, or the user's.
    fn admits(&self, info: &Info) -> bool {
        let DatasetSpec { key_set, keys, who, scenario, .. } = self.spec;
        let is_here = |of: &Workload| scenario.is_some_and(|scenario| scenario.workload() == *of);
        let is_usual = matches!(key_set, KeySet::RandomU64 | KeySet::File(_));
        (info.only.is_empty() || info.only.iter().any(is_here))
            && info.max_keys.is_none_or(|most| *keys as u64 <= most)
            && (!info.slow || (self.is_first() && is_usual))
            && (*who == Who::ManySets) == info.many_sets
            && (matches!(who, Who::All | Who::ManySets) || contenders::speaks_for_family(info))
            && (*who != Who::Compact || is_compact(info))
    }

    fn is_first(&self) -> bool {
        self.spec.targets.first().is_some_and(|(target, _)| *target == self.target)
    }

    fn cell(&self, info: &Info) -> Cell {
        let planned = self.spec.scenario.map(|scenario| scenario.planned as u64);
        let mut cell = Cell {
            key_set: self.spec.key_set.name().to_owned(),
            keys: planned.unwrap_or(self.spec.keys as u64),
            planned_keys: planned,
            ..Cell::default()
        };
        match self.target {
            Budget::BitsPerKey(bits) => cell.asked_bits = Some(bits),
            Budget::Fpr(rate) if !info.fixed_rate => cell.asked_fpr = Some(rate),
            _ => {}
        }
        cell
    }

    /// Whether a row belongs to the entrant of this cell. In a scenario, the number of keys
    /// changes.
    pub fn owns(&self, row: &Row, cell: &Cell) -> bool {
        match self.spec.scenario {
            Some(scenario) => {
                row.planned_keys == cell.planned_keys && row.workload == scenario.workload()
            }
            None => row.cell() == *cell,
        }
    }

    /// Verifies the contenders. The rows of those that fail give the reason; the others are ready
    /// to be timed.
    pub fn verify<'v>(
        &self,
        contenders: &[&'static Contender],
        views: &'v Views<'_>,
        options: &Options,
        progress: &ProgressBar,
    ) -> Schedule<'v> {
        let (DatasetSpec { keys, scenario, .. }, seed) = (self.spec, options.seed);
        let title = format!("{}, {}", self.spec.title(), words(self.target));
        let ((of_verifying, of_turn), effort) = (self.costs(), options.suite.effort(*keys));
        let mut schedule =
            Schedule::new(self.rounds.of(options.rounds), of_turn, seed ^ *keys as u64);
        progress::begin(progress, &title);
        let enter = |(contender, cell): Entrant| {
            progress.set_message(format!("{title}: verifying {}", contender.info.name));
            let subject = views.subject(contender, cell, seed);
            let entry = match scenario {
                None => self.enter(subject, &effort, views),
                Some(scenario) => {
                    let row = subject.row(scenario.workload());
                    match ScenarioRun::checked(scenario, subject, &effort) {
                        Ok(run) => (Vec::new(), Some(Box::new(run) as Box<dyn TakesTurns>)),
                        Err(failure) => (vec![failure.mark(row, State::Failed)], None),
                    }
                }
            };
            progress.inc(of_verifying);
            entry
        };
        // For these, the memory of all threads is counted.
        let (alone, mut together): (Vec<_>, Vec<_>) =
            self.entrants(contenders).into_iter().partition(|(one, _)| one.info.threads);
        // Slow ones first, so that the other workers do not wait for them at the end.
        together.sort_by_key(|(one, _)| !one.info.slow);
        let entries = workers::each(together, self.workers(), enter);
        for (facts, contender) in entries.into_iter().chain(alone.into_iter().map(enter)) {
            schedule.facts.extend(facts);
            schedule.contenders.extend(contender);
        }
        let references = match scenario {
            None if *keys <= MOST_TO_REMOVE => &[REFERENCE, REMOVER][..],
            None => &[REFERENCE],
            Some(scenario) => slice::from_ref(&scenario.kind.reference),
        };
        for contender in references.iter().filter_map(|name| contenders::named(name)) {
            let rate = scenario.map_or(REFERENCE_RATE, |scenario| scenario.kind.rate);
            let cell = Cell { asked_fpr: Some(rate), ..Cell::default() };
            let subject = views.subject(contender, cell, seed);
            schedule.references.extend(match scenario {
                None => Some(CellRun::reference(subject)),
                Some(scenario) => ScenarioRun::reference(scenario, subject),
            });
        }
        schedule
    }

    /// The number of contenders verified at a time: large ones together could fill the memory.
    fn workers(&self) -> usize {
        if self.spec.keys > MOST_SIDE_BY_SIDE { 1 } else { workers::cores() }
    }

    /// Verifies one contender, which takes part in the schedule if it passed and is to be timed.
    fn enter<'v>(&self, subject: Subject<'v>, effort: &Effort, views: &Views<'_>) -> Entered<'v> {
        let (info, timed) = (subject.contender.info, self.rounds != Rounds::Most(0));
        let removes = info.can(Ability::Remove) && timed && self.spec.keys <= MOST_TO_REMOVE;
        let outcome = verify(&subject, effort, removes).and_then(|mut verified| {
            if info.jumps && self.is_first() {
                verified.answers.octave = octave(&subject)?;
            }
            Ok(verified)
        });
        let mut row = subject.row(Workload::Verify);
        let Verified { absent, answers, removal } = match outcome {
            Ok(verified) => verified,
            Err(failure) => {
                let failed = failure.mark(row, State::Failed);
                let untimed = |workload| failure.mark(subject.row(workload), State::Untimed);
                let untimed = offered(info).filter(|_| timed).map(untimed);
                return ([failed].into_iter().chain(untimed).collect(), None);
            }
        };
        answers.write(&mut row);
        let mut facts = vec![row];
        if let Some(Err(failure)) = &removal {
            facts.push(failure.mark(subject.row(Workload::Remove), State::Failed));
        }
        let contender = timed.then(|| {
            let answers = (info.role != Role::Floor).then(|| views.answers(&absent));
            let removal = removal.and_then(Result::ok);
            Box::new(CellRun::new(subject, answers.as_ref(), removal)) as Box<dyn TakesTurns>
        });
        (facts, contender)
    }

    /// The estimated duration of a run of `rounds` rounds.
    pub fn estimate(&self, contenders: &[&'static Contender], rounds: u64) -> Duration {
        let (of_verifying, of_turn) = self.costs();
        let each = of_verifying + self.rounds.of(rounds) * of_turn;
        Duration::from_nanos(each) * self.entrants(contenders).len() as u32
    }

    /// The estimated nanoseconds of one contender's verification, and of a turn.
    fn costs(&self) -> (u64, u64) {
        let DatasetSpec { keys, queries, scenario, .. } = *self.spec;
        if let Some(Scenario { planned, .. }) = scenario {
            let verifying = nanoseconds(planned, 2 * (6 * keys + 10 * queries));
            return (verifying, nanoseconds(planned, 3 * keys));
        }
        let seeds = if keys < 5_000_000 { 2 } else { 1 };
        let verifying = nanoseconds(keys, seeds * (9 * keys / 2 + 3 * queries));
        (verifying, nanoseconds(keys, 2 * keys.max(1 << 15) + queries / 2))
    }
}

/// Whether it is one of the filters with few bits per key, one of each kind.
fn is_compact(info: &Info) -> bool {
    let large = [Family::Counting, Family::Scalable, Family::Exact].contains(&info.family);
    let again =
        matches!(info.role, Role::Twin | Role::Keyed) || info.can(Ability::ConcurrentInsert);
    !large && !again && info.role != Role::Map
}
