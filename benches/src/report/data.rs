//! The records of a run, and what follows from a cell's rows.

use super::advice::Example;
use super::needs::{Need, Needs};
use super::prelude::*;
use crate::error::BenchError;
use anyhow::Result;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::iter;

/// Random integers: the keys of sizes, courses and examples.
const RANDOM: &str = "random-u64";

#[derive(Clone, Default, Debug)]
pub(super) struct Data {
    pub(super) machine: Option<Machine>,
    pub(super) run: Run,
    rows: Vec<Vec<Row>>,
    points: Vec<Point>,
    pub(super) texts: Texts,
    /// The way from the page to the records, if they are published together.
    pub(super) link: Option<String>,
    /// The key set and the number of keys that most of the page is about.
    pub(super) set: String,
    pub(super) keys: u64,
    /// The rates asked for with these keys, the nearest to 1 % first.
    pub(super) rates: Vec<f64>,
    /// The nearest number of keys with which memory budgets were asked for.
    pub(super) budget_keys: u64,
}

/// What the page says besides numbers; `texts.toml` explains it.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Texts {
    pub(super) limits: Vec<String>,
    said: BTreeMap<String, String>,
    pub(super) abilities: Vec<(String, Ability)>,
    pub(super) times: Vec<(String, Workload)>,
    pub(super) group: Vec<Needs>,
    pub(super) example: Vec<Example>,
}

