//! What is measured: the cells of each suite, and how thoroughly.

use crate::courses::merge::Merging;
use crate::courses::{Track, beyond, churn, load};
use crate::keysets::KeySet;
use crate::verify::Effort;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::rc::Rc;

/// 1 in 256: the one rate that filters of eight-bit fingerprints have.
const BYTE: f64 = 1.0 / 256.0;
/// The rates of the comparison.
const RATES: [f64; 3] = [0.01, BYTE, 0.001];
/// The rate at which everything else is varied.
const ONE_PERCENT: [f64; 1] = [0.01];

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suite {
    /// A thousand keys, in seconds: does everything work? Its times mean nothing.
    Smoke,
    /// Ten thousand to a million keys, within three minutes.
    Quick,
    /// Up to ten million keys, and a hundred million at 1 %: tens of minutes and several gigabytes.
    Full,
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Smoke => "smoke",
            Self::Quick => "quick",
            Self::Full => "full",
        })
    }
}

/// One set of keys and the rates that filters of it are asked for.
#[derive(Clone, Debug)]
pub struct Group {
    /// Which keys.
    pub key_set: KeySet,
    /// How many are present.
    pub keys: usize,
    /// The rates.
    pub rates: Vec<f64>,
}

impl Group {
    /// The rate in whose turn contenders without a choice take part: 1/256 if it is there, since that is the rate of most of them.
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
        let group = |key_set: KeySet, keys: usize, rates: &[f64]| Group {
            key_set,
            keys,
            rates: rates.to_vec(),
        };
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
                groups.push(random(10_000, &ONE_PERCENT));
                groups.push(random(100_000, &ONE_PERCENT));
                groups.extend(others(100_000));
                groups.push(random(1_000_000, &RATES));
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

    /// Groups of random keys, as many as the user says.
    pub fn sizes(self, keys: &[u64]) -> Vec<Group> {
        keys.iter()
            .map(|&keys| Group {
                key_set: KeySet::RandomU64,
                keys: keys as usize,
                rates: RATES.to_vec(),
            })
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

    /// Length of a query stream, and the least number of absent keys where the set is made to measure.
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
