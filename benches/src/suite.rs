//! What is measured: the cells of each suite, and how thoroughly.

use crate::construction::{self, Line};
use crate::courses::merge::Merging;
use crate::courses::{Track, beyond, churn, load};
use crate::keysets::KeySet;
use crate::verify::Effort;
use std::rc::Rc;

pub use crate::record::Suite;

/// 1 in 256: the fixed rate of filters with eight-bit fingerprints.
const BYTE: f64 = 1.0 / 256.0;
/// The rates of the comparison.
const RATES: [f64; 3] = [0.01, BYTE, 0.001];
/// The rate at which all else varies.
const ONE_PERCENT: [f64; 1] = [0.01];

/// One key set and the target rates of its filters.
#[derive(Clone, Debug)]
pub struct Group {
    /// Which keys.
    pub key_set: KeySet,
    /// How many are present.
    pub keys: usize,
    /// The rates.
    pub rates: Vec<f64>,
    /// Length of a query stream, and the least number of absent keys if the set is generated.
    pub queries: usize,
    /// Who takes part.
    pub field: FieldSize,
}

/// Who takes part in a group, and for how many rounds: a short suite is thorough where most
/// contenders are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldSize {
    /// Everyone, all rounds.
    Whole,
    /// Everyone; all rounds and queries at the first rate, half of both at the others.
    FirstRate,
    /// Everyone, half of the rounds.
    Short,
    /// Only the first peer of each family, half of the rounds.
    Few,
}

/// Stream length for small sizes in the short suites: still distinct keys, and too long for a
/// branch predictor to learn.
const SHORT: usize = 1 << 18;

impl Group {
    /// A group of everyone.
    pub fn whole(key_set: KeySet, keys: usize, rates: &[f64], suite: Suite) -> Self {
        Self {
            key_set,
            keys,
            rates: rates.to_vec(),
            queries: suite.queries(),
            field: FieldSize::Whole,
        }
    }

    /// The same with short streams, for part of the field.
    fn short(self, field: FieldSize) -> Self {
        Self {
            queries: SHORT.min(self.queries),
            field,
            ..self
        }
    }

    /// The rounds at a rate, out of a run's rounds.
    pub fn rounds(&self, rate: f64, rounds: u64) -> u64 {
        if self.is_thorough(rate) || self.field == FieldSize::Whole {
            rounds
        } else {
            rounds.div_ceil(2)
        }
    }

    /// The part of each stream that is queried at a rate.
    pub fn queries_at(&self, rate: f64) -> usize {
        if self.field == FieldSize::FirstRate && !self.is_thorough(rate) {
            self.queries / 2
        } else {
            self.queries
        }
    }

    fn is_thorough(&self, rate: f64) -> bool {
        self.field == FieldSize::FirstRate && self.rates.first() == Some(&rate)
    }

    /// The rate beside which contenders without a target rate take part: 1/256 if the group has it,
    /// since most of them have that rate.
    pub fn rate_of_fixed(&self) -> Option<f64> {
        self.rates
            .iter()
            .copied()
            .find(|&rate| rate == BYTE)
            .or_else(|| self.rates.first().copied())
    }
}

impl Suite {
    /// The groups, from small to large; with a key file, its keys alone.
    pub fn groups(self, file: Option<&KeySet>) -> Vec<Group> {
        let group =
            |key_set: KeySet, keys: usize, rates: &[f64]| Group::whole(key_set, keys, rates, self);
        if let Some(file) = file {
            let half = match file {
                KeySet::File(keys) => keys.keys.len() / 2,
                _ => usize::MAX,
            };
            return vec![group(file.clone(), half.min(self.max_file_keys()), &RATES)];
        }
        let random = |keys, rates: &[f64]| group(KeySet::RandomU64, keys, rates);
        let others = |keys| {
            [KeySet::Sequential, KeySet::Strings, KeySet::Words]
                .map(|set| group(set, keys, &ONE_PERCENT))
        };
        let mut groups = Vec::new();
        match self {
            Self::Smoke => {
                groups.push(random(1_000, &RATES));
                groups.extend(others(1_000));
            }
            Self::Quick => {
                groups.push(random(10_000, &ONE_PERCENT).short(FieldSize::Short));
                groups.push(random(100_000, &ONE_PERCENT).short(FieldSize::Short));
                let others = others(100_000).map(|group| group.short(FieldSize::Few));
                groups.extend(others);
                groups.push(Group {
                    field: FieldSize::FirstRate,
                    ..random(1_000_000, &RATES)
                });
            }
            Self::Full => {
                groups.extend([10_000, 100_000].map(|keys| random(keys, &RATES)));
                groups.extend(others(100_000));
                groups.extend([1_000_000, 10_000_000].map(|keys| random(keys, &RATES)));
                groups.push(group(KeySet::Strings, 10_000_000, &ONE_PERCENT));
                groups.push(random(100_000_000, &ONE_PERCENT));
            }
        }
        groups
    }

