//! The timing of a heat: every contender's chunks beside the reference's, round after round.
//!
//! In a round each contender builds its filter anew, so that luck with where memory lies is drawn
//! again; then it answers chunks of the query streams, and removes keys from further new filters.
//! Everything is timed beside the same work of one reference, with the same keys in the same order,
//! and contenders take turns in an order shuffled for each round.

use super::clock::{pair, timed};
use super::estimate::Times;
use super::verify::{self, Answers, Failure, Subject, take_out};
use crate::contenders::{
    self, Ability, Built, Contender, Info, Order, Planned, Role, dependent_hits, dependent_queries,
};
use crate::keys::Keys;
use crate::progress::{Progress, nanoseconds};
use crate::record::{Cell, Row, Workload};
use amq_core::Budget;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use std::collections::BTreeMap;

/// Whose builds and queries are timed beside all others': it is quick and steady, and touches one
/// line of memory a query.
pub const REFERENCE: &str = "blocked-bloom";
/// The same for everything that removes keys: it never refuses one.
pub const REMOVER: &str = "blocked-counting";
/// What both are made for, whatever is asked of the contender.
const REFERENCE_TARGET: Budget = Budget::Fpr(0.01);

/// Chunks asked in turn by contender and reference, once both are in the caches again.
const PAIRS: usize = 4;
/// Queries in a chunk over few keys: about a millisecond.
const CHUNK: usize = 1 << 15;
/// The same over so many that the filter leaves the nearer caches.
const LARGE_CHUNK: usize = 1 << 16;
/// From this many keys on.
const LARGE: usize = 500_000;
/// Inserts in a timed build, if a filter has fewer: several are built.
const MIN_BUILD: usize = 1 << 15;
/// Removals in a chunk.
const REMOVALS: usize = 1 << 14;
/// A slow contender answers one in this many of the queries.
const SLOW_SHARE: usize = 8;
/// Two in this many keys are queried after each timed build or removal.
const SAMPLE: usize = 16;

/// The workloads over query streams.
const ASKED: [Workload; 5] = [
    Workload::Query0,
    Workload::Query50,
    Workload::Query100,
    Workload::Batch50,
    Workload::Dependent50,
];

/// The workloads that a contender is timed in, as it describes itself.
pub fn offered(info: &Info) -> impl Iterator<Item = Workload> + use<> {
    let (batch, remove) = (info.can(Ability::Batch), info.can(Ability::Remove));
    let all = ASKED.into_iter().chain([Workload::Build, Workload::Remove]);
    all.filter(move |workload| match workload {
        Workload::Batch50 => batch,
        Workload::Remove => remove,
        _ => true,
    })
}

/// The query streams.
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a> {
    /// 0 % present.
    pub none: Keys<'a>,
    /// 50 % present.
    pub half: Keys<'a>,
    /// 100 % present.
    pub all: Keys<'a>,
}

/// What each must be answered.
#[derive(Clone, Debug)]
pub struct Expected {
    /// With 0 % present.
    pub none: Vec<bool>,
    /// With 50 % present.
    pub half: Vec<bool>,
    /// With 100 % present.
    pub all: Vec<bool>,
}

impl<'a> Queries<'a> {
    fn of(&self, workload: Workload) -> Keys<'a> {
        match workload {
            Workload::Query0 => self.none,
            Workload::Query100 => self.all,
            _ => self.half,
        }
    }
}

impl Expected {
    /// The hits that each chunk of a stream must have.
    fn hits(&self, workload: Workload, chunk: usize) -> Vec<Option<u64>> {
        let answers = match workload {
            Workload::Query0 => &self.none,
            Workload::Query100 => &self.all,
            _ => &self.half,
        };
        let hits = |answers: &[bool]| match workload {
            Workload::Dependent50 => dependent_hits(answers),
            _ => answers.iter().map(|&answer| u64::from(answer)).sum(),
        };
        let chunks = answers.chunks_exact(chunk);
        chunks.map(|answers| Some(hits(answers))).collect()
    }
}

/// A verified contender, ready to be timed.
#[derive(Debug)]
pub struct Ready {
    contender: &'static dyn Contender,
    cell: Cell,
    order: Order,
    removal: Option<Answers>,
    filter: Option<Box<dyn Built>>,
    lanes: BTreeMap<Workload, Lane>,
}

