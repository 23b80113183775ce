//! A contender's turn in a group: it builds its filter, answers chunks of the query streams while
//! no other filter is in the caches, removes half of the keys, and drops the filter.

use super::estimate::{Times, tail, timed};
use super::schedule::{TakesTurns, TimedRow, holds_sample};
use crate::contenders::{Ability, Built, Info, Role, dependent_hits, dependent_queries};
use crate::record::{State, Workload};
use crate::scenarios::dataset::Subject;
use crate::scenarios::scenario::REMOVER;
use crate::verify::{self, Answers, Failure, take_out};
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use std::collections::BTreeMap;

use Workload::{Batch50, Build, Dependent50, Query0, Query50, Query100, Remove};

/// Queries in a chunk: less than a millisecond.
const CHUNK: usize = 1 << 15;
/// Queries in a turn that are timed one by one, at most.
const SINGLY: usize = 1 << 13;
/// Keys inserted in a turn, at least: several small filters are built.
const INSERTS: usize = 1 << 15;
/// Keys inserted between two clock reads, at least.
const MIN_INSERTS: usize = 1 << 13;
/// A slow contender answers one in this many of the queries.
const SLOW_SHARE: usize = 8;

pub(super) const ASKED: [Workload; 5] = [Query0, Query50, Query100, Batch50, Dependent50];

/// The workloads in which a contender is timed, by its abilities.
pub fn offered(info: &Info) -> impl Iterator<Item = Workload> + use<> {
    let needed = [(Batch50, info.can(Ability::Batch)), (Remove, info.can(Ability::Remove))];
    let is_offered = move |workload: &Workload| !needed.contains(&(*workload, false));
    ASKED.into_iter().chain([Build, Remove]).filter(is_offered)
}

const fn stream(workload: Workload) -> usize {
    match workload {
        Query0 => 0,
        Query100 => 2,
        _ => 1,
    }
}

/// The number of queries in a turn.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// Warm-up queries, which touch each line of the filter several times.
    lead: usize,
    chunk: usize,
    /// Chunks of each stream: more if a turn takes long anyway.
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

/// The builds between two clock reads, and the number of such timings in a turn.
fn builds(keys: usize) -> (usize, usize) {
    let builds = MIN_INSERTS.div_ceil(keys.max(1));
    (builds, INSERTS.div_ceil(builds * keys.max(1)))
}

/// A verified contender, ready to be timed.
#[derive(Debug)]
pub struct CellRun<'a> {
    subject: Subject<'a>,
    share: Share,
    removal: Option<Answers>,
    tallies: BTreeMap<Workload, Tally>,
    /// The 99.9th percentile of single queries, in the best turn.
    tail: Option<f64>,
}

#[derive(Default, Debug)]
struct Tally {
    times: Times,
    hits: u64,
    /// The hits that each chunk must have; without verified answers, those of its first pass.
    want: Vec<Option<u64>>,
    next: usize,
    failure: Option<Failure>,
}

impl<'a> CellRun<'a> {
    /// A contender with its verified answers to the streams. Without them, as for the floor, whose
    /// "hits" are a sum of hashes, only repeatability is checked.
    pub fn new(
        subject: Subject<'a>,
        answers: Option<&[Vec<bool>; 3]>,
        removal: Option<Answers>,
    ) -> Self {
        let (info, queries) = (subject.contender.info, subject.streams[0].len());
        let share = Share::new(info.slow, subject.present.len(), queries);
        let want = |workload| match answers {
            _ if !ASKED.contains(&workload) => Vec::new(),
            Some(answers) => {
                let chunks = answers[stream(workload)].chunks_exact(share.chunk);
                chunks.map(|answers| Some(hits(workload, answers))).collect()
            }
            None => vec![None; queries / share.chunk],
        };
        let all = offered(info).filter(|&workload| workload != Remove || removal.is_some());
        let tally = |workload| (workload, Tally { want: want(workload), ..Tally::default() });
        let tallies = all.map(tally).collect();
        Self { subject, share, removal, tallies, tail: None }
    }

