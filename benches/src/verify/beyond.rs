//! Beyond the plan: a filter takes more keys than it was planned for.
//!
//! One that grows must keep its target rate. One that does not must have its formula's rate for the
//! keys it holds, or refuse, and then still find every key it took.

use super::tally::{Tally, no_false_negative};
use super::{Effort, Facts, Failure, Subject, begin, guarded, seed_of, space, warm_up};
use crate::alloc::{Memory, counted};
use crate::contender::{Built, Contender, Info};
use crate::keys::Keys;
use crate::record::{Cell, Row, Workload};

/// Numbers of keys at which a filter is checked while it is filled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Course {
    /// [`Workload::Grow`] or [`Workload::Overfill`].
    pub workload: Workload,
    /// The keys it is planned for and built from.
    pub planned: usize,
    /// The numbers, rising; the first is `planned`.
    pub stops: Vec<usize>,
}

/// The result at one number of keys.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// The number.
    pub keys: usize,
    /// The keys held when it refused one, if it never reached the number.
    pub refused_at: Option<u64>,
    facts: Facts,
}

/// Fills filters of several seeds and checks them at every stop. After a refusal there are no
/// further stops.
pub fn verify_beyond(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    course: &Course,
    effort: &Effort,
) -> Result<Vec<Stop>, Failure> {
    let info = contender.info();
    let new = |&keys: &usize| Stop {
        keys,
        refused_at: None,
        facts: Facts::default(),
    };
    let mut stops: Vec<Stop> = course.stops.iter().map(new).collect();
    let mut tallies = vec![Tally::default(); stops.len()];
    warm_up(contender, subject);
    for filter in 0..effort.of(&info).min_seeds.max(1) {
        let seed = seed_of(subject.seed, filter);
        let mut filling = Filling::begin(contender, subject, course.planned, seed)?;
        for (stop, tally) in stops.iter_mut().zip(&mut tallies) {
            let present = subject.present.first(stop.keys);
            if let Some(held) = filling.refused_before(present)? {
                stop.refused_at = stop.refused_at.map(|at| at.min(held)).or(Some(held));
                break;
            }
            filling.write(&mut stop.facts)?;
            tally.take(&*filling.filter, present, subject.absent, seed)?;
        }
    }
    if let Some(last) = stops.iter().position(|stop| stop.refused_at.is_some()) {
        stops.truncate(last + 1);
    }
    for (stop, tally) in stops.iter_mut().zip(tallies) {
        if stop.refused_at.is_some() {
            continue;
        }
        stop.facts.answers = Some(tally.judged(info.ours)?);
        if let (Workload::Grow, Some(asked), true) = (course.workload, subject.asked_fpr, info.ours)
        {
            tally.not_above(asked, stop.keys as u64)?;
        }
    }
    Ok(stops)
}

/// A filter that is being filled, and what it holds.
struct Filling {
    filter: Box<dyn Built>,
    seed: u64,
    keys: usize,
    held: i64,
    peak: i64,
}

impl Filling {
    fn begin(
        contender: &dyn Contender,
        subject: &Subject<'_>,
        planned: usize,
        seed: u64,
    ) -> Result<Self, Failure> {
        let planned = subject.present.first(planned);
        let subject = Subject {
            present: planned,
            ..*subject
        };
        let (filter, memory) = counted(|| begin(contender, &subject, seed));
        let filter = filter?;
        // The harness boxed the struct itself; a user has it on the stack.
        let boxed = size_of_val(&*filter) as i64;
        Ok(Self {
            filter,
            seed,
            keys: planned.len(),
            held: memory.held - boxed,
            peak: memory.peak - boxed,
        })
    }

    /// Fills it up to these keys; the number held if it refused one.
    fn refused_before(&mut self, present: Keys<'_>) -> Result<Option<u64>, Failure> {
        let more = present.between(self.keys, present.len());
        let (taken, Memory { held, peak }) = counted(|| more_keys(&mut *self.filter, more));
        let taken = usize::try_from(taken?).unwrap_or(usize::MAX);
        self.peak = self.peak.max(self.held + peak);
        self.held += held;
        self.keys += taken.min(more.len());
        if taken >= more.len() {
            return Ok(None);
        }
        no_false_negative(&*self.filter, present.first(self.keys), self.seed)?;
        Ok(Some(self.keys as u64))
    }

    fn write(&self, facts: &mut Facts) -> Result<(), Failure> {
        let held = space(&*self.filter, self.held, self.seed)?;
        facts.held = facts.held.max(held);
        facts.said = facts.said.max(self.filter.said_bytes());
        let peak = u64::try_from(self.peak).unwrap_or(0);
        facts.peak = facts.peak.max(peak);
        Ok(())
    }
}

/// Inserts further keys and returns how many it took.
pub fn more_keys(filter: &mut dyn Built, keys: Keys<'_>) -> Result<u64, Failure> {
    guarded(|| filter.insert_more(keys))?.ok_or(Failure::Unable { what: "insert" })
}

/// The rows of a contender's stops; a single one if it failed.
pub fn rows(
    info: &Info,
    cell: &Cell,
    workload: Workload,
    outcome: &Result<Vec<Stop>, Failure>,
) -> Vec<Row> {
    match outcome {
        Err(failure) => vec![Row::failed(info.name, cell, workload, &failure.to_string())],
        Ok(stops) => stops
            .iter()
            .map(|stop| row(info, cell, workload, stop))
            .collect(),
    }
}

fn row(info: &Info, cell: &Cell, workload: Workload, stop: &Stop) -> Row {
    let cell = Cell {
        keys: stop.keys as u64,
        ..cell.clone()
    };
    let mut row = Row::new(info.name, &cell, workload);
    row.refused_at = stop.refused_at;
    if stop.refused_at.is_none() {
        stop.facts.write(&mut row);
    }
    row
}
