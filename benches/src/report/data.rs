//! The records of a run, and what follows from a cell's rows.

use super::advice::Example;
use super::answer::Need;
pub(super) use super::entry::Entry;
use super::number::{asked, keys};
use crate::error::BenchError;
use crate::record::{
    Choice, Claim, ContenderFacts, EngineLine, Machine, Point, Records, Role, Row, Run, Trial,
    Workload,
};
use anyhow::Result;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Random integers: the keys of sizes, courses and examples.
const RANDOM: &str = "random-u64";

/// A run's records.
#[derive(Clone, Debug)]
pub(super) struct Data {
    pub(super) machine: Option<Machine>,
    pub(super) run: Run,
    rows: Vec<Vec<Row>>,
    pub(super) points: Vec<Point>,
    pub(super) claims: Vec<Claim>,
    pub(super) trials: Vec<Trial>,
    pub(super) choices: Vec<Choice>,
    pub(super) engines: Vec<EngineLine>,
    pub(super) texts: Texts,
    /// The way from the page to the records, if they are published together.
    pub(super) link: Option<String>,
    /// The key set that most of the page is about.
    pub(super) set: String,
    /// The number of keys that most of the page is about.
    pub(super) keys: u64,
}

/// What the page says besides numbers; `texts.toml` explains it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Texts {
    pub(super) limits: Vec<String>,
    pub(super) uses: BTreeMap<String, String>,
    pub(super) need: Vec<Need>,
    pub(super) example: Vec<Example>,
}

/// What filters are asked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Target {
    /// A rate; filters of a fixed rate take part.
    Rate(f64),
    /// A memory budget in bits per key.
    Bits(f64),
}

