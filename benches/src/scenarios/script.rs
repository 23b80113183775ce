//! What is done to a filter in a scenario, and what it holds after each step.

use crate::contenders::{Planned, Task};
use std::borrow::Cow;

/// A scenario for one contender.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    /// What a filter is planned for. One planned for its first keys is weighed at each stop, and
    /// building it of them is timed.
    pub planned: Planned,
    /// The slots of its table, where rows have a load. An insert that changes them ends the
    /// scenario.
    pub slots: Option<u64>,
    pub first: &'a [u64],
    /// The steps, in order: for all contenders the same, but for the numbers of keys.
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
    /// Inserts from some held keys on to each of the stops, which rise.
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
    /// These are inserted.
    Insert(&'a [u64]),
    /// One of the first is removed and one of the second inserted, in turn.
    Replace(Vec<u64>, &'a [u64]),
    /// A filter of these is merged.
    Merge(&'a [u64]),
    /// So many threads fill a new filter with these, or ask for them.
    Threads(Task, usize, Cow<'a, [u64]>),
}

/// What is checked at a stop, from little to all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub enum Check {
    /// That it can be reached. It has no row, unless a key is refused, and nothing is timed from
    /// here on.
    Passage,
    /// That all keys are found. Its time belongs to the next row.
    Part,
    /// And that the rate is the formula's.
    Rate,
    /// And not above the target.
    Target,
}

impl Act<'_> {
    pub fn operations(&self) -> usize {
        match self {
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
