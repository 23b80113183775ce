//! A table of slots at one load after another: filled, emptied again, and filled until it refuses.
//!
//! At every stop each present key must be found, and the rate must be the formula's for that many
//! keys. A refusal is no error, but the keys accepted before must still be found. A failure is
//! recorded at its stop and ends that part of the course; earlier stops stay.

use super::beyond::more_keys;
use super::tally::{Tally, no_false_negative};
use super::{Effort, Failure, Subject, guarded, seed_of, with_room};
use crate::contender::{Built, Contender};
use crate::keys::Keys;
use crate::record::{Cell, Row, Workload};
use crate::stream::half_present;

/// Beyond the last stop the table is filled by one part in this many of its slots at a time.
const PARTS: usize = 512;

/// Loads at which a table is checked.
#[derive(Clone, PartialEq, Debug)]
pub struct Loads {
    /// The keys that the table is planned for.
    pub room: usize,
    /// Keys over slots, rising.
    pub stops: Vec<f64>,
    /// No table is filled beyond this load.
    pub last: f64,
    /// Queries at each stop.
    pub queries: usize,
}

/// The result at one load.
#[derive(Clone, Debug)]
pub struct Step {
    /// [`Workload::LoadInsert`] on the way up, [`Workload::LoadRemove`] on the way down.
    pub workload: Workload,
    /// Keys in the table.
    pub keys: usize,
    /// Keys over slots.
    pub load: f64,
    /// The keys held when it refused one.
    pub refused_at: Option<u64>,
    /// Hits of the stop's queries, on the way up.
    pub hits: u64,
    /// What went wrong.
    pub failure: Option<Failure>,
    tally: Tally,
}

/// A contender's results over the course.
#[derive(Clone, Debug)]
pub struct Steps {
    /// On the way up.
    pub up: Vec<Step>,
    /// On the way down, until it is empty.
    pub down: Vec<Step>,
    /// The refusal beyond the last stop, if any.
    pub refusal: Option<Step>,
}

/// How a stretch ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Reached,
    Refused,
    /// It grew: its slots, and so its load, have changed.
    Grew,
}

impl Step {
    fn new(workload: Workload, keys: usize, slots: u64) -> Self {
        Self {
            workload,
            keys,
            load: keys as f64 / slots as f64,
            refused_at: None,
            hits: 0,
            failure: None,
            tally: Tally::default(),
        }
    }

    /// Whether it has numbers.
    pub const fn is_good(&self) -> bool {
        self.failure.is_none() && self.refused_at.is_none()
    }

    fn refuse(&mut self, held: usize, slots: u64) {
        let held = self
            .refused_at
            .map_or(held as u64, |at| at.min(held as u64));
        self.refused_at = Some(held);
        (self.keys, self.load) = (held as usize, held as f64 / slots as f64);
    }

    /// Its row, without times.
    pub fn row(&self, contender: &str, cell: &Cell, ours: bool) -> Row {
        let cell = Cell {
            keys: self.keys as u64,
            ..cell.clone()
        };
        let judged = match &self.failure {
            Some(failure) => Err(failure.clone()),
            None => self.tally.judged(ours),
        };
        let mut row = match judged {
            Err(failure) => Row::failed(contender, &cell, self.workload, &failure.to_string()),
            Ok(answers) => {
                let mut row = Row::new(contender, &cell, self.workload);
                row.refused_at = self.refused_at;
                if self.is_good() {
                    answers.write(&mut row);
                }
                row
            }
        };
        row.load = Some(self.load);
        row
    }
}

impl Loads {
    /// The keys of a stop.
    pub fn keys_at(slots: u64, load: f64) -> usize {
        (slots as f64 * load) as usize
    }

    /// The queries of a stop, in order.
    pub fn stream(&self, subject: &Subject<'_>, keys: usize) -> Vec<u64> {
        let (Keys::U64(present), Keys::U64(absent)) = (subject.present, subject.absent) else {
            return Vec::new();
        };
        let seed = subject.seed ^ keys as u64;
        half_present(
            &present[..keys.min(present.len())],
            absent,
            self.queries,
            seed,
        )
    }

