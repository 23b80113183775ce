//! What is measured: the cells of each suite, and how thoroughly.

use super::courses::{self, Course, Track};
use super::field::Field;
use super::verify::Effort;
use crate::error::BenchError;
use crate::keys::KeySet;
use crate::record::Suite;
use crate::workers::cores;
use amq_core::Budget;

use Depth::{Facts, Half, Most, Whole};
use Who::{All, Compact, Few};

/// 1 in 256: the fixed rate of filters with eight-bit fingerprints.
const BYTE: f64 = 1.0 / 256.0;
/// The rates of the comparison; all else varies at the first.
const RATES: [f64; 3] = [0.01, BYTE, 0.001];
/// The memory budgets, in bits per key.
const BITS: [f64; 3] = [2.0, 4.0, 8.0];
/// With as many keys and as many bits a key as others have published tables of.
pub const MANY: usize = 10_000_000;
pub const MANY_BITS: [f64; 4] = [8.0, 12.0, 16.0, 20.0];

const RANDOM: &[KeySet] = &[KeySet::RandomU64];
const OTHERS: &[KeySet] = &[KeySet::Sequential, KeySet::Strings, KeySet::Words];

/// A stream's length over this is absent keys enough for a thousand false positives at each stop.
const ABSENT_SHARE: usize = 8;

/// Key sets, keys, the length of a stream as a power of two (long enough that no branch predictor
/// learns it), the depths at the first rate, at the others, and in bits per key; who takes part.
type Cells = (&'static [KeySet], usize, u32, [Option<Depth>; 3], Who);

/// One key set, and what its filters are made for.
#[derive(Clone, Debug)]
pub struct Group {
    pub key_set: KeySet,
    pub keys: usize,
    pub targets: Vec<(Budget, Depth)>,
    /// Length of a query stream, and the least number of absent keys if the set is generated.
    pub queries: usize,
    pub who: Who,
    /// What is done to the filters, if it is not what is done to all.
    pub course: Option<Track>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    All,
    /// Ours and the first peer of each family.
    Few,
    /// Of those, one of each kind that takes few bits a key.
    Compact,
}

/// How thoroughly a cell is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    Whole,
    Half,
    /// So many at most, where each takes seconds.
    Most(u64),
    /// None: verified only, for space and rate.
    Facts,
}

impl Depth {
    pub fn rounds(self, rounds: u64) -> u64 {
        match self {
            Self::Whole => rounds,
            Self::Half => rounds.div_ceil(2),
            Self::Most(most) => rounds.min(most),
            Self::Facts => 0,
        }
    }
}

/// The rates of the comparison and its budgets, each with its depth, if any.
fn targets(keys: usize, [first, others, budgets]: [Option<Depth>; 3]) -> Vec<(Budget, Depth)> {
    let rates = RATES.map(Budget::Fpr).into_iter().zip([first, others, others]);
    let bits: &[f64] = if keys < MANY { &BITS } else { &MANY_BITS };
    let budgets = bits.iter().map(|bits| (Budget::BitsPerKey(*bits), budgets));
    rates.chain(budgets).filter_map(|(target, depth)| Some((target, depth?))).collect()
}

impl Group {
    pub fn title(&self) -> String {
        match self.course {
            Some(Track { course, planned, .. }) => {
                format!("{}, planned for {planned} keys", course.name)
            }
            None => format!("{}, {} keys", self.key_set.name(), self.keys),
        }
    }

    /// Its keys, the same for the same seed.
    pub fn field(&self, seed: u64) -> Result<Field, BenchError> {
        let made = self.key_set.make(self.keys, self.queries, seed)?;
        // Along a course other things are done to filters.
        Ok(Field::new(made, if self.course.is_some() { 0 } else { self.queries }, seed))
    }

    /// The target beside which contenders without a target take part: 1/256 if the group has it,
    /// since most of them have that rate.
    pub fn target_of_fixed(&self) -> Option<Budget> {
        let mut targets = self.targets.iter().map(|(target, _)| *target);
        let byte = targets.clone().find(|&target| target == Budget::Fpr(BYTE));
        byte.or_else(|| targets.find(|target| matches!(target, Budget::Fpr(_))))
    }
}

pub fn words(target: Budget) -> String {
    match target {
        Budget::Fpr(rate) => format!("rate {rate:.4}"),
        Budget::BitsPerKey(bits) => format!("{bits} bits a key"),
        target => format!("{target:?}"),
    }
}

