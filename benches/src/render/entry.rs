//! One contender in one heat: its records, and what follows from them.

use crate::contender::{Ability, Family};
use crate::record::{Row, Workload};
use crate::run::ContenderFacts;
use amq_core::numeric::overhead;

/// A contender's rows over the same keys at the same rate.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    /// The contender.
    pub(super) facts: &'a ContenderFacts,
    /// The rows of all workloads.
    pub(super) rows: Vec<&'a Row>,
}

/// A rate with its 95 % interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    /// The share of absent keys that were answered `true`.
    pub(super) mean: f64,
    /// Lower end.
    pub(super) low: f64,
    /// Upper end.
    pub(super) high: f64,
}

/// A time per key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    /// Median, in nanoseconds.
    pub(super) median: f64,
    /// Median absolute deviation.
    pub(super) mad: f64,
    /// Whether the rounds scatter too much.
    pub(super) unstable: bool,
}

impl Rate {
    /// A row of facts, with the interval of the count.
    pub(super) fn of(row: &Row) -> Option<Self> {
        Some(Self {
            mean: row.false_positives? as f64 / row.absent_queries.filter(|&n| n > 0)? as f64,
            low: row.fpr_low?,
            high: row.fpr_high?,
        })
    }

    /// The same, with the interval widened by the spread of single filters around their mean, where
    /// theory gives it: only a few filters were built.
    pub(super) fn joint_of(row: &Row) -> Option<Self> {
        const NORMAL: f64 = 1.96;
        let rate = Self::of(row)?;
        let filters = row.seeds.unwrap_or(1).max(1) as f64;
        let spread = NORMAL * row.predicted_fpr_sd.unwrap_or(0.0) / filters.sqrt();
        Some(Self {
            low: (rate.mean - (rate.mean - rate.low).hypot(spread)).max(0.0),
            high: rate.mean + (rate.high - rate.mean).hypot(spread),
            ..rate
        })
    }
}

impl Time {
    /// A timed row.
    pub(super) fn of(row: &Row) -> Option<Self> {
        Some(Self {
            median: row.median_ns?,
            mad: row.mad_ns.unwrap_or(0.0),
            unstable: row.unstable.unwrap_or(false),
        })
    }
}

/// Bits held per key in the filter.
pub(super) fn bits_of(row: &Row) -> Option<f64> {
    Some(row.held_bytes? as f64 * 8.0 / row.keys as f64)
}

impl<'a> Entry<'a> {
    fn row(&self, workload: Workload) -> Option<&'a Row> {
        self.rows
            .iter()
            .copied()
            .find(|row| row.workload == workload)
    }

    /// Why the contender failed, if it did.
    pub(super) fn error(&self) -> Option<&'a str> {
        self.failure(Workload::Verify)
    }

    /// Why a cell has no numbers, if it has none.
    pub(super) fn failure(&self, workload: Workload) -> Option<&'a str> {
        let row = self.row(workload)?;
        (!row.error.is_empty()).then_some(row.error.as_str())
    }

    /// The target rate.
    pub(super) fn asked(&self) -> Option<f64> {
        self.rows.first().and_then(|row| row.asked_fpr)
    }

    /// Keys in the filter.
    pub(super) fn keys(&self) -> u64 {
        self.rows.first().map_or(0, |row| row.keys)
    }

    /// The facts, unless they are an error.
    fn verified(&self) -> Option<&'a Row> {
        self.row(Workload::Verify)
            .filter(|row| row.error.is_empty())
    }

    /// Bits held per key.
    pub(super) fn bits(&self) -> Option<f64> {
        bits_of(self.verified()?)
    }

    /// Bits held per key while it was built, at most.
    pub(super) fn peak_bits(&self) -> Option<f64> {
        let row = self.verified()?;
        Some(row.peak_build_bytes? as f64 * 8.0 / row.keys as f64)
    }

    /// The measured rate, with the interval of the count.
    pub(super) fn rate(&self) -> Option<Rate> {
        Rate::of(self.verified()?)
    }

    /// The same, with the interval widened by the spread of single filters.
    pub(super) fn joint_rate(&self) -> Option<Rate> {
        Rate::joint_of(self.verified()?)
    }

    /// The exact formula's prediction, if there is one.
    pub(super) fn predicted(&self) -> Option<f64> {
        self.verified()?.predicted_fpr
    }

    /// Whether the measured rate agrees with it.
    pub(super) fn agrees(&self) -> Option<bool> {
        self.verified()?.fpr_agrees
    }

    /// Whether the rate is at most this. Where the measurement agrees with the formula, the formula
    /// decides, to within one percent; else the measurement, as far as it can tell.
    pub(super) fn keeps(&self, rate: f64) -> bool {
        const SLACK: f64 = 1.01;
        match (self.agrees(), self.predicted()) {
            (Some(true), Some(predicted)) => predicted <= rate * SLACK,
            _ => self
                .joint_rate()
                .is_some_and(|measured| measured.low <= rate),
        }
    }

    /// Bits per key over the bound at the measured rate; `None` for exact sets.
    pub(super) fn overhead(&self) -> Option<f64> {
        let rate = self.rate().filter(|rate| rate.mean > 0.0)?;
        Some(overhead(self.bits()?, rate.mean))
    }

    /// The overheads at the ends of the rate's interval.
    pub(super) fn overhead_range(&self) -> Option<(f64, f64)> {
        let rate = self.joint_rate().filter(|rate| rate.low > 0.0)?;
        let bits = self.bits()?;
        Some((overhead(bits, rate.low), overhead(bits, rate.high)))
    }

    /// The overhead at the best-known rate: the formula's where the measurement agrees with it,
    /// else the measured one.
    pub(super) fn best_overhead(&self) -> Option<f64> {
        match (self.agrees(), self.predicted()) {
            (Some(true), Some(rate)) if rate > 0.0 => Some(overhead(self.bits()?, rate)),
            _ => self.overhead(),
        }
    }

    /// Whether the rate after removals agrees with the formula for the remaining keys.
    pub(super) fn agrees_after_removal(&self) -> Option<bool> {
        self.row(Workload::Remove)?.fpr_agrees
    }

    /// Whether there is a row of a workload, with numbers or without.
    pub(super) fn has(&self, workload: Workload) -> bool {
        self.row(workload).is_some()
    }

    /// The time of a workload per key.
    pub(super) fn time(&self, workload: Workload) -> Option<Time> {
        Time::of(self.row(workload).filter(|row| row.error.is_empty())?)
    }

    /// The median of a workload.
    pub(super) fn median(&self, workload: Workload) -> Option<f64> {
        self.time(workload).map(|time| time.median)
    }

    /// Its name.
    pub(super) fn name(&self) -> &'a str {
        &self.facts.name
    }

    /// Whether it has an ability.
    pub(super) fn can(&self, ability: Ability) -> bool {
        self.facts.abilities.contains(&ability)
    }

    /// Whether it is an exact set.
    pub(super) fn is_exact(&self) -> bool {
        self.facts.family == Family::Exact
    }
}
