//! From rounds to one number: the paired ratio to the reference, its interval, and the time.
//!
//! Pure functions over stored rounds. A shared machine's speed drifts within seconds, but a
//! contender's pass and the reference's pass right beside it see the same machine, so their ratio
//! does not drift. The time is the ratio times the reference's time when the machine was good.

use crate::record::Row;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::fmt;

/// How a ratio is estimated from paired rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Estimator {
    /// The median of the rounds' ratios.
    PairedMedian,
    /// The same over the half of the rounds in which the reference was fastest.
    QuietMedian,
    /// The fastest round over the reference's fastest.
    Minima,
    /// The lower quartile of the rounds over the reference's.
    Quartiles,
}

impl Estimator {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::PairedMedian, Self::QuietMedian, Self::Minima, Self::Quartiles];
    /// The one behind `ns` in the records: on a quiet machine nine in ten twins differed by less
    /// than 11.1 %, by the others less than 11.9, 12.7 and 15.1 %; half of them by 2.4 to 3.1 %.
    pub const USED: Self = Self::PairedMedian;

    /// The ratio; `None` without rounds, or if there is not one of the reference's beside each.
    pub fn ratio(self, ns: &[f64], reference: &[f64]) -> Option<f64> {
        if ns.len() != reference.len() {
            return None;
        }
        let pairs = || ns.iter().zip(reference);
        let ratios = |pair: (&f64, &f64)| pair.0 / pair.1;
        let quartile = |times| quantile(times, 0.25);
        match self {
            Self::PairedMedian => median(&pairs().map(ratios).collect::<Vec<_>>()),
            Self::QuietMedian => {
                let middle = median(reference)?;
                let quiet = pairs().filter(|pair| *pair.1 <= middle);
                median(&quiet.map(ratios).collect::<Vec<_>>())
            }
            Self::Minima => Some(quantile(ns, 0.0)? / quantile(reference, 0.0)?),
            Self::Quartiles => Some(quartile(ns)? / quartile(reference)?),
        }
    }

    /// The 95 % interval of the ratio, by resampling the rounds with a fixed seed.
    pub fn interval(self, ns: &[f64], reference: &[f64]) -> Option<(f64, f64)> {
        const RESAMPLES: usize = 200;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(ns.len() as u64);
        let mut ratios = Vec::with_capacity(RESAMPLES);
        for _ in 0..RESAMPLES {
            let draws = (0..ns.len()).map(|_| rng.random_range(0..ns.len()));
            let (drawn, beside): (Vec<f64>, Vec<f64>) =
                draws.filter_map(|place| Some((*ns.get(place)?, *reference.get(place)?))).unzip();
            ratios.push(self.ratio(&drawn, &beside)?);
        }
        Some((quantile(&ratios, 0.025)?, quantile(&ratios, 0.975)?))
    }
}

impl fmt::Display for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PairedMedian => "median of paired ratios",
            Self::QuietMedian => "median of paired ratios in quiet rounds",
            Self::Minima => "ratio of the fastest rounds",
            Self::Quartiles => "ratio of lower quartiles",
        })
    }
}

/// An interval that reaches further than this share of the ratio to either side flags a cell as
/// unstable.
pub const UNSTABLE: f64 = 0.05;

/// The rounds of a cell, in nanoseconds per operation.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Times {
    /// The contender's.
    pub ns: Vec<f64>,
    /// The reference's pass beside each.
    pub reference: Vec<f64>,
}

impl Times {
    /// Adds a round: both times, for this many operations each.
    pub fn push(&mut self, [reference, contender]: [f64; 2], operations: usize) {
        let operations = operations.max(1) as f64;
        self.ns.push(contender / operations);
        self.reference.push(reference / operations);
    }

