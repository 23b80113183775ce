//! A contender in one cell, and what follows from its rows.

use super::number::two;
use super::text::Text;
use crate::record::{Ability, Family, Info, Role, Row, State, Workload};

/// A measured rate may be this much above the one asked for: the noise of a thousand false
/// positives, and of sizes in whole bits.
const OVER: f64 = 1.02;

#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) facts: &'a Info,
    pub(super) rows: Vec<&'a Row>,
    /// Whether it gave a wrong answer, here or in another cell: then it is never the best.
    pub(super) is_wrong: bool,
}

/// A number of an entry.
pub(super) type Number = fn(&Entry<'_>) -> Option<f64>;

/// An entry and a number that orders it.
pub(super) type Ranked<'a> = (Entry<'a>, f64);

/// Those that have a number, the least first.
pub(super) fn ranked<'a>(
    entries: Vec<Entry<'a>>,
    number: impl Fn(&Entry<'a>) -> Option<f64>,
) -> Vec<Ranked<'a>> {
    let all = entries.into_iter().filter_map(|entry| number(&entry).map(|number| (entry, number)));
    let mut all: Vec<Ranked<'_>> = all.collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.name().cmp(b.0.name())));
    all
}

impl<'a> Entry<'a> {
    pub(super) fn name(&self) -> &'a str {
        &self.facts.name
    }

    pub(super) fn keys(&self) -> u64 {
        self.rows.first().map_or(0, |row| row.keys)
    }

    pub(super) fn can(&self, ability: Ability) -> bool {
        self.facts.abilities.contains(&ability)
    }

    pub(super) fn is(&self, family: Family) -> bool {
        self.facts.family == family
    }

    /// Whether it is a filter, not an exact set and not a map.
    pub(super) fn is_filter(&self) -> bool {
        self.facts.role == Role::Filter && !self.is(Family::Exact)
    }

    fn measured(&self) -> impl DoubleEndedIterator<Item = &'a Row> {
        self.rows.iter().copied().filter(|row| row.state == State::Measured)
    }

    pub(super) fn row(&self, workload: Workload) -> Option<&'a Row> {
        self.measured().find(|row| row.workload == workload)
    }

    pub(super) fn ns(&self, workload: Workload) -> Option<f64> {
        self.row(workload)?.ns
    }

    /// A mark for a time whose rounds scatter too much.
    pub(super) fn doubt(&self, workload: Workload) -> &'static str {
        let row = self.row(workload);
        if row.is_some_and(|row| row.unstable == Some(true)) { "?" } else { "" }
    }

    /// A time as it is shown in tables.
    pub(super) fn time(&self, workload: Workload) -> Option<String> {
        Some(two(self.ns(workload)?) + self.doubt(workload))
    }

    pub(super) fn failure(&self) -> Option<&'a str> {
        let failed = self.rows.iter().find(|row| row.state == State::Failed)?;
        Some(&failed.why)
    }

    /// Its name, marked if it gave a wrong answer anywhere or there is nothing else to say of it.
    pub(super) fn marked(&self, name: Text) -> Text {
        match self.failure() {
            Some(_) if self.bits().is_none() => name.plain(" ").strong("ERROR"),
            _ if self.is_wrong => name.plain(" †"),
            _ => name,
        }
    }

    pub(super) fn title(&self) -> Text {
        self.marked(Text::from(self.name()))
    }

    /// A measured fact: the verified row's, or the last that a course has.
    fn fact<T>(&self, of: impl Fn(&Row) -> Option<T>) -> Option<T> {
        match self.row(Workload::Verify) {
            Some(row) => of(row),
            None => self.measured().rev().find_map(of),
        }
    }

    /// Bits held per key; the mean over the numbers of keys of an octave, where sizes jump.
    pub(super) fn bits(&self) -> Option<f64> {
        match self.octave() {
            Some((low, high)) => Some((low + high) / 2.0),
            None => self.fact(Row::bits_per_key),
        }
    }

    /// The least and the most bits per key over the numbers of keys of an octave, if they differ.
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

    /// In a course of growth: the mean, the least and the most bits per key, the first stage left
    /// out.
    pub(super) fn growth(&self) -> Option<(f64, f64, f64)> {
        let points = self.measured().filter_map(|row| Some((row.keys, row.bits_per_key()?)));
        let mut points: Vec<(u64, f64)> = points.collect();
        points.sort_by_key(|(keys, _)| *keys);
        let grown = points.get(1..).filter(|grown| !grown.is_empty())?;
        let bits = || grown.iter().map(|(_, bits)| *bits);
        let mean = bits().sum::<f64>() / grown.len() as f64;
        Some((mean, bits().fold(f64::INFINITY, f64::min), bits().fold(0.0, f64::max)))
    }

    /// Its rate: the formula's where the measured one agrees, since that is known more exactly.
    pub(super) fn fpr(&self) -> Option<f64> {
        self.fact(|row| {
            let predicted = row.predicted_fpr.filter(|_| row.fpr_agrees == Some(true));
            predicted.or_else(|| row.fpr())
        })
    }

    pub(super) fn keeps(&self, rate: f64) -> bool {
        self.fpr().is_some_and(|fpr| fpr <= rate * OVER)
    }

    /// Its bits over the fewest possible at its rate.
    pub(super) fn overhead(&self) -> Option<f64> {
        let (bits, fpr) = self.bits().zip(self.fpr())?;
        (fpr > 0.0 && fpr < 1.0).then(|| bits / -fpr.log2())
    }
}
