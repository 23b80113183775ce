//! The key sets, sizes, targets and scenarios of each suite, from `scenarios.toml`.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`keys`] | the keys: generated, shipped or the user's; and the queries |
//! | [`dataset`] | the keys that contenders of a group share |
//! | [`scenario`], [`script`] | what a scenario is, and the steps that it writes |
//! | [`fill`], [`load`], [`churn`], [`merge`], [`truncate`], [`threads`] | the scenarios, a file each |
#![allow(unreachable_pub, reason = "what is public here is so for the harness alone")]

pub mod churn;
pub mod dataset;
pub mod fill;
pub mod keys;
pub mod load;
pub mod merge;
pub mod scenario;
pub mod script;
pub mod threads;
pub mod truncate;

use crate::error::BenchError;
use crate::record::{Suite, Workload};
use crate::verify::Effort;
use crate::workers::cores;
use amq_core::Budget;
use dataset::Dataset;
use keys::KeySet;
use scenario::{RATE, Scenario, ScenarioKind};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// All scenarios, in the order in which they are run and listed.
pub const ALL: [ScenarioKind; 8] = [
    fill::GROW,
    fill::OVERFILL,
    load::LOAD,
    churn::CHURN,
    merge::MERGE,
    truncate::TRUNCATE,
    threads::INSERT,
    threads::QUERY,
];

/// 1 in 256: the fixed rate of filters with eight-bit fingerprints.
const BYTE: f64 = 1.0 / 256.0;
/// The rates of the comparison; all else varies at the first.
const RATES: [f64; 3] = [0.01, BYTE, 0.001];
/// The memory budgets, in bits per key; large key sets have others.
const BITS: &[f64] = &[2.0, 4.0, 8.0];
const MANY: usize = 10_000_000;
const MANY_BITS: &[f64] = &[8.0, 12.0, 16.0, 20.0];
/// A stream's length over this is enough absent keys for a thousand false positives at each stop.
const ABSENT_SHARE: usize = 8;

/// `scenarios.toml`, whose head explains it.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    smoke: Vec<Cells>,
    quick: Vec<Cells>,
    full: Vec<Cells>,
    sizes: BTreeMap<Workload, [usize; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cells {
    key_sets: Vec<KeySet>,
    keys: usize,
    queries: u32,
    first: Option<Rounds>,
    others: Option<Rounds>,
    budgets: Option<Rounds>,
    #[serde(default)]
    who: Who,
}

/// A test ensures that the file can be read.
static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(include_str!("../../scenarios.toml")).unwrap_or_default());

/// One key set, and the targets of its filters.
#[derive(Clone, Debug)]
pub struct DatasetSpec {
    pub key_set: KeySet,
    pub keys: usize,
    pub targets: Vec<(Budget, Rounds)>,
    /// Length of a query stream, and the least number of absent keys if the set is generated.
    pub queries: usize,
    pub who: Who,
    /// The scenario, instead of the usual workloads.
    pub scenario: Option<Scenario>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Who {
    #[default]
    All,
    /// Ours and the first peer of each family.
    Few,
    /// Of those, one filter of each kind with few bits per key.
    Compact,
    /// Those that say which of many sets may hold a key; they take part nowhere else.
    ManySets,
}

/// The rounds in which a cell is timed: all of the suite's, half of them, at most this many, or
/// none (only verified).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounds {
    Whole,
    Half,
    #[serde(untagged)]
    Most(u64),
}

impl Rounds {
    pub fn of(self, rounds: u64) -> u64 {
        match self {
            Self::Whole => rounds,
            Self::Half => rounds.div_ceil(2),
            Self::Most(most) => rounds.min(most),
        }
    }
}

/// The rates of the comparison and its budgets, each with its rounds, if any.
fn targets(keys: usize, [first, others, budgets]: [Option<Rounds>; 3]) -> Vec<(Budget, Rounds)> {
    let rates = RATES.map(Budget::Fpr).into_iter().zip([first, others, others]);
    let bits = if keys < MANY { BITS } else { MANY_BITS };
    let budgets = bits.iter().map(|bits| (Budget::BitsPerKey(*bits), budgets));
    rates.chain(budgets).filter_map(|(target, rounds)| Some((target, rounds?))).collect()
}

impl DatasetSpec {
    pub fn title(&self) -> String {
        match self.scenario {
            Some(Scenario { kind, planned, .. }) => {
                format!("{}, planned for {planned} keys", kind.workload)
            }
            None => format!("{}, {} keys", self.key_set.name(), self.keys),
        }
    }

    /// Its keys, the same for the same seed.
    pub fn dataset(&self, seed: u64) -> Result<Dataset, BenchError> {
        let made = self.key_set.make(self.keys, self.queries, seed)?;
        // A scenario has its own queries.
        Ok(Dataset::new(made, if self.scenario.is_some() { 0 } else { self.queries }, seed))
    }

