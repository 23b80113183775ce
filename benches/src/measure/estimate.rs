//! From the times of a cell to one number: the fastest.
//!
//! A shared machine is at its best for most of the time, up to twice as slow for seconds on end,
//! and never better than its best. So of short passes spread over a run the fastest repeats within
//! a fraction of a percent, where what is typical of them depends on the hour.

use crate::record::Row;

/// One number from a cell's times and the reference's in the same rounds.
pub type Estimate = fn(&[f64], &[f64]) -> Option<f64>;

/// What `twins` compares, by name. The first is behind `ns` in the records: over three runs half of
/// the twins differed by less than 0.5 to 1.0 %, nine in ten by less than 6 to 11 %. By the others
/// these were 0.8 to 1.6 and 7 to 14, 2.2 to 5.1 and 15 to 25, 2.0 to 3.1 and 9 to 11 %.
pub const ESTIMATES: [(&str, Estimate); 4] = [
    ("fastest", |ns, _| fastest(ns)),
    ("lower quartile", |ns, _| quantile(ns, 0.25)),
    ("median", |ns, _| median(ns)),
    ("median of ratios to the reference's", |ns, reference| {
        let pairs = ns.iter().zip(reference);
        median(&pairs.map(|(ns, reference)| ns / reference).collect::<Vec<_>>())
    }),
];

/// A cell whose interval reaches further than this share of the estimate is flagged unstable.
pub const UNSTABLE: f64 = 0.05;

/// The times of a cell, in nanoseconds per operation.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Times {
    /// The contender's.
    pub ns: Vec<f64>,
    /// The reference's in the same rounds.
    pub reference: Vec<f64>,
}

impl Times {
    /// Adds both times, for this many operations each.
    pub fn push(&mut self, [reference, contender]: [f64; 2], operations: usize) {
        let operations = operations.max(1) as f64;
        self.ns.push(contender / operations);
        self.reference.push(reference / operations);
    }

    /// The reference's fastest time beside any of these.
    pub fn level<'a>(all: impl IntoIterator<Item = &'a Self>) -> Option<f64> {
        let least = all.into_iter().filter_map(|times| fastest(&times.reference));
        least.min_by(f64::total_cmp)
    }

    /// Writes the estimate into a row of `operations` operations in all; nothing without times, and
    /// no ratio without the reference's time.
    pub fn write(&self, level: Option<f64>, reference: &str, operations: u64, row: &mut Row) {
        let Some((ns, high)) = interval(&self.ns) else {
            return;
        };
        row.operations = Some(operations);
        row.rounds = Some(self.ns.len() as u64);
        (row.ns, row.ns_min, row.ns_median) = (Some(ns), Some(ns), median(&self.ns));
        row.unstable = Some(high > (1.0 + UNSTABLE) * ns);
        if let Some(level) = level {
            row.reference = Some(reference.to_owned());
            (row.ratio, row.ratio_low) = (Some(ns / level), Some(ns / level));
            row.ratio_high = Some(high / level);
        }
    }
}

/// The fastest time, and the end of its 95 % bootstrap interval, which begins with it. No need to
/// draw: the fastest of `n` resampled times is above the `k`th fastest with probability
/// `(1 - k/n)^n`.
fn interval(ns: &[f64]) -> Option<(f64, f64)> {
    const TAIL: f64 = 0.025;
    let left_out = TAIL.powf(1.0 / ns.len() as f64);
    Some((fastest(ns)?, quantile(ns, 1.0 - left_out)?))
}

/// The least number; `None` if there is none.
pub fn fastest(numbers: &[f64]) -> Option<f64> {
    quantile(numbers, 0.0)
}

/// The middle value; for an even number, the mean of the middle two; `None` if empty.
fn median(numbers: &[f64]) -> Option<f64> {
    let last_first: Vec<f64> = numbers.iter().map(|number| -number).collect();
    Some((quantile(numbers, 0.5)? - quantile(&last_first, 0.5)?) / 2.0)
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
    fn the_fastest_sees_through_drift_and_interruptions() {
        let (one, other) = (drifting(3.0), drifting(1.0));
        let mut row = Row::default();
        one.write(Times::level([&one, &other]), "bloom", 24, &mut row);
        assert_eq!((row.rounds, row.operations), (Some(24), Some(24)));
        assert_eq!((row.ns, row.ns_min, row.ratio), (Some(30.0), Some(30.0), Some(3.0)));
        assert_eq!(
            (row.ratio_low, row.ratio_high, row.unstable),
            (Some(3.0), Some(3.0), Some(false))
        );
        let values = ESTIMATES.map(|(_, of)| of(&one.ns, &one.reference).unwrap().round());
        assert_eq!(values, [30.0, 30.0, 30.0, 3.0]);
        assert_eq!(ESTIMATES.map(|(_, of)| of(&[], &[])), [None; 4]);
    }

    #[test]
    fn a_cell_is_unstable_if_hardly_any_time_is_near_the_fastest() {
        // Of 24 resampled ones the fastest is among the first four, but for one chance in forty.
        for (near, unstable) in [(3, true), (4, false)] {
            let ns = (0..24).map(|round| if round < near { 1.0 } else { 1.5 }).collect();
            let (times, mut row) = (Times { ns, ..Times::default() }, Row::default());
            times.write(None, "bloom", 24, &mut row);
            assert_eq!((row.unstable, row.ns, row.ratio), (Some(unstable), Some(1.0), None));
        }
        let mut none = Row::default();
        Times::default().write(Some(1.0), "bloom", 0, &mut none);
        assert_eq!(none, Row::default());
    }

    #[test]
    fn quantiles_are_numbers_of_the_list() {
        let numbers = [4.0, 1.0, 3.0, 2.0];
        for (share, want) in [(0.0, 1.0), (0.25, 1.0), (0.5, 2.0), (0.9, 4.0), (1.0, 4.0)] {
            assert_eq!(quantile(&numbers, share), Some(want));
        }
        assert_eq!((quantile(&[], 0.5), median(&[])), (None, None));
        assert_eq!((median(&numbers), median(&numbers[1..])), (Some(2.5), Some(2.0)));
    }
}