    /// The time of the reference when the machine was good, from its passes beside all contenders
    /// of a workload: the lower quartile, which repeats from run to run better than the fastest of
    /// a thousand.
    pub fn level<'a>(all: impl IntoIterator<Item = &'a Self>) -> Option<f64> {
        let passes = all.into_iter().flat_map(|times| &times.reference);
        quantile(&passes.copied().collect::<Vec<_>>(), 0.25)
    }

    /// Writes the estimate into a row of `operations` operations in all; nothing without rounds.
    pub fn write(&self, level: Option<f64>, reference: &str, operations: u64, row: &mut Row) {
        let used = Estimator::USED;
        let ratio = used.ratio(&self.ns, &self.reference);
        let (Some(ratio), Some(level)) = (ratio, level) else {
            return;
        };
        row.operations = Some(operations);
        row.rounds = Some(self.ns.len() as u64);
        row.ns = Some(ratio * level);
        row.ns_median = median(&self.ns);
        row.ns_min = quantile(&self.ns, 0.0);
        row.reference = Some(reference.to_owned());
        row.ratio = Some(ratio);
        if let Some((low, high)) = used.interval(&self.ns, &self.reference) {
            (row.ratio_low, row.ratio_high) = (Some(low), Some(high));
            row.unstable = Some((ratio - low).max(high - ratio) > UNSTABLE * ratio);
        }
    }
}

/// The middle value; for an even number, the mean of the middle two; `None` if empty.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    Some(if sorted.len() % 2 == 1 { upper } else { (sorted[half - 1] + upper) / 2.0 })
}

/// The smallest of the numbers that is at least as large as this share of them; `None` if empty.
pub fn quantile(numbers: &[f64], share: f64) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that is slower by a half in the middle of the rounds, and once interrupted.
    fn drifting(factor: f64) -> Times {
        let mut times = Times::default();
        for round in 0..24u32 {
            let speed = if (8..16).contains(&round) { 1.5 } else { 1.0 };
            let wobble = 1.0 + f64::from(round % 3) / 1000.0;
            let hiccup = if round == 5 { 20.0 } else { 1.0 };
            times.push([10.0 * speed, 10.0 * speed * factor * wobble * hiccup], 1);
        }
        times
    }

    #[test]
    fn every_estimator_sees_through_drift_and_interruptions() {
        for factor in [0.5, 1.0, 3.0] {
            let times = drifting(factor);
            for estimator in Estimator::ALL {
                let ratio = estimator.ratio(&times.ns, &times.reference).unwrap();
                assert!((ratio / factor - 1.0).abs() < 0.002, "{estimator}: {ratio}");
                let (low, high) = estimator.interval(&times.ns, &times.reference).unwrap();
                assert!(low <= ratio && ratio <= high, "{estimator}: {low} {high}");
            }
        }
        for estimator in Estimator::ALL {
            assert_eq!(estimator.ratio(&[], &[]), None);
            assert_eq!(estimator.ratio(&[1.0], &[]), None);
        }
    }

    #[test]
    fn the_estimate_is_the_ratio_times_the_good_time_of_the_reference() {
        let (one, other) = (drifting(3.0), drifting(1.0));
        let mut row = Row::default();
        one.write(Times::level([&one, &other]), "bloom", 24, &mut row);
        assert_eq!((row.rounds, row.operations), (Some(24), Some(24)));
        assert!((row.ns.unwrap() - 30.03).abs() < 0.01, "{row:?}");
        assert_eq!((row.reference.as_deref(), row.unstable), (Some("bloom"), Some(false)));
        let mut none = Row::default();
        Times::default().write(Some(1.0), "bloom", 0, &mut none);
        assert_eq!(none, Row::default());
    }

    #[test]
    fn rounds_that_scatter_are_flagged() {
        let mut times = Times::default();
        for round in 0..8u32 {
            times.push([1.0, if round % 4 == 0 { 1.0 } else { 1.5 }], 1);
        }
        let mut row = Row::default();
        times.write(Some(1.0), "bloom", 8, &mut row);
        assert_eq!(row.unstable, Some(true));
    }

    #[test]
    fn quantiles_are_numbers_of_the_list() {
        let numbers = [4.0, 1.0, 3.0, 2.0];
        for (share, want) in [(0.0, 1.0), (0.25, 1.0), (0.5, 2.0), (0.9, 4.0), (1.0, 4.0)] {
            assert_eq!(quantile(&numbers, share), Some(want));
        }
        assert_eq!((quantile(&[], 0.5), median(&[])), (None, None));
        assert_eq!(median(&numbers), Some(2.5));
    }
}