    /// Groups of the user's numbers of random keys.
    pub fn sizes(self, keys: &[u64]) -> Vec<Group> {
        keys.iter()
            .map(|&keys| Group::whole(KeySet::RandomU64, keys as usize, &RATES, self))
            .collect()
    }

    /// The courses, each at one size.
    pub fn courses(self) -> Vec<Rc<dyn Track>> {
        let (keys, slots, churned) = match self {
            Self::Smoke => (1_000, 1 << 13, 1 << 10),
            Self::Quick => (100_000, 1 << 20, 1 << 17),
            Self::Full => (1_000_000, 1 << 24, 1 << 20),
        };
        vec![
            Rc::new(beyond::grow(keys)),
            Rc::new(beyond::overfill(keys)),
            Rc::new(load::of_slots(slots, self)),
            Rc::new(churn::of_slots(churned)),
            Rc::new(Merging { keys }),
        ]
    }

    /// The linear systems, with fewer seeds the longer a try takes.
    pub fn lines(self) -> Vec<Line> {
        construction::lines(match self {
            Self::Smoke => &[(1_000, 10)],
            Self::Quick => &[(1_000, 200), (10_000, 60), (100_000, 20)],
            Self::Full => &[
                (1_000, 1_000),
                (10_000, 300),
                (100_000, 100),
                (1_000_000, 20),
            ],
        })
    }

    /// Length of a query stream, and the least number of absent keys if the set is generated.
    pub const fn queries(self) -> usize {
        match self {
            Self::Smoke => 1 << 14,
            Self::Quick | Self::Full => 1 << 20,
        }
    }

    /// Timed rounds, unless `--rounds` says otherwise.
    pub const fn rounds(self) -> u64 {
        match self {
            Self::Smoke => 3,
            Self::Quick => 7,
            Self::Full => 11,
        }
    }

    /// Timed rounds of the courses. Each is a pass through many states, so the quick suite runs
    /// half as many.
    pub const fn rounds_of_courses(self, rounds: u64) -> u64 {
        match self {
            Self::Quick => rounds.div_ceil(2),
            Self::Smoke | Self::Full => rounds,
        }
    }

    /// How many filters are verified in each cell.
    pub const fn effort(self) -> Effort {
        let (min_seeds, max_seeds) = match self {
            Self::Smoke => (4, 80),
            Self::Quick => (2, 16),
            Self::Full => (4, 64),
        };
        Effort {
            min_seeds,
            max_seeds,
            false_positives: 1000.0,
        }
    }

    const fn max_file_keys(self) -> usize {
        match self {
            Self::Smoke => 1_000,
            Self::Quick => 1_000_000,
            Self::Full => 10_000_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_quick_suite_saves_rounds_and_never_in_its_main_cell() {
        for suite in [Suite::Smoke, Suite::Full] {
            let groups = suite.groups(None);
            assert!(groups.iter().all(|group| group.field == FieldSize::Whole));
            assert!(groups.iter().all(|group| group.rounds(0.01, 7) == 7));
        }
        let groups = Suite::Quick.groups(None);
        let main = groups.last().unwrap();
        assert_eq!((main.keys, main.rates.as_slice()), (1_000_000, &RATES[..]));
        let rounds: Vec<u64> = RATES.iter().map(|&rate| main.rounds(rate, 7)).collect();
        assert_eq!(rounds, [7, 4, 4]);
        let queries: Vec<usize> = RATES.iter().map(|&rate| main.queries_at(rate)).collect();
        assert_eq!(queries, [1 << 20, 1 << 19, 1 << 19]);
        for group in &groups[..groups.len() - 1] {
            assert_eq!((group.rounds(0.01, 7), group.rounds(0.01, 1)), (4, 1));
            assert!(group.queries >= 2 * group.keys.min(SHORT / 2));
        }
    }
}