/// A contender's rounds in one workload.
#[derive(Default, Debug)]
struct Lane {
    times: Times,
    operations: u64,
    hits: u64,
    /// The hits that each chunk must have; of the floor, whose "hits" are a sum of hashes, those
    /// that it had first.
    want: Vec<Option<u64>>,
    /// Queries in a chunk.
    chunk: usize,
    next: usize,
    failure: Option<String>,
}

/// Queries in a chunk of a stream.
fn chunk(info: &Info, keys: usize, stream: usize) -> usize {
    let usual = if keys < LARGE { CHUNK } else { LARGE_CHUNK };
    let few = if info.slow { SLOW_SHARE } else { 1 };
    (usual / few).min(stream / PAIRS).max(1)
}

/// Queries that bring a filter back into the caches before it is timed.
fn lead(info: &Info, keys: usize, stream: usize) -> usize {
    let few = if info.slow { SLOW_SHARE } else { 1 };
    (keys / 16).clamp(1 << 10, 1 << 19).min(stream) / few
}

impl Ready {
    /// A contender that gave these answers in verification; `None` for the floor.
    pub fn new(
        contender: &'static dyn Contender,
        cell: Cell,
        order: Order,
        stream: usize,
        answers: Option<&Expected>,
        removal: Option<Answers>,
    ) -> Self {
        let info = contender.info();
        let chunk = chunk(&info, cell.keys as usize, stream);
        let lane = |workload| {
            let want = match answers {
                Some(expected) if ASKED.contains(&workload) => expected.hits(workload, chunk),
                _ => vec![None; stream / chunk],
            };
            let lane = Lane { want, chunk, ..Lane::default() };
            (workload, lane)
        };
        let all = ASKED.into_iter().chain([Workload::Build]);
        let all = all.chain(removal.is_some().then_some(Workload::Remove));
        Self { contender, lanes: all.map(lane).collect(), cell, order, removal, filter: None }
    }

    fn fail(&mut self, workload: Workload, failure: String) {
        if let Some(lane) = self.lanes.get_mut(&workload) {
            lane.failure = Some(failure);
        }
    }
}

/// A row and the rounds behind it.
#[derive(Clone, Debug)]
pub struct Timed {
    /// The row.
    pub row: Row,
    /// The rounds.
    pub times: Times,
}

/// What all contenders of a heat are timed with and beside.
struct Race<'a> {
    queries: &'a Queries<'a>,
    subject: &'a Subject<'a>,
    reference: &'static dyn Contender,
    beside: Box<dyn Built>,
    remover: &'static dyn Contender,
}

/// Times all contenders for some rounds.
pub fn race(
    mut ready: Vec<Ready>,
    queries: &Queries<'_>,
    subject: &Subject<'_>,
    rounds: u64,
    rng: &mut Xoshiro256PlusPlus,
    progress: &Progress,
) -> Vec<Timed> {
    if rounds == 0 || ready.is_empty() {
        return Vec::new();
    }
    let mut race = match Race::new(queries, subject) {
        Ok(race) => race,
        Err(failure) => {
            let why = format!("no reference to time it beside: {failure}");
            for ready in &mut ready {
                for lane in ready.lanes.values_mut() {
                    lane.failure = Some(why.clone());
                }
            }
            return rows(ready);
        }
    };
    let (keys, stream) = (subject.present.len(), queries.half.len());
    for _ in 0..rounds {
        let mut order: Vec<usize> = (0..ready.len()).collect();
        order.shuffle(rng);
        for &place in &order {
            if let Err(failure) = race.build(&mut ready[place]) {
                ready[place].fail(Workload::Build, failure.to_string());
            }
            progress.did(cost_of_build(keys));
        }
        let visits = order.iter().flat_map(|&place| ASKED.map(|asked| (place, asked)));
        let mut visits: Vec<(usize, Workload)> = visits.collect();
        visits.shuffle(rng);
        for (place, workload) in visits {
            if let Err(failure) = race.visit(&mut ready[place], workload) {
                ready[place].fail(workload, failure);
            }
            progress.did(cost_of_visit(keys, stream));
        }
        for &place in &order {
            if ready[place].removal.is_none() {
                continue;
            }
            if let Err(failure) = race.remove(&mut ready[place]) {
                ready[place].fail(Workload::Remove, failure.to_string());
            }
            progress.did(cost_of_removal(keys));
        }
    }
    rows(ready)
}

