//! What is measured: the cells of each suite, and how thoroughly.

use super::construction::{self, Line};
use super::courses::{Track, churn, fill, load, merge};
use super::verify::Effort;
use crate::keys::KeySet;
use crate::record::Suite;
use amq_core::Budget;

/// 1 in 256: the fixed rate of filters with eight-bit fingerprints.
const BYTE: f64 = 1.0 / 256.0;
/// The rates of the comparison; all else varies at the first.
const RATES: [f64; 3] = [0.01, BYTE, 0.001];
/// The memory budgets, in bits per key.
const BITS: [f64; 3] = [2.0, 4.0, 8.0];

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
    /// Two: a build of so many keys takes a second.
    Twice,
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
            Self::Twice => rounds.min(2),
            Self::Once => rounds.min(1),
            Self::Facts => 0,
        }
    }
}

fn at(rates: &[f64], depth: Depth) -> Vec<(Budget, Depth)> {
    rates.iter().map(|&rate| (Budget::Fpr(rate), depth)).collect()
}

impl Group {
    fn new(key_set: KeySet, keys: usize, targets: Vec<(Budget, Depth)>, queries: usize) -> Self {
        Self { key_set, keys, targets, queries, who: Who::All }
    }

    /// With some of the contenders.
    fn with(self, who: Who) -> Self {
        Self { who, ..self }
    }

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
        use Depth::{Facts, Half, Once, Twice, Whole};
        let long = self.queries();
        if let Some(file) = file {
            let (half, most) = match (file, self) {
                (KeySet::File(keys), Self::Smoke) => (keys.keys.len() / 2, 1_000),
                (KeySet::File(keys), Self::Quick) => (keys.keys.len() / 2, 1_000_000),
                (KeySet::File(keys), Self::Full) => (keys.keys.len() / 2, 10_000_000),
                _ => (usize::MAX, 0),
            };
            let targets = at(&RATES, Whole);
            return vec![Group::new(file.clone(), half.min(most), targets, long)];
        }
        let random = |keys, targets, queries| Group::new(KeySet::RandomU64, keys, targets, queries);
        let others = |keys, depth, queries| {
            [KeySet::Sequential, KeySet::Strings, KeySet::Words]
                .map(|set| Group::new(set, keys, at(&RATES[..1], depth), queries))
        };
        let budgets = |depth| BITS.map(|bits| (Budget::BitsPerKey(bits), depth));
        // Long enough that no branch predictor learns them, and quicker to verify.
        let short = long.min(1 << 18);
        let one = |depth| at(&RATES[..1], depth);
        match self {
            Self::Smoke => {
                let mut groups = vec![random(100, one(Facts), long)];
                let all = [at(&RATES, Whole), budgets(Whole).to_vec()].concat();
                groups.push(random(1_000, all, long));
                groups.extend(others(1_000, Whole, long));
                groups
            }
            Self::Quick => {
                let mut groups: Vec<Group> =
                    [100, 1_000].map(|keys| random(keys, one(Facts), short)).into();
                groups.push(random(10_000, one(Half), short));
                groups.push(random(100_000, [one(Half), budgets(Half).to_vec()].concat(), short));
                groups.extend(others(100_000, Half, short).map(|group| group.with(Who::Few)));
                let rates = [one(Whole), at(&RATES[1..], Half)].concat();
                groups.push(random(1_000_000, rates, long));
                groups
            }
            Self::Full => {
                let mut groups: Vec<Group> =
                    [100, 1_000].map(|keys| random(keys, at(&RATES, Facts), long)).into();
                groups.push(random(10_000, at(&RATES, Half), long));
                groups.push(random(
                    100_000,
                    [at(&RATES, Half), budgets(Half).to_vec()].concat(),
                    long,
                ));
                groups.extend(others(100_000, Half, short));
                let rates = [one(Whole), at(&RATES[1..], Half)].concat();
                groups.push(random(1_000_000, rates, long));
                groups.push(random(10_000_000, one(Twice), long));
                groups.push(random(100_000_000, one(Once), long).with(Who::Compact));
                groups
            }
        }
    }

    /// Groups of the user's numbers of random keys.
    pub fn sizes(self, keys: &[u64]) -> Vec<Group> {
        let group = |&keys: &u64| {
            let targets = at(&RATES, Depth::Whole);
            Group::new(KeySet::RandomU64, keys as usize, targets, self.queries())
        };
        keys.iter().map(group).collect()
    }

    /// The courses, each at one size.
    pub fn courses(self) -> Vec<Track> {
        let (keys, slots, churned) = match self {
            Self::Smoke => (1_000, 1 << 13, 1 << 10),
            Self::Quick => (100_000, 1 << 20, 1 << 17),
            Self::Full => (1_000_000, 1 << 23, 1 << 20),
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

    /// Timed rounds, unless `--rounds` says otherwise: filters are built anew in each.
    pub fn rounds(self) -> u64 {
        match self {
            Self::Smoke => 2,
            Self::Quick | Self::Full => 7,
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
        let rounds: Vec<u64> = main.targets.iter().map(|(_, depth)| depth.rounds(7)).collect();
        assert_eq!((main.keys, rounds), (1_000_000, vec![7, 4, 4]));
        assert_eq!(main.target_of_fixed(), Some(Budget::Fpr(BYTE)));
        for group in &groups[..groups.len() - 1] {
            let rounds = group.targets.iter().map(|(_, depth)| depth.rounds(7));
            assert!(rounds.max() <= Some(4), "{group:?}");
            assert_eq!(group.target_of_fixed(), Some(Budget::Fpr(0.01)));
        }
    }

    #[test]
    fn no_depth_times_more_than_it_is_told() {
        for depth in [Depth::Whole, Depth::Half, Depth::Twice, Depth::Once] {
            assert_eq!(depth.rounds(0), 0);
            assert!(depth.rounds(1) <= 1 && depth.rounds(9) <= 9);
        }
    }
}
