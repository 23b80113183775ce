//! The steps of a scenario, and the keys in the filter after each.

use crate::contenders::{Planned, Task};
use std::borrow::Cow;

/// A scenario for one contender.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    /// The number of keys to plan for. A filter planned for the keys it is given has its bytes
    /// measured at each stop; if more follow, its first build is timed.
    pub planned: Planned,
    /// The slots of its table, if rows have a load. An insert that changes them ends the scenario.
    pub slots: Option<u64>,
    pub first: &'a [u64],
    /// The steps, in order, which are the same for all contenders except for the numbers of keys.
    pub steps: Vec<Step<'a>>,
}

#[derive(Clone, Debug)]
pub struct Step<'a> {
    pub act: Act<'a>,
    /// The keys held afterwards.
    pub holds: Cow<'a, [u64]>,
    pub check: Check,
}

impl<'a> Step<'a> {
    /// Inserts keys up to each of the stops, in increasing order.
    pub fn inserts(
        keys: &'a [u64],
        mut held: usize,
        stops: impl Iterator<Item = (usize, Check)>,
    ) -> impl Iterator<Item = Self> {
        stops.map(move |(stop, check)| {
            let act = Act::Insert(&keys[held..stop]);
            held = stop;
            Self { act, holds: Cow::Borrowed(&keys[..stop]), check }
        })
    }
}

#[derive(Clone, Debug)]
pub enum Act<'a> {
    /// Insert these keys.
    Insert(&'a [u64]),
    /// Alternately remove one of the first and insert one of the second.
    Replace(Vec<u64>, &'a [u64]),
    /// Merge a filter of these keys.
    Merge(&'a [u64]),
    /// Truncate to this rate, with so many keys.
    Truncate(f64, usize),
    /// Threads fill a new filter with these keys, or query them.
    Threads(Task, usize, Cow<'a, [u64]>),
}

/// The checks at a stop; each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub enum Check {
    /// The stop can be reached. It has no row, unless a key is refused, and nothing is timed from
    /// here on.
    Passage,
    /// All keys are found. The time belongs to the next row.
    Part,
    /// The rate is the formula's.
    Rate,
    /// The rate is not above the target.
    Target,
}

impl Act<'_> {
    pub fn operations(&self) -> usize {
        match self {
            Self::Truncate(_, keys) => *keys,
            Self::Insert(keys) | Self::Merge(keys) | Self::Replace(_, keys) => keys.len(),
            Self::Threads(.., keys) => keys.len(),
        }
    }

    pub const fn threads(&self) -> Option<u64> {
        match self {
            Self::Threads(_, threads, _) => Some(*threads as u64),
            _ => None,
        }
    }
}