impl Suite {
    /// The groups, from small to large; with a key file, its keys alone.
    pub fn groups(self, file: Option<&KeySet>) -> Vec<Group> {
        if let Some(KeySet::File(keys)) = file {
            let most = match self {
                Self::Smoke => 1_000,
                Self::Quick => 1_000_000,
                Self::Full => 10_000_000,
            };
            let keys = (keys.keys.len() / 2).min(most);
            return file.map(|file| self.whole(file.clone(), keys)).into_iter().collect();
        }
        let (facts, half, whole) = (Some(Facts), Some(Half), Some(Whole));
        let cells: &[Cells] = match self {
            Self::Smoke => &[
                (RANDOM, 100, 14, [facts, None, None], All),
                (RANDOM, 1_000, 14, [whole; 3], All),
                (OTHERS, 1_000, 14, [whole, None, None], All),
            ],
            Self::Quick => &[
                (RANDOM, 100, 18, [facts, None, None], All),
                (RANDOM, 1_000, 18, [facts, None, None], All),
                (RANDOM, 10_000, 18, [whole, None, None], All),
                (RANDOM, 100_000, 18, [whole, None, whole], All),
                (OTHERS, 100_000, 18, [whole, None, None], Few),
                (RANDOM, 1_000_000, 20, [whole, half, None], All),
            ],
            Self::Full => &[
                (RANDOM, 100, 20, [facts, facts, None], All),
                (RANDOM, 1_000, 20, [facts, facts, None], All),
                (RANDOM, 10_000, 20, [half, half, None], All),
                (RANDOM, 100_000, 20, [half, half, half], All),
                (OTHERS, 100_000, 18, [half, None, None], All),
                (RANDOM, 1_000_000, 20, [whole, half, None], All),
                (RANDOM, MANY, 20, [Some(Most(3)), None, None], All),
                (RANDOM, MANY, 20, [None, None, Some(Most(2))], Compact),
                (RANDOM, 100_000_000, 20, [Some(Most(1)), None, None], Compact),
            ],
        };
        let groups = cells.iter().flat_map(|&(sets, keys, queries, depths, who)| {
            sets.iter().map(move |key_set| Group {
                key_set: key_set.clone(),
                keys,
                targets: targets(keys, depths),
                queries: 1 << queries,
                who,
                course: None,
            })
        });
        groups.collect()
    }

    /// Groups of the user's numbers of random keys.
    pub fn sizes(self, keys: &[u64]) -> Vec<Group> {
        keys.iter().map(|&keys| self.whole(KeySet::RandomU64, keys as usize)).collect()
    }

    /// Keys of the user's choice, with whatever the suite does with rates.
    fn whole(self, key_set: KeySet, keys: usize) -> Group {
        let targets = targets(keys, [Some(Whole), Some(Whole), None]);
        Group { key_set, keys, targets, queries: self.queries(), who: All, course: None }
    }

    /// The courses, each at one size, over random integers at one rate.
    pub fn courses(self) -> Vec<Group> {
        let group = |course: Course| {
            let depth = match self {
                Self::Full => Most(3),
                _ if course.is_long => Half,
                _ => Whole,
            };
            self.along(course.of(self), depth)
        };
        courses::on(cores()).map(group).collect()
    }

    pub(super) fn along(self, track: Track, depth: Depth) -> Group {
        Group {
            targets: vec![(Budget::Fpr(courses::RATE), depth)],
            queries: self.queries() / ABSENT_SHARE,
            course: Some(track),
            ..self.whole(KeySet::RandomU64, track.keys)
        }
    }

    pub fn queries(self) -> usize {
        1 << if self == Self::Smoke { 14 } else { 20 }
    }

    /// Timed rounds, unless `--rounds` says otherwise.
    pub fn rounds(self) -> u64 {
        if self == Self::Smoke { 2 } else { 12 }
    }

    /// How many filters of this many keys are verified in each cell.
    pub fn effort(self, keys: usize) -> Effort {
        let (min_seeds, max_seeds) = match self {
            // Their rates are known well enough, and a build takes a second.
            _ if keys >= 5_000_000 => (1, 2),
            Self::Smoke => (4, 80),
            Self::Quick => (2, 16),
            Self::Full => (4, 64),
        };
        Effort { min_seeds, max_seeds }
    }
}