impl Data {
    /// Reads a folder of records.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let none = || BenchError::NoRecords { path: folder.to_owned() };
        let records = Records::newest(folder, None).filter(|found| found.folder() == folder);
        let records = records.ok_or_else(none)?;
        let run = records.run()?.ok_or_else(none)?;
        let rows = run.contender.iter().map(|facts| records.rows(&facts.name));
        let mut data = Self {
            machine: records.machine()?,
            rows: rows.collect::<Result<_, _>>()?,
            run,
            points: records.table("theory")?,
            claims: records.table("claims")?,
            trials: records.table("construction")?,
            choices: records.table("choices")?,
            engines: records.table("engines")?,
            texts: toml::from_str(include_str!("texts.toml"))?,
            link: None,
            set: String::new(),
            keys: 0,
        };
        (data.set, data.keys) = data.main();
        Ok(data)
    }

    /// The key set and the size with the most contenders; of several, a million random keys.
    fn main(&self) -> (String, u64) {
        let mut cells: BTreeMap<(&str, u64), BTreeSet<&str>> = BTreeMap::new();
        for row in self.verified().filter(|row| row.asked_bits.is_none()) {
            cells.entry((&row.key_set, row.keys)).or_default().insert(&row.contender);
        }
        let most = cells.values().map(BTreeSet::len).max().unwrap_or(0);
        cells.retain(|_, who| who.len() * 10 >= most * 8);
        let far = |keys: u64| (apart(keys as f64, 1e6) * 1e6) as u64;
        let main = cells.into_keys().min_by_key(|(set, keys)| (*set != RANDOM, far(*keys)));
        main.map_or_else(Default::default, |(set, keys)| (set.to_owned(), keys))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().flatten()
    }

    /// The verified cells of filters of their planned keys.
    fn verified(&self) -> impl Iterator<Item = &Row> {
        self.all().filter(|row| row.workload == Workload::Verify && is_plain(row))
    }

    /// Filters and exact sets.
    pub(super) fn filters(&self) -> impl Iterator<Item = &ContenderFacts> {
        self.compared().filter(|facts| facts.role == Role::Filter)
    }

    /// Those and the maps.
    pub(super) fn compared(&self) -> impl DoubleEndedIterator<Item = &ContenderFacts> {
        self.run.contender.iter().filter(|facts| is_compared(facts))
    }

    /// Contenders with such rows.
    fn select(
        &self,
        who: impl Fn(&ContenderFacts) -> bool,
        what: impl Fn(&Row) -> bool,
    ) -> Vec<Entry<'_>> {
        let all = self.run.contender.iter().zip(&self.rows).filter(|(facts, _)| who(facts));
        let all = all.map(|(facts, rows)| Entry {
            facts,
            rows: rows.iter().filter(|row| what(row)).collect(),
        });
        all.filter(|entry| !entry.rows.is_empty()).collect()
    }

    /// Everyone with rows of these keys and this target, maps included.
    pub(super) fn entries(&self, set: &str, keys: u64, target: Target) -> Vec<Entry<'_>> {
        self.select(is_compared, |row| is_of(row, set, keys, target))
    }

    /// The same of the page's main keys at a rate.
    pub(super) fn main_entries(&self, rate: f64) -> Vec<Entry<'_>> {
        self.entries(&self.set, self.keys, Target::Rate(rate))
    }

    /// One contender's rows of these keys and this target; also a floor's or a twin's.
    pub(super) fn entry(
        &self,
        name: &str,
        set: &str,
        keys: u64,
        target: Target,
    ) -> Option<Entry<'_>> {
        self.select(|facts| facts.name == name, |row| is_of(row, set, keys, target)).pop()
    }

    /// The filters of one of the courses, in the order of the record.
    pub(super) fn course(&self, workload: Workload) -> Vec<Entry<'_>> {
        self.select(|facts| facts.role == Role::Filter, |row| row.workload == workload)
    }

    /// One contender in one of the courses.
    pub(super) fn course_of(&self, workload: Workload, name: &str) -> Option<Entry<'_>> {
        self.select(|facts| facts.name == name, |row| row.workload == workload).pop()
    }

    /// The numbers of keys of a set, rising.
    pub(super) fn sizes(&self, set: &str) -> Vec<u64> {
        let rows = self.verified().filter(|row| row.key_set == set);
        rows.map(|row| row.keys).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The number of keys nearest to the main one with which memory budgets were asked for.
    pub(super) fn budget_keys(&self) -> u64 {
        let asked = self.all().filter(|row| row.asked_bits.is_some() && row.key_set == self.set);
        nearest(self.keys as f64, asked.map(|row| row.keys as f64))
            .map_or(self.keys, |keys| keys as u64)
    }

    /// The rates asked for with the main keys, the nearest to 1 % first.
    pub(super) fn rates(&self) -> Vec<f64> {
        let rows = self.all().filter(|row| row.key_set == self.set && row.keys == self.keys);
        let rates = rows.filter(|row| is_plain(row)).filter_map(|row| row.asked_fpr);
        let mut rates: Vec<f64> = rates.collect();
        rates.sort_by(|a, b| apart(*a, 0.01).total_cmp(&apart(*b, 0.01)));
        rates.dedup();
        rates
    }

    /// The rate that most of the page is about: 1 % if it was measured.
    pub(super) fn rate(&self) -> f64 {
        self.rates().first().copied().unwrap_or(0.01)
    }

    /// The main keys and the main rate, in words.
    pub(super) fn what(&self) -> String {
        format!("{} keys ({}), {}", keys(self.keys), self.set, asked(self.rate()))
    }

    /// The relative difference of times that is noise; 0 if unknown, so that nothing is a tie.
    pub(super) fn floor(&self, workload: Workload) -> f64 {
        self.run.floor(workload).unwrap_or(0.0)
    }

    /// A contender's instructions, with whatever number of keys they were counted.
    pub(super) fn instructions(&self, name: &str, workload: Workload) -> Option<f64> {
        let mut rows = self.all().filter(|row| row.workload == workload && row.contender == name);
        rows.find_map(|row| row.instructions)
    }

    /// A contender's curve, by rising bits.
    pub(super) fn curve(&self, name: &str) -> Vec<&Point> {
        let all = || self.points.iter().filter(move |point| point.contender == name);
        let keys = nearest(self.keys as f64, all().map(|point| point.keys as f64));
        let mut points: Vec<&Point> =
            all().filter(|point| Some(point.keys as f64) == keys).collect();
        points.sort_by(|a, b| a.bits_per_key.total_cmp(&b.bits_per_key));
        points
    }

    /// The advisor's answers about a topic, best first, and its further lines.
    pub(super) fn topic(&self, topic: &str) -> Vec<&Choice> {
        self.choices.iter().filter(|choice| choice.topic == topic).collect()
    }
}

/// How far apart two numbers are, by their ratio.
fn apart(a: f64, b: f64) -> f64 {
    (a.max(f64::MIN_POSITIVE) / b.max(f64::MIN_POSITIVE)).ln().abs()
}

/// The number nearest to another, by their ratio.
fn nearest(to: f64, all: impl Iterator<Item = f64>) -> Option<f64> {
    all.min_by(|a, b| apart(*a, to).total_cmp(&apart(*b, to)))
}

fn is_compared(facts: &ContenderFacts) -> bool {
    matches!(facts.role, Role::Filter | Role::Map)
}

/// Whether a row is about a filter of its planned keys.
fn is_plain(row: &Row) -> bool {
    row.planned_keys.is_none() && row.load.is_none()
}

/// Whether a row is about a filter of these keys that was asked for this, or has a fixed rate.
fn is_of(row: &Row, set: &str, keys: u64, target: Target) -> bool {
    let is_asked = match target {
        Target::Bits(bits) => row.asked_bits == Some(bits),
        Target::Rate(rate) => {
            row.asked_bits.is_none() && row.asked_fpr.is_none_or(|asked| asked == rate)
        }
    };
    is_asked && is_plain(row) && row.key_set == set && row.keys == keys
}
