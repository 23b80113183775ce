//! The records of a run, and what follows from a cell's rows.

use crate::record::{
    Ability, Choice, Claim, ContenderFacts, EngineLine, Family, Machine, Point, Records, Role, Row,
    Run, State, Trial, Workload,
};
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;

/// A measured rate may be this much above the one asked for: the noise of a thousand false
/// positives, and of sizes in whole bits.
const OVER: f64 = 1.02;
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
    /// The way from the page to the records, if they are published together.
    pub(super) link: Option<String>,
    /// The key set that most of the page is about.
    pub(super) set: String,
    /// The number of keys that most of the page is about.
    pub(super) keys: u64,
}

/// What filters are asked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Target {
    /// A rate; filters of a fixed rate that keep it take part.
    Rate(f64),
    /// A memory budget in bits per key.
    Bits(f64),
}

/// A contender in one cell.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) facts: &'a ContenderFacts,
    rows: Vec<&'a Row>,
}

impl Data {
    /// Reads a folder of records.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let records = Records::newest(folder, None).filter(|found| found.folder() == folder);
        let records = records
            .ok_or_else(|| crate::error::BenchError::NoRecords { path: folder.to_owned() })?;
        let run = records
            .run()?
            .ok_or_else(|| crate::error::BenchError::NoRecords { path: folder.to_owned() })?;
        let rows = run.contender.iter().map(|facts| records.rows(&facts.name));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let mut data = Self {
            machine: records.machine()?,
            run,
            rows,
            points: records.table()?,
            claims: records.table()?,
            trials: records.table()?,
            choices: records.table()?,
            engines: records.table()?,
            link: None,
            set: String::new(),
            keys: 0,
        };
        (data.set, data.keys) = data.main();
        Ok(data)
    }

    /// The key set and the size with the most cells; of several, a million random keys.
    fn main(&self) -> (String, u64) {
        let mut cells: BTreeMap<(&str, u64), usize> = BTreeMap::new();
        for row in self.all().filter(|row| row.workload == Workload::Verify && is_plain(row)) {
            *cells.entry((&row.key_set, row.keys)).or_default() += 1;
        }
        let most = cells.values().max().copied().unwrap_or(0);
        let good = cells.iter().filter(|(_, cells)| **cells * 10 >= most * 8);
        let nearness = |keys: u64| ((keys.max(1) as f64).ln() - 1e6f64.ln()).abs();
        let best = good.map(|(cell, _)| *cell).min_by(|a, b| {
            let key = |cell: &(&str, u64)| (cell.0 != RANDOM, nearness(cell.1));
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        best.map_or_else(Default::default, |(set, keys)| (set.to_owned(), keys))
    }

    /// All rows.
    pub(super) fn all(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().flatten()
    }

    /// Who is compared, with their rows.
    fn compared(&self) -> impl Iterator<Item = (&ContenderFacts, &Vec<Row>)> {
        let all = self.run.contender.iter().zip(&self.rows);
        all.filter(|(facts, _)| facts.role == Role::Filter)
    }

    /// Who is compared.
    pub(super) fn filters(&self) -> impl Iterator<Item = &ContenderFacts> {
        self.compared().map(|(facts, _)| facts)
    }

    /// Everyone with rows of these keys and this target.
    pub(super) fn entries(&self, set: &str, keys: u64, target: Target) -> Vec<Entry<'_>> {
        self.compared()
            .filter_map(|(facts, rows)| Entry::of(facts, rows, set, keys, target))
            .collect()
    }

    /// The entries of the page's main keys at a rate.
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
        let all = self.run.contender.iter().zip(&self.rows);
        let (facts, rows) = all.into_iter().find(|(facts, _)| facts.name == name)?;
        Entry::of(facts, rows, set, keys, target)
    }

    /// The rows of one of the courses, by contender, in the order of the record.
    pub(super) fn course(&self, workload: Workload) -> Vec<Entry<'_>> {
        self.compared()
            .filter_map(|(facts, rows)| {
                let rows: Vec<&Row> = rows.iter().filter(|row| row.workload == workload).collect();
                (!rows.is_empty()).then_some(Entry { facts, rows })
            })
            .collect()
    }

    /// The numbers of keys of a set, rising.
    pub(super) fn sizes(&self, set: &str) -> Vec<u64> {
        let rows = self.all().filter(|row| row.workload == Workload::Verify && is_plain(row));
        let mut sizes: Vec<u64> =
            rows.filter(|row| row.key_set == set).map(|row| row.keys).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The number of keys nearest to the main one with which memory budgets were asked for.
    pub(super) fn budget_keys(&self) -> u64 {
        let asked = self.all().filter(|row| row.asked_bits.is_some() && row.key_set == self.set);
        let near = |keys: &u64| ((*keys).max(1) as f64 / self.keys.max(1) as f64).ln().abs();
        let keys = asked.map(|row| row.keys);
        keys.min_by(|a, b| near(a).total_cmp(&near(b))).unwrap_or(self.keys)
    }

    /// The rates asked for with the main keys, falling, the main one first.
    pub(super) fn rates(&self) -> Vec<f64> {
        let rows = self.all().filter(|row| row.key_set == self.set && row.keys == self.keys);
        let mut rates: Vec<f64> =
            rows.filter(|row| is_plain(row)).filter_map(|row| row.asked_fpr).collect();
        rates.sort_by(|a, b| b.total_cmp(a));
        rates.dedup();
        rates
    }

    /// The rate that most of the page is about: 1 % if it was measured.
    pub(super) fn rate(&self) -> f64 {
        let near = |rate: &f64| (rate.ln() - 0.01f64.ln()).abs();
        let rates = self.rates();
        let main = rates.into_iter().min_by(|a, b| near(a).total_cmp(&near(b)));
        main.unwrap_or(0.01)
    }

    /// The relative difference of times that is noise; 0 if unknown, so that nothing is a tie.
    pub(super) fn floor(&self, workload: Workload) -> f64 {
        self.run.floor(workload).unwrap_or(0.0)
    }

    /// A contender's curve, by rising bits.
    pub(super) fn curve(&self, name: &str) -> Vec<&Point> {
        let all: Vec<&Point> = self.points.iter().filter(|point| point.contender == name).collect();
        let near = |point: &&&Point| (point.keys as f64 / self.keys.max(1) as f64).ln().abs();
        let keys = all.iter().min_by(|a, b| near(a).total_cmp(&near(b))).map(|point| point.keys);
        let mut points: Vec<&Point> =
            all.into_iter().filter(|point| Some(point.keys) == keys).collect();
        points.sort_by(|a, b| a.bits_per_key.total_cmp(&b.bits_per_key));
        points
    }

    /// The advisor's answers about a topic, best first, and its further lines.
    pub(super) fn topic(&self, topic: &str) -> Vec<&Choice> {
        self.choices.iter().filter(|choice| choice.topic == topic).collect()
    }
}