    /// One of our filters as a reference: one for removals, another for everything else.
    pub fn reference(subject: Subject<'a>) -> Box<dyn TakesTurns + 'a> {
        let removes = subject.contender.info.name == REMOVER;
        let mut ready = Self::new(subject, None, removes.then(Answers::default));
        ready.tallies.retain(|workload, _| (*workload == Remove) == removes);
        Box::new(ready)
    }

    /// The timings of a workload, unless there are none or it has failed.
    fn tally(&mut self, workload: Workload) -> Option<&mut Tally> {
        self.tallies.get_mut(&workload).filter(|tally| tally.failure.is_none())
    }

    fn fail(&mut self, workload: Workload, failure: Failure) {
        if let Some(tally) = self.tally(workload) {
            tally.failure = Some(failure);
        }
    }

    /// Builds a filter, several times if it is small; returns the last one.
    fn build(&mut self, builds: usize) -> Result<Box<dyn Built>, Failure> {
        let Subject { contender, present, seed, .. } = self.subject;
        let order = self.subject.order(seed);
        let build = || timed(|| verify::build(contender, present, &order));
        let (mut filter, mut sum) = build();
        for _ in 1..builds {
            // One at a time, each in the memory of the previous one.
            drop(filter?);
            let (next, ns) = build();
            (filter, sum) = (next, sum + ns);
        }
        let filter = filter?;
        if contender.info.role != Role::Floor
            && let Err(failure) = holds_sample(&*filter, present, "build")
        {
            self.fail(Build, failure);
        }
        if let Some(tally) = self.tally(Build) {
            tally.times.push(sum, builds * present.len());
        }
        Ok(filter)
    }

    fn ask(&mut self, filter: &dyn Built, workload: Workload) {
        let Share { chunk, chunks, .. } = self.share;
        let stream = self.subject.streams[stream(workload)];
        let Some(tally) = self.tally(workload).filter(|tally| !tally.want.is_empty()) else {
            return;
        };
        for _ in 0..chunks {
            let place = tally.next % tally.want.len();
            let keys = stream.between(place * chunk, (place + 1) * chunk);
            let (hits, ns) = timed(|| match workload {
                Batch50 => filter.count_hits_batch(keys),
                Dependent50 => Some(filter.dependent(keys)),
                _ => Some(filter.count_hits(keys)),
            });
            let Some(hits) = hits else {
                return;
            };
            let want = *tally.want[place].get_or_insert(hits);
            let why = || format!("the timed loop counted {hits} hits, but {want} were verified");
            if let Err(failure) = Failure::unless(hits == want, why) {
                tally.failure = Some(failure);
                return;
            }
            let dependent = workload == Dependent50;
            tally.times.push(ns, if dependent { dependent_queries(chunk) } else { chunk });
            tally.hits = tally.hits.wrapping_add(hits);
            tally.next += 1;
        }
    }

    /// Times single queries.
    fn ask_singly(&mut self, filter: &dyn Built) {
        let mut times = vec![0; self.share.chunk.min(SINGLY)];
        filter.ask_each(self.subject.streams[1].between(0, times.len()), &mut times);
        self.tail = tail(&times).into_iter().chain(self.tail).reduce(f64::min);
    }

    fn remove(&mut self, mut filter: Box<dyn Built>) -> Result<(), Failure> {
        let Subject { gone, kept, seed, .. } = self.subject;
        if let Some(tally) = self.tally(Remove) {
            let (done, ns) = timed(|| take_out(&mut *filter, gone, seed));
            done?;
            holds_sample(&*filter, kept, "removal")?;
            tally.times.push(ns, gone.len());
        }
        Ok(())
    }
}

impl TakesTurns for CellRun<'_> {
    fn turn(&mut self, rng: &mut Xoshiro256PlusPlus) {
        let mut workloads = ASKED;
        workloads.shuffle(rng);
        let (builds, times) = builds(self.subject.present.len());
        for time in 0..times {
            let filter = match self.build(builds) {
                Ok(filter) => filter,
                Err(failure) => return self.fail(Build, failure),
            };
            if time == 0 {
                let _ = filter.count_hits(self.subject.streams[1].between(0, self.share.lead));
                for workload in workloads {
                    self.ask(&*filter, workload);
                }
                self.ask_singly(&*filter);
            }
            if let Err(failure) = self.remove(filter) {
                self.fail(Remove, failure);
            }
        }
    }

    fn rows(&self) -> Vec<TimedRow> {
        let is_floor = self.subject.contender.info.role == Role::Floor;
        let timed = |(&workload, tally): (&Workload, &Tally)| {
            let mut row = self.subject.row(workload);
            if let Some(failure) = &tally.failure {
                let row = row.without(State::Failed, &failure.to_string());
                return Some(TimedRow::new(row, 0, Times::default()));
            }
            row.hits = (ASKED.contains(&workload) && !is_floor).then_some(tally.hits);
            row.ns_p99_9 = self.tail.filter(|_| workload == Query50);
            if let (Remove, Some(removal)) = (workload, &self.removal) {
                removal.write(&mut row);
            }
            (!tally.times.ns.is_empty()).then(|| TimedRow::new(row, 0, tally.times.clone()))
        };
        self.tallies.iter().filter_map(timed).collect()
    }
}

fn hits(workload: Workload, answers: &[bool]) -> u64 {
    match workload {
        Dependent50 => dependent_hits(answers),
        _ => answers.iter().map(|&answer| u64::from(answer)).sum(),
    }
}