    /// Makes an empty table and returns it with its number of slots.
    pub fn begin(
        &self,
        contender: &dyn Contender,
        subject: &Subject<'_>,
        seed: u64,
    ) -> Result<(Box<dyn Built>, u64), Failure> {
        let filter = with_room(
            contender,
            self.room,
            subject.present.first(0),
            subject,
            seed,
        )?;
        let slots = filter.slots().ok_or(Failure::NoSlots)?;
        let keys = subject.present.len() as u64;
        if Self::keys_at(slots, self.last) as u64 > keys {
            return Err(Failure::TooLarge { slots, keys });
        }
        Ok((filter, slots))
    }

    fn steps(&self, slots: u64) -> Steps {
        let step = |workload, stop| Step::new(workload, Self::keys_at(slots, stop), slots);
        let up = self.stops.iter();
        let up: Vec<Step> = up.map(|&stop| step(Workload::LoadInsert, stop)).collect();
        let down = self.stops.iter().rev().skip(1).chain(&[0.0]);
        Steps {
            up,
            down: down.map(|&stop| step(Workload::LoadRemove, stop)).collect(),
            refusal: None,
        }
    }
}

/// Runs tables of several seeds over the course.
pub fn verify_load(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    loads: &Loads,
    effort: &Effort,
) -> Result<Steps, Failure> {
    let info = contender.info();
    let mut steps: Option<Steps> = None;
    for filter in 0..effort.of(&info).min_seeds.max(1) {
        let seed = seed_of(subject.seed, filter);
        let (filter, slots) = loads.begin(contender, subject, seed)?;
        let steps = steps.get_or_insert_with(|| loads.steps(slots));
        let mut table = Table {
            filter,
            slots,
            held: 0,
            subject,
            seed,
        };
        match table.climb(loads, steps) {
            Some(End::Reached) => {
                table.descend(&mut steps.down);
                beyond(contender, loads, subject, seed, &mut steps.refusal)?;
            }
            // Down from the last good stop, with a new table, since this one holds more keys.
            Some(End::Refused) => {
                let good = steps.up.iter().rev().find(|step| step.is_good());
                let good = good.map_or(0, |step| step.keys);
                let (filter, _) = loads.begin(contender, subject, seed)?;
                table = Table {
                    filter,
                    held: 0,
                    ..table
                };
                table.fill(good)?;
                table.descend(&mut steps.down);
            }
            Some(End::Grew) | None => steps.down.clear(),
        }
    }
    steps.ok_or(Failure::NoSlots)
}

/// Finds where a new table refuses, if it does before the last load.
fn beyond(
    contender: &dyn Contender,
    loads: &Loads,
    subject: &Subject<'_>,
    seed: u64,
    refusal: &mut Option<Step>,
) -> Result<(), Failure> {
    if refusal.as_ref().is_some_and(|step| step.failure.is_some()) {
        return Ok(());
    }
    let (filter, slots) = loads.begin(contender, subject, seed)?;
    let mut table = Table {
        filter,
        slots,
        held: 0,
        subject,
        seed,
    };
    let last = Loads::keys_at(slots, loads.last);
    let mut to = Loads::keys_at(slots, loads.stops.last().copied().unwrap_or(0.0));
    loop {
        let end = table.fill(to);
        let step = || Step::new(Workload::LoadInsert, table.held, slots);
        match end {
            Err(failure) => {
                let failed = Step {
                    failure: Some(failure),
                    ..step()
                };
                *refusal = Some(failed);
                return Ok(());
            }
            Ok(End::Refused) => {
                refusal.get_or_insert_with(step).refuse(table.held, slots);
                return Ok(());
            }
            Ok(End::Grew) => return Ok(()),
            Ok(End::Reached) if to >= last => return Ok(()),
            Ok(End::Reached) => to = (to + (slots as usize / PARTS).max(1)).min(last),
        }
    }
}

