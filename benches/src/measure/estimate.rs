//! Reduces the times of a cell to one number, the fastest.
//!
//! A shared machine runs at full speed most of the time, but up to twice as slowly for seconds on
//! end. So of short passes spread over a run, the fastest is reproducible within a fraction of a
//! percent, while the typical pass depends on the hour. (Over three runs half of the twins differed
//! by 0.5 to 1.0 % in their fastest passes, and by 2 to 5 % in their medians.)

use crate::record::Row;
use statrs::statistics::{Data, Median};
use std::time::Instant;

/// A cell whose interval is wider than this share of the estimate is flagged unstable.
pub const UNSTABLE: f64 = 0.05;

/// Runs `work`; returns its answer and the nanoseconds it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let answer = work();
    (answer, start.elapsed().as_secs_f64() * 1e9)
}

#[derive(Clone, PartialEq, Default, Debug)]
pub struct Times {
    /// Nanoseconds per operation of each pass.
    pub ns: Vec<f64>,
    pub operations: u64,
}

impl Times {
    /// Adds a pass that took this many nanoseconds.
    pub fn push(&mut self, ns: f64, operations: usize) {
        self.ns.push(ns / operations.max(1) as f64);
        self.operations += operations as u64;
    }

    /// Writes the estimate to a row, if there are times.
    pub fn write(&self, row: &mut Row) {
        let Some((ns, high)) = interval(&self.ns) else {
            return;
        };
        let median = Data::new(self.ns.clone()).median();
        row.operations = Some(self.operations);
        row.rounds = Some(self.ns.len() as u64);
        (row.ns, row.ns_min, row.ns_median) = (Some(ns), Some(ns), Some(median));
        row.unstable = Some(high > (1.0 + UNSTABLE) * ns);
        row.passes_ns = listed(&self.ns);
    }

    /// Writes the ratio to a reference's times, if both have times.
    pub fn compare(&self, name: &str, reference: &Self, row: &mut Row) {
        if let (Some((ns, high)), Some(level)) = (interval(&self.ns), quantile(&reference.ns, 0.0))
        {
            row.reference = Some(name.to_owned());
            (row.ratio, row.ratio_low) = (Some(ns / level), Some(ns / level));
            row.ratio_high = Some(high / level);
            row.reference_passes_ns = listed(&reference.ns);
        }
    }
}

/// The fastest time, and the end of its 95 % bootstrap interval, which begins with it. Needs no
/// resampling: the fastest of `n` resampled times is above the `k`th fastest with probability `(1 -
/// k/n)^n`.
fn interval(ns: &[f64]) -> Option<(f64, f64)> {
    const TAIL: f64 = 0.025;
    let left_out = TAIL.powf(1.0 / ns.len() as f64);
    Some((quantile(ns, 0.0)?, quantile(ns, 1.0 - left_out)?))
}

/// The quantile: the smallest number that is at least as large as this share of them; `None` if
/// empty.
pub fn quantile(numbers: &[f64], share: f64) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied()
}

/// The 99.9th percentile of single operations; `None` for fewer than two thousand.
pub fn tail(times: &[u32]) -> Option<f64> {
    let times: Vec<f64> = times.iter().copied().map(f64::from).collect();
    quantile(&times, 0.999).filter(|_| times.len() >= 2_000)
}

fn listed(numbers: &[f64]) -> String {
    let numbers = numbers.iter().map(|&number| four_digits(number).to_string());
    numbers.collect::<Vec<_>>().join(" ")
}

/// The nearest number of four significant digits.
pub fn four_digits(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The row of these times beside a reference's.
    fn row(ns: impl Iterator<Item = f64>, reference: &[f64]) -> Row {
        let mut row = Row::default();
        let mut times = Times::default();
        ns.for_each(|ns| times.push(2.0 * ns, 2));
        times.write(&mut row);
        times.compare("bloom", &Times { ns: reference.to_vec(), operations: 1 }, &mut row);
        row
    }

    #[test]
    fn the_fastest_sees_through_drift_and_interruptions() {
        // A machine that slows down by a half in the middle of the rounds, and is interrupted once.
        let drifting = (0..24).map(|round| {
            let speed = if (8..16).contains(&round) { 1.5 } else { 1.0 };
            let hiccup = if round == 5 { 20.0 } else { 1.0 };
            30.0 * speed * hiccup * (1.0 + f64::from(round % 3) / 1000.0)
        });
        let row = row(drifting, &[15.0, 10.0, 12.0]);
        assert_eq!((row.rounds, row.operations), (Some(24), Some(48)));
        assert_eq!((row.ns, row.ns_min, row.ratio), (Some(30.0), Some(30.0), Some(3.0)));
        assert_eq!((row.ratio_low, row.ratio_high), (Some(3.0), Some(3.0)));
        assert!(row.passes_ns.starts_with("30 30.03 30.06 30 30.03 601.2 30 30.03 45.09 45 "));
        assert_eq!(row.reference_passes_ns, "15 10 12");
        assert_eq!((row.unstable, row.reference.as_deref()), (Some(false), Some("bloom")));
    }

    #[test]
    fn a_cell_is_unstable_if_hardly_any_time_is_near_the_fastest() {
        // The fastest of 24 resampled times is among the first four with probability 39/40.
        for (near, unstable) in [(3, true), (4, false)] {
            let row = row((0..24).map(|round| if round < near { 1.0 } else { 1.5 }), &[]);
            assert_eq!((row.unstable, row.ns, row.ratio), (Some(unstable), Some(1.0), None));
        }
        assert_eq!(row([].into_iter(), &[1.0]), Row::default());
    }

    #[test]
    fn quantiles_are_numbers_of_the_list() {
        let numbers = [4.0, 1.0, 3.0, 2.0];
        for (share, want) in [(0.0, 1.0), (0.25, 1.0), (0.5, 2.0), (0.9, 4.0), (1.0, 4.0)] {
            assert_eq!(quantile(&numbers, share), Some(want));
        }
        assert_eq!(quantile(&[], 0.5), None);
        let times: Vec<u32> = (1..=2000).collect();
        assert_eq!((tail(&times), tail(&times[1..])), (Some(1998.0), None));
        for (numbers, median) in [(&numbers[..], 2.5), (&numbers[1..], 2.0)] {
            assert_eq!(row(numbers.iter().copied(), &[]).ns_median, Some(median));
        }
    }
}
