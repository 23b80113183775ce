//! The timing of heats, in rounds that a run spreads over all of its time.
//!
//! In a round the contenders of a heat take their [turns](super::turn), in a new order each time. A
//! reference takes its turn like all others, so that times of different days can be compared as
//! ratios to it.

use super::turn::{ASKED, Ready, cost_of_turn};
use super::verify::{Failure, Subject};
use crate::contenders::{self, Contender, Order, Planned};
use crate::keys::Keys;
use crate::progress::Progress;
use crate::record::Workload;
use amq_core::Budget;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;

pub use super::turn::{Timed, holds_sample};

/// What builds and queries are compared with: it is quick and steady, and touches one line of
/// memory a query.
pub const REFERENCE: &str = "blocked-bloom";
/// The same for everything that removes keys: it never refuses one.
pub const REMOVER: &str = "blocked-counting";
/// What both are made for, whatever is asked of the contenders.
const REFERENCE_TARGET: Budget = Budget::Fpr(0.01);

/// The contenders of a heat, and what they are timed with.
#[derive(Debug)]
pub struct Race<'a> {
    /// The contenders; behind them the references.
    ready: Vec<Ready>,
    contenders: usize,
    streams: [Keys<'a>; 3],
    subject: Subject<'a>,
    rounds: u64,
    rng: Xoshiro256PlusPlus,
}

impl<'a> Race<'a> {
    /// A race of some rounds.
    pub fn new(
        mut ready: Vec<Ready>,
        streams: [Keys<'a>; 3],
        subject: Subject<'a>,
        rounds: u64,
    ) -> Self {
        let (contenders, queries) = (ready.len(), streams[0].len());
        if ready.iter().any(Ready::removes) {
            ready.extend(Ready::reference(REMOVER, &subject, queries, &[Workload::Remove]));
        }
        let asked = [&ASKED[..], &[Workload::Build]].concat();
        ready.extend(Ready::reference(REFERENCE, &subject, queries, &asked));
        let rng = Xoshiro256PlusPlus::seed_from_u64(subject.seed ^ subject.present.len() as u64);
        Self { ready, contenders, streams, subject, rounds, rng }
    }

    /// Whether it takes part in a round of `all`.
    const fn is_due(&self, round: u64, all: u64) -> bool {
        self.rounds * round / all < self.rounds * (round + 1) / all
    }

    fn round(&mut self, progress: &Progress) {
        let (keys, queries) = (self.subject.present.len(), self.streams[0].len());
        let mut order: Vec<usize> = (0..self.ready.len()).collect();
        order.shuffle(&mut self.rng);
        for place in order {
            let mut workloads = ASKED;
            workloads.shuffle(&mut self.rng);
            let ready = &mut self.ready[place];
            ready.turn(&self.streams, &self.subject, &workloads);
            if place < self.contenders {
                progress.did(cost_of_turn(keys, queries, ready.removes()));
            }
        }
    }

    /// The rows of all contenders.
    pub fn rows(mut self) -> Vec<Timed> {
        let references = self.ready.split_off(self.contenders);
        self.ready.into_iter().flat_map(|ready| ready.rows(&references)).collect()
    }
}

/// Runs the rounds of several races, each spread over the time of all.
pub fn run(races: &mut [Race<'_>], progress: &Progress) {
    let all = races.iter().map(|race| race.rounds).max().unwrap_or(0);
    for round in 0..all {
        progress.now(&format!("timing, round {} of {all}", round + 1));
        for race in races.iter_mut().filter(|race| race.is_due(round, all)) {
            race.round(progress);
        }
    }
}

/// An order for a reference.
pub fn order_of_reference(planned: Planned, seed: u64) -> Order {
    Order { planned, budget: Some(REFERENCE_TARGET), seed }
}

/// A contender of ours that others are compared with.
pub fn reference(name: &str) -> Result<&'static dyn Contender, Failure> {
    let mut all = contenders::ALL.iter().copied();
    let found = all.find(|contender| contender.info().name == name);
    found.ok_or_else(|| Failure::Build(format!("{name} is not among the contenders")))
}

#[cfg(test)]
mod tests;
