//! A contender in one cell, and what follows from its rows.

use crate::record::{Ability, ContenderFacts, Family, Role, Row, State, Workload};

/// A measured rate may be this much above the one asked for: the noise of a thousand false
/// positives, and of sizes in whole bits.
const OVER: f64 = 1.02;

/// A contender in one cell.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) facts: &'a ContenderFacts,
    pub(super) rows: Vec<&'a Row>,
}

impl<'a> Entry<'a> {
    pub(super) fn name(&self) -> &'a str {
        &self.facts.name
    }

    pub(super) fn rows(&self) -> &[&'a Row] {
        &self.rows
    }

    /// Its row of a workload, if it was measured.
    pub(super) fn row(&self, workload: Workload) -> Option<&'a Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.workload == workload && row.state == State::Measured).copied()
    }

    /// Why it has no numbers, if it failed.
    pub(super) fn failure(&self) -> Option<&'a str> {
        let failed = self.rows.iter().find(|row| row.state == State::Failed)?;
        Some(&failed.why)
    }

    pub(super) fn ns(&self, workload: Workload) -> Option<f64> {
        self.row(workload)?.ns
    }

    pub(super) fn keys(&self) -> u64 {
        self.rows.first().map_or(0, |row| row.keys)
    }

    /// A measured fact: the verified row's, or the last that a course has.
    fn fact<T>(&self, of: impl Fn(&Row) -> Option<T>) -> Option<T> {
        match self.row(Workload::Verify) {
            Some(row) => of(row),
            None => {
                let measured = self.rows.iter().filter(|row| row.state == State::Measured);
                measured.rev().find_map(|row| of(row))
            }
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

    /// Its rate: the formula's where the measured one agrees, since that is known more exactly.
    pub(super) fn fpr(&self) -> Option<f64> {
        self.fact(|row| {
            let predicted = row.predicted_fpr.filter(|_| row.fpr_agrees == Some(true));
            predicted.or_else(|| row.fpr())
        })
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

    /// Whether it is a filter, not an exact set and not a map.
    pub(super) fn is_filter(&self) -> bool {
        self.facts.role == Role::Filter && !self.is(Family::Exact)
    }

    /// Peak bits per key while it is built.
    pub(super) fn peak_bits(&self) -> Option<f64> {
        self.fact(|row| Some(row.peak_build_bytes? as f64 * 8.0 / row.keys.max(1) as f64))
    }
}