/// Whether a row is about a filter of its planned keys.
fn is_plain(row: &Row) -> bool {
    row.planned_keys.is_none() && row.load.is_none()
}

impl<'a> Entry<'a> {
    fn of(
        facts: &'a ContenderFacts,
        rows: &'a [Row],
        set: &str,
        keys: u64,
        target: Target,
    ) -> Option<Self> {
        let is_asked = |row: &Row| match target {
            Target::Rate(rate) => {
                row.asked_bits.is_none() && row.asked_fpr.is_none_or(|asked| asked == rate)
            }
            Target::Bits(bits) => row.asked_bits == Some(bits),
        };
        let rows = rows
            .iter()
            .filter(|row| is_plain(row) && row.key_set == set && row.keys == keys && is_asked(row));
        let rows: Vec<&Row> = rows.collect();
        (!rows.is_empty()).then_some(Self { facts, rows })
    }

    pub(super) fn name(&self) -> &'a str {
        &self.facts.name
    }

    /// All its rows.
    pub(super) fn rows(&self) -> &[&'a Row] {
        &self.rows
    }

    /// Its row of a workload, if it was measured.
    pub(super) fn row(&self, workload: Workload) -> Option<&'a Row> {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| row.workload == workload && row.state == State::Measured);
        row.copied()
    }

    /// Why it has no numbers, if it failed.
    pub(super) fn failure(&self) -> Option<&'a str> {
        let failed = self.rows.iter().find(|row| row.state == State::Failed)?;
        Some(&failed.why)
    }

    pub(super) fn ns(&self, workload: Workload) -> Option<f64> {
        self.row(workload)?.ns
    }

    /// Keys in the filter.
    pub(super) fn keys(&self) -> u64 {
        self.rows.first().map_or(0, |row| row.keys)
    }

    /// Its measured facts: the verified row's, or a course's own.
    fn facts_row(&self) -> Option<&'a Row> {
        let measured = || self.rows.iter().filter(|row| row.state == State::Measured);
        let verify = measured().find(|row| row.workload == Workload::Verify);
        verify.or_else(|| measured().rfind(|row| row.held_bytes.is_some())).copied()
    }

    /// Bits held per key; the mean over the numbers of keys of an octave, where sizes jump.
    pub(super) fn bits(&self) -> Option<f64> {
        let (low, high) = self.octave().unwrap_or_else(|| {
            let bits = self.facts_row().and_then(Row::bits_per_key).unwrap_or(f64::NAN);
            (bits, bits)
        });
        Some((low + high) / 2.0).filter(|bits| bits.is_finite())
    }

    /// The least and the most bits per key over the numbers of keys of an octave, if they differ.
    pub(super) fn octave(&self) -> Option<(f64, f64)> {
        let row = self.facts_row()?;
        let (low, high) = row.held_bytes_octave_low.zip(row.held_bytes_octave_high)?;
        let bits = |bytes: u64| bytes as f64 * 8.0 / row.keys.max(1) as f64;
        (high as f64 > low as f64 * 1.1).then(|| (bits(low), bits(high)))
    }

    /// Its rate: the formula's where the measured one agrees, since that is known more exactly.
    pub(super) fn fpr(&self) -> Option<f64> {
        let measured = || self.rows.iter().filter(|row| row.state == State::Measured);
        let verify = measured().find(|row| row.workload == Workload::Verify);
        let row = verify.or_else(|| measured().rfind(|row| row.absent_queries.is_some()))?;
        let predicted = row.predicted_fpr.filter(|_| row.fpr_agrees == Some(true));
        predicted.or_else(|| row.fpr())
    }

    /// Its bits over the fewest possible at its rate.
    pub(super) fn overhead(&self) -> Option<f64> {
        let (bits, fpr) = self.bits().zip(self.fpr())?;
        (fpr > 0.0 && fpr < 1.0).then(|| bits / -fpr.log2())
    }

    /// Whether its rate is no more than this.
    pub(super) fn keeps(&self, rate: f64) -> bool {
        self.fpr().is_some_and(|fpr| fpr <= rate * OVER)
    }

    pub(super) fn can(&self, ability: Ability) -> bool {
        self.facts.abilities.contains(&ability)
    }

    pub(super) fn is(&self, family: Family) -> bool {
        self.facts.family == family
    }

    /// Whether it is a filter, not an exact set.
    pub(super) fn is_filter(&self) -> bool {
        !self.is(Family::Exact)
    }

    /// Peak bits per key while it is built.
    pub(super) fn peak_bits(&self) -> Option<f64> {
        let row = self.facts_row()?;
        Some(row.peak_build_bytes? as f64 * 8.0 / row.keys.max(1) as f64)
    }
}