/// An order for the reference.
pub fn order_of_reference(planned: Planned, seed: u64) -> Order {
    Order { planned, budget: Some(REFERENCE_TARGET), seed }
}

/// A contender of ours that others are timed beside.
pub fn reference(name: &str) -> Result<&'static dyn Contender, Failure> {
    let mut all = contenders::ALL.iter().copied();
    let found = all.find(|contender| contender.info().name == name);
    found.ok_or_else(|| Failure::Build(format!("{name} is not among the contenders")))
}

impl<'a> Race<'a> {
    fn new(queries: &'a Queries<'a>, subject: &'a Subject<'a>) -> Result<Self, Failure> {
        let (yardstick, remover) = (reference(REFERENCE)?, reference(REMOVER)?);
        let order = order_of_reference(Planned::Keys, subject.seed);
        Ok(Self {
            queries,
            subject,
            reference: yardstick,
            beside: verify::build(yardstick, subject.present, &order)?,
            remover,
        })
    }

    /// Builds a contender's filter anew, beside the reference's, and keeps both.
    fn build(&mut self, ready: &mut Ready) -> Result<(), Failure> {
        let Some(lane) = ready.lanes.get_mut(&Workload::Build) else {
            return Ok(());
        };
        if lane.failure.is_some() {
            return Ok(());
        }
        let keys = self.subject.present;
        let beside = order_of_reference(Planned::Keys, self.subject.seed);
        let times = MIN_BUILD.div_ceil(keys.len().max(1));
        let mut sums = [0.0; 2];
        for _ in 0..times {
            let (other, reference_ns) = timed(|| verify::build(self.reference, keys, &beside));
            let (filter, ns) = timed(|| verify::build(ready.contender, keys, &ready.order));
            sums = [sums[0] + reference_ns, sums[1] + ns];
            // The old ones are dropped only now, so the new ones lie elsewhere.
            (self.beside, ready.filter) = (other?, Some(filter?));
        }
        lane.times.push(sums, times * keys.len());
        lane.operations += (times * keys.len()) as u64;
        match &ready.filter {
            Some(filter) if ready.contender.info().role != Role::Floor => {
                holds_sample(&**filter, keys, "build")
            }
            _ => Ok(()),
        }
    }

    /// Some chunks of a query stream, beside the reference's answers to the same.
    fn visit(&self, ready: &mut Ready, workload: Workload) -> Result<(), String> {
        let info = ready.contender.info();
        let (Some(lane), Some(filter)) = (ready.lanes.get_mut(&workload), &ready.filter) else {
            return Ok(());
        };
        let chunks = lane.want.len();
        if lane.failure.is_some() || chunks == 0 {
            return Ok(());
        }
        let stream = self.queries.of(workload);
        let lead = lead(&info, self.subject.present.len(), stream.len());
        let start = lane.next % chunks * lane.chunk;
        let end = if start >= lead { start } else { stream.len() };
        let before = stream.between(end - lead, end);
        let _ = (self.beside.count_hits(before), filter.count_hits(before));
        for _ in 0..PAIRS {
            let place = lane.next % chunks;
            let keys = stream.between(place * lane.chunk, (place + 1) * lane.chunk);
            let (_, hits, times) =
                pair(|| ask(&*self.beside, workload, keys), || ask(&**filter, workload, keys));
            let Some(hits) = hits else {
                return Ok(());
            };
            let want = *lane.want[place].get_or_insert(hits);
            if want != hits {
                return Err(format!(
                    "the timed loop counted {hits} hits, but {want} were verified"
                ));
            }
            let operations = match workload {
                Workload::Dependent50 => dependent_queries(keys.len()),
                _ => keys.len(),
            };
            lane.times.push(times, operations);
            lane.operations += operations as u64;
            lane.hits = lane.hits.wrapping_add(hits);
            lane.next += 1;
        }
        Ok(())
    }

