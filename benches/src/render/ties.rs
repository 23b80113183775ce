//! The best of a column, and the values tied with it.

/// A value's rank in its column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    /// The least.
    Best,
    /// Within the noise of the least.
    Tie,
    /// More.
    Behind,
}

/// The standing of each value, the least being the best; values within `noise` of the best,
/// relatively, tie with it.
pub(super) fn standings(values: &[Option<f64>], noise: f64) -> Vec<Standing> {
    let best = values.iter().flatten().copied().reduce(f64::min);
    let standing = |value: &Option<f64>| match (value, best) {
        (Some(value), Some(best)) if *value <= best => Standing::Best,
        (Some(value), Some(best)) if *value <= best * (1.0 + noise) => Standing::Tie,
        _ => Standing::Behind,
    };
    values.iter().map(standing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_within_the_noise_of_the_best_is_a_tie() {
        let values = [Some(10.0), Some(10.4), Some(10.6), None];
        let got = standings(&values, 0.05);
        assert_eq!(
            got,
            [
                Standing::Best,
                Standing::Tie,
                Standing::Behind,
                Standing::Behind
            ]
        );
        // Without a known noise, only equal values tie.
        assert_eq!(
            standings(&[Some(1.0), Some(1.0), Some(1.01)], 0.0)[1..],
            [Standing::Best, Standing::Behind]
        );
        assert_eq!(standings(&[None], 0.05), [Standing::Behind]);
    }
}
