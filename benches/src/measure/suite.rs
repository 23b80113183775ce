//! What is measured: the cells of each suite, and how thoroughly.

use super::construction::{self, Line};
use super::courses::{Track, churn, fill, load, merge};
use super::verify::Effort;
use crate::keys::KeySet;
use crate::record::Suite;
use amq_core::Budget;

use Depth::{Facts, Half, Once, Thrice, Whole};
use Who::{All, Compact, Few};

/// 1 in 256: the fixed rate of filters with eight-bit fingerprints.
const BYTE: f64 = 1.0 / 256.0;
/// The rates of the comparison; all else varies at the first.
const RATES: [f64; 3] = [0.01, BYTE, 0.001];
/// The memory budgets, in bits per key.
const BITS: [f64; 3] = [2.0, 4.0, 8.0];

const RANDOM: &[KeySet] = &[KeySet::RandomU64];
const OTHERS: &[KeySet] = &[KeySet::Sequential, KeySet::Strings, KeySet::Words];

/// Key sets, keys, the length of a stream as a power of two (long enough that no branch predictor
/// learns it), the depths at the first rate, at the others, and in bits per key; who takes part.
type Cells = (&'static [KeySet], usize, u32, [Option<Depth>; 3], Who);

/// One key set, and what its filters are made for.
#[derive(Clone, Debug)]
pub struct Group {
    /// Which keys.
    pub key_set: KeySet,
    /// How many are present.
    pub keys: usize,
    /// What is asked of the filters, and how thoroughly each is measured.
    pub targets: Vec<(Budget, Depth)>,
    /// Length of a query stream, and the least number of absent keys if the set is generated.
    pub queries: usize,
    /// Who takes part.
    pub who: Who,
}

/// Who takes part in a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// Everyone.
    All,
    /// Ours and the first peer of each family.
    Few,
    /// Of those, one of each kind that takes few bits a key: they are measured where every build
    /// takes seconds.
    Compact,
}

/// How thoroughly a cell is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// All rounds.
    Whole,
    /// Half of them.
    Half,
    /// Three: a build of so many keys takes a second.
    Thrice,
    /// One: it takes ten.
    Once,
    /// None: verified only, for space and rate.
    Facts,
}

impl Depth {
    /// The rounds, out of a run's rounds.
    pub fn rounds(self, rounds: u64) -> u64 {
        match self {
            Self::Whole => rounds,
            Self::Half => rounds.div_ceil(2),
            Self::Thrice => rounds.min(3),
            Self::Once => rounds.min(1),
            Self::Facts => 0,
        }
    }
}

/// The rates of the comparison and its budgets, each with its depth, if any.
fn targets([first, others, budgets]: [Option<Depth>; 3]) -> Vec<(Budget, Depth)> {
    let rates = RATES.map(Budget::Fpr).into_iter().zip([first, others, others]);
    let budgets = BITS.map(|bits| (Budget::BitsPerKey(bits), budgets));
    rates.chain(budgets).filter_map(|(target, depth)| Some((target, depth?))).collect()
}

impl Group {
    /// The target beside which contenders without a target take part: 1/256 if the group has it,
    /// since most of them have that rate.
    pub fn target_of_fixed(&self) -> Option<Budget> {
        let mut targets = self.targets.iter().map(|(target, _)| *target);
        let byte = targets.clone().find(|&target| target == Budget::Fpr(BYTE));
        byte.or_else(|| targets.find(|target| matches!(target, Budget::Fpr(_))))
    }
}

/// What is asked of a filter, in words.
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
                (RANDOM, 10_000_000, 20, [Some(Thrice), None, None], All),
                (RANDOM, 100_000_000, 20, [Some(Once), None, None], Compact),
            ],
        };
        let groups = cells.iter().flat_map(|&(sets, keys, queries, depths, who)| {
            sets.iter().map(move |key_set| Group {
                key_set: key_set.clone(),
                keys,
                targets: targets(depths),
                queries: 1 << queries,
                who,
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
        let targets = targets([Some(Whole), Some(Whole), None]);
        Group { key_set, keys, targets, queries: self.queries(), who: All }
    }

    /// The courses, each at one size.
    pub fn courses(self) -> Vec<Track> {
        let (keys, slots, churned) = match self {
            Self::Smoke => (1_000, 1 << 13, 1 << 10),
            Self::Quick => (100_000, 1 << 20, 1 << 17),
            // Tables of a few megabytes: out of the caches, and still churned in minutes.
            Self::Full => (1_000_000, 1 << 22, 1 << 18),
        };
        vec![
            fill::grow(keys),
            fill::overfill(keys),
            load::climb(slots),
            load::drain(slots),
            churn::churn(churned),
            merge::merge(keys),
        ]
    }

    /// The linear systems, with fewer seeds the longer a try takes.
    pub fn lines(self) -> Vec<Line> {
        construction::lines(match self {
            Self::Smoke => &[(1_000, 10)],
            Self::Quick => &[(1_000, 200), (10_000, 60), (100_000, 20)],
            Self::Full => &[(1_000, 1_000), (10_000, 300), (100_000, 100), (1_000_000, 20)],
        })
    }

    /// Length of a query stream.
    pub fn queries(self) -> usize {
        match self {
            Self::Smoke => 1 << 14,
            Self::Quick | Self::Full => 1 << 20,
        }
    }

    /// Timed rounds, unless `--rounds` says otherwise.
    pub fn rounds(self) -> u64 {
        match self {
            Self::Smoke => 2,
            Self::Quick => 12,
            // Most of its time goes into large filters: a pass of theirs takes seconds.
            Self::Full => 8,
        }
    }

    /// The rounds of courses in a run of so many rounds.
    pub fn rounds_of_courses(self, rounds: u64) -> u64 {
        match self {
            Self::Smoke => rounds,
            Self::Quick => (2 * rounds).div_ceil(3),
            // Ten times as many keys in each.
            Self::Full => rounds.div_ceil(3),
        }
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
        Effort { min_seeds, max_seeds, false_positives: 1000.0 }
    }

    /// The keys of the filters whose instructions are counted without being told to, if any.
    pub fn counted(self) -> Option<usize> {
        (self == Self::Full).then(|| self.middle())
    }

    /// The number of keys at which most is measured.
    pub const fn middle(self) -> usize {
        match self {
            Self::Smoke => 1_000,
            Self::Quick | Self::Full => 100_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_suite_is_most_thorough_where_most_is_compared() {
        let groups = Suite::Quick.groups(None);
        let main = groups.last().unwrap();
        let rounds: Vec<u64> = main.targets.iter().map(|(_, depth)| depth.rounds(12)).collect();
        assert_eq!((main.keys, rounds), (1_000_000, vec![12, 6, 6]));
        assert_eq!(main.target_of_fixed(), Some(Budget::Fpr(BYTE)));
        for group in &groups[..groups.len() - 1] {
            assert_eq!(group.target_of_fixed(), Some(Budget::Fpr(0.01)), "{group:?}");
        }
        for depth in [Whole, Half, Thrice, Once] {
            assert!(depth.rounds(0) == 0 && depth.rounds(1) == 1 && depth.rounds(9) <= 9);
        }
    }
}