    /// The target beside which contenders without a target take part: 1/256 if there is one, since
    /// most of them have that rate.
    pub fn target_of_fixed(&self) -> Option<Budget> {
        let mut targets = self.targets.iter().map(|(target, _)| *target);
        let byte = targets.clone().find(|&target| target == Budget::Fpr(BYTE));
        byte.or_else(|| targets.find(|target| matches!(target, Budget::Fpr(_))))
    }
}

pub fn words(target: Budget) -> String {
    match target {
        Budget::Fpr(rate) => format!("rate {rate}"),
        Budget::BitsPerKey(bits) => format!("{bits} bits a key"),
        target => format!("{target:?}"),
    }
}

impl Suite {
    /// The suite's datasets without scenarios, from small to large.
    pub fn datasets(self) -> Vec<DatasetSpec> {
        let cells = match self {
            Self::Smoke => &FILE.smoke,
            Self::Quick => &FILE.quick,
            Self::Full => &FILE.full,
        };
        let specs = cells.iter().flat_map(|cells| {
            cells.key_sets.iter().map(|key_set| DatasetSpec {
                key_set: key_set.clone(),
                keys: cells.keys,
                targets: targets(cells.keys, [cells.first, cells.others, cells.budgets]),
                queries: 1 << cells.queries,
                who: cells.who,
                scenario: None,
            })
        });
        specs.collect()
    }

    /// The user's keys, up to the largest number of the suite.
    pub fn of_file(self, key_set: KeySet, keys: usize) -> Vec<DatasetSpec> {
        let most = match self {
            Self::Smoke => 1_000,
            Self::Quick => 1_000_000,
            Self::Full => 10_000_000,
        };
        vec![self.whole(key_set, keys.min(most))]
    }

    /// The user's numbers of random keys.
    pub fn of_sizes(self, keys: &[u64]) -> Vec<DatasetSpec> {
        keys.iter().map(|&keys| self.whole(KeySet::RandomU64, keys as usize)).collect()
    }

    /// The user's keys, with the suite's rates.
    fn whole(self, key_set: KeySet, keys: usize) -> DatasetSpec {
        let targets = targets(keys, [Some(Rounds::Whole), Some(Rounds::Whole), None]);
        let (queries, who) = (self.queries(), Who::All);
        DatasetSpec { key_set, keys, targets, queries, who, scenario: None }
    }

    /// The scenarios, each at one size, with random integers at one rate. Without those of threads
    /// on a single core.
    pub fn scenarios(self) -> Vec<DatasetSpec> {
        let is_possible =
            |kind: &ScenarioKind| cores() > 1 || kind.workload < Workload::ThreadsInsert;
        let spec = |kind: ScenarioKind| {
            let rounds = match self {
                Self::Full => Rounds::Most(3),
                _ if kind.is_long => Rounds::Half,
                _ => Rounds::Whole,
            };
            let size = FILE.sizes.get(&kind.workload).map_or(0, |sizes| sizes[self as usize]);
            self.along(kind.of_size(size), rounds)
        };
        ALL.into_iter().filter(is_possible).map(spec).collect()
    }

    pub fn along(self, scenario: Scenario, rounds: Rounds) -> DatasetSpec {
        let all = self.queries();
        DatasetSpec {
            targets: vec![(Budget::Fpr(scenario.kind.rate), rounds)],
            // Errors at a lower rate take more queries to count.
            queries: if scenario.kind.rate < RATE { all } else { all / ABSENT_SHARE },
            scenario: Some(scenario),
            ..self.whole(KeySet::RandomU64, scenario.keys)
        }
    }

    fn queries(self) -> usize {
        1 << if self == Self::Smoke { 14 } else { 20 }
    }

    /// Timed rounds, unless `--rounds` says otherwise.
    pub fn rounds(self) -> u64 {
        if self == Self::Smoke { 2 } else { 12 }
    }

    /// The number of filters of this many keys to verify in each cell.
    pub fn effort(self, keys: usize) -> Effort {
        let (min_seeds, max_seeds) = match self {
            // Few filters are enough for the rate, and a build takes a second.
            _ if keys >= 5_000_000 => (1, 2),
            Self::Smoke => (4, 80),
            Self::Quick => (2, 16),
            Self::Full => (4, 64),
        };
        Effort { min_seeds, max_seeds }
    }
}

#[test]
fn the_file_of_scenarios_can_be_read_and_has_every_size() {
    let file: File = toml::from_str(include_str!("../../scenarios.toml")).unwrap();
    assert_eq!([file.smoke.len(), file.quick.len(), file.full.len()], [4, 9, 13]);
    assert!(ALL.iter().all(|kind| file.sizes.contains_key(&kind.workload)));
    assert_eq!(file.sizes.len(), ALL.len());
}
