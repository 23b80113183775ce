//! A contender's turn: it builds its filter, answers chunks of the query streams while no other
//! filter is in the caches, removes half of the keys, and drops the filter.

use super::clock::timed;
use super::estimate::Times;
use super::race::{order_of_reference, reference};
use super::verify::{self, Answers, Failure, Subject, take_out};
use crate::contenders::{
    Ability, Built, Contender, Info, Order, Planned, Role, dependent_hits, dependent_queries,
};
use crate::keys::Keys;
use crate::progress::nanoseconds;
use crate::record::{Cell, Row, Workload};
use std::collections::BTreeMap;

use Workload::{Batch50, Build, Dependent50, Query0, Query50, Query100, Remove};

/// Queries in a chunk: less than a millisecond.
const CHUNK: usize = 1 << 15;
/// Keys inserted in a turn, at least: several small filters are built.
const INSERTS: usize = 1 << 15;
/// Keys inserted between two looks at the clock, at least.
const MIN_INSERTS: usize = 1 << 13;
/// A slow contender answers one in this many of the queries.
const SLOW_SHARE: usize = 8;
/// Two in this many keys are queried after each timed build or removal.
const SAMPLE: usize = 16;

/// The workloads over query streams.
pub(super) const ASKED: [Workload; 5] = [Query0, Query50, Query100, Batch50, Dependent50];

/// The workloads that a contender is timed in, as it describes itself.
pub fn offered(info: &Info) -> impl Iterator<Item = Workload> + use<> {
    let needed = [(Batch50, info.can(Ability::Batch)), (Remove, info.can(Ability::Remove))];
    let is_offered = move |workload: &Workload| !needed.contains(&(*workload, false));
    ASKED.into_iter().chain([Build, Remove]).filter(is_offered)
}

/// Which of the streams of 0, 50 and 100 % present keys is asked.
const fn stream(workload: Workload) -> usize {
    match workload {
        Query0 => 0,
        Query100 => 2,
        _ => 1,
    }
}

/// How much is asked in a turn.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// Queries that bring the filter into the caches: each line of it is touched several times.
    lead: usize,
    /// Queries in a chunk.
    chunk: usize,
    /// Chunks of each stream: more where a turn takes long anyway.
    chunks: usize,
}

impl Share {
    fn new(slow: bool, keys: usize, stream: usize) -> Self {
        let few = if slow { SLOW_SHARE } else { 1 };
        Self {
            lead: (keys / 4).clamp(1 << 10, 1 << 19).min(stream) / few,
            chunk: (CHUNK / few).min(stream / 4).max(1),
            chunks: (keys >> 18).clamp(2, 32),
        }
    }
}

/// The builds between two looks at the clock, and how many times that in a turn.
fn builds(keys: usize) -> (usize, usize) {
    let builds = MIN_INSERTS.div_ceil(keys.max(1));
    (builds, INSERTS.div_ceil(builds * keys.max(1)))
}

/// A verified contender, ready to be timed.
#[derive(Debug)]
pub struct Ready {
    contender: &'static dyn Contender,
    cell: Cell,
    order: Order,
    share: Share,
    removal: Option<Answers>,
    lanes: BTreeMap<Workload, Lane>,
}

/// A contender's times in one workload.
#[derive(Default, Debug)]
struct Lane {
    times: Times,
    operations: u64,
    hits: u64,
    /// The hits that each chunk must have; without verified answers, those that it had first.
    want: Vec<Option<u64>>,
    next: usize,
    failure: Option<String>,
}

impl Lane {
    fn push(&mut self, ns: f64, operations: usize) {
        self.times.ns.push(ns / operations.max(1) as f64);
        self.operations += operations as u64;
    }
}

impl Ready {
    /// A contender that gave these answers to streams of this length; without them, as for the
    /// floor, whose "hits" are a sum of hashes, only repetition is checked.
    pub fn new(
        contender: &'static dyn Contender,
        cell: Cell,
        order: Order,
        queries: usize,
        answers: Option<&[Vec<bool>; 3]>,
        removal: Option<Answers>,
    ) -> Self {
        let info = contender.info();
        let share = Share::new(info.slow, cell.keys as usize, queries);
        let want = |workload| match answers {
            _ if !ASKED.contains(&workload) => Vec::new(),
            Some(answers) => {
                let chunks = answers[stream(workload)].chunks_exact(share.chunk);
                chunks.map(|answers| Some(hits(workload, answers))).collect()
            }
            None => vec![None; queries / share.chunk],
        };
        let all = offered(&info).filter(|&workload| workload != Remove || removal.is_some());
        let lane = |workload| (workload, Lane { want: want(workload), ..Lane::default() });
        let lanes = all.map(lane).collect();
        Self { contender, cell, order, share, removal, lanes }
    }

    /// A filter of ours that others are compared with, in these workloads.
    pub(super) fn reference(
        name: &str,
        subject: &Subject<'_>,
        stream: usize,
        workloads: &[Workload],
    ) -> Result<Self, Failure> {
        let cell = Cell { keys: subject.present.len() as u64, ..Cell::default() };
        let order = order_of_reference(Planned::Keys, subject.seed);
        let mut ready = Self::new(reference(name)?, cell, order, stream, None, None);
        ready.lanes.entry(Remove).or_default();
        ready.lanes.retain(|workload, _| workloads.contains(workload));
        Ok(ready)
    }

    /// Whether keys are removed from it.
    pub(super) const fn removes(&self) -> bool {
        self.removal.is_some()
    }

    /// The lane of a workload, unless there is none or it has failed.
    fn lane(&mut self, workload: Workload) -> Option<&mut Lane> {
        self.lanes.get_mut(&workload).filter(|lane| lane.failure.is_none())
    }

