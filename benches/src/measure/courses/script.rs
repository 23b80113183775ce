//! What is done to a filter on a course, and what it holds after each step.

use crate::contenders::Planned;
use crate::record::Workload;
use std::borrow::Cow;

/// A course for one contender.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    /// What a filter is planned for.
    pub planned: Planned,
    /// The keys that it is built from.
    pub first: &'a [u64],
    /// The steps, in order.
    pub legs: Vec<Leg<'a>>,
    /// Whether it may grow. If not, the course ends where its slots change.
    pub grows: bool,
    /// Whether its space is compared and recorded at each stop.
    pub weighs: bool,
}

/// One step and the stop after it.
#[derive(Clone, Debug)]
pub struct Leg<'a> {
    /// What is done.
    pub act: Act<'a>,
    /// The keys held afterwards.
    pub holds: Cow<'a, [u64]>,
    /// What is checked afterwards.
    pub check: Check,
    /// The workload of its row. Legs with equal workload, keys and load share one.
    pub workload: Workload,
    /// The number of keys in its row.
    pub keys: usize,
    /// Keys over slots in its row.
    pub load: Option<f64>,
}

/// What is done to a filter.
#[derive(Clone, Debug)]
pub enum Act<'a> {
    /// It is built from the first keys.
    Begin,
    /// These are inserted.
    Insert(&'a [u64]),
    /// These are removed.
    Remove(&'a [u64]),
    /// One of the first is removed and one of the second inserted, in turn.
    Replace(Vec<u64>, &'a [u64]),
    /// A filter of these is merged.
    Merge(&'a [u64]),
    /// These are queried.
    Ask(Vec<u64>),
}

/// What is checked at a stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// That it can be reached. It has no row, unless a key is refused, and is not timed.
    Passage,
    /// That all keys are found.
    Present,
    /// And that the rate is the formula's.
    Rate,
    /// The same; nor may the rate be above the target.
    Target,
}

impl Act<'_> {
    /// How many operations it is.
    pub fn operations(&self, first: &[u64]) -> usize {
        match self {
            Self::Begin => first.len(),
            Self::Insert(keys) | Self::Remove(keys) | Self::Merge(keys) => keys.len(),
            Self::Replace(_, new) => new.len(),
            Self::Ask(queries) => queries.len(),
        }
    }
}

impl Leg<'_> {
    /// Whether two legs share a row.
    pub fn shares(&self, other: &Self) -> bool {
        self.check != Check::Passage
            && other.check != Check::Passage
            && (self.workload, self.keys, self.load) == (other.workload, other.keys, other.load)
    }
}
