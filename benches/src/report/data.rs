//! The records of a run, and a contender's rows in one cell.

use super::number::{asked, binary, keys};
use crate::error::BenchError;
use crate::record::{
    Ability, Family, Info, Machine, Point, Records, Role, Row, Run, State, Workload,
};
use anyhow::Result;
use std::collections::BTreeSet;

/// Random integers: the key set for sizes and scenarios.
const RANDOM: &str = "random-u64";
/// A measured rate may exceed the target by this factor: for the noise of a thousand false
/// positives, and for sizes in whole bits.
const OVER: f64 = 1.02;

#[derive(Clone, Default, Debug)]
pub(super) struct Data {
    pub(super) machine: Option<Machine>,
    pub(super) run: Run,
    rows: Vec<Vec<Row>>,
    points: Vec<Point>,
    /// The relative path from the page to the records, if they are published together.
    pub(super) link: Option<String>,
    /// The main key set and number of keys of the page.
    pub(super) set: String,
    pub(super) keys: u64,
    /// The target rates with these keys, the nearest to 1 % first.
    pub(super) rates: Vec<f64>,
}

/// A selection of rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of<'a> {
    /// A key set, a number of keys and a rate; includes filters of a fixed rate.
    Rate(&'a str, u64, f64),
    /// A number of keys and a memory budget in bits per key.
    Bits(u64, f64),
    Scenario(Workload),
}

impl Data {
    pub(super) fn read(records: &Records) -> Result<Self> {
        let none = || BenchError::NoRecords { path: records.folder().to_owned() };
        let run = records.run()?.ok_or_else(none)?;
        let rows = run.contender.iter().map(|info| records.rows(&info.name));
        let mut data = Self {
            machine: records.machine()?,
            rows: rows.collect::<Result<_, _>>()?,
            points: records.table("theory")?,
            run,
            ..Self::default()
        };
        let far = |row: &&Row| (row.key_set != RANDOM, (apart(row.keys as f64, 1e6) * 1e6) as u64);
        let cells = data.verified().filter(|row| row.asked_bits.is_none());
        (data.set, data.keys) = cells
            .min_by_key(far)
            .map_or_else(Default::default, |row| (row.key_set.clone(), row.keys));
        let is_main = |row: &&Row| (&row.key_set, row.keys) == (&data.set, data.keys);
        let rows = data.verified().filter(is_main);
        let mut rates: Vec<f64> = rows.filter_map(|row| row.asked_fpr).collect();
        rates.sort_by(|a, b| apart(*a, 0.01).total_cmp(&apart(*b, 0.01)));
        rates.dedup();
        data.rates = rates;
        Ok(data)
    }

    /// The main rate of the page: 1 % if it was measured.
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

    /// The main keys and rate in words.
    pub(super) fn what(&self) -> String {
        let set = if self.set == RANDOM { "random integers" } else { &self.set };
        format!("{} keys ({set}) at {}", keys(self.keys), asked(self.rate()))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().flatten()
    }

    /// The verified cells of filters that hold their planned keys.
    pub(super) fn verified(&self) -> impl Iterator<Item = &Row> {
        let all = self.run.contender.iter().zip(&self.rows).filter(|(info, _)| !info.many_sets);
        let all = all.flat_map(|(_, rows)| rows);
        all.filter(|row| row.workload == Workload::Verify && is_plain(row))
    }

    /// The contenders that are compared as filters, sets or maps, without twins and floors.
    pub(super) fn compared(&self) -> impl Iterator<Item = &Info> {
        self.run.contender.iter().filter(|info| is_compared(info))
    }