    fn fail(&mut self, workload: Workload, failure: &Failure) {
        if let Some(lane) = self.lane(workload) {
            lane.failure = Some(failure.to_string());
        }
    }

    /// All that is timed in a round.
    pub(super) fn turn(
        &mut self,
        streams: &[Keys<'_>; 3],
        subject: &Subject<'_>,
        order: &[Workload],
    ) {
        let (builds, times) = builds(subject.present.len());
        for time in 0..times {
            let filter = match self.build(builds, subject) {
                Ok(filter) => filter,
                Err(failure) => return self.fail(Build, &failure),
            };
            if time == 0 {
                let _ = filter.count_hits(streams[1].first(self.share.lead));
                for &workload in order {
                    self.ask(&*filter, workload, streams[stream(workload)]);
                }
            }
            if let Err(failure) = self.remove(filter, subject) {
                self.fail(Remove, &failure);
            }
        }
    }

    /// Builds a filter anew, several times if it is small; the last one.
    fn build(&mut self, builds: usize, subject: &Subject<'_>) -> Result<Box<dyn Built>, Failure> {
        let (contender, keys, order) = (self.contender, subject.present, self.order);
        let build = || timed(|| verify::build(contender, keys, &order));
        let (mut filter, mut sum) = build();
        for _ in 1..builds {
            // One at a time, each in the memory of the one before.
            drop(filter?);
            let (next, ns) = build();
            (filter, sum) = (next, sum + ns);
        }
        let filter = filter?;
        if contender.info().role != Role::Floor
            && let Err(failure) = holds_sample(&*filter, keys, "build")
        {
            self.fail(Build, &failure);
        }
        if let Some(lane) = self.lane(Build) {
            lane.push(sum, builds * keys.len());
        }
        Ok(filter)
    }

    /// The next chunks of a query stream.
    fn ask(&mut self, filter: &dyn Built, workload: Workload, stream: Keys<'_>) {
        let Share { chunk, chunks, .. } = self.share;
        let Some(lane) = self.lane(workload).filter(|lane| !lane.want.is_empty()) else {
            return;
        };
        for _ in 0..chunks {
            let place = lane.next % lane.want.len();
            let keys = stream.between(place * chunk, (place + 1) * chunk);
            let (hits, ns) = timed(|| match workload {
                Batch50 => filter.count_hits_batch(keys),
                Dependent50 => Some(filter.dependent(keys)),
                _ => Some(filter.count_hits(keys)),
            });
            let Some(hits) = hits else {
                return;
            };
            let want = *lane.want[place].get_or_insert(hits);
            if want != hits {
                lane.failure =
                    Some(format!("the timed loop counted {hits} hits, but {want} were verified"));
                return;
            }
            let dependent = workload == Dependent50;
            lane.push(ns, if dependent { dependent_queries(chunk) } else { chunk });
            lane.hits = lane.hits.wrapping_add(hits);
            lane.next += 1;
        }
    }

    /// Removes half of the keys.
    fn remove(&mut self, mut filter: Box<dyn Built>, subject: &Subject<'_>) -> Result<(), Failure> {
        if let Some(lane) = self.lane(Remove) {
            let Subject { gone, kept, seed, .. } = *subject;
            let (done, ns) = timed(|| take_out(&mut *filter, gone, seed));
            done?;
            holds_sample(&*filter, kept, "removal")?;
            lane.push(ns, gone.len());
        }
        Ok(())
    }

    /// The rows of all lanes that were timed or failed.
    pub(super) fn rows(self, references: &[Self]) -> Vec<Timed> {
        let info = self.contender.info();
        let mut rows = Vec::new();
        for (workload, mut lane) in self.lanes {
            let mut row = Row::new(info.name, &self.cell, workload);
            if let Some(failure) = &lane.failure {
                let row = Row::failed(info.name, &self.cell, workload, failure);
                rows.push(Timed { row, times: Times::default() });
                continue;
            }
            let mut beside = references.iter();
            let beside = beside.find_map(|one| Some((one, one.lanes.get(&workload)?)));
            let (name, reference) = beside.map_or(("", Vec::new()), |(one, lane)| {
                (one.contender.info().name, lane.times.ns.clone())
            });
            lane.times.reference = reference;
            lane.times.write(Times::level([&lane.times]), name, lane.operations, &mut row);
            if row.rounds.is_none() {
                continue;
            }
            let counts = ASKED.contains(&workload) && info.role != Role::Floor;
            row.hits = counts.then_some(lane.hits);
            if let (Remove, Some(removal)) = (workload, &self.removal) {
                removal.write(&mut row);
            }
            rows.push(Timed { row, times: lane.times });
        }
        rows
    }
}

/// The hits that a chunk must have.
fn hits(workload: Workload, answers: &[bool]) -> u64 {
    match workload {
        Dependent50 => dependent_hits(answers),
        _ => answers.iter().map(|&answer| u64::from(answer)).sum(),
    }
}

/// A row and the times behind it.
#[derive(Clone, Debug)]
pub struct Timed {
    /// The row.
    pub row: Row,
    /// The times.
    pub times: Times,
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

/// The estimated duration of an average contender's turn, in nanoseconds.
pub fn cost_of_turn(keys: usize, stream: usize, removes: bool) -> u64 {
    let Share { lead, chunk, chunks } = Share::new(false, keys, stream);
    let (builds, times) = builds(keys);
    let inserts = builds * times * keys;
    let asked = lead + ASKED.len() * chunks * chunk;
    let removed = if removes { inserts } else { 0 };
    nanoseconds(keys, (6 * inserts + 3 * asked + 3 * removed) / 4)
}
