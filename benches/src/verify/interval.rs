//! Confidence intervals of rates, from counts of false positives.

use amq_core::PredictedFpr;
use statrs::function::beta::checked_beta_reg;

/// Standard deviations allowed between a count and its prediction. One cell in 16,000 is further
/// off by chance; with fixed seeds, always the same one.
pub const SIGMAS: f64 = 4.0;

/// The 95 % Clopper-Pearson interval of a rate from `hits` of `queries`: exact, so never too
/// narrow.
pub fn clopper_pearson(hits: u64, queries: u64) -> (f64, f64) {
    const TAIL: f64 = 0.025;
    let (x, n) = (hits as f64, queries as f64);
    let low = if hits == 0 { 0.0 } else { beta_quantile(x, n - x + 1.0, TAIL) };
    let high = if hits >= queries { 1.0 } else { beta_quantile(x + 1.0, n - x, 1.0 - TAIL) };
    (low, high)
}

/// The `p` quantile of the beta distribution with these positive shapes, by bisection: the
/// library's inverses do not converge for counts of a million and more.
fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // Finer than any relevant difference; each step is one evaluation.
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        // The argument is in [0, 1] and the shapes are positive, so the error cannot occur.
        if checked_beta_reg(a, b, middle).unwrap_or(f64::NAN) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// Whether a count agrees with the prediction within their joint error.
///
/// Each of `filters` filters answered `queries` absent keys. Answers vary binomially, and the
/// filters' rates vary around the mean, with the predicted standard deviation.
pub fn agrees(predicted: PredictedFpr, hits: u64, queries: u64, filters: u64) -> bool {
    let (queries, filters) = (queries as f64, filters as f64);
    let total = queries * filters;
    let p = predicted.mean;
    let binomial = total * p * (1.0 - p);
    let between_filters = filters * (queries * predicted.sd).powi(2);
    // Counts are whole: half a unit either way is allowed.
    (hits as f64 - total * p).abs()
        <= SIGMAS * (binomial + between_filters).sqrt() + if p > 0.0 { 0.5 } else { 0.0 }
}

#[test]
fn intervals_are_the_published_ones() {
    for (hits, queries, low, high, close) in [
        (10, 100, 0.049_005, 0.176_223, 1e-4),
        (0, 10, 0.0, 0.308_497, 1e-4),
        (10, 10, 0.691_503, 1.0, 1e-4),
        (1, 10, 0.002_529, 0.445_016, 1e-3),
        // The count, less or more 1.96 of its square roots.
        (1_000_000, 1 << 30, 9.294_97e-4, 9.331_48e-4, 1e-3),
        (100_000, 1 << 24, 5.923_52e-3, 5.997_41e-3, 1e-3),
    ] {
        let got = clopper_pearson(hits, queries);
        let near = |got: f64, want: f64| (got - want).abs() <= close * want;
        assert!(near(got.0, low) && near(got.1, high), "{hits}/{queries}: {got:?}");
    }
}

#[test]
fn disagreement_is_found_on_both_sides() {
    let exact = PredictedFpr { mean: 0.01, sd: 0.0 };
    // A spread between filters allows more deviation, but less over many filters.
    let spread = PredictedFpr { mean: 0.01, sd: 0.002 };
    let never = PredictedFpr { mean: 0.0, sd: 0.0 };
    for (predicted, hits, queries, filters, good) in [
        (exact, 1_000, 100_000, 1, true),
        (exact, 1_100, 100_000, 1, true),
        (exact, 1_140, 100_000, 1, false),
        (exact, 860, 100_000, 1, false),
        (spread, 1_700, 100_000, 1, true),
        (spread, 17_000, 100_000, 10, false),
        (never, 0, 1000, 1, true),
        (never, 1, 1000, 1, false),
    ] {
        assert_eq!(agrees(predicted, hits, queries, filters), good, "{predicted:?} {hits}");
    }
}