    pub(super) fn entries(&self, of: Of<'_>) -> Vec<Entry<'_>> {
        self.select(of, is_compared)
    }

    /// One contender in this selection, which may be a floor or a twin.
    pub(super) fn entry(&self, name: &str, of: Of<'_>) -> Option<Entry<'_>> {
        self.select(of, |info| info.name == name).pop()
    }

    fn select(&self, of: Of<'_>, who: impl Fn(&Info) -> bool) -> Vec<Entry<'_>> {
        let all = self.run.contender.iter().zip(&self.rows).filter(|(info, _)| who(info));
        let all = all.map(|(info, rows)| Entry {
            info,
            rows: rows.iter().filter(|row| self.is_of(row, of)).collect(),
            is_wrong: rows.iter().any(is_wrong),
        });
        all.filter(|entry| !entry.rows.is_empty()).collect()
    }

    fn is_of(&self, row: &Row, of: Of<'_>) -> bool {
        let (set, keys, is_asked) = match of {
            Of::Scenario(workload) => return row.workload == workload,
            Of::Bits(keys, bits) => (self.set.as_str(), keys, row.asked_bits == Some(bits)),
            Of::Rate(set, keys, rate) => {
                let is_asked = row.asked_fpr.is_none_or(|asked| asked == rate);
                (set, keys, is_asked && row.asked_bits.is_none())
            }
        };
        is_asked && is_plain(row) && (row.key_set.as_str(), row.keys) == (set, keys)
    }

    /// The numbers of keys of a set, in ascending order.
    pub(super) fn sizes(&self, set: &str) -> Vec<u64> {
        let rows = self.verified().filter(|row| row.key_set == set);
        rows.map(|row| row.keys).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The sizes in bytes and the names of the caches that hold data.
    pub(super) fn caches(&self) -> impl Iterator<Item = (u64, String)> {
        let all = self.machine.iter().flat_map(|machine| &machine.cache);
        let all = all.filter(|cache| cache.kind != "Instruction");
        all.map(|cache| (cache.bytes, format!("L{} {}", cache.level, binary(cache.bytes))))
    }

    /// The relative difference of times below which they tie; 0 if unknown.
    pub(super) fn floor(&self, workload: Workload) -> f64 {
        self.run.floor(workload).unwrap_or(0.0)
    }

    /// Not a filter, but a floor: hashing alone, or hashing and reading a line of memory.
    pub(super) fn floor_ns(&self, name: &str, keys: u64) -> Option<f64> {
        let entry = self.entry(name, self.with(keys))?;
        entry.ns(Workload::Query50).filter(|_| entry.info.role == Role::Floor)
    }

    /// A contender's curve, by rising bits.
    pub(super) fn curve(&self, name: &str) -> Vec<&Point> {
        let all = || self.points.iter().filter(move |point| point.contender == name);
        let far = |keys: u64| apart(keys as f64, self.keys as f64);
        let keys = all().map(|point| point.keys).min_by(|a, b| far(*a).total_cmp(&far(*b)));
        let mut points: Vec<&Point> = all().filter(|point| Some(point.keys) == keys).collect();
        points.sort_by(|a, b| a.bits_per_key.total_cmp(&b.bits_per_key));
        points
    }
}

/// The distance between two numbers, by their ratio.
fn apart(a: f64, b: f64) -> f64 {
    (a.max(f64::MIN_POSITIVE) / b.max(f64::MIN_POSITIVE)).ln().abs()
}

fn is_compared(info: &Info) -> bool {
    matches!(info.role, Role::Filter | Role::Keyed | Role::Map) && !info.many_sets
}

/// Whether a filter gave a wrong answer. A filter that could not be built did not.
fn is_wrong(row: &Row) -> bool {
    row.state == State::Failed && !row.why.starts_with("build refused")
}

/// Whether a row is of a filter that holds its planned keys.
fn is_plain(row: &Row) -> bool {
    row.planned_keys.is_none() && row.load.is_none()
}

/// A contender in one cell.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) info: &'a Info,
    pub(super) rows: Vec<&'a Row>,
    /// Whether it gave a wrong answer in any cell: then it is never the best.
    pub(super) is_wrong: bool,
}

/// The entries with a number, in ascending order.
pub(super) fn ranked<'a>(
    entries: Vec<Entry<'a>>,
    number: impl Fn(&Entry<'a>) -> Option<f64>,
) -> Vec<(Entry<'a>, f64)> {
    let all = entries.into_iter().filter_map(|entry| number(&entry).map(|number| (entry, number)));
    let mut all: Vec<_> = all.collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.name().cmp(b.0.name())));
    all
}

impl<'a> Entry<'a> {
    pub(super) fn name(&self) -> &'a str {
        &self.info.name
    }

