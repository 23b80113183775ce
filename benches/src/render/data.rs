//! The records of one run, sorted into heats: the contenders over the same keys at one target rate.

use super::entry::Entry;
use crate::contender::{Family, Role};
use crate::error::BenchError;
use crate::machine::Machine;
use crate::record::{Row, Trial, Workload};
use crate::run::{ContenderFacts, Run};
use crate::store::Records;
use anyhow::{Context, Result};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// The rate of filters with eight-bit fingerprints; contenders without a target rate take part in
/// its heat.
const BYTE: f64 = 1.0 / 256.0;
/// The main rate of comparison, if it was measured.
const ONE_PERCENT: f64 = 0.01;

/// All records of one run.
#[derive(Debug)]
pub(super) struct Data {
    /// The folder it was read from.
    pub(super) folder: PathBuf,
    /// The run's own description.
    pub(super) run: Run,
    /// The machine's, if it was written.
    pub(super) machine: Option<Machine>,
    /// The rows of heats, for each contender.
    rows: Vec<Vec<Row>>,
    /// The rows of filters filled beyond their plan, for each contender.
    beyond: Vec<Vec<Row>>,
    /// The ribbon systems; empty if not measured.
    trials: Vec<Trial>,
}

/// Systems of one size, slots rising.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Coefficients of a row.
    pub(super) row_bits: u64,
    /// Keys of each system.
    pub(super) keys: u64,
    /// The results.
    pub(super) trials: Vec<&'a Trial>,
}

/// The contenders over the same keys.
#[derive(Debug)]
pub(super) struct Heat<'a> {
    /// Which keys.
    pub(super) key_set: &'a str,
    /// How many.
    pub(super) keys: u64,
    /// The target rate; `None` if no contender took one.
    pub(super) rate: Option<f64>,
    /// The contenders, in the order of the registry.
    pub(super) entries: Vec<Entry<'a>>,
}