    /// Removes half of the keys from filters built for this; building is not timed.
    fn remove(&self, ready: &mut Ready) -> Result<(), Failure> {
        let Some(lane) = ready.lanes.get_mut(&Workload::Remove) else {
            return Ok(());
        };
        if lane.failure.is_some() {
            return Ok(());
        }
        let Subject { present, gone, kept, seed, .. } = *self.subject;
        let beside = order_of_reference(Planned::Keys, seed);
        let times = MIN_BUILD.div_ceil(present.len().max(1));
        let mut sums = [0.0; 2];
        for _ in 0..times {
            let mut other = verify::build(self.remover, present, &beside)?;
            let mut filter = verify::build(ready.contender, present, &ready.order)?;
            for start in (0..gone.len()).step_by(REMOVALS) {
                let gone = gone.between(start, start + REMOVALS);
                let (beside, reference_ns) = timed(|| take_out(&mut *other, gone, seed));
                let (done, ns) = timed(|| take_out(&mut *filter, gone, seed));
                sums = [sums[0] + reference_ns, sums[1] + ns];
                beside.and(done)?;
            }
            holds_sample(&*filter, kept, "removal")?;
        }
        lane.times.push(sums, times * gone.len());
        lane.operations += (times * gone.len()) as u64;
        Ok(())
    }
}

fn ask(filter: &dyn Built, workload: Workload, keys: Keys<'_>) -> Option<u64> {
    match workload {
        Workload::Batch50 => filter.count_hits_batch(keys),
        Workload::Dependent50 => Some(filter.dependent(keys)),
        _ => Some(filter.count_hits(keys)),
    }
}

/// Queries some of the keys that must be present after a timed pass: the first and the last.
pub fn holds_sample(filter: &dyn Built, keys: Keys<'_>, pass: &'static str) -> Result<(), Failure> {
    let (all, some) = (keys.len(), keys.len().div_ceil(SAMPLE));
    let [first, last] = [keys.first(some), keys.between(all - some, all)];
    let (found, keys) = (filter.count_hits(first) + filter.count_hits(last), 2 * some as u64);
    Failure::unless(found == keys, || {
        format!("after a timed {pass} it finds {found} of {keys} sampled keys")
    })
}

/// The rows of all lanes that were timed or failed.
fn rows(ready: Vec<Ready>) -> Vec<Timed> {
    let level = |workload: Workload| {
        let lanes = ready.iter().filter_map(|ready| ready.lanes.get(&workload));
        Times::level(lanes.map(|lane| &lane.times))
    };
    let levels: BTreeMap<Workload, Option<f64>> = (ASKED.into_iter())
        .chain([Workload::Build, Workload::Remove])
        .map(|workload| (workload, level(workload)))
        .collect();
    let mut rows = Vec::new();
    for ready in ready {
        let info = ready.contender.info();
        for (workload, lane) in ready.lanes {
            let mut row = Row::new(info.name, &ready.cell, workload);
            if let Some(failure) = &lane.failure {
                let row = Row::failed(info.name, &ready.cell, workload, failure);
                rows.push(Timed { row, times: Times::default() });
                continue;
            }
            let beside = match workload {
                Workload::Remove => REMOVER,
                _ => REFERENCE,
            };
            let level = levels.get(&workload).copied().flatten();
            lane.times.write(level, beside, lane.operations, &mut row);
            if row.rounds.is_none() {
                continue;
            }
            let counts = ASKED.contains(&workload) && info.role != Role::Floor;
            row.hits = counts.then_some(lane.hits);
            if let (Workload::Remove, Some(removal)) = (workload, &ready.removal) {
                removal.write(&mut row);
            }
            rows.push(Timed { row, times: lane.times });
        }
    }
    rows
}

/// The estimated durations of a contender's passes, the reference's included, in nanoseconds.
fn cost_of_build(keys: usize) -> u64 {
    nanoseconds(keys, 5 * keys.max(MIN_BUILD) / 2)
}

fn cost_of_visit(keys: usize, stream: usize) -> u64 {
    let usual = if keys < LARGE { CHUNK } else { LARGE_CHUNK };
    let lead = (keys / 16).clamp(1 << 10, 1 << 19).min(stream);
    nanoseconds(keys, (lead + PAIRS * usual.min(stream / PAIRS)) * 3 / 2)
}

fn cost_of_removal(keys: usize) -> u64 {
    nanoseconds(keys, 4 * keys.max(MIN_BUILD))
}

/// The estimated duration of one contender's rounds, in nanoseconds.
pub fn cost(keys: usize, stream: usize, rounds: u64, removes: bool) -> u64 {
    let visits = ASKED.len() as u64 * cost_of_visit(keys, stream);
    let removal = if removes { cost_of_removal(keys) } else { 0 };
    rounds * (cost_of_build(keys) + visits + removal)
}

#[cfg(test)]
mod tests;