/// A table, and what it holds: the first keys.
struct Table<'a> {
    filter: Box<dyn Built>,
    slots: u64,
    held: usize,
    subject: &'a Subject<'a>,
    seed: u64,
}

impl Table<'_> {
    /// Fills it up to `to` keys.
    fn fill(&mut self, to: usize) -> Result<End, Failure> {
        let more = self.subject.present.between(self.held, to);
        let taken = more_keys(&mut *self.filter, more)?;
        let taken = usize::try_from(taken).unwrap_or(usize::MAX).min(more.len());
        self.held += taken;
        if self.filter.slots() != Some(self.slots) {
            return Ok(End::Grew);
        }
        if taken == more.len() {
            return Ok(End::Reached);
        }
        no_false_negative(
            &*self.filter,
            self.subject.present.first(self.held),
            self.seed,
        )?;
        Ok(End::Refused)
    }

    /// The way up. `None` on failure.
    fn climb(&mut self, loads: &Loads, steps: &mut Steps) -> Option<End> {
        for place in 0..steps.up.len() {
            let step = &mut steps.up[place];
            let end = self.fill(step.keys).and_then(|end| {
                if end == End::Reached {
                    self.look(loads, step)?;
                }
                Ok(end)
            });
            match end {
                Ok(End::Reached) => continue,
                Ok(End::Grew) => steps.up.truncate(place),
                Ok(End::Refused) => {
                    step.refuse(self.held, self.slots);
                    steps.up.truncate(place + 1);
                }
                Err(ref failure) => {
                    step.failure = Some(failure.clone());
                    steps.up.truncate(place + 1);
                }
            }
            return end.ok();
        }
        Some(End::Reached)
    }

    /// Checks all keys, absent keys, and the queries that will be timed.
    fn look(&self, loads: &Loads, step: &mut Step) -> Result<(), Failure> {
        let present = self.subject.present.first(self.held);
        let is_first = step.tally.filters == 0;
        step.tally
            .take(&*self.filter, present, self.subject.absent, self.seed)?;
        if is_first {
            let stream = loads.stream(self.subject, self.held);
            let answers = self.filter.answers(Keys::U64(&stream));
            let want: u64 = answers.iter().map(|&answer| u64::from(answer)).sum();
            step.hits = self.filter.count_hits(Keys::U64(&stream));
            if step.hits != want {
                return Err(Failure::Loops {
                    which: "query",
                    got: step.hits,
                    want,
                    seed: self.seed,
                });
            }
        }
        Ok(())
    }

    /// The way down, oldest keys first.
    fn descend(&mut self, down: &mut Vec<Step>) {
        let top = self.held;
        let mut first = 0;
        down.retain(|step| step.keys < top);
        for place in 0..down.len() {
            let step = &mut down[place];
            let gone = self.subject.present.between(first, top - step.keys);
            first = top - step.keys;
            let kept = self.subject.present.between(first, top);
            if let Err(failure) = self.take_out(gone, kept, &mut step.tally) {
                // The contender cannot remove: there is no way down.
                let cannot = failure == Failure::Unable { what: "remove" };
                step.failure = Some(failure);
                down.truncate(if cannot { 0 } else { place + 1 });
                return;
            }
        }
    }

    fn take_out(
        &mut self,
        gone: Keys<'_>,
        kept: Keys<'_>,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let known = guarded(|| self.filter.remove(gone))?;
        let known = known.ok_or(Failure::Unable { what: "remove" })?;
        let (keys, seed) = (gone.len() as u64, self.seed);
        if known != keys {
            return Err(Failure::Unknown { known, keys, seed });
        }
        tally.take(&*self.filter, kept, self.subject.absent, seed)?;
        Ok(())
    }
}

impl Steps {
    /// All of them, in order.
    pub fn all(&self) -> impl Iterator<Item = &Step> {
        self.up.iter().chain(&self.refusal).chain(&self.down)
    }
}