impl Data {
    /// Reads the records of a folder.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let none = || BenchError::NoRecords {
            path: folder.to_owned(),
        };
        let records = Records::newest(folder, None).ok_or_else(none)?;
        let run = records.run()?.ok_or_else(none)?;
        let rows: Vec<Vec<Row>> = run
            .contender
            .iter()
            .map(|facts| records.rows(&facts.name))
            .collect::<Result<_, _>>()
            .context("the records cannot be read")?;
        let (rows, beyond) = rows
            .into_iter()
            .map(|rows| rows.into_iter().partition(|row| row.planned_keys.is_none()))
            .unzip();
        Ok(Self {
            folder: records.folder().to_owned(),
            machine: records.machine()?,
            trials: records.trials()?,
            run,
            rows,
            beyond,
        })
    }

    /// Contenders with their records.
    fn recorded(&self) -> impl Iterator<Item = (&ContenderFacts, &[Row])> {
        let rows = self.rows.iter().map(Vec::as_slice);
        self.run.contender.iter().zip(rows)
    }

    /// All contenders of the run.
    pub(super) fn contenders(&self) -> impl Iterator<Item = &ContenderFacts> {
        self.run.contender.iter()
    }

    /// The contenders of a course beyond the plan, with their rows, keys rising.
    pub(super) fn beyond(&self, workload: Workload) -> Vec<(&ContenderFacts, Vec<&Row>)> {
        let rows = self.beyond.iter().map(|rows| {
            let mut rows: Vec<&Row> = rows.iter().filter(|row| row.workload == workload).collect();
            rows.sort_by_key(|row| row.keys);
            rows
        });
        let all = self.run.contender.iter().zip(rows);
        all.filter(|(_, rows)| !rows.is_empty()).collect()
    }

    /// The ribbon systems: wide rows first, keys rising.
    pub(super) fn lines(&self) -> Vec<Line<'_>> {
        let of_size = |trial: &&Trial| (Reverse(trial.row_bits), trial.keys);
        let mut trials: Vec<&Trial> = self.trials.iter().collect();
        trials.sort_by_key(|trial| (of_size(trial), trial.slots));
        let lines = trials.chunk_by(|a, b| of_size(a) == of_size(b));
        lines
            .filter_map(|trials| {
                let first = trials.first()?;
                Some(Line {
                    row_bits: first.row_bits,
                    keys: first.keys,
                    trials: trials.to_vec(),
                })
            })
            .collect()
    }

    /// The compared contenders with records.
    pub(super) fn filters(&self) -> Vec<&ContenderFacts> {
        self.recorded()
            .filter(|(facts, rows)| facts.role == Role::Filter && !rows.is_empty())
            .map(|(facts, _)| facts)
            .collect()
    }

    /// The families that are compared, each once.
    pub(super) fn families(&self) -> Vec<Family> {
        let mut families: Vec<Family> = self.filters().iter().map(|facts| facts.family).collect();
        families.sort_unstable();
        families.dedup();
        families
    }

    /// The names of the key sets: the main one first, the others in the order in which they were
    /// measured.
    pub(super) fn key_sets(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let described = self.run.key_set.iter().map(|facts| facts.name.as_str());
        let recorded = self.rows.iter().flatten().map(|row| row.key_set.as_str());
        for name in described.chain(recorded) {
            let is_recorded = self.rows.iter().flatten().any(|row| row.key_set == name);
            if is_recorded && !names.contains(&name) {
                names.push(name);
            }
        }
        if let Some(main) = names.iter().position(|&name| name == "random-u64") {
            names[..=main].rotate_right(1);
        }
        names
    }

    /// A key set's numbers of keys, rising.
    pub(super) fn sizes(&self, key_set: &str) -> Vec<u64> {
        let of_set = self
            .rows
            .iter()
            .flatten()
            .filter(|row| row.key_set == key_set);
        let mut sizes: Vec<u64> = of_set.map(|row| row.keys).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The target rates, falling.
    pub(super) fn rates(&self, key_set: &str, keys: u64) -> Vec<f64> {
        let rows = self.rows.iter().flatten();
        let of_cell = rows.filter(|row| row.key_set == key_set && row.keys == keys);
        let mut rates: Vec<f64> = of_cell.filter_map(|row| row.asked_fpr).collect();
        rates.sort_by(|a, b| b.total_cmp(a));
        rates.dedup();
        rates
    }

    /// All heats over some keys, by falling rate.
    pub(super) fn heats<'a>(&'a self, key_set: &'a str, keys: u64) -> Vec<Heat<'a>> {
        let rates = self.rates(key_set, keys);
        let of_fixed = rates.iter().find(|&&rate| rate == BYTE).or(rates.first());
        let heat = |rate: Option<f64>| Heat {
            key_set,
            keys,
            rate,
            entries: self
                .recorded()
                .filter_map(|(facts, rows)| {
                    let asked = if facts.takes_rate { rate } else { None };
                    let takes_part = facts.takes_rate || rate == of_fixed.copied();
                    let is_of = |row: &&Row| {
                        row.key_set == key_set && row.keys == keys && row.asked_fpr == asked
                    };
                    let rows: Vec<&Row> = rows.iter().filter(is_of).collect();
                    (takes_part && !rows.is_empty()).then_some(Entry { facts, rows })
                })
                .collect(),
        };
        if rates.is_empty() {
            return Some(heat(None))
                .filter(|heat| !heat.entries.is_empty())
                .into_iter()
                .collect();
        }
        rates.iter().map(|&rate| heat(Some(rate))).collect()
    }

    /// Every heat: key sets in their order, sizes rising, rates falling.
    pub(super) fn all_heats(&self) -> Vec<Heat<'_>> {
        let mut heats = Vec::new();
        for key_set in self.key_sets() {
            for keys in self.sizes(key_set) {
                heats.extend(self.heats(key_set, keys));
            }
        }
        heats
    }

    /// The main key set.
    pub(super) fn main_set(&self) -> Option<&str> {
        self.key_sets().first().copied()
    }

    /// The size at which most rates were measured; of several, the largest.
    pub(super) fn main_size(&self) -> Option<u64> {
        let set = self.main_set()?;
        self.sizes(set)
            .into_iter()
            .max_by_key(|&keys| (self.rates(set, keys).len(), keys))
    }

    /// The main rate of comparison.
    pub(super) fn main_rate(&self) -> Option<f64> {
        let rates = self.rates(self.main_set()?, self.main_size()?);
        let one_percent = rates.iter().find(|&&rate| rate == ONE_PERCENT);
        one_percent.or(rates.first()).copied()
    }

    /// The entries that count for a rate: those with that target, and those without a target whose
    /// rate is no worse.
    pub(super) fn answering<'a>(
        &'a self,
        key_set: &'a str,
        keys: u64,
        rate: Option<f64>,
    ) -> Vec<Entry<'a>> {
        self.heats(key_set, keys)
            .into_iter()
            .flat_map(|heat| {
                let asked = heat.rate == rate;
                heat.entries.into_iter().filter(move |entry| {
                    entry.facts.role == Role::Filter
                        && if entry.facts.takes_rate { asked } else { true }
                })
            })
            .filter(|entry| match (entry.error(), rate) {
                (Some(_), _) => false,
                (None, Some(rate)) => entry.keeps(rate),
                (None, None) => true,
            })
            .collect()
    }

    /// Differences below this are ties: the run's noise floor, if it was measured.
    pub(super) fn noise(&self) -> Option<f64> {
        self.run.noise_floor
    }
}