/// Which rows of contenders.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of<'a> {
    /// Of a key set, a number of keys and a rate; filters of a fixed rate take part.
    Rate(&'a str, u64, f64),
    /// Of a number of keys and a memory budget in bits per key.
    Bits(u64, f64),
    Course(&'static str),
}

impl Data {
    pub(super) fn read(records: &Records) -> Result<Self> {
        let none = || BenchError::NoRecords { path: records.folder().to_owned() };
        let run = records.run()?.ok_or_else(none)?;
        let names = run.contender.iter().map(|facts| &facts.name);
        let rows = names.map(|name| records.rows(name));
        let mut data = Self {
            machine: records.machine()?,
            rows: rows.collect::<Result<_, _>>()?,
            run,
            points: records.table("theory")?,
            texts: toml::from_str(include_str!("texts.toml"))?,
            ..Self::default()
        };
        (data.set, data.keys) = data.main_keys();
        data.rates = data.main_rates();
        let budgets = data.all().filter(|row| row.asked_bits.is_some() && row.key_set == data.set);
        data.budget_keys = nearest(data.keys, budgets.map(|row| row.keys)).unwrap_or(data.keys);
        Ok(data)
    }

    /// The keys nearest to a million random ones.
    fn main_keys(&self) -> (String, u64) {
        let far = |row: &&Row| (row.key_set != RANDOM, (apart(row.keys as f64, 1e6) * 1e6) as u64);
        let cells = self.verified().filter(|row| row.asked_bits.is_none());
        cells.min_by_key(far).map_or_else(Default::default, |row| (row.key_set.clone(), row.keys))
    }

    fn main_rates(&self) -> Vec<f64> {
        let is_main = |row: &&Row| (&row.key_set, row.keys) == (&self.set, self.keys);
        let rows = self.all().filter(is_main).filter(|row| is_plain(row));
        let mut rates: Vec<f64> = rows.filter_map(|row| row.asked_fpr).collect();
        rates.sort_by(|a, b| apart(*a, 0.01).total_cmp(&apart(*b, 0.01)));
        rates.dedup();
        rates
    }

    /// The rate that most of the page is about: 1 % if it was measured.
    pub(super) fn rate(&self) -> f64 {
        self.rates.first().copied().unwrap_or(0.01)
    }

    /// The page's keys and rate.
    pub(super) fn main(&self) -> Of<'_> {
        self.with(self.keys)
    }

    /// This selection with another number of keys.
    pub(super) fn with(&self, keys: u64) -> Of<'_> {
        Of::Rate(&self.set, keys, self.rate())
    }

    pub(super) fn needs(&self) -> impl Iterator<Item = &Need> {
        self.texts.group.iter().flat_map(|group| &group.need)
    }

    /// A text with these parts in its gaps.
    pub(super) fn say(&self, name: &str, parts: &[&dyn Display]) -> String {
        let text = self.texts.said[name].split("{}");
        debug_assert_eq!(text.clone().count(), parts.len() + 1, "{name}");
        let parts = iter::once(String::new()).chain(parts.iter().map(ToString::to_string));
        text.zip(parts).map(|(text, part)| part + text).collect()
    }

    pub(super) fn what(&self) -> String {
        format!("{} keys ({}), {}", keys(self.keys), self.set, asked(self.rate()))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().flatten()
    }

    /// The verified cells of filters of their planned keys.
    fn verified(&self) -> impl Iterator<Item = &Row> {
        self.all().filter(|row| row.workload == Workload::Verify && is_plain(row))
    }

    pub(super) fn filters(&self) -> impl Iterator<Item = &Info> {
        self.compared().filter(|facts| facts.role == Role::Filter)
    }

    /// Filters, exact sets and maps.
    pub(super) fn compared(&self) -> impl Iterator<Item = &Info> {
        self.run.contender.iter().filter(|facts| is_compared(facts))
    }

    /// Everyone with such rows, maps included, in the order of the record.
    pub(super) fn entries(&self, of: Of<'_>) -> Vec<Entry<'_>> {
        self.select(of, is_compared)
    }

    /// One contender with such rows; also a floor or a twin.
    pub(super) fn entry(&self, name: &str, of: Of<'_>) -> Option<Entry<'_>> {
        self.select(of, |facts| facts.name == name).pop()
    }

    fn select(&self, of: Of<'_>, who: impl Fn(&Info) -> bool) -> Vec<Entry<'_>> {
        let all = self.run.contender.iter().zip(&self.rows).filter(|(facts, _)| who(facts));
        let all = all.map(|(facts, rows)| Entry {
            facts,
            rows: rows.iter().filter(|row| self.is_of(row, of)).collect(),
            is_wrong: rows.iter().any(is_wrong),
        });
        all.filter(|entry| !entry.rows.is_empty()).collect()
    }

    fn is_of(&self, row: &Row, of: Of<'_>) -> bool {
        let (set, keys, is_asked) = match of {
            Of::Course(name) => return row.workload == Workload::Course(CourseName(name)),
            Of::Bits(keys, bits) => (self.set.as_str(), keys, row.asked_bits == Some(bits)),
            Of::Rate(set, keys, rate) => {
                let is_asked = row.asked_fpr.is_none_or(|asked| asked == rate);
                (set, keys, is_asked && row.asked_bits.is_none())
            }
        };
        is_asked && is_plain(row) && (row.key_set.as_str(), row.keys) == (set, keys)
    }

    /// The numbers of keys of a set, rising.
    pub(super) fn sizes(&self, set: &str) -> Vec<u64> {
        let rows = self.verified().filter(|row| row.key_set == set);
        rows.map(|row| row.keys).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// A contender's verified cells with the page's keys, of all rates and budgets.
    pub(super) fn rates_of(&self, name: &str) -> impl Iterator<Item = &Row> {
        let keys = |row: &Row| if row.asked_bits.is_some() { self.budget_keys } else { self.keys };
        self.verified().filter(move |row| {
            (row.contender.as_str(), &row.key_set, row.keys) == (name, &self.set, keys(row))
        })
    }

    /// The sizes in bytes and the names of the caches that hold data.
    pub(super) fn caches(&self) -> impl Iterator<Item = (u64, String)> {
        let all = self.machine.iter().flat_map(|machine| &machine.cache);
        let all = all.filter(|cache| cache.kind != "Instruction");
        all.map(|cache| (cache.bytes, format!("L{} {}", cache.level, binary(cache.bytes))))
    }

    /// The relative difference of times that is noise; 0 if unknown, so that nothing is a tie.
    pub(super) fn floor(&self, workload: Workload) -> f64 {
        self.run.floor(workload).unwrap_or(0.0)
    }

    /// Of what is no filter: hashing alone, or with one line of memory read for each key.
    pub(super) fn floor_entry(&self, name: &str, keys: u64) -> Option<Entry<'_>> {
        self.entry(name, self.with(keys)).filter(|entry| entry.facts.role == Role::Floor)
    }

    /// A contender's curve, by rising bits.
    pub(super) fn curve(&self, name: &str) -> Vec<&Point> {
        let all = || self.points.iter().filter(move |point| point.contender == name);
        let keys = nearest(self.keys, all().map(|point| point.keys));
        let mut points: Vec<&Point> = all().filter(|point| Some(point.keys) == keys).collect();
        points.sort_by(|a, b| a.bits_per_key.total_cmp(&b.bits_per_key));
        points
    }
}

/// How far apart two numbers are, by their ratio.
fn apart(a: f64, b: f64) -> f64 {
    (a.max(f64::MIN_POSITIVE) / b.max(f64::MIN_POSITIVE)).ln().abs()
}

/// The number nearest to another, by their ratio; of two the smaller.
fn nearest(to: u64, all: impl Iterator<Item = u64>) -> Option<u64> {
    let far = |number: u64| apart(number as f64, to as f64);
    all.min_by(|a, b| far(*a).total_cmp(&far(*b)).then(a.cmp(b)))
}

fn is_compared(facts: &Info) -> bool {
    matches!(facts.role, Role::Filter | Role::Keyed | Role::Map)
}

/// Whether a filter gave a wrong answer: one that could not be built gave none.
fn is_wrong(row: &Row) -> bool {
    row.state == State::Failed && !row.why.starts_with("build refused")
}

/// Whether a row is about a filter of its planned keys.
fn is_plain(row: &Row) -> bool {
    row.planned_keys.is_none() && row.load.is_none()
}
