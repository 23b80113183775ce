//! Statistics over rounds.

/// A median absolute deviation above this share of the median flags a cell as unstable.
pub const UNSTABLE: f64 = 0.05;

/// Median, median absolute deviation and minimum.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    /// The middle value; for an even number, the mean of the middle two.
    pub median: f64,
    /// The median of the distances from the median. Unlike the standard deviation, it ignores a
    /// single round in which the machine was busy.
    pub mad: f64,
    /// The least.
    pub min: f64,
}

impl Summary {
    /// `None` of an empty slice.
    pub fn of(rounds: &[f64]) -> Option<Self> {
        let median = median(rounds)?;
        let distances: Vec<f64> = rounds.iter().map(|round| (round - median).abs()).collect();
        Some(Self {
            median,
            mad: self::median(&distances)?,
            min: rounds.iter().copied().fold(f64::INFINITY, f64::min),
        })
    }

    /// Whether the rounds scatter too much.
    pub fn unstable(&self) -> bool {
        self.mad > UNSTABLE * self.median
    }
}

/// The middle value; for an even number, the mean of the middle two; `None` if empty.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    Some(if sorted.len() % 2 == 1 {
        upper
    } else {
        (sorted[half - 1] + upper) / 2.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_stand_one_wild_round() {
        let summary = Summary::of(&[10.0, 11.0, 9.0, 10.5, 500.0]).unwrap();
        assert_eq!((summary.median, summary.mad, summary.min), (10.5, 0.5, 9.0));
        assert!(!summary.unstable());
        assert!(Summary::of(&[1.0, 2.0, 3.0]).unwrap().unstable());
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
    }
}