    pub(super) fn can(&self, ability: Ability) -> bool {
        self.info.abilities.contains(&ability)
    }

    /// Whether it is a filter, not an exact set, a map or a keyed one.
    pub(super) fn is_filter(&self) -> bool {
        self.info.role == Role::Filter && self.info.family != Family::Exact
    }

    pub(super) fn measured(&self) -> impl DoubleEndedIterator<Item = &'a Row> {
        self.rows.iter().copied().filter(|row| row.state == State::Measured)
    }

    pub(super) fn row(&self, workload: Workload) -> Option<&'a Row> {
        self.measured().find(|row| row.workload == workload)
    }

    pub(super) fn ns(&self, workload: Workload) -> Option<f64> {
        self.row(workload)?.ns
    }

    pub(super) fn has_failed(&self) -> bool {
        self.rows.iter().any(|row| row.state == State::Failed)
    }

    /// A measured value: of the verified row, or of the last row of a scenario.
    fn fact<T>(&self, of: impl Fn(&Row) -> Option<T>) -> Option<T> {
        match self.row(Workload::Verify) {
            Some(row) => of(row),
            None => self.measured().rev().find_map(of),
        }
    }

    /// Bits held per key; if sizes jump, the mean over one doubling of the keys.
    pub(super) fn bits(&self) -> Option<f64> {
        match self.octave() {
            Some((low, high)) => Some((low + high) / 2.0),
            None => self.fact(Row::bits_per_key),
        }
    }

    /// The minimum and maximum bits per key over one doubling of the keys, if they differ.
    pub(super) fn octave(&self) -> Option<(f64, f64)> {
        self.fact(|row| {
            let (low, high) = row.held_bytes_octave_low.zip(row.held_bytes_octave_high)?;
            let bits = |bytes: u64| bytes as f64 * 8.0 / row.keys.max(1) as f64;
            (high as f64 > low as f64 * 1.1).then(|| (bits(low), bits(high)))
        })
    }

    pub(super) fn peak_bits(&self) -> Option<f64> {
        self.fact(|row| Some(row.peak_build_bytes? as f64 * 8.0 / row.keys.max(1) as f64))
    }

    /// While it grows: mean, minimum and maximum bits per key, without the first stage.
    pub(super) fn growth(&self) -> Option<(f64, f64, f64)> {
        let points = self.measured().filter_map(|row| Some((row.keys, row.bits_per_key()?)));
        let mut points: Vec<(u64, f64)> = points.collect();
        points.sort_by_key(|(keys, _)| *keys);
        let grown = points.get(1..).filter(|grown| !grown.is_empty())?;
        let bits = || grown.iter().map(|(_, bits)| *bits);
        let mean = bits().sum::<f64>() / grown.len() as f64;
        Some((mean, bits().fold(f64::INFINITY, f64::min), bits().fold(0.0, f64::max)))
    }

    /// Its rate: that of the formula if the measured one agrees, since it is exact.
    pub(super) fn fpr(&self) -> Option<f64> {
        self.fact(|row| {
            let predicted = row.predicted_fpr.filter(|_| row.fpr_agrees == Some(true));
            predicted.or_else(|| row.fpr())
        })
    }

    pub(super) fn keeps(&self, rate: f64) -> bool {
        self.fpr().is_some_and(|fpr| fpr <= rate * OVER)
    }

    /// Its bits divided by the fewest possible at its rate.
    pub(super) fn overhead(&self) -> Option<f64> {
        let (bits, fpr) = self.bits().zip(self.fpr())?;
        (fpr > 0.0 && fpr < 1.0).then(|| bits / -fpr.log2())
    }
}
